// The program at the end of its surroundings: a reader that leaves, and a Node that is too old.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { createNode } from "../../src/index.ts";
import { endWithTest } from "../support/children.ts";
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
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output.stdout += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    output.stderr += piece;
  });
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
    ["a first line is enough", "sextant history ada APT --data data | head -1 | wc -l", "1\ncodes 0 0 0\n"],
    ["a list breaks off", "sextant history ada APT --data data | true", "codes 0 0\n"],
    ["help is cut off", "sextant start --help-all | head -1 | wc -l", "1\ncodes 0 0 0\n"],
  ])("%s: success, and not a word", async (_, line, stdout) => {
    expect(await bash(line)).toEqual({ stdout, stderr: "" });
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
