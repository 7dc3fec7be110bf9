// Starts threads of the program.
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread from its file in the build. Tests run `source` instead, which Node loads through a translator. */
export function startThread(built: URL, source: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(built, options);
  const code = `import("tsx/esm/api").then(({ register }) => {
    register();
    return import(${JSON.stringify(source.href)});
  })`;
  return new Worker(code, { ...options, eval: true });
}
