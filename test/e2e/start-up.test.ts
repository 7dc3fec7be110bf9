// A node on a data directory does not load the Cassandra driver, which costs time and memory.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const built = fileURLToPath(new URL("../../dist/cli/commands.js", import.meta.url));

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

it("loads the Cassandra driver only for a cluster", () => {
  const isDriver = (path: string): boolean => path.includes("cassandra-driver");
  expect(loadedBy(`await import(${JSON.stringify(built)});`).filter(isDriver)).toEqual([]);
  const engine = JSON.stringify(built.replace("cli/commands.js", "store/cassandra/store.js"));
  expect(loadedBy(`await import(${engine});`).some(isDriver)).toBe(true);
});
