// Reads balances: the items of the balance rule (balance-parts.ts) at a version of a view.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { Slices } from "../../base/wait.ts";
import type { Address } from "../../move/address.ts";
import { LedgerError } from "../errors.ts";
import { fixedPosition, type LedgerView, type StateItem } from "../view.ts";
import type { Asset } from "./asset.ts";
import { balanceKeys, keepBalance, knownBalance } from "./balance-keys.ts";
import { addParts, amountOfPart } from "./balance-parts.ts";

/** The balance of an owner at a version. Throws LedgerError. */
export function readBalance(
  view: Pick<LedgerView, "position" | "getItems" | "keyTrace" | "fetchedTrust">,
  owner: Address,
  asset: Asset,
  version: bigint,
): MaybePromise<bigint> {
  const latest = version === view.position.version ? fixedPosition(view) : undefined;
  const known = latest && knownBalance(latest, owner, asset);
  if (known !== undefined) return known;
  return andThen(view.getItems(balanceKeys(owner, asset, view.keyTrace), version), (items) => {
    const balance = sumOf(items);
    if (latest !== undefined) keepBalance(latest, owner, asset, balance);
    return balance;
  });
}

/** An owner and an asset. */
export interface BalancePair {
  readonly owner: Address;
  readonly asset: Asset;
}

/** Pairs whose keys are hashed together. */
const PAIRS_AT_ONCE = 128;

/**
 * The balances of many pairs at one version, in slices. Where the stored bytes of a pair do not decode, its place holds the
 * error. Throws LedgerError for what concerns all.
 */
export async function readBalances(
  view: LedgerView,
  pairs: readonly BalancePair[],
  version: bigint,
  slices: Slices = new Slices(),
): Promise<readonly (bigint | LedgerError)[]> {
  const latest = version === view.position.version ? fixedPosition(view) : undefined;
  if (latest === undefined) return readPairs(view, pairs, version, slices);
  const known = pairs.map(({ owner, asset }) => knownBalance(latest, owner, asset));
  const others = pairs.filter((_, index) => known[index] === undefined);
  const read = await readPairs(view, others, version, slices);
  for (const [index, { owner, asset }] of others.entries()) {
    const balance = read[index];
    if (typeof balance === "bigint") keepBalance(latest, owner, asset, balance);
  }
  let next = 0;
  return known.map((balance) => balance ?? (read[next++] as bigint | LedgerError));
}

/** As `readBalances`, from the view alone. */
async function readPairs(
  view: LedgerView,
  pairs: readonly BalancePair[],
  version: bigint,
  slices: Slices,
): Promise<readonly (bigint | LedgerError)[]> {
  // A store that answers later gets all questions before the first answer.
  const reads: MaybePromise<readonly (StateItem | undefined)[]>[] = [];
  // Asked at least once: that checks the version.
  for (let start = 0; start === 0 || start < pairs.length; start += PAIRS_AT_ONCE) {
    const some = pairs.slice(start, start + PAIRS_AT_ONCE);
    const keys: Uint8Array[] = [];
    // Not by flatMap, which looks up every element by its name.
    for (const { owner, asset } of some) keys.push(...balanceKeys(owner, asset, view.keyTrace));
    const read = view.getItems(keys, version);
    // Its failure is thrown below, when its turn comes.
    if (read instanceof Promise) read.catch(() => {});
    reads.push(read);
    await slices.pause();
  }
  const sums: (bigint | LedgerError)[] = [];
  for (const [chunk, read] of reads.entries()) {
    let items: readonly (StateItem | undefined)[];
    try {
      items = await read;
    } catch (error) {
      // The caller releases the view, which the others still read from.
      await Promise.allSettled(reads);
      throw error;
    }
    let next = 0;
    for (const { asset } of pairs.slice(chunk * PAIRS_AT_ONCE, (chunk + 1) * PAIRS_AT_ONCE)) {
      const group = items[next++];
      sums.push(sumOrError([group, asset.coinStoreTag === undefined ? undefined : items[next++]]));
    }
    await slices.pause();
  }
  return sums;
}

function sumOrError(items: readonly (StateItem | undefined)[]): bigint | LedgerError {
  try {
    return sumOf(items);
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
}

function sumOf([group, coin]: readonly (StateItem | undefined)[]): bigint {
  return addParts([amountOfPart(0, group), amountOfPart(1, coin)]);
}
