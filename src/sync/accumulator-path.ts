// The siblings of a version in the accumulator of a later ledger, from the kept history: those on the left from the
// block end itself, those on the right from kept subtrees, and the smallest from records.
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../ledger/hash.ts";
import { readInfoBytes } from "../ledger/record.ts";
import { transactionInfoHash } from "../ledger/transaction-info.ts";
import type { LedgerView } from "../ledger/view.ts";
import { accumulatorHeight } from "../proof/accumulator-proof.ts";
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { type BlockEnd, subtreeKey } from "./proof-history.ts";
import { SUBTREE_LEVEL } from "./verifier.ts";

const SEED = SEEDS.transactionAccumulator;
/** Records of one smallest kept subtree, however large. */
const GROUP = 1n << BigInt(SUBTREE_LEVEL);
const GROUP_BYTES = Number.MAX_SAFE_INTEGER;

/** Siblings of a block end in the ledger that ends with `lastVersion`, from the bottom up. */
export async function readAccumulatorSiblings(
  store: Pick<Store, "getSideRows">,
  view: LedgerView,
  { version, left }: Pick<BlockEnd, "version" | "left">,
  lastVersion: bigint,
): Promise<Uint8Array[]> {
  const nodes = new LedgerNodes(store, view, lastVersion);
  const siblings: Uint8Array[] = [];
  let nextLeft = left.length;
  const height = accumulatorHeight(lastVersion + 1n);
  for (let level = 0; level < height; level++) {
    const index = version >> BigInt(level);
    if ((index & 1n) === 1n) siblings.push(left[--nextLeft] ?? ACCUMULATOR_PLACEHOLDER);
    else siblings.push(await nodes.hashOf(level, index + 1n));
  }
  return siblings;
}

/** Nodes of the accumulator of one ledger. */
class LedgerNodes {
  readonly #store: Pick<Store, "getSideRows">;
  readonly #view: LedgerView;
  readonly #lastVersion: bigint;
  readonly #leaves = new Map<bigint, Uint8Array>();

  constructor(store: Pick<Store, "getSideRows">, view: LedgerView, lastVersion: bigint) {
    this.#store = store;
    this.#view = view;
    this.#lastVersion = lastVersion;
  }

  async hashOf(level: number, index: bigint): Promise<Uint8Array> {
    const first = index << BigInt(level);
    if (first > this.#lastVersion) return ACCUMULATOR_PLACEHOLDER;
    if (level === 0) return this.#leafOf(first);
    const isFull = first + (1n << BigInt(level)) <= this.#lastVersion + 1n;
    if (isFull && level >= SUBTREE_LEVEL) {
      const [row] = await this.#store.getSideRows([subtreeKey(level, index)]);
      if (row === undefined) {
        throw new StoreError("corrupt", `the accumulator lacks its subtree ${index} of level ${level}`);
      }
      return new Uint8Array(row);
    }
    return hashPair(
      SEED,
      await this.hashOf(level - 1, 2n * index),
      await this.hashOf(level - 1, 2n * index + 1n),
    );
  }

  async #leafOf(version: bigint): Promise<Uint8Array> {
    if (!this.#leaves.has(version)) {
      const end = (version / GROUP + 1n) * GROUP;
      const records = await this.#view.getRecords(version, Number(end - version), GROUP_BYTES);
      for (const record of records) {
        this.#leaves.set(record.version, transactionInfoHash(readInfoBytes(record.bytes)));
      }
    }
    const leaf = this.#leaves.get(version);
    if (leaf === undefined) throw new StoreError("corrupt", `the record of version ${version} is missing`);
    return leaf;
  }
}
