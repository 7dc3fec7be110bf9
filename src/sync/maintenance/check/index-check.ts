// Checks the index against the items: every item that it should have is in it, and nothing else is. The items do not tell
// their keys, so the rows with whole keys come first: they say which other rows an item must have.
import { equalBytes, readNumber } from "../../../base/bytes.ts";
import { toHex } from "../../../base/hex.ts";
import { andThen, type MaybePromise } from "../../../base/maybe-promise.ts";
import {
  isObjectGroup,
  itemOfRow,
  keyOfRow,
  mayOutliveItem,
  type OwnedRow,
  ownedRows,
} from "../../../ledger/indexes/owned-keys.ts";
import {
  hasTransactionRow,
  isTransactionRow,
  storedTransactionRows,
  versionOfTransactionRow,
} from "../../../ledger/indexes/transaction-rows.ts";
import type { Position } from "../../../ledger/position.ts";
import type { EncodedWrite } from "../../../ledger/state-writes.ts";
import type { StateItem } from "../../../ledger/view.ts";
import { isIndexAlive } from "../../../store/index-reach.ts";
import { RecentHashes } from "../../index-rows.ts";
import type { CheckPace, Findings } from "./findings.ts";

/** What the check reads. */
export interface IndexTables {
  readonly position: Pick<Position, "oldestVersion" | "version">;
  /** Up to this version every write is indexed; undefined without an index. */
  readonly indexedTo: bigint | undefined;
  /** The same for the transactions of kept records. */
  readonly transactionsIndexedTo: bigint | undefined;
  rows(): Iterable<OwnedRow> | AsyncIterable<OwnedRow>;
  /** The data of a row. Valid until the next read, like the other two. */
  getRow(row: Pick<OwnedRow, "owner" | "place">): MaybePromise<Uint8Array | undefined>;
  getItem(keyHash: Uint8Array): MaybePromise<StateItem | undefined>;
  /** A kept record. */
  getRecord(version: bigint): MaybePromise<Uint8Array | undefined>;
}

/** Hashes of keys, of which the first eight bytes are kept: millions fit into memory, and two alike are very unlikely. */
class HashSet {
  #hashes = new BigUint64Array(1024);
  #count = 0;

  add(hash: Uint8Array): void {
    if (this.#count === this.#hashes.length) {
      const larger = new BigUint64Array(2 * this.#count);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count++] = readNumber(hash, 0);
  }

  /** Call once, after the last `add`; returns a look-up. */
  seal(): (hash: Uint8Array) => boolean {
    const sorted = this.#hashes.subarray(0, this.#count).sort();
    return (hash) => {
      const wanted = readNumber(hash, 0);
      let [low, high] = [0, sorted.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((sorted[middle] ?? 0n) < wanted) low = middle + 1;
        else high = middle;
      }
      return sorted[low] === wanted;
    };
  }
}

/** The name of a row in findings. */
function indexRowName({ owner, place }: Pick<OwnedRow, "owner" | "place">): string {
  return `index row ${toHex(owner)} ${toHex(place)}`;
}

export class IndexCheck {
  readonly #tables: IndexTables;
  readonly #findings: Findings;
  readonly #pace: CheckPace;
  /** Hears of a row without an item, which engines may leave behind; by default it counts as a fault. */
  readonly #onExtra: (text: string) => void;
  /** True while rows must have items. */
  readonly #isAlive: boolean;
  /** Objects whose row was found. */
  readonly #seen = new RecentHashes(1 << 14);
  /** Items that have a row with their key. */
  readonly #named = new HashSet();
  #isNamed: (keyHash: Uint8Array) => boolean = () => false;
  /** The checked records, and how many of the rows that they have were found; no two of these are the same. */
  #records: { first: bigint; last: bigint; rows: number } | undefined;

  constructor(
    tables: IndexTables,
    findings: Findings,
    pace: CheckPace,
    onExtra = (text: string): void => findings.add(text),
  ) {
    this.#tables = tables;
    this.#findings = findings;
    this.#pace = pace;
    this.#onExtra = onExtra;
    const { indexedTo, transactionsIndexedTo, position } = tables;
    this.#isAlive = indexedTo !== undefined && isIndexAlive(indexedTo, position.oldestVersion);
    for (const [name, reach] of Object.entries({ items: indexedTo, transactions: transactionsIndexedTo })) {
      findings.expect((reach ?? 0n) <= position.version, () => {
        return `the index of ${name} reaches to version ${reach}, above the head`;
      });
    }
  }

  /** Checks what a record wrote: an object may have lost its store since, and keeps the row of it. */
  checkWrite(version: bigint, { key, keyHash, value }: EncodedWrite): MaybePromise<void> {
    const { indexedTo } = this.#tables;
    if (indexedTo === undefined || version > indexedTo || value === undefined) return;
    if (!isObjectGroup(key) || this.#seen.has(keyHash)) return;
    return andThen(this.#expectOther(ownedRows(key, keyHash, value)), (isFound) => {
      // The address in the key is a hash of the row's owner and place, so every value of the key gives this row or none.
      if (isFound) this.#seen.add(keyHash);
    });
  }

  /** Checks the rows of a record's transaction. */
  checkRecord(version: bigint, bytes: Uint8Array, transactionHash: Uint8Array): MaybePromise<void> {
    const { transactionsIndexedTo } = this.#tables;
    if (transactionsIndexedTo === undefined || version > transactionsIndexedTo) return;
    this.#records ??= { first: version, last: version, rows: 0 };
    this.#records.last = version;
    const [first, second] = storedTransactionRows(version, bytes, transactionHash);
    return andThen(this.#expectOf(version, first), () => this.#expectOf(version, second));
  }

  /** Expects a row that a record has. */
  #expectOf(version: bigint, row: OwnedRow | undefined): MaybePromise<void> {
    if (row === undefined) return;
    return andThen(this.#tables.getRow(row), (data) => {
      if (data?.length !== 0)
        this.#findings.add(`${indexRowName(row)}: is missing, but record ${version} has it`);
      else if (this.#records !== undefined) this.#records.rows++;
    });
  }

  /** Checks all rows, and returns their number. Call it after all records. */
  async checkRows(): Promise<number> {
    let count = 0;
    let ofRecords = 0;
    await this.#pace.each(this.#tables.rows(), (row) => {
      count++;
      if (!isTransactionRow(row)) return this.#checkRow(row);
      if (!this.#isOfRecords(row)) return this.#checkTransactionRow(row);
      ofRecords++;
    });
    this.#isNamed = this.#named.seal();
    // As many rows as were found by looking up what the records have: there is a record for each.
    if (ofRecords !== (this.#records?.rows ?? 0) || this.#findings.count > 0) {
      await this.#pace.each(this.#tables.rows(), (row) => {
        if (isTransactionRow(row) && this.#isOfRecords(row)) return this.#checkTransactionRow(row);
      });
    }
    return count;
  }

  /** Expects an item, as its newest write left it, in the index. Call it after `checkRows`. */
  checkItem(keyHash: Uint8Array, version: bigint): void {
    const { indexedTo } = this.#tables;
    if (indexedTo === undefined || version > indexedTo || this.#isNamed(keyHash)) return;
    this.#findings.add(`item ${toHex(keyHash)} as of version ${version}: not in the index`);
  }

  #isOfRecords(row: OwnedRow): boolean {
    if (this.#records === undefined) return false;
    const version = versionOfTransactionRow(row);
    return version >= this.#records.first && version <= this.#records.last;
  }

  #checkTransactionRow(row: OwnedRow): MaybePromise<void> {
    const version = versionOfTransactionRow(row);
    return andThen(this.#tables.getRecord(version), (record) => {
      if (record !== undefined && hasTransactionRow(version, record, row)) return;
      this.#onExtra(
        `${indexRowName(row)}: record ${version} ${record === undefined ? "is not kept" : "has no such row"}`,
      );
    });
  }

  #checkRow(row: OwnedRow): MaybePromise<void> {
    const keyHash = itemOfRow(row);
    if (keyHash === undefined) {
      this.#findings.add(`${indexRowName(row)}: no item can have it`);
      return;
    }
    return andThen(this.#tables.getItem(keyHash), (item) => {
      if (item === undefined) {
        if (this.#isAlive && !mayOutliveItem(row)) {
          this.#onExtra(`${indexRowName(row)}: there is no item ${toHex(keyHash)}`);
        }
        return;
      }
      const key = keyOfRow(row);
      if (key === undefined) return;
      this.#named.add(keyHash);
      const { indexedTo } = this.#tables;
      if (indexedTo === undefined || item.version > indexedTo) return;
      const rows = ownedRows(key, keyHash, item.value);
      return andThen(this.#expectOther(rows), () => {});
    });
  }

  /** Expects the row of an item besides the one with its key, if it has one. Returns true if it was found. */
  #expectOther([, row]: readonly OwnedRow[]): MaybePromise<boolean> {
    if (row === undefined) return false;
    // The next read of the store may overwrite what the row was made from.
    const place = Uint8Array.from(row.place);
    return andThen(this.#tables.getRow(row), (data) => {
      if (data !== undefined && equalBytes(data, row.data)) return true;
      const fault = data === undefined ? "is missing" : "differs from what its item gives";
      this.#findings.add(`${indexRowName({ owner: row.owner, place })}: ${fault}`);
      return false;
    });
  }
}
