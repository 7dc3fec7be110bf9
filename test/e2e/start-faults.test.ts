// A start that cannot work prints one clear line, exits with code 2, or 75 where trying again may help, and changes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../support/command.ts";
import { launchProgram, runProgram, startProgram } from "../support/program.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const local = ["--block-time", "50ms", "--log-level", "warn"];

async function refused(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  code: 2 | 75 = 2,
) {
  const run = await runCommand(["start", ...args], environment);
  expect(run.code, run.stderr).toBe(code);
  expect(run.stderr.trim().split("\n")).toHaveLength(1);
  expect(run.stdout).toBe("");
  return run.stderr;
}

describe("a start that cannot work", () => {
  it("refuses unknown options with the nearest name", async () => {
    const line = await refused(["--prot", "1"]);
    expect(line).toContain("did you mean --port?");
    expect(await runProgram(["start", "--prot", "1"])).toMatchObject({ code: 2, stdout: "", stderr: line });
    expect(await refused(["-port", "1"])).toContain("did you mean --port?");
    expect(await refused(["--zzzzzzzz"])).toContain("--help lists the options");
    expect(await refused(["operand"])).toContain("unexpected operand");
    expect(await refused([], { SEXTANT_PORT: "many" })).toContain("SEXTANT_PORT");
  });

  it("refuses a wrong window, brand or combination before touching the data directory", async () => {
    const data = join(folder, "untouched");
    for (const [args, text] of [
      [["--prune-window", "soon"], "prune window"],
      [["--header-brand", "a b"], "header-brand"],
      [["--waypoint", "0:00"], "--waypoint needs --genesis"],
      [["--genesis", join(folder, "none.blob")], "none.blob"],
      [["--block-time", "600h"], '--block-time: expected a time from 0 to 24d, got "600h"'],
      [["--keep-alive-timeout", "0"], '--keep-alive-timeout: expected a time from 1ms to 24h, got "0"'],
      [["--read-only", "--blocks", "3"], "--blocks: a node that only reads"],
      [["--store", "memory"], "--data needs --store lmdb"],
      [["--store", "disk"], "--store: expected one of lmdb, memory, cassandra"],
      [["--store-url", "cassandra://a/b"], "--store-url needs --store cassandra"],
      [["--store-user", "me"], "--store-user needs --store cassandra"],
      [["--store", "cassandra", "--store-url", "cassandra://a/b"], "--data needs --store lmdb"],
    ] as const) {
      expect(await refused([...args, "--data", data])).toContain(text);
      expect(existsSync(data)).toBe(false);
    }
    expect(await refused(["--store", "cassandra"])).toContain("--store cassandra needs --store-url");
  });

  it("refuses invalid cluster options, and never prints a password", async () => {
    const cluster = ["--store", "cassandra", "--store-url"];
    for (const [args, text] of [
      [["http://a/b"], "store-url: expected cassandra://"],
      [["cassandra://a"], "keyspace"],
      [["cassandra://a b/c"], "HOST"],
      [["cassandra://a/b", "--store-tls-cert", "x"], "--store-tls-cert needs --store-tls-key"],
      [["cassandra://a/b", "--store-password-file", join(folder, "nowhere")], "--store-password-file"],
    ] as const) {
      expect(await refused([...cluster, ...args])).toContain(text);
    }
    const secret = "correct-horse";
    for (const [args, environment] of [
      [[...cluster, `cassandra://me:${secret}@a/b`], {}],
      [[...cluster, "cassandra://a/b", "--store-password", secret], {}],
      [[...cluster, "cassandra://a/b"], { SEXTANT_STORE_PASSWORD: secret }],
      [[], { SEXTANT_STORE_PASSWORD: secret }],
    ] as const) {
      expect(await refused(args, environment)).not.toContain(secret);
    }
  });

  it("refuses a port in use before touching the data directory", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    const data = join(folder, "port-in-use");
    for (const more of [[], ["--workers", "2"]]) {
      const line = await refused(["--port", `${port}`, "--data", data, ...more], {}, 75);
      expect(line).toMatch(new RegExp(`^sextant: cannot listen on port ${port}: .*EADDRINUSE`));
    }
    const elsewhere = await refused(["--host", "203.0.113.1", "--port", "0", "--data", data], {}, 75);
    expect(elsewhere).toContain("EADDRNOTAVAIL");
    expect(existsSync(data)).toBe(false);
    taken.close();
  });

  it("says in one line that a cluster cannot be reached, and with its stack for debugging", async () => {
    const rewind = [
      "rewind",
      "--to",
      "5",
      "--store",
      "cassandra",
      "--store-url",
      "cassandra://127.0.0.1:1/ks",
    ];
    const run = await runCommand(rewind);
    expect(run).toMatchObject({ code: 75, stdout: "" });
    expect(run.stderr).toMatch(/^sextant: the cluster of 127.0.0.1:1\/ks [^\n]*ECONNREFUSED[^\n]*\n$/);
    const debugged = await runCommand(rewind, { SEXTANT_LOG_LEVEL: "debug" });
    expect(debugged.stderr).toMatch(/\n +at /);
  });

  it("refuses a path that cannot be a data directory", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "content");
    expect(await refused(["--port", "0", "--data", join(file, "below")])).toContain("a-file");
    expect(await refused(["--port", "0", "--data", file])).toContain("a-file");
    expect(readFileSync(file, "utf8")).toBe("content");
  });

  it("refuses a directory that another writer holds, one of another seed, and one of a local chain to follow with", async () => {
    const data = join(folder, "held");
    const first = await startProgram(["--data", data, ...local]);
    const line = await refused(["--port", "0", "--data", data, ...local], {}, 75);
    expect(line).toContain(`${first.child.pid}`);
    expect((await first.stop()).code).toBe(0);
    expect(await refused(["--port", "0", "--data", data, "--seed", "other"])).toContain("seed");
    const following = ["--port", "0", "--data", data, "--upstream", "http://127.0.0.1:1"];
    expect(await refused([...following, "--log-level", "warn"])).toContain(
      `--data ${data} holds a local chain, which follows no --upstream`,
    );
    const again = await startProgram(["--data", data, ...local]);
    expect((await again.stop()).code).toBe(0);
  });

  it.skipIf(!hasShared)(
    "refuses a directory of another chain and a waypoint that differs, writing nothing",
    async () => {
      const mainnet = sharedPath("networks/mainnet/genesis.blob");
      const devnet = sharedPath("networks/devnet/genesis.blob");
      const data = join(folder, "mainnet");
      const first = await startProgram(["--genesis", mainnet, "--data", data]);
      expect(first.stderr()).toContain("the genesis file is not checked");
      expect((await first.stop()).code).toBe(0);
      expect(await refused(["--port", "0", "--genesis", devnet, "--data", data])).toContain("chain");

      const other = join(folder, "mismatch");
      mkdirSync(other);
      const waypoint = readFileSync(sharedPath("networks/devnet/waypoint.txt"), "utf8").trim();
      const run = await runProgram([
        "start",
        "--port",
        "0",
        "--genesis",
        mainnet,
        "--waypoint",
        waypoint,
        "--data",
        other,
      ]);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(waypoint);
      expect(readdirSync(other)).toEqual([]);
    },
  );
});

describe("a start that is stopped by SIGTERM", () => {
  it("ends with 0 when the signal comes as the command takes over from the launcher", async () => {
    const preload = join(folder, "signal.cjs");
    writeFileSync(
      preload,
      `const { once } = process;
      let count = 0;
      process.once = function (name, listener) {
        // The second listener is that of the command.
        if (name === "SIGTERM" && ++count === 2) process.kill(process.pid, name);
        return once.call(this, name, listener);
      };`,
    );
    const args = ["start", ...local, "--port", "0", "--data", join(folder, "early")];
    const { code, signal } = await runProgram(args, { NODE_OPTIONS: `--require=${preload}` });
    expect([code, signal]).toEqual([0, null]);
  });

  it("ends with 0 at once while the node that it forks says nothing", async () => {
    let onAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const mute = createServer((socket) => void socket.on("error", () => {}).once("data", onAsked));
    await new Promise<void>((resolve) => void mute.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    const args = ["start", ...local, "--port", "0", "--data", join(folder, "mute")];
    const { child, finished } = launchProgram([...args, "--fork", `http://127.0.0.1:${port}`]);
    await asked;
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 0, signal: null, stderr: "" });
  });
});
