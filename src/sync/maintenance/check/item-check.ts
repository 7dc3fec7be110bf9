// Checks the items of a store: their order and encoding and the index of superseded values. Collects the state tree
// leaves at the head and at one earlier version.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { assertStateValue, stateValueHash } from "../../../ledger/formats/state-value.ts";
import { isNodeLogKey, leafHashOf } from "../../../ledger/state-tree/tree-node.ts";
import type { StaleEntry } from "../../../store/lmdb/tables.ts";
import type { ItemRow, StoreWalk } from "../../../store/lmdb/walk.ts";
import { assertLog, decodePart } from "../../proofs/node-log.ts";
import type { CheckPace, Findings } from "./findings.ts";
import { LeafList } from "./tree-check.ts";

/** Result of the item check. */
export interface ItemsReport {
  /** Values written at or after the oldest kept version. */
  readonly kept: number;
  /** All values. */
  readonly values: number;
  /** Keys with a value at the head. */
  readonly live: number;
  /** Leaves of the state at the head, and at the `early` version. */
  readonly head: LeafList;
  readonly early: LeafList;
}

/** Walks items and the index of superseded values. */
export class ItemCheck {
  readonly #walk: StoreWalk;
  readonly #findings: Findings;
  readonly #pace: CheckPace;
  readonly #early: bigint | undefined;
  readonly #onItem: (keyHash: Uint8Array, version: bigint) => void;
  readonly #headLeaves = new LeafList();
  readonly #earlyLeaves = new LeafList();
  #kept = 0;
  /** Entries of the index of superseded values that were expected and found; no two are the same. */
  #listed = 0;

  /** `early`: an earlier version whose leaves are collected too. `onItem` hears of the newest value of every key. */
  constructor(
    walk: StoreWalk,
    findings: Findings,
    pace: CheckPace,
    early: bigint | undefined,
    onItem: (keyHash: Uint8Array, version: bigint) => void,
  ) {
    this.#walk = walk;
    this.#findings = findings;
    this.#pace = pace;
    this.#early = early;
    this.#onItem = onItem;
  }

  async run(): Promise<ItemsReport> {
    let newer: ItemRow | undefined;
    let seenEarly = false;
    let values = 0;
    for (const row of this.#walk.items()) {
      this.#pace.row();
      const turn = this.#pace.turn();
      if (turn !== undefined) await turn;
      values++;
      const isSameKey = newer !== undefined && equalBytes(newer.keyHash, row.keyHash);
      if (!isSameKey) seenEarly = false;
      const isLog = isNodeLogKey(row.keyHash);
      if (row.isNewest && !isLog) this.#onItem(row.keyHash, row.version);
      if (row.version >= this.#walk.position.oldestVersion && !isLog) this.#kept++;
      const isEarly = !seenEarly && this.#early !== undefined && row.version <= this.#early;
      if (isEarly) seenEarly = true;
      // No root covers the other values; the record check compares those of kept versions with what was written.
      if (row.value !== undefined && (row.isNewest || isEarly) && !isLog) {
        const leaf = leafHashOf(row.keyHash, stateValueHash(row.value));
        if (row.isNewest) this.#headLeaves.push(row.keyHash, leaf);
        if (isEarly) this.#earlyLeaves.push(row.keyHash, leaf);
      }
      // Last, because it looks up other rows.
      this.#checkRow(row, isSameKey ? newer : undefined);
      newer = row;
    }
    await this.#checkStale();
    return {
      kept: this.#kept,
      values,
      live: this.#headLeaves.count,
      head: this.#headLeaves,
      early: this.#earlyLeaves,
    };
  }

  #checkRow(row: ItemRow, newer: ItemRow | undefined): void {
    const { keyHash, version, value } = row;
    // Without closures: this runs for every value.
    if (row.isNewest !== (newer === undefined)) this.#findings.add(`${nameOf(row)}: has no newest value`);
    if (newer === undefined ? version > this.#walk.position.version : version >= newer.version) {
      const later = newer === undefined ? "the head" : "its newer value";
      this.#findings.add(`${nameOf(row)}: later than ${later}`);
    }
    if (value !== undefined) this.#checkValue(row, value);
    if (newer !== undefined) this.#expectStale(newer.version, keyHash, version);
    if (value === undefined) this.#expectStale(version, keyHash, version);
  }

  #checkValue(row: ItemRow, value: Uint8Array): void {
    try {
      if (isNodeLogKey(row.keyHash)) assertLog(decodePart(value).log);
      else assertStateValue(value);
    } catch (error) {
      this.#findings.add(`${nameOf(row)}: ${errorText(error)}`);
    }
  }

  /** A superseded value that is not in the index would never be pruned. */
  #expectStale(since: bigint, keyHash: Uint8Array, version: bigint): void {
    if (this.#walk.isStale(since, { keyHash, version })) this.#listed++;
    else this.#findings.add(`${nameOf({ keyHash, version })}: not listed as superseded at ${since}`);
  }

  /** A listed value that is missing means that the pruner removed too much, and one too many that it will. */
  async #checkStale(): Promise<void> {
    const { version: head } = this.#walk.position;
    let entries = 0;
    for (const { version: since, count } of this.#walk.stale()) {
      this.#pace.row();
      const turn = this.#pace.turn();
      if (turn !== undefined) await turn;
      this.#findings.expect(since <= head, () => `superseded at ${since}, above the head`);
      entries += count;
    }
    // As many entries as were found by looking them up for their values: there is a value for each.
    if (entries !== this.#listed || this.#findings.count > 0) await this.#findWrong();
  }

  /** Names the entries that no value should have: the pruner would remove a value that is visible. */
  async #findWrong(): Promise<void> {
    for (const { version: since, readEntries } of this.#walk.stale()) {
      this.#pace.row();
      const turn = this.#pace.turn();
      if (turn !== undefined) await turn;
      const seen = new Set<string>();
      for (const entry of readEntries()) {
        const name = nameOf(entry);
        const fault = seen.has(name) ? "is listed twice" : this.#answerOf(since, entry);
        seen.add(name);
        if (fault !== undefined) this.#findings.add(`superseded at ${since}: ${name} ${fault}`);
      }
    }
  }

  #answerOf(since: bigint, { keyHash, version }: StaleEntry): string | undefined {
    const item = this.#walk.peekItem(keyHash, version);
    if (item === undefined) {
      // A deletion is listed twice when the item was written again; pruning the first entry removes it.
      return version < this.#walk.position.oldestVersion && version < since ? undefined : "is missing";
    }
    const isRight =
      version === since ? item.value === undefined : this.#walk.peekNextVersion(keyHash, version) === since;
    return isRight ? undefined : "was not superseded there";
  }
}

function nameOf({ keyHash, version }: Pick<ItemRow, "keyHash" | "version">): string {
  return `item ${toHex(keyHash)} as of version ${version}`;
}
