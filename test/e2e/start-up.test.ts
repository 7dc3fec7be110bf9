// A start loads no package that only some runs need: the Cassandra driver, lmdb, undici, pino and yaml cost time and memory.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** A file of the project, as a text in a script. */
const file = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

function loadedBy(source: string, ...options: readonly string[]): string[] {
  const script = `import { createRequire } from "node:module";
    ${source}
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  const { stdout, stderr } = spawnSync(process.execPath, [...options, "--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as string[];
}

const atStart = loadedBy(`await import(${file("dist/cli/run-command.js")});`);

it.each([
  ["cassandra-driver", `await import(${file("src/store/cassandra/store.ts")});`],
  [
    "undici",
    `const { Transport } = await import(${file("src/sync/upstream/transport.ts")}); new Transport({}).close();`,
  ],
  ["lmdb", `(await import(${file("src/store/lmdb/package.ts")})).loadLmdb();`],
  ["pino", `(await import(${file("src/cli/log.ts")})).createLogger("error", "json");`],
  ["yaml", `(await import(${file("src/cli/config-file.ts")})).loadConfigFile("/dev/null");`],
])("loads %s only for its use", (name, use) => {
  const isOf = (path: string): boolean => path.includes(`/node_modules/${name}/`);
  expect(atStart.filter(isOf)).toEqual([]);
  expect(loadedBy(use, "--import", "tsx").some(isOf)).toBe(true);
});
