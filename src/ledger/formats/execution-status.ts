// How the execution of a transaction ended.
import type { ValueOf } from "../../bcs/codec.ts";
import { struct, variants } from "../../bcs/records.ts";
import { text, u16, u64 } from "../../bcs/scalars.ts";
import { option } from "../../bcs/sequences.ts";
import { formatAddress } from "../../move/address.ts";
import { moduleIdCodec } from "../../move/wire.ts";

/** Where an abort or a failure happened. */
const abortLocationCodec = variants("AbortLocation", { module: { module: moduleIdCodec }, script: {} });
export type AbortLocation = ValueOf<typeof abortLocationCodec>;

/** The module's description of an abort code. */
const abortInfoCodec = struct({ reasonName: text, description: text });

/** The outcome of an execution. */
export const executionStatusCodec = variants("ExecutionStatus", {
  success: {},
  outOfGas: {},
  moveAbort: { location: abortLocationCodec, code: u64, info: option(abortInfoCodec) },
  executionFailure: { location: abortLocationCodec, function: u16, codeOffset: u16 },
  miscellaneous: { statusCode: option(u64) },
});
export type ExecutionStatus = ValueOf<typeof executionStatusCodec>;

/** Names the place of an abort. */
export function locationName(location: AbortLocation): string {
  if (location.kind === "script") return "script";
  return `${formatAddress(location.module.address)}::${location.module.name}`;
}

/** The text of an abort. */
export function abortText(
  location: AbortLocation,
  code: bigint,
  info: { readonly reasonName: string; readonly description: string } | undefined,
): string {
  const hex = `0x${code.toString(16)}`;
  if (location.kind === "script") return `Move abort: code ${hex}`;
  const where = `Move abort in ${locationName(location)}`;
  return info === undefined
    ? `${where}: ${hex}`
    : `${where}: ${info.reasonName}(${hex}): ${info.description}`;
}
