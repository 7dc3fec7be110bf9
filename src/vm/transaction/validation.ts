// The framework's own checks before a transaction and its bookkeeping after, in the form that the chain's features ask for.
import type { Pieces } from "../../base/pieces.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { none, some } from "../natives/stdlib.ts";
import type { Features } from "../session.ts";
import { byteVec, Struct, signerOf, type Value, Vec } from "../values.ts";
import type { SignerKey } from "./request.ts";
import { FEATURE, type SessionRun, VALIDATION } from "./session-run.ts";

/** What the framework is told of a transaction. */
export interface Terms {
  readonly raw: RawTransaction;
  readonly sender: SignerKey;
  readonly secondary: readonly SignerKey[];
  readonly feePayer: SignerKey | undefined;
  readonly nonce: bigint | undefined;
  readonly multisig: { readonly address: string; readonly payload: Uint8Array } | undefined;
  readonly scriptHash: Uint8Array;
  readonly features: Features;
  readonly isSimulation: boolean;
}

/** True for a framework with one prologue and one epilogue for every kind of transaction. */
function isUnified(features: Features): boolean {
  return features.has(FEATURE.accountAbstraction) || features.has(FEATURE.derivableAbstraction);
}

export function* runPrologue(run: SessionRun, terms: Terms): Pieces<void> {
  const { features, isSimulation, multisig, sender } = terms;
  if (isUnified(features)) yield* unifiedPrologue(run, terms);
  else yield* oldPrologue(run, terms);
  if (multisig !== undefined && (!isSimulation || features.has(FEATURE.simulationVariants)))
    yield* run.callFramework("multisig_account", "validate_multisig_transaction", [
      signerOf(sender.address),
      multisig.address,
      byteVec(multisig.payload),
    ]);
}

function limitsOf({ raw }: Terms): readonly Value[] {
  return [raw.gasUnitPrice, raw.maxGasAmount, raw.expirationTimestampSecs, raw.chainId];
}

function addressesOf(signers: readonly SignerKey[]): Value {
  return new Vec(
    "address",
    signers.map(({ address }) => address),
  );
}

function* unifiedPrologue(run: SessionRun, terms: Terms): Pieces<void> {
  const { raw, sender, secondary, feePayer, nonce, features, isSimulation } = terms;
  const key = ({ authenticationKey }: SignerKey): Value =>
    authenticationKey === undefined ? none() : some(byteVec(authenticationKey));
  const isV2 = features.has(FEATURE.payloadV2);
  const inOrder = isV2 ? new Struct([raw.sequenceNumber], 1) : raw.sequenceNumber;
  const rest: Value[] = [
    nonce === undefined ? inOrder : new Struct([nonce], 0),
    addressesOf(secondary),
    new Vec("other", secondary.map(key)),
    ...limitsOf(terms),
    isSimulation,
  ];
  const signer = signerOf(sender.address);
  const suffix = isV2 ? "_v2" : "";
  if (feePayer === undefined)
    yield* run.callFramework(VALIDATION, `unified_prologue${suffix}`, [signer, key(sender), ...rest]);
  else
    yield* run.callFramework(VALIDATION, `unified_prologue_fee_payer${suffix}`, [
      signer,
      signerOf(feePayer.address),
      key(sender),
      key(feePayer),
      ...rest,
    ]);
}

function* oldPrologue(run: SessionRun, terms: Terms): Pieces<void> {
  const { raw, sender, secondary, feePayer, features, isSimulation, scriptHash } = terms;
  const extended = features.has(FEATURE.simulationVariants);
  const suffix = extended ? "_extended" : "";
  const last: Value[] = extended ? [isSimulation] : [];
  const key = ({ authenticationKey }: SignerKey): Value => byteVec(authenticationKey ?? new Uint8Array(0));
  const begin: Value[] = [signerOf(sender.address), raw.sequenceNumber, key(sender)];
  const others: Value[] = [addressesOf(secondary), new Vec("other", secondary.map(key))];
  const limits = limitsOf(terms);
  if (feePayer !== undefined)
    yield* run.callFramework(VALIDATION, `fee_payer_script_prologue${suffix}`, [
      ...begin,
      ...others,
      feePayer.address,
      key(feePayer),
      ...limits,
      ...last,
    ]);
  else if (secondary.length > 0)
    yield* run.callFramework(VALIDATION, `multi_agent_script_prologue${suffix}`, [
      ...begin,
      ...others,
      ...limits,
      ...last,
    ]);
  else
    yield* run.callFramework(VALIDATION, `script_prologue${suffix}`, [
      ...begin,
      ...limits,
      byteVec(scriptHash),
      ...last,
    ]);
}

/** What a transaction used, and what it gave back. */
export interface Settlement {
  readonly gasLeft: bigint;
  readonly refund: bigint;
  /** Undefined where the chain has none. */
  readonly statement: Struct | undefined;
}

export function* runEpilogue(
  run: SessionRun,
  terms: Terms,
  { gasLeft, refund, statement }: Settlement,
): Pieces<void> {
  const { raw, sender, feePayer, nonce, features, isSimulation } = terms;
  const hasRefund = statement !== undefined && features.has(FEATURE.deletionRefund);
  const amounts: Value[] = [hasRefund ? refund : 0n, raw.gasUnitPrice, raw.maxGasAmount, gasLeft];
  const signer = signerOf(sender.address);
  if (isUnified(features)) {
    const isV2 = features.has(FEATURE.payloadV2);
    yield* run.callFramework(VALIDATION, isV2 ? "unified_epilogue_v2" : "unified_epilogue", [
      signer,
      signerOf(feePayer?.address ?? sender.address),
      ...amounts,
      isSimulation,
      ...(isV2 ? [nonce !== undefined] : []),
    ]);
  } else {
    const extended = features.has(FEATURE.simulationVariants);
    const suffix = extended ? "_extended" : "";
    yield* run.callFramework(
      VALIDATION,
      feePayer === undefined ? `epilogue${suffix}` : `epilogue_gas_payer${suffix}`,
      [
        signer,
        ...(feePayer === undefined ? [] : [feePayer.address]),
        ...amounts,
        ...(extended ? [isSimulation] : []),
      ],
    );
  }
  if (statement !== undefined) yield* run.callFramework("transaction_fee", "emit_fee_statement", [statement]);
}
