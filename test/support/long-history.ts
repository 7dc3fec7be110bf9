// Ledgers in memory for histories: of given writes, of one account that changes again and again, of blocks alone.
import { encodeWith } from "../../src/bcs/codec.ts";
import { writeSetCodec } from "../../src/ledger/formats/write-set.ts";
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { Ledger, LedgerView } from "../../src/ledger/view.ts";
import type { StateWrite, Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { coinKey, coinStore, recordAt, stateValue } from "./http-ledger.ts";

export const OWNER = "0x10";
const VERSIONS_PER_BLOCK = 10n;
const START_USEC = 1_700_000_000_000_000n;

/** A ledger of writes in the order of their versions, the last of which is the latest. */
export async function createLedgerOfWrites(writes: readonly StateWrite[]): Promise<Store> {
  const store = createMemoryStore();
  const version = writes.at(-1)?.version ?? 0n;
  const height = version / VERSIONS_PER_BLOCK;
  const position: Position = {
    chainId: 4,
    version,
    timestampUsec: START_USEC + height * 1_000_000n,
    epoch: 1n,
    blockHeight: height,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: version + 1n, frozen: [] },
    stateRoot: undefined,
    ...ALL_TRUSTED,
  };
  const blocks = Array.from({ length: Number(height) + 1 }, (_, at) => ({
    height: BigInt(at),
    firstVersion: BigInt(at) * VERSIONS_PER_BLOCK,
    timestampUsec: START_USEC + BigInt(at) * 1_000_000n,
    epoch: 1n,
  }));
  const changes = encodeWith(writeSetCodec, { kind: "v0", writes: [] });
  const records = [...new Set(writes.map((write) => write.version))].map((at) => recordAt(at, changes));
  const identity = { chainId: 4, genesisHash: new Uint8Array(32) };
  await store.commit({ previous: undefined, position, writes, blocks, records, treeNodes: [] }, identity);
  return store;
}

/** Has bytes that nothing else in a coin store has. */
const PATTERN_AMOUNT = 0x0123_4567_89ab_cdefn;

function amountBytes(amount: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return bytes;
}

/** A change in every `gap` versions; the amount after the n-th, from 0 on, is `amountAfter(n)`. */
export function createLongHistory(
  changes: number,
  gap: number,
  amountAfter: (change: number) => bigint = (change) => BigInt(change + 1),
): Promise<Store> {
  const keyHash = coinKey(OWNER);
  // Encoded once: only the amount differs.
  const pattern = stateValue(coinStore(PATTERN_AMOUNT));
  const at = Buffer.from(pattern).indexOf(amountBytes(PATTERN_AMOUNT));
  return createLedgerOfWrites(
    Array.from({ length: changes }, (_, change) => {
      const value = Uint8Array.from(pattern);
      value.set(amountBytes(amountAfter(change)), at);
      return { version: BigInt((change + 1) * gap), keyHash, value };
    }),
  );
}

/** A ledger without items, of blocks with the given numbers of versions. */
export async function createLedgerOfBlocks(sizes: readonly number[]): Promise<Store> {
  const store = createMemoryStore();
  let next = 0n;
  const blocks = sizes.map((size, at) => {
    const firstVersion = next;
    next += BigInt(size);
    return { height: BigInt(at), firstVersion, timestampUsec: START_USEC + BigInt(at), epoch: 1n };
  });
  const position: Position = {
    chainId: 4,
    version: next - 1n,
    timestampUsec: blocks.at(-1)?.timestampUsec ?? 0n,
    epoch: 1n,
    blockHeight: BigInt(sizes.length - 1),
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: next, frozen: [] },
    stateRoot: undefined,
    ...ALL_TRUSTED,
  };
  const identity = { chainId: 4, genesisHash: new Uint8Array(32) };
  await store.commit(
    { previous: undefined, position, writes: [], blocks, records: [], treeNodes: [] },
    identity,
  );
  return store;
}

/** A ledger that counts what is asked of it. */
export class CountingLedger implements Ledger {
  readonly #ledger: Ledger;
  views = 0;
  openViews = 0;
  reads = 0;
  /** Items, records and blocks that were handed out. */
  rows = 0;
  /** Histories wait for it. */
  gate: Promise<void> | undefined;
  waiting = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async openView(): Promise<LedgerView> {
    this.views++;
    const view = await this.#ledger.openView();
    this.openViews++;
    const count = <T>(rows: number, found: T): T => {
      this.reads++;
      this.rows += rows;
      return found;
    };
    return {
      position: view.position,
      getItems: async (keys, version) => count(keys.length, await view.getItems(keys, version)),
      getHistory: async (key, range) => {
        this.waiting++;
        await this.gate;
        const found = await view.getHistory(key, range);
        return count(found.length, found);
      },
      getOwnedKeys: (owner, page) => view.getOwnedKeys(owner, page),
      getIndexedTo: () => view.getIndexedTo(),
      getBlockByHeight: async (height) => count(1, await view.getBlockByHeight(height)),
      getBlockByVersion: async (version) => count(1, await view.getBlockByVersion(version)),
      getBlockAtTime: async (usec) => count(1, await view.getBlockAtTime(usec)),
      getRecords: async (start, limit, maxBytes) => {
        const found = await view.getRecords(start, limit, maxBytes);
        return count(found.length, found);
      },
      release: () => {
        this.openViews--;
        view.release();
      },
    };
  }
}
