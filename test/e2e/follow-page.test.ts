// The page on following: runs its commands as written, except for the ports.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const page = readFileSync(fileURLToPath(new URL("../../docs/follow.md", import.meta.url)), "utf8");
const program = fileURLToPath(new URL("../../bin/sextant.js", import.meta.url));
const blocks = page
  .split("```")
  .filter((part) => part.startsWith("sh\n"))
  .map((part) => part.slice(3));
const running: ChildProcess[] = [];

afterAll(async () => {
  const alive = running.filter(({ exitCode }) => exitCode === null);
  const closed = alive.map((child) => new Promise((resolve) => child.once("close", resolve)));
  // Each shell leads a process group that includes the node.
  for (const { pid } of alive) if (pid !== undefined) process.kill(-pid, "SIGTERM");
  await Promise.all(closed);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

describe("the page on following", async () => {
  const ports: [string, string][] = [];
  for (const port of ["8080", "8081", "8082"]) ports.push([port, `${await freePort()}`]);
  const portOf = (port: string): string => ports.find(([name]) => name === port)?.[1] ?? port;

  /** Starts a block of commands in a new shell and returns its output so far. */
  function run(block: string | undefined): () => string {
    let text = (block ?? "").replaceAll("npx sextant", `"${process.execPath}" "${program}"`);
    for (const [port, other] of ports) text = text.replaceAll(port, other);
    const env = { ...process.env, SEXTANT_PORT: portOf("8080"), SEXTANT_BLOCK_TIME: "100ms" };
    const child = endWithTest(spawn("bash", ["-c", text], { cwd: folder, env, detached: true }), {
      group: true,
    });
    running.push(child);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => {
      output += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece) => {
      output += piece;
    });
    return () => output;
  }

  it("has the commands that the README shows", () => {
    const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
    for (const block of blocks.slice(0, 3)) expect(readme).toContain(`\`\`\`sh\n${block}\`\`\``);
  });

  const untilReady = (output: () => string) =>
    until(() => (output().includes("sextant is ready") ? true : undefined), 30_000);

  it("works as written", async () => {
    await untilReady(run(blocks[0]));
    await untilReady(run(blocks[1]));
    const status = run(blocks[2]);
    await until(() => (status().includes("latest_block_age_seconds") ? true : undefined));
    expect(status()).toMatch(/trust_level +chained/);
    expect(status()).toMatch(/sync_mode +follow/);
    await untilReady(run(blocks[3]));
    const light = run((blocks[2] ?? "").replace("8081", "8082"));
    await until(() => (light().includes("latest_block_age_seconds") ? true : undefined));
    expect(light()).toMatch(/trust_level +trusted/);
  });
});
