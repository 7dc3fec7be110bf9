// The history of a balance among few and among many versions: a page of a thousand changes costs the same.
import { parseAsset } from "../src/ledger/balances/asset.ts";
import { readHistoryPage } from "../src/ledger/balances/balance-history.ts";
import type { Position } from "../src/ledger/position.ts";
import { ALL_TRUSTED } from "../src/ledger/trust.ts";
import { parseAddress } from "../src/move/address.ts";
import type { BlockStart, RawRecord, StateWrite, Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { coinKey, coinStore, recordAt, stateValue } from "../test/support/http-ledger.ts";
import { COIN, cachedFolder } from "./data-set.ts";
import { type BenchOptions, type BenchRow, compare, cpuNanosecondsEach, type Side } from "./harness.ts";

const CHANGES = 1000;
const VERSIONS_PER_BLOCK = 100;
const VERSIONS_PER_COMMIT = 10_000;
const FIRST_USEC = 1_704_067_200_000_000n;
const OWNER = "0x10";
/** Changes in every version, so that there is something between. */
const NEIGHBOUR = "0x11";
const PAGES = 20;
const QUICK_PAGES = 5;

/** A ledger with `versions` versions, of which a thousand change the owner's balance. */
async function cachedStore(versions: number): Promise<Store> {
  const path = await cachedFolder(`history-${versions}`, (folder) => fillStore(folder, versions));
  return openLmdbStore({ path, readOnly: true });
}

async function fillStore(path: string, versions: number): Promise<void> {
  const store = await openLmdbStore({ path });
  const step = versions / CHANGES;
  const [owner, neighbour] = [coinKey(OWNER), coinKey(NEIGHBOUR)];
  for (let first = 0; first < versions; first += VERSIONS_PER_COMMIT) {
    const end = Math.min(versions, first + VERSIONS_PER_COMMIT);
    const writes: StateWrite[] = [];
    const records: RawRecord[] = [];
    const blocks: BlockStart[] = [];
    for (let at = first; at < end; at++) {
      const version = BigInt(at);
      const value = stateValue(coinStore(version + 1n));
      writes.push({ version, keyHash: neighbour, value });
      if (at % step === 0) writes.push({ version, keyHash: owner, value });
      if (at % step === 0 || at === end - 1) records.push(recordAt(version));
      if (at % VERSIONS_PER_BLOCK === 0) {
        const height = BigInt(at / VERSIONS_PER_BLOCK);
        blocks.push({
          height,
          firstVersion: version,
          timestampUsec: FIRST_USEC + height * 1_000_000n,
          epoch: 1n,
        });
      }
    }
    const last = blocks.at(-1);
    const position: Position = {
      chainId: 4,
      version: BigInt(end - 1),
      timestampUsec: last?.timestampUsec ?? 0n,
      epoch: 1n,
      blockHeight: last?.height ?? 0n,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      accumulator: { leafCount: 0n, frozen: [] },
      stateRoot: undefined,
      ...ALL_TRUSTED,
    };
    const batch = { position, writes, blocks, records, treeNodes: [] };
    if (first === 0) {
      const identity = { chainId: 4, genesisHash: new Uint8Array(32) };
      await store.commit({ ...batch, previous: undefined }, identity);
    } else await store.commit({ ...batch, previous: BigInt(first - 1) });
  }
  await store.close();
}

/** Nanoseconds of processor time for each change of a page. */
function pagesOf(store: Store, pages: number): Side {
  const query = { owner: parseAddress(OWNER), asset: parseAsset(COIN), from: 0n };
  return async () => {
    const started = process.cpuUsage();
    for (let i = 0; i < pages; i++) {
      const view = await store.openView();
      const { changes } = await readHistoryPage(view, { ...query, to: view.position.version }, CHANGES);
      view.release();
      if (changes.length !== CHANGES) throw new Error(`a page of ${changes.length} changes`);
    }
    return cpuNanosecondsEach(started, pages * CHANGES) / 1000;
  };
}

/** Rows of histories. */
export async function benchmarkHistory(options: BenchOptions): Promise<readonly BenchRow[]> {
  const many = Math.max(10_000, 1_000_000 * options.scale);
  const [few, wide] = [await cachedStore(CHANGES), await cachedStore(many)];
  const pages = options.quick ? QUICK_PAGES : PAGES;
  try {
    return [
      await compare(
        `${CHANGES} changes of a balance among ${many.toLocaleString("en-US")} versions over among ${CHANGES}`,
        { ours: pagesOf(wide, pages), base: pagesOf(few, pages) },
        { unit: "µs CPU per change", target: { max: 2 } },
      ),
    ];
  } finally {
    await few.close();
    await wide.close();
  }
}
