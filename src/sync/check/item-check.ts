// The items of a store: their order and form, the index of what is superseded, and the leaves of the state that
// two versions see.
import { equalBytes } from "../../base/bytes.ts";
import { errorText } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { leafHashOf } from "../../ledger/state-tree/tree-node.ts";
import { stateValueCodec, stateValueHash } from "../../ledger/state-value.ts";
import type { ItemRow, StoreWalk } from "../../store/lmdb/walk.ts";
import type { Findings } from "./findings.ts";
import { LeafList } from "./tree-check.ts";

/** What the items say. */
export interface ItemsReport {
  /** Values written at or after the oldest kept version. */
  readonly kept: number;
  /** All values. */
  readonly values: number;
  /** Keys with a value at the head. */
  readonly live: number;
  /** Leaves of the state at the head, and at the version asked for. */
  readonly head: LeafList;
  readonly early: LeafList;
}

/** Walks items and what is superseded. */
export class ItemCheck {
  readonly #walk: StoreWalk;
  readonly #findings: Findings;
  readonly #onRow: () => void;
  readonly #early: bigint | undefined;
  readonly #headLeaves = new LeafList();
  readonly #earlyLeaves = new LeafList();
  #kept = 0;

  /** `early`: a version whose state is wanted too. */
  constructor(walk: StoreWalk, findings: Findings, onRow: () => void, early: bigint | undefined) {
    this.#walk = walk;
    this.#findings = findings;
    this.#onRow = onRow;
    this.#early = early;
  }

  run(): ItemsReport {
    let newer: ItemRow | undefined;
    let seenEarly = false;
    let values = 0;
    for (const row of this.#walk.items()) {
      this.#onRow();
      values++;
      const isSameKey = newer !== undefined && equalBytes(newer.keyHash, row.keyHash);
      if (!isSameKey) seenEarly = false;
      this.#checkRow(row, isSameKey ? newer : undefined);
      if (row.version >= this.#walk.position.oldestVersion) this.#kept++;
      const leaf = row.value === undefined ? undefined : leafHashOf(row.keyHash, stateValueHash(row.value));
      if (row.isNewest && leaf !== undefined) this.#headLeaves.push(row.keyHash, leaf);
      if (!seenEarly && this.#early !== undefined && row.version <= this.#early) {
        seenEarly = true;
        if (leaf !== undefined) this.#earlyLeaves.push(row.keyHash, leaf);
      }
      newer = row;
    }
    this.#checkStale();
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
    const name = (): string => `item ${toHex(keyHash)} as of version ${version}`;
    this.#findings.expect(row.isNewest === (newer === undefined), () => `${name()}: has no newest value`);
    this.#findings.expect(
      version <= (newer === undefined ? this.#walk.position.version : newer.version - 1n),
      () => {
        return `${name()}: later than ${newer === undefined ? "the head" : "its newer value"}`;
      },
    );
    if (newer !== undefined) this.#expectStale(newer.version, keyHash, version);
    if (value === undefined) {
      this.#expectStale(version, keyHash, version);
      return;
    }
    try {
      decodeWith(stateValueCodec, value);
    } catch (error) {
      this.#findings.add(`${name()}: ${errorText(error)}`);
    }
  }

  /** What is superseded but not listed would never be pruned. */
  #expectStale(since: bigint, keyHash: Uint8Array, version: bigint): void {
    const entries = this.#walk.getStale(since);
    const listed = entries.some((entry) => entry.version === version && equalBytes(entry.keyHash, keyHash));
    this.#findings.expect(listed, () => {
      return `item ${toHex(keyHash)} as of version ${version}: not listed as superseded at ${since}`;
    });
  }

  /** What is listed and not there would mean that the pruner removed something it should not have. */
  #checkStale(): void {
    const { version: head, oldestVersion } = this.#walk.position;
    for (const { version: since, entries } of this.#walk.stale()) {
      this.#onRow();
      this.#findings.expect(since <= head, () => `superseded at ${since}, above the head`);
      for (const { keyHash, version } of entries) {
        // A deletion is listed twice when the item came back, and is gone after the first.
        const isThere = version < oldestVersion || this.#walk.getItem(keyHash, version) !== undefined;
        this.#findings.expect(version <= since && isThere, () => {
          return `superseded at ${since}: item ${toHex(keyHash)} as of version ${version} is not there`;
        });
      }
    }
  }
}
