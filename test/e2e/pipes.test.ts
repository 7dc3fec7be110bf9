// The program at the end of its surroundings: a reader that leaves, and a Node that is too old.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { createNode } from "../../src/index.ts";
import { endWithTest, outputOf } from "../support/children.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const bin = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));

/** Runs a line of bash; `sextant` is the program. Prints the exit codes of the last pipe. */
function bash(line: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const text = `sextant() { "${process.execPath}" "${bin}" "$@"; }; ${line}; echo "codes \${PIPESTATUS[*]}"`;
  const child = endWithTest(spawn("bash", ["-c", text], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }));
  const output = outputOf(child);
  return new Promise((resolve) => child.once("close", () => resolve(output)));
}

describe("a reader that leaves", () => {
  beforeAll(async () => {
    const node = await createNode({ data, pruneWindow: "off" });
    for (let i = 0; i < 20; i++) await node.produceBlock();
    await node.close();
  });

  it.each([
    ["nobody reads", "sextant info --data data | true", "codes 0 0\n"],
    ["a first line is enough", "sextant history anna APT --data data | head -1 | wc -l", "1\ncodes 0 0 0\n"],
    ["a list breaks off", "sextant history anna APT --data data | true", "codes 0 0\n"],
    ["help is cut off", "sextant start --help-all | head -1 | wc -l", "1\ncodes 0 0 0\n"],
  ])("%s: success, and not a word", async (_, line, stdout) => {
    expect(await bash(line)).toEqual({ stdout, stderr: "" });
  });

  it("a full disk takes no output: one line, and the command failed", async () => {
    expect(await bash("sextant info --data data > /dev/full")).toEqual({
      stdout: "codes 1\n",
      stderr: "sextant: cannot write to standard output: ENOSPC\n",
    });
  });

  it("nobody reads the error: the command keeps its exit code", async () => {
    // The pipe is closed before the program writes to it.
    const { stdout } = await bash("{ sleep 0.1; sextant nonsense 2>&1; } | true");
    expect(stdout).toBe("codes 2 0\n");
  });

  it("nobody reads what a node prints: it serves on, and stops as ever", async () => {
    const args = ["--data", join(folder, "served"), "--block-time", "20ms", "--log-level", "debug"];
    const node = await startProgram(args);
    node.child.stdout?.destroy();
    node.child.stderr?.destroy();
    const version = async (): Promise<number> =>
      Number(((await (await fetch(node.url)).json()) as { ledger_version: string }).ledger_version);
    const before = await version();
    await until(async () => (await version()) > before + 20);
    expect(await node.stop()).toMatchObject({ code: 0, signal: null });
  });
});

describe("a Node that is too old", () => {
  it.each(["12.22.12", "18.20.8", "20.18.3"])("%s is told so in one line", async (version) => {
    const fake = join(folder, `fake-${version}.cjs`);
    const text = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
    writeFileSync(fake, text);
    const { code, stdout, stderr } = await runProgram(["--version"], { NODE_OPTIONS: `--require ${fake}` });
    const line = `sextant: this is Node ${version}, expected 20.19 or later: see https://nodejs.org\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: line });
  });

  it("the launcher has no syntax that such a Node does not know", async () => {
    // Node 8 and later read a script of ES2017.
    const source = readFileSync(bin, "utf8").replaceAll(/^(?:#!|\/\/|\/\*\*).*$/gm, "");
    expect(() => new Script(source)).not.toThrow();
    expect(source).not.toMatch(/\b(?:import|await|async)\b|\?\.|\?\?|\*\*|\.\.\./);
  });
});

describe("a machine that lacks something", () => {
  it.each([
    ["64 open files are enough", "-n 64", /^codes 0\n$/, ""],
    ["too few open files", "-n 24", /^codes [01]\n$/, "allow more open files (ulimit -n)"],
    ["too little memory", "-v 1500000", /^codes [01]\n$/, "allow more memory (ulimit -v)"],
  ])("%s: the program runs, or says what it lacks in one line", async (_, limit, codes, hint) => {
    const { stdout, stderr } = await bash(`ulimit ${limit}; sextant balance anna APT --data data > answer`);
    expect(stdout).toMatch(codes);
    if (stdout === "codes 0\n") expect(stderr).toBe("");
    else {
      expect(stderr).toMatch(/^sextant: [^\n]+\n$/);
      expect(stderr).toContain(hint);
    }
  });
});

describe("a read-only file system", () => {
  const disk = join(folder, "read-only");
  const canMount = (): boolean => {
    mkdirSync(disk, { recursive: true });
    return spawnSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", disk]).status === 0;
  };

  it.skipIf(!canMount())("is named as the reason, not as a missing directory", async () => {
    try {
      const { code, stderr } = await runProgram(["start", "--data", join(disk, "a/b"), "--port", "0"]);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^sextant: the store's directory cannot be written .*EROFS: read-only file system/,
      );
    } finally {
      spawnSync("umount", [disk]);
    }
  });
});
