// What can be proven.
import { compareBytes } from "../base/bytes.ts";
import type { Asset } from "../ledger/balances/asset.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { type Address, formatAddress } from "../move/address.ts";
import type { StateClaim } from "./claim.ts";

export type ProofQuestion =
  /** A claim about the state. The prover fills in the amounts. */
  | { readonly kind: "state"; readonly claim: StateClaim }
  | { readonly kind: "transaction"; readonly version: bigint }
  | { readonly kind: "event"; readonly version: bigint; readonly index: bigint };

export interface ProofOptions {
  /** The last version of a block; the newest that is signed when left out. For claims about the state. */
  readonly version?: bigint | undefined;
  /** Where the proof begins; the end of the epoch before when left out. */
  readonly fromWaypoint?: Waypoint | undefined;
}

/** An account and an asset. */
export interface AssetOfAccount {
  readonly address: Address;
  readonly asset: Asset;
}

/** Asks for balances; a pair that is given twice is proven once. */
export function balancesQuestion(pairs: readonly AssetOfAccount[], hasKeys: boolean): ProofQuestion {
  // Most pairs are of a few assets.
  const texts = new Map<string, string>();
  for (const { asset } of pairs)
    if (!texts.has(asset.id)) texts.set(asset.id, asset.coinType ?? formatAddress(asset.metadata));
  const assets = [...texts.values()].sort();
  const placeOf = new Map(assets.map((text, place) => [text, place]));
  const accounts = new Map<string, { readonly address: Address; readonly places: Set<number> }>();
  for (const { address, asset } of pairs) {
    const name = formatAddress(address);
    const account = accounts.get(name) ?? { address, places: new Set() };
    accounts.set(name, account);
    account.places.add(placeOf.get(texts.get(asset.id) ?? "") ?? 0);
  }
  const sorted = [...accounts.values()].sort((a, b) => compareBytes(a.address, b.address));
  const claimed = sorted.map(({ address, places }) => ({
    address,
    amounts: [...places].sort((a, b) => a - b).map((asset) => ({ asset, amount: 0n })),
  }));
  return { kind: "state", claim: { kind: "balances", assets, accounts: claimed, hasKeys } };
}
