// A start loads no package that only some runs need: the Cassandra driver, undici, pino and yaml cost time and memory.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** A built file, as a text in a script. */
const file = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../dist/${path}`, import.meta.url)));

function loadedBy(source: string): string[] {
  const script = `import { createRequire } from "node:module";
    ${source}
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as string[];
}

const atStart = loadedBy(`await import(${file("cli/commands.js")});`);

it.each([
  ["cassandra-driver", `await import(${file("store/cassandra/store.js")});`],
  [
    "undici",
    `const { Transport } = await import(${file("sync/upstream/transport.js")}); new Transport({}).close();`,
  ],
  ["pino", `(await import(${file("cli/log.js")})).createLogger("error", "json");`],
  ["yaml", `(await import(${file("cli/config-file.js")})).loadConfigFile("/dev/null");`],
])("loads %s only for its use", (name, use) => {
  const isOf = (path: string): boolean => path.includes(`/node_modules/${name}/`);
  expect(atStart.filter(isOf)).toEqual([]);
  expect(loadedBy(use).some(isOf)).toBe(true);
});
