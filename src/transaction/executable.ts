// The newer payload form: what to run, and beside it how.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { u64 } from "../bcs/scalars.ts";
import { option } from "../bcs/sequences.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { type EntryFunction, entryFunctionCodec } from "./entry-function.ts";
import { type Script, scriptCodec } from "./script.ts";

/** What a transaction runs. `encrypted` stands for what is not known yet. */
export type Executable =
  | { readonly kind: "script"; readonly script: Script }
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | { readonly kind: "empty" }
  | { readonly kind: "encrypted" };

/** Multipliers of the execution and storage limits, in the chain's own unit. */
export interface LimitMultipliers {
  readonly kind: "v1";
  readonly execution: bigint;
  readonly io: bigint;
}

/** A request for higher limits, and the stake that backs it. */
export type LimitsRequest =
  | { readonly kind: "stakePoolOwner"; readonly multipliers: LimitMultipliers }
  | { readonly kind: "delegatedVoter"; readonly pool: Address; readonly multipliers: LimitMultipliers }
  | {
      readonly kind: "delegationPoolDelegator";
      readonly pool: Address;
      readonly multipliers: LimitMultipliers;
    };

/** How to run it: for a multisig account, and with a nonce in place of a sequence number. */
export type ExtraConfig =
  | {
      readonly kind: "v1";
      readonly multisigAddress: Address | undefined;
      readonly replayProtectionNonce: bigint | undefined;
    }
  | {
      readonly kind: "v2";
      readonly multisigAddress: Address | undefined;
      readonly replayProtectionNonce: bigint | undefined;
      readonly limits: LimitsRequest | undefined;
    };

/** Executables on the wire. */
export const executableCodec: Codec<Executable> = variants("Executable", {
  script: { script: scriptCodec },
  entryFunction: { entryFunction: entryFunctionCodec },
  empty: {},
  encrypted: {},
});

const multipliersCodec: Codec<LimitMultipliers> = variants("LimitMultipliers", {
  v1: { execution: u64, io: u64 },
});

const limitsRequestCodec: Codec<LimitsRequest> = variants("LimitsRequest", {
  stakePoolOwner: { multipliers: multipliersCodec },
  delegatedVoter: { pool: addressCodec, multipliers: multipliersCodec },
  delegationPoolDelegator: { pool: addressCodec, multipliers: multipliersCodec },
});

/** Extra configurations on the wire. */
export const extraConfigCodec: Codec<ExtraConfig> = variants("ExtraConfig", {
  v1: { multisigAddress: option(addressCodec), replayProtectionNonce: option(u64) },
  v2: {
    multisigAddress: option(addressCodec),
    replayProtectionNonce: option(u64),
    limits: option(limitsRequestCodec),
  },
});

/** An executable with its configuration. */
export interface ExecutablePayload {
  readonly kind: "v1";
  readonly executable: Executable;
  readonly extraConfig: ExtraConfig;
}

/** The newer payload form on the wire. */
export const executablePayloadCodec: Codec<ExecutablePayload> = variants("ExecutablePayload", {
  v1: { executable: executableCodec, extraConfig: extraConfigCodec },
});
