// Names in the place of addresses: demo accounts, symbols and tables of a local chain, and nowhere else.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createNode, type Node } from "../../src/index.ts";
import { runCommand } from "../support/command.ts";
import type { Finished } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();
const COIN = "0x1::aptos_coin::AptosCoin";
const NATIVE_PRICE = "0x03415054";

/** A local chain of a few blocks in a directory, and its node. */
async function localChain(data: string, seed: string): Promise<Node> {
  const node = await createNode({ data, localChain: { seed }, http: { port: 0 }, pruneWindow: "off" });
  for (let i = 0; i < 3; i++) await node.produceBlock();
  return node;
}

describe("a local chain", () => {
  const data = join(folder, "local");
  let node: Node;
  let anna = "";
  let prices = "";
  beforeAll(async () => {
    node = await localChain(data, "sextant");
    anna = node.guide()?.accounts[0]?.address ?? "";
    prices = node.guide()?.tables[0]?.handle ?? "";
  });
  afterAll(() => node.close());

  const sources = (): string[][] => [
    ["--url", node.url ?? ""],
    ["--data", data],
  ];

  /** Runs both forms on a node and on its directory: they must print the same. */
  async function expectSame(named: readonly string[], full: readonly string[], input = ""): Promise<string> {
    let printed = "";
    for (const source of sources()) {
      const one = await runCommand([...named, ...source], {}, input);
      expect(one).toMatchObject({ code: 0, stderr: "" });
      expect(one.stdout).toBe((await runCommand([...full, ...source], {}, input)).stdout);
      printed = one.stdout;
    }
    return printed;
  }

  it.each([
    ["balance", []],
    ["balance", ["--json"]],
    ["detail", []],
    ["history", []],
    ["watch", ["--count", "1"]],
  ])("%s %j takes an account and a symbol, in any case", async (name, flags) => {
    expect(await expectSame([name, "anna", "APT", ...flags], [name, anna, COIN, ...flags])).not.toBe("");
    await expectSame([name, "Anna", "apt", ...flags], [name, anna, COIN, ...flags]);
  });

  it("holdings, statement and the commands on tables take names too", async () => {
    await expectSame(["holdings", "anna"], ["holdings", anna]);
    const period = ["--from", "2024-01-01T00:00:01Z", "--to", "2024-01-01T00:00:02Z"];
    await expectSame(
      ["statement", "anna", "--asset", "APT", ...period],
      ["statement", anna, "--asset", COIN, ...period],
    );
    await expectSame(["raw-item", "prices", NATIVE_PRICE], ["raw-item", prices, NATIVE_PRICE]);
    await expectSame(["table-items", "prices"], ["table-items", prices]);
  });

  it("names the coins that a metadata address leaves out, and where they are counted", async () => {
    for (const [source = "", where = ""] of sources()) {
      const part = await runCommand(["balance", "anna", "0xa", source, where]);
      expect(part).toMatchObject({ code: 0, stdout: "0\n" });
      expect(part.stderr).toContain(
        `left out are coins: 0xa counts the fungible store alone; ${COIN} counts both`,
      );
      const whole = await runCommand(["balance", "anna", COIN, source, where]);
      expect(whole).toMatchObject({ code: 0, stderr: "" });
      expect(BigInt(whole.stdout)).toBeGreaterThan(0n);
    }
    const other = await runCommand(["history", "anna", "0xcafe", "--url", node.url ?? ""]);
    expect(other.stderr).toContain("coins, if one is paired with 0xcafe");
  });

  it("a view function takes names where it takes addresses, and its answer is the balance", async () => {
    const call = ["view", "0x1::coin::balance"];
    const printed = await expectSame(
      [...call, "-T", COIN, "anna"],
      [...call, `--type-argument=${COIN}`, anna],
    );
    expect(JSON.parse(printed)).toEqual([`${await node.balance(anna, COIN)}`]);
    const [source = []] = sources();
    const typed = await runCommand(
      ["view", "0x1::coin::is_balance_at_least", "-T", COIN, anna, "5", ...source],
      {},
    );
    expect(typed.stderr).toContain("no code of 0x1::coin::is_balance_at_least");
    const refused = await runCommand([...call, "-T", COIN, ...source], {});
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("takes 1 (address), got 0") });
    const unknown = await runCommand(["view", "balance", ...source], {});
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("FUNCTION: expected a function"),
    });
  });

  it("a file of pairs takes names, and adds one asset up under both of its names", async () => {
    const file = join(folder, "pairs.txt");
    writeFileSync(file, `anna APT\n${anna} ${COIN}\n`);
    const { stdout } = await runCommand(["balances", file, "--totals", "--data", data]);
    const [first, second, total, ...rest] = stdout.trimEnd().split("\n");
    const balance = first?.split(" ")[2];
    expect(first).toBe(`anna APT ${balance}`);
    expect(second).toBe(`${anna} ${COIN} ${balance}`);
    expect([total, rest]).toEqual([`total ${COIN} ${2n * BigInt(balance ?? "")}`, []]);
    const keys = await runCommand(["raw-items", "-", "--data", data], {}, `prices ${NATIVE_PRICE}\n`);
    expect(keys).toMatchObject({ code: 0, stdout: expect.stringMatching(/^prices 0x03415054 0x/) });
    const wrong = await runCommand(["balances", "-", "--data", data], {}, "anna APT\nadda APT\n");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("-, line 2, address: adda is no account here");
  });

  it.each<[args: string[], message: string | RegExp]>([
    [
      ["balance", "adda", "APT"],
      /ADDRESS: adda is no account here: the local chain has anna, .*did you mean anna/,
    ],
    [["balance", "anna", "APTT"], /ASSET: APTT is no asset here: .*did you mean APT/],
    [["raw-item", "price", "0x00"], /TABLE_HANDLE: price is no table here: .*did you mean prices/],
    [["balance", "cafe", "APT"], "ADDRESS: cafe is no account here"],
    [["balance", "1", "APT"], "ADDRESS: expected 0x in front, got 1"],
    [["balance", "0x1g", "APT"], '"g" at position 3 is not a hex digit'],
  ])("%j is refused with exit code 2", async (args, message) => {
    for (const source of sources()) {
      const { code, stderr } = await runCommand([...args, ...source]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
  });

  it("a follower of the default chain knows the names: its ledger began with that genesis", async () => {
    const follower = await createNode({ follow: { upstreams: [node.url ?? ""] }, http: { port: 0 } });
    await follower.untilReady();
    const { code } = await runCommand(["balance", "anna", "APT", "--url", follower.url ?? ""]);
    expect(code).toBe(0);
    await follower.close();
  });
});

describe("elsewhere", () => {
  const refusal = async (source: readonly string[]): Promise<Finished> =>
    runCommand(["balance", "anna", "APT", ...source]);

  it("a local chain with a seed of its own: its node knows the names, its directory does not", async () => {
    const data = join(folder, "seeded");
    const node = await localChain(data, "another");
    expect((await refusal(["--url", node.url ?? ""])).code).toBe(0);
    expect(await refusal(["--data", data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a store does not keep the names of a local chain with a --seed"),
    });
    await node.close();
  });

  it("another network's ledger has no names but that of its own coin", async () => {
    const genesis = createLocalChain({ seed: "network", chainId: 77 }).genesisBlob();
    const node = await createNode({ genesis, http: { port: 0 } });
    for (const args of [
      ["balance", "anna", COIN],
      ["balance", "0x1", "SHELL"],
      ["table-items", "prices"],
      ["watch", "anna", COIN, "--count", "1"],
    ]) {
      const { code, stderr } = await runCommand([...args, "--url", node.url ?? ""]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("only a node that makes or wholly follows a local chain knows the names"),
      ]);
    }
    const native = await runCommand(["balance", "0x1", "APT", "--url", node.url ?? ""]);
    expect([native.code, native.stderr]).toEqual([0, ""]);
    await node.close();
  });
});
