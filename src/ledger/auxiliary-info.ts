// Auxiliary infos: facts about a transaction that its own bytes do not carry.
import { type Codec, encodeWith } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { u32 } from "../bcs/scalars.ts";
import { hashOf, SEEDS } from "./hash.ts";

/** What is kept beside a transaction. */
export type AuxiliaryInfo =
  | { readonly kind: "none" }
  | { readonly kind: "v1"; readonly transactionIndex: number }
  /** Seen in simulations only. */
  | { readonly kind: "simulated"; readonly transactionIndex: number };

/** Auxiliary infos on the wire. */
export const auxiliaryInfoCodec: Codec<AuxiliaryInfo> = variants("AuxiliaryInfo", {
  none: {},
  v1: { transactionIndex: u32 },
  simulated: { transactionIndex: u32 },
});

/** What a transaction info holds of it: a hash for the first real form, else nothing. */
export function auxiliaryInfoHash(info: AuxiliaryInfo): Uint8Array | undefined {
  return info.kind === "v1" ? hashOf(SEEDS.auxiliaryInfo, encodeWith(auxiliaryInfoCodec, info)) : undefined;
}
