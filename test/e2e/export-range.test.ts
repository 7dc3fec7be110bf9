// `sextant export transactions` and `export events`: the same bytes from a node and from its data directory.
import { describe, expect, it } from "vitest";
import { createNode } from "../../src/index.ts";
import { runCommand } from "../support/command.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const DEPOSIT = "0x1::fungible_asset::Deposit";

describe("an export of a range", () => {
  it("is the answer of a node, by its URL or from its directory, and goes on behind an id", async () => {
    const data = temporaryFolder();
    const made = await createNode({ data, localChain: { seed: "export" } });
    for (let i = 0; i < 12; i++) await made.produceBlock();
    const { address: anna = "" } = made.guide()?.accounts[0] ?? {};
    await made.close();
    const node = await startProgram([
      "--data",
      data,
      "--port",
      "0",
      "--seed",
      "export",
      "--prune-window",
      "off",
    ]);
    const range = ["--from", "0", "--to", "20"];
    const run = async (...args: readonly string[]): Promise<string> => {
      const done = await runProgram(["export", ...args]);
      expect([done.code, done.stderr]).toEqual([0, ""]);
      return done.stdout;
    };
    const url = ["--url", node.url];
    const events = ["events", "--event-type", DEPOSIT];
    const balances = ["balances", "--account", anna, "--asset-type", "0x1::aptos_coin::AptosCoin"];
    for (const what of [
      ["transactions", "--format", "ndjson"],
      ["transactions", "--format", "bcs"],
      [...events, "--format", "csv"],
      [...events, "--format", "bcs"],
      [...balances, "--format", "csv"],
    ]) {
      const asked = await run(...what, ...range, ...url);
      expect(asked.length).toBeGreaterThan(100);
      expect(await run(...what, ...range, "--data", data)).toBe(asked);
    }
    const lines = (await run("events", ...range, ...url)).trimEnd().split("\n");
    const { id } = JSON.parse(lines[3] ?? "") as { id: string };
    const rest = await run("events", "--after", id, "--to", "20", "--data", data);
    expect(rest.trimEnd().split("\n")).toEqual(lines.slice(4));
    await node.stop();
  });

  it.each([
    [["events", "--from", "0"], 2, "--to: expected the last version to print"],
    [["events", "--to", "3"], 2, "--from: expected the first version to print, or --after an id"],
    [["blocks", "--from", "0", "--to", "3"], 2, "expected transactions, events or balances, got blocks"],
    [
      ["balances", "--from", "0", "--to", "3", "--account", "0x1"],
      2,
      "--account, --asset-type: expected whose",
    ],
    [["events", "--from", "0", "--to", "3", "--out", "x"], 2, "are for archives, not for export events"],
    [["--out", "x", "--sender", "0x1"], 2, "--sender: an archive is whole"],
    [["events", "--from", "0", "--to", "3", "--url", "http://127.0.0.1:1"], 75, "cannot reach"],
  ])("%j is refused", async (args, code, message) => {
    const done = await runCommand(["export", ...args]);
    expect([done.code, done.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
