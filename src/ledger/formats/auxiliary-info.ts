// Auxiliary infos: facts about a transaction that its own bytes do not carry.
import { encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { u32 } from "../../bcs/scalars.ts";
import { hashOf, SEEDS } from "../hash.ts";

/** The auxiliary info of one transaction. */
export const auxiliaryInfoCodec = variants("AuxiliaryInfo", {
  none: {},
  v1: { transactionIndex: u32 },
  /** Occurs in simulations only. */
  simulated: { transactionIndex: u32 },
});
export type AuxiliaryInfo = ValueOf<typeof auxiliaryInfoCodec>;

/** The hash that a transaction info carries; only `v1` has one. */
export function auxiliaryInfoHash(info: AuxiliaryInfo): Uint8Array | undefined {
  return info.kind === "v1" ? hashOf(SEEDS.auxiliaryInfo, encodeWith(auxiliaryInfoCodec, info)) : undefined;
}
