// What a transaction runs: an entry function, or a script with its tagged arguments; and the newer payload form, which
// adds its configuration.
import type { ValueOf } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import {
  bool,
  byteString,
  i8,
  i16,
  i32,
  i64,
  i128,
  i256,
  text,
  u8,
  u16,
  u32,
  u64,
  u128,
  u256,
} from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { typeTagCodec } from "../move/type-tag.ts";
import { addressCodec, moduleIdCodec } from "../move/wire.ts";

/** One script argument. `serialized` holds the BCS of a value of any type. */
export const scriptArgumentCodec = variants("ScriptArgument", {
  u8: { value: u8 },
  u64: { value: u64 },
  u128: { value: u128 },
  address: { value: addressCodec },
  bytes: { value: byteString },
  bool: { value: bool },
  u16: { value: u16 },
  u32: { value: u32 },
  u256: { value: u256 },
  serialized: { value: byteString },
  i8: { value: i8 },
  i16: { value: i16 },
  i32: { value: i32 },
  i64: { value: i64 },
  i128: { value: i128 },
  i256: { value: i256 },
});
export type ScriptArgument = ValueOf<typeof scriptArgumentCodec>;

/** A script to run. */
export const scriptCodec = struct({
  code: byteString,
  typeArgs: vector(typeTagCodec),
  args: vector(scriptArgumentCodec),
});
export type Script = ValueOf<typeof scriptCodec>;

/** An entry function to call. */
export const entryFunctionCodec = struct({
  module: moduleIdCodec,
  function: text,
  typeArgs: vector(typeTagCodec),
  /** BCS of each argument. */
  args: vector(byteString),
});
export type EntryFunction = ValueOf<typeof entryFunctionCodec>;

/** What a transaction runs. `encrypted` stands for what is not known yet. */
export const executableCodec = variants("Executable", {
  script: { script: scriptCodec },
  entryFunction: { entryFunction: entryFunctionCodec },
  empty: {},
  encrypted: {},
});
export type Executable = ValueOf<typeof executableCodec>;

/** Multipliers of the execution and storage limits, in the chain's own unit. */
const multipliersCodec = variants("LimitMultipliers", { v1: { execution: u64, io: u64 } });

/** A request for higher limits, and the stake that backs it. */
const limitsRequestCodec = variants("LimitsRequest", {
  stakePoolOwner: { multipliers: multipliersCodec },
  delegatedVoter: { pool: addressCodec, multipliers: multipliersCodec },
  delegationPoolDelegator: { pool: addressCodec, multipliers: multipliersCodec },
});
export type LimitsRequest = ValueOf<typeof limitsRequestCodec>;

/** How to run it: for a multisig account, and with a nonce in place of a sequence number. */
export const extraConfigCodec = variants("ExtraConfig", {
  v1: { multisigAddress: option(addressCodec), replayProtectionNonce: option(u64) },
  v2: {
    multisigAddress: option(addressCodec),
    replayProtectionNonce: option(u64),
    limits: option(limitsRequestCodec),
  },
});
export type ExtraConfig = ValueOf<typeof extraConfigCodec>;

/** An executable with its configuration. */
export const executablePayloadCodec = variants("ExecutablePayload", {
  v1: { executable: executableCodec, extraConfig: extraConfigCodec },
});
