// An owner whose rows are created, then deleted except for a few, and whose deletions are pruned.
import { expect } from "vitest";
import { sha3 } from "../../src/base/sha3.ts";
import type { CassandraStore } from "../../src/store/cassandra/store.ts";
import type { CommitBatch, IndexRow, StateWrite } from "../../src/store/contract.ts";
import { INDEX_REACH } from "../../src/sync/side-rows.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "./synthetic-ledger.ts";

const OWNER = Uint8Array.from({ length: 33 }, (_, i) => (i === 0 ? 1 : 7));
/** Most rows of one version. */
const MAX_AT_ONCE = 2000;
/** Every so manieth row stays. */
const KEPT = 50;
const PAGE = 1000;

/** What is left of an owner's rows. */
export interface RemovedRows {
  readonly owner: Uint8Array;
  /** Lists the owner's rows as a reader does. */
  list(store: CassandraStore): Promise<string[]>;
  readonly kept: readonly string[];
}

/** Creates `count` rows, deletes most of them and prunes the deletions. */
export async function removeRows(store: CassandraStore, count: number): Promise<RemovedRows> {
  const ledger = new SyntheticLedger(1, 12);
  const places = Array.from({ length: count }, (_, i) => sha3(Buffer.from(`row ${i}`)));
  const atOnce = Math.min(MAX_AT_ONCE, Math.ceil(count / 20));
  let head: bigint | undefined;
  const commit = async (rows: readonly Uint8Array[], isDeletion: boolean): Promise<void> => {
    const version: bigint = (head ?? -1n) + 1n;
    // The items themselves are not looked at: it is enough to write their deletions.
    const writes: StateWrite[] = isDeletion
      ? rows.map((keyHash) => ({ keyHash, version, value: undefined }))
      : [];
    const index: IndexRow[] = rows.map((place) => {
      return { owner: OWNER, place, data: Buffer.from("d"), keyHash: place, version, isDeletion };
    });
    const batch: CommitBatch = {
      ...ledger.batch(head, version),
      ...{ writes, index, treeNodes: [], sideRows: [INDEX_REACH.items.row(version)] },
    };
    await store.commit(batch, head === undefined ? SYNTHETIC_IDENTITY : undefined);
    head = version;
  };
  const removed = places.filter((_, i) => i % KEPT !== 0);
  for (let i = 0; i < count; i += atOnce) await commit(places.slice(i, i + atOnce), false);
  for (let i = 0; i < removed.length; i += atOnce) await commit(removed.slice(i, i + atOnce), true);
  // Until a block begins after the last deletion.
  const last = head ?? 0n;
  let end = last;
  while (ledger.blockAt(end, end).firstVersion <= last) {
    end++;
    await commit([], false);
  }
  const floor = ledger.blockAt(end, end).firstVersion;
  for (let isDone = false; !isDone; ) isDone = (await store.prune(floor, 2 * atOnce)).done;
  return {
    owner: OWNER,
    list,
    kept: places
      .filter((_, i) => i % KEPT === 0)
      .map(nameOf)
      .sort(),
  };
}

async function list(store: CassandraStore): Promise<string[]> {
  const view = await store.openView();
  const found: string[] = [];
  let after: Uint8Array | undefined;
  try {
    for (;;) {
      const rows = await view.getOwnedKeys(OWNER, { version: view.position.version, after, limit: PAGE });
      found.push(...rows.map(({ place }) => nameOf(place)));
      after = rows.at(-1)?.place;
      if (rows.length < PAGE) break;
    }
  } finally {
    view.release();
  }
  expect(found).toEqual(found.toSorted());
  return found;
}

function nameOf(place: Uint8Array): string {
  return Buffer.from(place).toString("hex");
}
