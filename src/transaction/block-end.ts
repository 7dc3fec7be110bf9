// What closes a block: the parts of a block epilogue that name no state key.
import type { ValueOf } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { bool, u64 } from "../bcs/scalars.ts";
import { map } from "../bcs/sequences.ts";

/** How full the block became. */
export const blockEndInfoCodec = variants("BlockEndInfo", {
  v0: { gasLimitReached: bool, outputLimitReached: bool, gasUnits: u64, approximateOutputBytes: u64 },
});
export type BlockEndInfo = ValueOf<typeof blockEndInfoCodec>;

/** Fees in octas by validator index. */
export const feeDistributionCodec = variants("FeeDistribution", { v0: { amounts: map(u64, u64) } });
export type FeeDistribution = ValueOf<typeof feeDistributionCodec>;
