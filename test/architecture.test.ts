// The linter's import directions: the tree obeys them, and breaking one is noticed.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const biome = fileURLToPath(new URL("../node_modules/@biomejs/biome/bin/biome", import.meta.url));
const run = promisify(execFile);

async function lint(path: string): Promise<{ ok: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [biome, "lint", path], { cwd: root });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { ok: false, output: stdout + stderr };
  }
}

const trespasser = (room: string): string => `src/${room}/trespasser-for-test.ts`;
const trespasses: readonly [room: string, source: string][] = [
  ["base", 'export * from "../bcs/errors.ts";\n'],
  ["bcs", 'export * from "../move/errors.ts";\n'],
  ["json", 'export * from "../bcs/errors.ts";\n'],
  ["move", 'export * from "../ledger/errors.ts";\n'],
  ["transaction", 'export * from "../ledger/errors.ts";\n'],
  ["ledger", 'export * from "../store/errors.ts";\n'],
  ["store", 'export * from "../sync/pruner.ts";\n'],
  ["sync", 'export * from "../http/server.ts";\n'],
  ["chain", 'export * from "../sync/pruner.ts";\n'],
  ["http", 'export * from "../store/errors.ts";\n'],
  ["http", 'export { open } from "lmdb";\n'],
  ["cli", 'export * from "../store/errors.ts";\n'],
  ["cli", 'export * from "../http/server.ts";\n'],
];

describe("import directions", () => {
  afterEach(() => {
    for (const [room] of trespasses) rmSync(`${root}/${trespasser(room)}`, { force: true });
  });

  it("hold in the whole tree", async () => {
    const { ok, output } = await lint("src");
    expect(output).toMatch(/Checked \d{2,} files/);
    expect(ok, output).toBe(true);
  });

  it.each(trespasses)("refuse %s importing %s", async (room, source) => {
    mkdirSync(`${root}/src/${room}`, { recursive: true });
    writeFileSync(`${root}/${trespasser(room)}`, source);
    const { ok, output } = await lint(trespasser(room));
    expect(ok).toBe(false);
    expect(output).toContain("noRestrictedImports");
  });

  it("refuse a cycle", async () => {
    const files = [trespasser("base"), trespasser("base").replace(".ts", "-too.ts")] as const;
    writeFileSync(`${root}/${files[0]}`, 'export * from "./trespasser-for-test-too.ts";\n');
    writeFileSync(`${root}/${files[1]}`, 'export * from "./trespasser-for-test.ts";\n');
    const { ok, output } = await lint("src/base");
    rmSync(`${root}/${files[1]}`);
    expect(ok).toBe(false);
    expect(output).toContain("noImportCycles");
  });

  it("are described for every room", () => {
    const text = readFileSync(`${root}/ARCHITECTURE.md`, "utf8");
    for (const [room] of trespasses) expect(text).toContain(`| \`${room}\` |`);
  });
});
