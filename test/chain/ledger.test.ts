// The local chain through verifier, committer and both local engines.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { sha3Parts } from "../../src/base/sha3.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import type { Position } from "../../src/ledger/position.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain } from "../support/expected-balances.ts";
import { temporaryFolder } from "../support/temporary.ts";

const BLOCKS = 60;
const folder = temporaryFolder();

async function runInMemory(seed: string, blocks: number): Promise<Uint8Array[]> {
  const run = await new ChainRun(createLocalChain({ seed }), createMemoryStore()).start();
  return run.steps(blocks);
}

function digest(records: readonly Uint8Array[]): string {
  return toHex(sha3Parts(...records));
}

describe("local chain", () => {
  let memory: Store;
  let expected: Uint8Array[];
  const opened: Store[] = [];

  const openStore = async (name: string): Promise<Store> => {
    const store = await openLmdbStore({ path: join(folder, name) });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    memory = createMemoryStore();
    const run = await new ChainRun(createLocalChain({ seed: "one" }), memory).start();
    expected = await run.steps(BLOCKS);
  });

  afterAll(async () => {
    for (const store of opened) await store.close();
  });

  it("has a valid genesis that is the same each time", () => {
    const [first, second] = [createLocalChain({ seed: "one" }), createLocalChain({ seed: "one" })];
    const blob = first.genesisBlob();
    expect(toHex(second.genesisBlob())).toBe(toHex(blob));
    const check = checkGenesis(blob);
    expect(check.chainId).toBe(4);
    expect(check.validators).toBe(4);
    expect(formatWaypoint(check.waypoint)).toMatch(/^0:[0-9a-f]{64}$/);
    expect(checkGenesis(createLocalChain({ seed: "one", chainId: 9 }).genesisBlob()).chainId).toBe(9);
  });

  it("gives the same ledger for the same seed, and a different one for another seed", async () => {
    expect(digest(await runInMemory("one", BLOCKS))).toBe(digest(expected));
    expect(digest((await runInMemory("two", 5)).slice(0, 5))).not.toBe(digest(expected.slice(0, 5)));
  });

  it("gives the same ledger on LMDB as in memory", async () => {
    const store = await openStore("same");
    const run = await new ChainRun(createLocalChain({ seed: "one" }), store).start();
    const records = await run.steps(BLOCKS);
    expect(digest(records)).toBe(digest(expected));
    const [onDisk, inMemory] = [await store.openView(), await memory.openView()];
    expect(printPosition(onDisk.position)).toEqual(printPosition(inMemory.position));
    const items = run.chain.items.all.map((item) => item.keyHash);
    for (const version of [0n, 1n, 77n, onDisk.position.version]) {
      const [left, right] = [await onDisk.getItems(items, version), await inMemory.getItems(items, version)];
      expect(left.map(printItem)).toEqual(right.map(printItem));
    }
    onDisk.release();
    inMemory.release();
  });

  it("continues after a restart as without one", async () => {
    const first = await openLmdbStore({ path: join(folder, "restarted") });
    const before = await new ChainRun(createLocalChain({ seed: "one" }), first).start();
    const records = await before.steps(23);
    await first.close();
    const second = await openStore("restarted");
    const after = await new ChainRun(createLocalChain({ seed: "one" }), second).start();
    records.push(...(await after.steps(20)));
    expect(digest(records)).toBe(digest(expected.slice(0, records.length)));
  });

  it("makes an uncommitted block again, and counts its movements once", async () => {
    const chain = createTrackedChain({ seed: "one" });
    const run = await new ChainRun(chain, createMemoryStore()).start();
    await run.steps(3);
    const lost = await run.make();
    const before = chain.expectedBalances.entries();
    expect(digest(await run.make())).toBe(digest(lost));
    expect(chain.expectedBalances.entries()).toEqual(before);
    expect(digest(await run.step())).toBe(digest(lost));
  });

  it("never goes back in time, even if the clock does", async () => {
    const run = await new ChainRun(createLocalChain({ seed: "one" }), createMemoryStore()).start();
    await run.steps(4);
    const view = await run.store.openView();
    const { records } = await run.chain.produceBlock({
      position: view.position,
      view,
      getTreeNodes: (keys) => run.store.getTreeNodes(keys),
      timestampUsec: 5n,
    });
    const { timestampUsec } = view.position;
    view.release();
    const follower = await new ChainRun(createLocalChain({ seed: "one" }), run.store).start();
    expect(records.length).toBeGreaterThan(1);
    await follower.append(records);
    expect((await follower.position()).timestampUsec).toBe(timestampUsec + 1n);
  });

  it("refuses a ledger without the framework's resources", async () => {
    const run = await new ChainRun(createLocalChain({ seed: "one" }), createMemoryStore()).start();
    const view = await run.store.openView();
    const { position } = view;
    const base = {
      position,
      view: { ...view, position, getItems: async (keys: readonly Uint8Array[]) => keys.map(() => undefined) },
      getTreeNodes: (keys: readonly Uint8Array[]) => run.store.getTreeNodes(keys),
      timestampUsec: 1n,
    };
    await expect(run.chain.produceBlock(base)).rejects.toThrow("no 0x1::block::BlockResource");
    view.release();
  });
});

function printPosition({ accumulator, stateRoot, ...rest }: Position) {
  return {
    ...rest,
    leafCount: accumulator.leafCount,
    frozen: accumulator.frozen.map(toHex),
    stateRoot: stateRoot && toHex(stateRoot),
  };
}

function printItem(item: { readonly version: bigint; readonly value: Uint8Array | undefined } | undefined) {
  return item === undefined ? "never" : `${item.version} ${item.value ? toHex(item.value) : "deleted"}`;
}
