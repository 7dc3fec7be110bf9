// A fork as a developer runs it: the network in one process, the fork in another.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const QUIET = ["--log-level", "error"];
const folder = temporaryFolder();

const versionOf = async ({ url }: Running): Promise<bigint> =>
  BigInt(((await (await fetch(url)).json()) as { ledger_version: string }).ledger_version);

describe("sextant start --fork", () => {
  it("forks a running network, goes on after kill -9, and says what it is", async () => {
    const network = ["--data", join(folder, "network"), "--seed", "fork", "--prune-window", "off"];
    const origin = await startProgram([...QUIET, ...network, "--block-time", "0", "--blocks", "20"]);
    await until(async () => (await versionOf(origin)) > 40n);
    const data = join(folder, "fork");
    const args = [...QUIET, "--data", data, "--fork", origin.url, "--block-time", "100ms"];
    const fork = await startProgram([...args, "--start-version", "30"]);
    expect(fork.stdout()).toContain(`forked at 30 from ${origin.url}`);
    const accounts = createLocalChain({ seed: "fork" }).guide().accounts;
    const balanceOf = async (url: string, address: string, version?: bigint): Promise<string> => {
      const query = version === undefined ? "" : `?ledger_version=${version}`;
      return (await fetch(`${url}/accounts/${address}/balance/${APT}${query}`)).text();
    };
    await until(async () => (await versionOf(fork)) > 34n);
    for (const { address } of accounts) {
      expect(await balanceOf(fork.url, address)).toBe(await balanceOf(origin.url, address, 30n));
      expect(await balanceOf(fork.url, address, 11n)).toBe(await balanceOf(origin.url, address, 11n));
    }
    const status = await runProgram(["status", "--url", fork.url]);
    expect(status.stdout).toMatch(/^sync_mode +fork$/m);
    expect(status.stdout).toMatch(new RegExp(`^fork +forked at 30 from ${origin.url}$`, "m"));
    expect(status.stdout).toMatch(/^trust_level +forked$/m);
    await fork.stop("SIGKILL");
    const again = await startProgram(args);
    expect(again.stdout()).toContain(`forked at 30 from ${origin.url}`);
    expect(await versionOf(again)).toBeGreaterThan(34n);
    // Another process reads what this one keeps.
    const [first] = accounts;
    const read = await runProgram(["balance", first?.address ?? "", APT, "--data", data]);
    expect(read.stdout.trim()).toBe(await balanceOf(origin.url, first?.address ?? "", 30n));
    const unread = await runProgram(["balance", "0xfeed", APT, "--data", data]);
    expect(unread.code).not.toBe(0);
    expect(unread.stderr).toContain("this process reads the store alone");
    await again.stop();
    const check = await runProgram(["check", "--data", data]);
    expect(check.code, check.stdout + check.stderr).toBe(0);
    // The directory stays what it is.
    const refused: [string[], RegExp][] = [
      [
        ["--fork", origin.url, "--start-version", "31"],
        /start-version: the store holds a fork of .* at version 30, not at 31/,
      ],
      [
        ["--fork", "http://127.0.0.1:9"],
        /fork: the store holds a fork of .* at version 30, not of http:\/\/127\.0\.0\.1:9/,
      ],
      [["--upstream", origin.url], /the store holds a fork of/],
      [[], /began in the middle/],
    ];
    for (const [options, message] of refused) {
      const { code, stderr } = await runProgram([
        "start",
        "--port",
        "0",
        ...QUIET,
        "--data",
        data,
        ...options,
      ]);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
  });

  it("refuses options that a fork does not go with", async () => {
    const cases: [string[], string][] = [
      [["--start-version", "3"], "--start-version needs --upstream, --network or --fork"],
      [["--fork", "http://127.0.0.1:9", "--upstream", "http://127.0.0.1:9"], "--fork"],
      [["--fork", "http://127.0.0.1:9", "--genesis", "x"], "--fork"],
      [["--fork", "http://127.0.0.1:9", "--workers", "2"], "--fork"],
      [["--fork", "http://127.0.0.1:9", "--start-version", "x"], "--start-version"],
    ];
    for (const [options, message] of cases) {
      const { code, stderr } = await runProgram(["start", "--port", "0", "--store", "memory", ...options]);
      expect(stderr).toContain(message);
      expect(code).toBe(2);
    }
    const gone = await runProgram([
      "start",
      "--port",
      "0",
      "--store",
      "memory",
      "--fork",
      "http://127.0.0.1:9",
    ]);
    expect(gone.stderr).toContain("fork: http://127.0.0.1:9/v1 gave no answer");
    expect(gone.code).toBe(75);
  });
});
