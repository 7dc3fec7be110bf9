// What closes a block: the parts of a block epilogue that name no state key.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { bool, u64 } from "../bcs/scalars.ts";
import { map } from "../bcs/sequences.ts";

/** How full the block became. */
export interface BlockEndInfo {
  readonly kind: "v0";
  readonly gasLimitReached: boolean;
  readonly outputLimitReached: boolean;
  readonly gasUnits: bigint;
  readonly approximateOutputBytes: bigint;
}

/** Fees by validator index, in octas. */
export interface FeeDistribution {
  readonly kind: "v0";
  readonly amounts: readonly (readonly [validatorIndex: bigint, octas: bigint])[];
}

/** End infos on the wire. */
export const blockEndInfoCodec: Codec<BlockEndInfo> = variants("BlockEndInfo", {
  v0: { gasLimitReached: bool, outputLimitReached: bool, gasUnits: u64, approximateOutputBytes: u64 },
});

/** Fee distributions on the wire. */
export const feeDistributionCodec: Codec<FeeDistribution> = variants("FeeDistribution", {
  v0: { amounts: map(u64, u64) },
});
