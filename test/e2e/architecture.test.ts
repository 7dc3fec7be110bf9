// The linter's import directions: the tree obeys them, and the linter reports every violation.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const biome = fileURLToPath(new URL("../../node_modules/@biomejs/biome/bin/biome", import.meta.url));
const run = promisify(execFile);

/** Output of the linter for a copy of the tree with some files added. */
async function lintWith(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = temporaryFolder();
  for (const name of ["src", "biome.json", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(tree, name), { recursive: true });
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), source);
  }
  const args = [biome, "lint", "--vcs-enabled=false", "--max-diagnostics=none", "--colors=off", "src"];
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: tree, maxBuffer: 2 ** 26 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

const trespasses: readonly [room: string, source: string][] = [
  ["base", 'export * from "../bcs/errors.ts";\n'],
  ["interface", 'export * from "../base/errors.ts";\n'],
  ["bcs", 'export * from "../move/errors.ts";\n'],
  ["json", 'export * from "../bcs/errors.ts";\n'],
  ["move", 'export * from "../ledger/errors.ts";\n'],
  ["transaction", 'export * from "../ledger/errors.ts";\n'],
  ["ledger", 'export * from "../store/errors.ts";\n'],
  ["ledger", 'export * from "../interface/route.ts";\n'],
  ["ledger", 'export * from "../proof/errors.ts";\n'],
  ["proof", 'export * from "../store/errors.ts";\n'],
  ["store", 'export * from "../proof/errors.ts";\n'],
  ["store", 'export * from "../sync/pruner.ts";\n'],
  ["sync", 'export * from "../http/server.ts";\n'],
  ["chain", 'export * from "../sync/pruner.ts";\n'],
  ["http", 'export * from "../store/errors.ts";\n'],
  ["http", 'export { open } from "lmdb";\n'],
  ["http", 'export { Client } from "cassandra-driver";\n'],
  ["store/lmdb", 'export { Client } from "cassandra-driver";\n'],
  ["store/cassandra", 'export { open } from "lmdb";\n'],
  ["cli", 'export * from "../store/errors.ts";\n'],
  ["cli", 'export * from "../http/server.ts";\n'],
];

describe("import directions", () => {
  const path = (index: number): string => `src/${trespasses[index]?.[0]}/trespasser-${index}.ts`;
  const added = Object.fromEntries(trespasses.map(([, source], index) => [path(index), source]));
  const [one, other] = ["src/base/round.ts", "src/base/about.ts"] as const;

  it("hold in the whole tree, and refuse every import against them, and a cycle", async () => {
    const output = await lintWith({
      ...added,
      [one]: 'export * from "./about.ts";\n',
      [other]: 'export * from "./round.ts";\n',
    });
    expect(output).toMatch(/Checked \d{3,} files/);
    const found = [...output.matchAll(/^(src\/\S+\.ts):\d+:\d+ lint\/\w+\/(\w+)/gm)].map(
      ([, file, rule]) => `${file} ${rule}`,
    );
    const expected = trespasses.map((_, index) => `${path(index)} noRestrictedImports`);
    // Exactly these: the tree itself has none.
    expect(found.sort()).toEqual([...expected, `${one} noImportCycles`, `${other} noImportCycles`].sort());
  });

  it("are described for every room", () => {
    const text = readFileSync(`${root}/ARCHITECTURE.md`, "utf8");
    for (const [room] of trespasses) expect(text).toContain(`| \`${room.split("/")[0]}\` |`);
  });
});
