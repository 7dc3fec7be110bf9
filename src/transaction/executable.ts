// The newer payload form: what to run, with its configuration.
import type { ValueOf } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import { addressCodec } from "../move/wire.ts";
import { entryFunctionCodec } from "./entry-function.ts";
import { scriptCodec } from "./script.ts";

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
