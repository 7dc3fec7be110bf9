// Transactions in JSON as nodes print them, with the members that a proof covers and no others: no changes, no events, and
// arguments as the bytes that they are.
import { toPrefixedHex } from "../base/hex.ts";
import { decodeWith } from "../bcs/codec.ts";
import { type Transaction, transactionCodec } from "../ledger/formats/transaction.ts";
import {
  abortText,
  type ExecutionStatus,
  locationName,
  transactionInfoCodec,
} from "../ledger/formats/transaction-info.ts";
import { formatAddress } from "../move/address.ts";
import { formatTypeTag } from "../move/type-tag.ts";
import type { ProofBundle, VerifiedProof } from "../proof/bundle.ts";
import { replayNonce, type TransactionPayload } from "../transaction/raw.ts";
import type { UserTransaction } from "../transaction/user-transaction.ts";

type Json = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<Transaction["kind"], string>> = {
  user: "user_transaction",
  genesis: "genesis_transaction",
  blockMetadata: "block_metadata_transaction",
  blockMetadataExt: "block_metadata_transaction",
  stateCheckpoint: "state_checkpoint_transaction",
  validator: "validator_transaction",
  blockEpilogue: "block_epilogue_transaction",
};

/** A transaction that is proven to be in the ledger. The bundle must have been checked. */
export function committedJson(
  { points }: ProofBundle,
  { ledgerVersion, timestampUsec }: VerifiedProof,
): Json {
  const point = points.find(({ version }) => version === ledgerVersion);
  if (point?.transaction === undefined) throw new Error("a checked bundle has its transaction");
  const info = decodeWith(transactionInfoCodec, point.info);
  const transaction = decodeWith(transactionCodec, point.transaction);
  return {
    version: `${ledgerVersion}`,
    hash: toPrefixedHex(info.transactionHash),
    state_change_hash: toPrefixedHex(info.stateChangeHash),
    event_root_hash: toPrefixedHex(info.eventRootHash),
    state_checkpoint_hash: info.stateCheckpointHash ? toPrefixedHex(info.stateCheckpointHash) : null,
    gas_used: `${info.gasUsed}`,
    success: info.status.kind === "success",
    vm_status: statusText(info.status),
    ...(transaction.kind === "user" ? requestMembers(transaction.transaction) : {}),
    ...(timestampUsec === undefined ? {} : { timestamp: `${timestampUsec}` }),
    type: TYPES[transaction.kind],
  };
}

/** A transaction that a node has taken, and that is not proven to be in the ledger yet. */
export function pendingJson(transaction: UserTransaction, hash: string): Json {
  return { hash, ...requestMembers(transaction), type: "pending_transaction" };
}

function requestMembers({ raw }: UserTransaction): Json {
  const nonce = replayNonce(raw.payload);
  const payload = payloadJson(raw.payload);
  return {
    sender: formatAddress(raw.sender),
    sequence_number: `${raw.sequenceNumber}`,
    max_gas_amount: `${raw.maxGasAmount}`,
    gas_unit_price: `${raw.gasUnitPrice}`,
    expiration_timestamp_secs: `${raw.expirationTimestampSecs}`,
    ...(payload === undefined ? {} : { payload }),
    replay_protection_nonce: nonce === undefined ? null : `${nonce}`,
  };
}

/** A call of a function; undefined for any other payload. */
function payloadJson(payload: TransactionPayload): Json | undefined {
  let call = payload.kind === "entryFunction" ? payload.entryFunction : undefined;
  if (payload.kind === "payload" && payload.payload.extraConfig.multisigAddress === undefined) {
    const { executable } = payload.payload;
    if (executable.kind === "entryFunction") call = executable.entryFunction;
  }
  if (call === undefined) return undefined;
  return {
    function: `${formatAddress(call.module.address)}::${call.module.name}::${call.function}`,
    type_arguments: call.typeArgs.map(formatTypeTag),
    arguments: call.args.map(toPrefixedHex),
    type: "entry_function_payload",
  };
}

function statusText(status: ExecutionStatus): string {
  if (status.kind === "success") return "Executed successfully";
  if (status.kind === "outOfGas") return "Out of gas";
  if (status.kind === "moveAbort") return abortText(status.location, status.code, status.info);
  if (status.kind === "miscellaneous")
    return `Execution failed with status ${status.statusCode ?? "unknown"}`;
  return `Execution failed in ${locationName(status.location)} at code offset ${status.codeOffset}`;
}
