// Nodes of the transaction accumulator of a stored ledger, and the siblings of a range of its versions.
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../../ledger/hash.ts";
import { readInfoBytes } from "../../ledger/record.ts";
import { transactionInfoHash } from "../../ledger/transaction-info.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { RangeProof } from "../../proof/accumulator-proof.ts";
import type { Store } from "../../store/contract.ts";
import { subtreeKey } from "../proof-history.ts";
import { SUBTREE_LEVEL } from "../verifier.ts";
import { BackupRefusal } from "./backup-refusal.ts";

const SEED = SEEDS.transactionAccumulator;
const PAGE_RECORDS = 256;
/** Records read for one proof: a history without kept subtrees is summed up from its records. */
const MAX_LEAVES = 1_000_000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Reads the accumulator of a ledger up to a version. */
export class AccumulatorNodes {
  readonly #store: Pick<Store, "getSideRows">;
  readonly #view: LedgerView;
  readonly #lastVersion: bigint;
  readonly #leaves = new Map<bigint, Uint8Array>();

  constructor(store: Pick<Store, "getSideRows">, view: LedgerView, lastVersion: bigint) {
    this.#store = store;
    this.#view = view;
    this.#lastVersion = lastVersion;
  }

  /** What stands left and right of the versions from `first` to `last`, from the bottom up. */
  async rangeProof(first: bigint, last: bigint): Promise<RangeProof> {
    const left: Uint8Array[] = [];
    const right: Uint8Array[] = [];
    const height = this.#lastVersion === 0n ? 0 : this.#lastVersion.toString(2).length;
    let [low, high] = [first, last];
    for (let level = 0; level < height; level++) {
      if ((low & 1n) === 1n) left.push(await this.#hashOf(level, low - 1n));
      if ((high & 1n) === 0n) right.push(await this.#hashOf(level, high + 1n));
      low >>= 1n;
      high >>= 1n;
    }
    return { left, right };
  }

  /** Siblings of one version, from the bottom up. */
  async siblings(version: bigint): Promise<Uint8Array[]> {
    const { left, right } = await this.rangeProof(version, version);
    const height = left.length + right.length;
    let [nextLeft, nextRight] = [0, 0];
    return Array.from({ length: height }, (_, level) => {
      const isRight = ((version >> BigInt(level)) & 1n) === 1n;
      return (isRight ? left[nextLeft++] : right[nextRight++]) ?? ACCUMULATOR_PLACEHOLDER;
    });
  }

  async #hashOf(level: number, index: bigint): Promise<Uint8Array> {
    const first = index << BigInt(level);
    if (first > this.#lastVersion) return ACCUMULATOR_PLACEHOLDER;
    if (level === 0) return this.#leafOf(first);
    const isFull = first + (1n << BigInt(level)) <= this.#lastVersion + 1n;
    if (isFull && level >= SUBTREE_LEVEL) {
      const [row] = await this.#store.getSideRows([subtreeKey(level, index)]);
      if (row !== undefined) return new Uint8Array(row);
    }
    const [left, right] = [
      await this.#hashOf(level - 1, 2n * index),
      await this.#hashOf(level - 1, 2n * index + 1n),
    ];
    return hashPair(SEED, left, right);
  }

  async #leafOf(version: bigint): Promise<Uint8Array> {
    const known = this.#leaves.get(version);
    if (known !== undefined) return known;
    if (this.#leaves.size > MAX_LEAVES) {
      throw new BackupRefusal("not_kept", "the accumulator's subtrees are not kept here");
    }
    for (const { version: at, bytes } of await this.#view.getRecords(version, PAGE_RECORDS, PAGE_BYTES)) {
      this.#leaves.set(at, transactionInfoHash(readInfoBytes(bytes)));
    }
    const leaf = this.#leaves.get(version);
    if (leaf === undefined) throw new Error(`the record of version ${version} is missing`);
    return leaf;
  }
}
