// How the execution of a transaction ended.
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { text, u16, u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import type { ModuleId } from "../move/abi.ts";
import { moduleIdCodec } from "../move/wire.ts";

/** Where an abort or a failure happened. */
export type AbortLocation =
  | { readonly kind: "module"; readonly module: ModuleId }
  | { readonly kind: "script" };

/** What the module says about an abort code. */
interface AbortInfo {
  readonly reasonName: string;
  readonly description: string;
}

/** The end of an execution. */
export type ExecutionStatus =
  | { readonly kind: "success" }
  | { readonly kind: "outOfGas" }
  | {
      readonly kind: "moveAbort";
      readonly location: AbortLocation;
      readonly code: bigint;
      readonly info: AbortInfo | undefined;
    }
  | {
      readonly kind: "executionFailure";
      readonly location: AbortLocation;
      readonly function: number;
      readonly codeOffset: number;
    }
  | { readonly kind: "miscellaneous"; readonly statusCode: bigint | undefined };

const abortLocationCodec: Codec<AbortLocation> = variants("AbortLocation", {
  module: { module: moduleIdCodec },
  script: {},
});

const abortInfoCodec: Codec<AbortInfo> = struct({ reasonName: text, description: text });

/** Execution statuses on the wire. */
export const executionStatusCodec: Codec<ExecutionStatus> = variants("ExecutionStatus", {
  success: {},
  outOfGas: {},
  moveAbort: { location: abortLocationCodec, code: u64, info: option(abortInfoCodec) },
  executionFailure: { location: abortLocationCodec, function: u16, codeOffset: u16 },
  miscellaneous: { statusCode: option(u64) },
});
