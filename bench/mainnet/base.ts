// The state that a chain shaped like mainnet begins with: written once, each table in its own order, so that every page
// is written once too.
import { silentLogger } from "../../src/base/log.ts";
import { stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import { ownedRows } from "../../src/ledger/indexes/owned-keys.ts";
import { StateTree } from "../../src/ledger/state-tree/update.ts";
import type { IndexRow, Store } from "../../src/store/contract.ts";
import { Committer } from "../../src/sync/committer.ts";
import { HASH_BYTES, inGroups, partOf, sortedByHash } from "../data-set.ts";
import { START } from "./chain.ts";
import { type Content, ITEMS_PER_ACCOUNT, itemAt, sharedItems, stateValueOf } from "./state.ts";

const VERSION = START.version - 1n;
/** Items in each of them: more take more memory, and no less time. */
const GROUP = 20_000;
/** The kind of the index rows of table items. */
const TABLE_KIND = 1;

/** Rows of the index of one kind: where they sort, and the numbers of their items. */
interface RowOrder {
  readonly sortedBy: Buffer;
  readonly items: Uint32Array;
  count: number;
}

/** Fills an empty store with the items of `accounts` accounts and those of no account. Returns how many items it has. */
export async function writeBase(store: Store, accounts: number): Promise<number> {
  const committer = new Committer({ store, logger: silentLogger });
  const shared = sharedItems();
  const own = accounts * ITEMS_PER_ACCOUNT;
  const count = own + shared.length;
  const contentOf = (index: number): Content =>
    index < own ? itemAt(index, BigInt(index)) : (shared[index - own] as Content);
  const hashes = Buffer.allocUnsafe(count * HASH_BYTES);
  const orders = new Map<number, RowOrder>();
  for (let i = 0; i < count; i++) {
    const content = contentOf(i);
    const keyHash = stateKeyHashOfBcs(content.key);
    hashes.set(keyHash, i * HASH_BYTES);
    for (const { owner, place } of ownedRows(content.key, keyHash, stateValueOf(content))) {
      const kind = owner[0] ?? 0;
      const order = orders.get(kind) ?? {
        sortedBy: Buffer.allocUnsafe(count * HASH_BYTES),
        items: new Uint32Array(count),
        count: 0,
      };
      orders.set(kind, order);
      // All items of the table have one owner.
      order.sortedBy.set(kind === TABLE_KIND ? place : owner.subarray(1), order.count * HASH_BYTES);
      order.items[order.count++] = i;
    }
  }
  const tree = new StateTree((keys) => store.getTreeNodes(keys));
  for (const some of inGroups(sortedByHash(hashes, count), GROUP)) {
    const writes = some.map((index) => {
      const value = stateValueOf(contentOf(index));
      return { keyHash: partOf(hashes, index), version: VERSION, value };
    });
    await tree.apply(writes.map(({ keyHash, value }) => ({ keyHash, valueHash: stateValueHash(value) })));
    await committer.writeBase({ writes, treeNodes: tree.takeChanges(), index: [] });
    tree.forget();
  }
  // The kind comes first in the order of the rows.
  for (const [kind, order] of [...orders].sort(([a], [b]) => a - b)) {
    for (const some of inGroups(sortedByHash(order.sortedBy, order.count), GROUP)) {
      const index = some.map((at) => {
        const item = order.items[at] ?? 0;
        return rowOf(kind, contentOf(item), partOf(hashes, item));
      });
      await committer.writeBase({ writes: [], treeNodes: [], index });
    }
  }
  return count;
}

function rowOf(kind: number, content: Content, keyHash: Uint8Array): IndexRow {
  const row = ownedRows(content.key, keyHash, stateValueOf(content)).find(({ owner }) => owner[0] === kind);
  if (row === undefined) throw new Error("an item has another row than before");
  const { owner, place, data } = row;
  return { owner, place, data, keyHash, version: VERSION, isDeletion: false };
}
