// Nodes of the transaction accumulator of a stored ledger, and the siblings of a range of its versions.

import { EMPTY_ACCUMULATOR, transactionAccumulator } from "../../ledger/accumulator.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { readInfoBytes } from "../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../../ledger/hash.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import type { LedgerView, StoredRecord } from "../../ledger/view.ts";
import { accumulatorHeight, type RangeProof } from "../../proof/accumulator-proof.ts";
import type { Store } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { SUBTREE } from "../side-rows.ts";
import { SUBTREE_LEVEL } from "../verify/verifier.ts";
import { BackupRefusal } from "./backup-refusal.ts";

const SEED = SEEDS.transactionAccumulator;
/** Records of one smallest kept subtree. */
const GROUP_RECORDS = 2 ** SUBTREE_LEVEL;
const PAGE_RECORDS = 256;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Records read for one proof: without kept subtrees, all records of the history are hashed. */
const MAX_LEAVES = 1_000_000;

/** Options of the nodes of a ledger. */
export interface AccumulatorNodesOptions {
  readonly store: Pick<Store, "getSideRows">;
  readonly view: LedgerView;
  readonly lastVersion: bigint;
  /** The accumulator of versions whose records may be pruned. */
  readonly before?: AccumulatorState | undefined;
  /** What a full subtree without a row means: that it was not kept, or that its records are hashed again. */
  readonly missingSubtree: "refuse" | "recompute";
}

/** Reads the accumulator of a ledger up to a version. */
export class AccumulatorNodes {
  readonly #options: AccumulatorNodesOptions;
  readonly #height: number;
  readonly #leaves = new Map<bigint, Uint8Array>();
  /** Full subtrees of the accumulator before the records, by level and index. */
  readonly #kept = new Map<string, Uint8Array>();
  /** Valid as long as the view is open: reading them again would inflate them again. */
  #lastRead: readonly StoredRecord[] = [];

  constructor(options: AccumulatorNodesOptions) {
    this.#options = options;
    this.#height = accumulatorHeight(options.lastVersion + 1n);
    const { leafCount, frozen } = options.before ?? EMPTY_ACCUMULATOR;
    // Each root is that of the largest full subtree that the leaves after the one before it have.
    let next = 0n;
    for (const hash of frozen) {
      const level = (leafCount - next).toString(2).length - 1;
      this.#kept.set(`${level} ${next >> BigInt(level)}`, hash);
      next += 1n << BigInt(level);
    }
  }

  /** What stands left and right of the versions from `first` to `last`, from the bottom up. */
  async rangeProof(first: bigint, last: bigint): Promise<RangeProof> {
    const left: Uint8Array[] = [];
    const right: Uint8Array[] = [];
    let [low, high] = [first, last];
    for (let level = 0; level < this.#height; level++) {
      if ((low & 1n) === 1n) left.push(await this.#hashOf(level, low - 1n));
      if ((high & 1n) === 0n) right.push(await this.#hashOf(level, high + 1n));
      low >>= 1n;
      high >>= 1n;
    }
    return { left, right };
  }

  /**
   * Siblings of one version, from the bottom up. `left` has the roots of the full subtrees before the version, left to
   * right, where they are known: a kept history may begin after them.
   */
  async siblings(version: bigint, left?: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const siblings: Uint8Array[] = [];
    let nextLeft = left?.length ?? 0;
    for (let level = 0; level < this.#height; level++) {
      const index = version >> BigInt(level);
      const isRight = (index & 1n) === 1n;
      if (isRight && left !== undefined) siblings.push(left[--nextLeft] ?? ACCUMULATOR_PLACEHOLDER);
      else siblings.push(await this.#hashOf(level, index ^ 1n));
    }
    return siblings;
  }

  /** Roots of the full subtrees before a version, from those before an earlier one. */
  async leftOf(version: bigint, earlier: AccumulatorState): Promise<readonly Uint8Array[]> {
    const accumulator = transactionAccumulator(earlier);
    while (accumulator.leafCount < version) accumulator.append(await this.#leafOf(accumulator.leafCount));
    return accumulator.state().frozen;
  }

  /** The record of a version, read together with those after it that the siblings of the version need. */
  async recordOf(version: bigint): Promise<Uint8Array> {
    const known = this.#lastRead.find((record) => record.version === version);
    const [record] = known === undefined ? await this.#readFrom(version) : [known];
    if (record === undefined) throw new LedgerError("corrupt", `version ${version} has no record`);
    // Stored bytes are valid only until the view is released.
    return new Uint8Array(record.bytes);
  }

  async #hashOf(level: number, index: bigint): Promise<Uint8Array> {
    const { store, lastVersion, missingSubtree } = this.#options;
    const first = index << BigInt(level);
    if (first > lastVersion) return ACCUMULATOR_PLACEHOLDER;
    const isFull = first + (1n << BigInt(level)) <= lastVersion + 1n;
    // The kept accumulator may be later than this ledger, which then has less of a subtree.
    const kept = isFull ? this.#kept.get(`${level} ${index}`) : undefined;
    if (kept !== undefined) return kept;
    if (level === 0) return this.#leafOf(first);
    if (isFull && level >= SUBTREE_LEVEL) {
      const row = await SUBTREE.load(store, level, index);
      if (row !== undefined) return row;
      if (missingSubtree === "refuse") {
        const last = first + (1n << BigInt(level)) - 1n;
        throw new LedgerError(
          "version_pruned",
          `the hashes of versions ${first} to ${last} are not kept, and no proof is made without them`,
        );
      }
    }
    return hashPair(
      SEED,
      await this.#hashOf(level - 1, 2n * index),
      await this.#hashOf(level - 1, 2n * index + 1n),
    );
  }

  async #leafOf(version: bigint): Promise<Uint8Array> {
    const known = this.#leaves.get(version);
    if (known !== undefined) return known;
    if (this.#leaves.size > MAX_LEAVES) {
      throw new BackupRefusal("not_kept", "the accumulator's subtrees are not kept here");
    }
    await this.#readFrom(version);
    const leaf = this.#leaves.get(version);
    if (leaf === undefined) throw new StoreError("corrupt", `the record of version ${version} is missing`);
    return leaf;
  }

  /** Reads the records from a version on, up to the end of a group, and hashes their infos. */
  async #readFrom(version: bigint): Promise<readonly StoredRecord[]> {
    const { view, lastVersion, missingSubtree } = this.#options;
    // Where every full subtree has a row, no leaf after this group is needed next.
    const group =
      missingSubtree === "recompute" ? PAGE_RECORDS : GROUP_RECORDS - Number(version % BigInt(GROUP_RECORDS));
    const left = lastVersion - version + 1n;
    const count = left < BigInt(group) ? Number(left) : group;
    this.#lastRead = await view.getRecords(version, count, PAGE_BYTES);
    for (const { version: at, bytes } of this.#lastRead) {
      this.#leaves.set(at, transactionInfoHash(readInfoBytes(bytes)));
    }
    return this.#lastRead;
  }
}
