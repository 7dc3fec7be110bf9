// What can be proven.
import type { Asset } from "../ledger/balances/asset.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import type { Address } from "../move/address.ts";

export type ProofQuestion =
  | { readonly kind: "balance"; readonly address: Address; readonly asset: Asset }
  | { readonly kind: "tableItem"; readonly handle: Address; readonly key: Uint8Array };

export interface ProofOptions {
  /** The last version of a block; the newest that is signed when left out. */
  readonly version?: bigint | undefined;
  /** Where the proof begins; the end of the epoch before when left out. */
  readonly fromWaypoint?: Waypoint | undefined;
}
