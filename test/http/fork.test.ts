// A fork of a network that another node serves: its state at one version, local blocks on top.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { toPrefixedHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { signCall } from "../support/submitter.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SEED = "fork origin";

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), "fork-test-"));
}

/** A node that ends with the test. */
async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

async function startOrigin(blocks = 12): Promise<Node> {
  const node = await startNode({ localChain: { seed: SEED }, pruneWindow: "off", http: { port: 0 } });
  await node.mine(blocks);
  return node;
}

const headOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);

/** Every balance of the demo accounts, by account and asset. */
async function balancesOf(node: Node, origin: Node, ledgerVersion?: bigint): Promise<Map<string, bigint>> {
  const balances = new Map<string, bigint>();
  for (const { name, address, assets } of origin.guide()?.accounts ?? []) {
    for (const { asset, symbol } of assets) {
      balances.set(`${name} ${symbol}`, await node.balance(address, asset, { ledgerVersion }));
    }
  }
  return balances;
}

async function itemsOf(node: Node, origin: Node, ledgerVersion?: bigint): Promise<(string | undefined)[]> {
  const items: (string | undefined)[] = [];
  for (const { handle, keys } of origin.guide()?.tables ?? []) {
    for (const { key } of keys) {
      const item = await node.rawItem(handle, key, { ledgerVersion });
      items.push(item && toPrefixedHex(item));
    }
  }
  return items;
}

describe("a fork", () => {
  it("has the network's state at the fork version, although the network goes on", async () => {
    const origin = await startOrigin();
    const at = await headOf(origin);
    const fork = await startNode({ fork: { url: origin.url ?? "" } });
    expect(await headOf(fork)).toBe(at);
    await origin.mine(10);
    const expected = await balancesOf(origin, origin, at);
    expect(expected.size).toBeGreaterThan(5);
    expect(await balancesOf(fork, origin)).toEqual(expected);
    expect(await balancesOf(fork, origin, at)).toEqual(expected);
    expect(await balancesOf(origin, origin)).not.toEqual(expected);
    expect(await itemsOf(fork, origin)).toEqual(await itemsOf(origin, origin, at));
    await fork.mine(3);
    expect(await headOf(fork)).toBeGreaterThan(at);
    expect(await balancesOf(fork, origin)).toEqual(expected);
    expect(await itemsOf(fork, origin)).toEqual(await itemsOf(origin, origin, at));
  });
});
