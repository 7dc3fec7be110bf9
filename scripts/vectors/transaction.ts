// A transaction in two forms: the request to send, and the official SDK's signing message.
import {
  type AccountAddress,
  ChainId,
  EntryFunction,
  generateSigningMessageForTransaction,
  MultiAgentTransaction,
  MultiSig,
  MultiSigTransactionPayload,
  parseTypeTag,
  RawTransaction,
  Script,
  type ScriptFunctionArgument,
  SimpleTransaction,
  TransactionExecutableEmpty,
  TransactionExecutableEntryFunction,
  TransactionExecutableScript,
  TransactionExtraConfigV1,
  TransactionInnerPayloadV1,
  type TransactionPayload,
  TransactionPayloadEntryFunction,
  TransactionPayloadMultiSig,
  TransactionPayloadScript,
  type TypeTag,
} from "@aptos-labs/ts-sdk";
import type { SeededRandom } from "./random.ts";
import { address, addressText, type Sample, topLevelJson } from "./samples.ts";

const U64_MAX = 2n ** 64n - 1n;

/** A call in both forms. */
export interface Call {
  readonly sdk: EntryFunction | Script;
  readonly json: object;
}

/** The payload of a transaction. */
export type Payload = Call | { readonly multisig: AccountAddress; readonly call?: Call };

/** Optional fields of a transaction; the others are random. */
export interface Envelope {
  readonly chainId?: number;
  readonly sequenceNumber?: bigint;
  readonly maxGas?: bigint;
  readonly gasPrice?: bigint;
  readonly expiration?: bigint;
  readonly nonce?: bigint;
  readonly secondary?: readonly AccountAddress[];
  readonly feePayer?: AccountAddress;
}

/** A request and its expected signing message. */
export interface EncodedRequest {
  readonly chain_id: number;
  readonly request: object;
  readonly expected: string;
}

/** The SDK's parsers require most addresses in long form. */
function longAddresses(text: string): string {
  return text.replace(/0x([0-9a-f]+)(?=::)/g, (_, digits: string) => `0x${digits.padStart(64, "0")}`);
}

function typeTag(type: string | readonly [string, string]): TypeTag {
  return parseTypeTag(longAddresses(typeof type === "string" ? type : type[1]));
}

/** A call of an entry function. A type may be written as `[sent, canonical]`. */
export function entryFunction(
  id: string,
  types: readonly (string | readonly [string, string])[],
  args: readonly Sample[],
): Call {
  const at = id.lastIndexOf("::");
  return {
    sdk: EntryFunction.build(
      longAddresses(id.slice(0, at)) as `${string}::${string}`,
      id.slice(at + 2),
      types.map(typeTag),
      args.map(({ sdk }) => sdk),
    ),
    json: {
      type: "entry_function_payload",
      function: id,
      type_arguments: types.map((type) => (typeof type === "string" ? type : type[0])),
      arguments: args.map(topLevelJson),
    },
  };
}

/** A call of a script; `abi` is sent with it. */
export function script(
  bytecode: Uint8Array,
  types: readonly string[],
  args: readonly Sample[],
  abi?: object,
): Call {
  return {
    sdk: new Script(
      bytecode,
      types.map(typeTag),
      args.map(({ sdk }) => sdk as unknown as ScriptFunctionArgument),
    ),
    json: {
      type: "script_payload",
      code: { bytecode: `0x${Buffer.from(bytecode).toString("hex")}`, ...(abi && { abi }) },
      type_arguments: types,
      arguments: args.map(topLevelJson),
    },
  };
}

function sdkPayload(payload: Payload, nonce: bigint | undefined): TransactionPayload {
  const multisig = "multisig" in payload ? payload.multisig : undefined;
  const call = "multisig" in payload ? payload.call?.sdk : payload.sdk;
  if (nonce !== undefined) {
    const executable =
      call === undefined
        ? new TransactionExecutableEmpty()
        : call instanceof Script
          ? new TransactionExecutableScript(call)
          : new TransactionExecutableEntryFunction(call);
    return new TransactionInnerPayloadV1(executable, new TransactionExtraConfigV1(multisig, nonce));
  }
  if (multisig !== undefined) {
    if (call instanceof Script) throw new Error("the SDK has no multisig script without a nonce");
    return new TransactionPayloadMultiSig(
      new MultiSig(multisig, call && new MultiSigTransactionPayload(call)),
    );
  }
  if (call === undefined) throw new Error("nothing to run");
  return call instanceof Script
    ? new TransactionPayloadScript(call)
    : new TransactionPayloadEntryFunction(call);
}

function payloadJson(payload: Payload, random: SeededRandom): object {
  if (!("multisig" in payload)) return payload.json;
  return {
    type: "multisig_payload",
    multisig_address: addressText(payload.multisig, random.below(5)),
    ...(payload.call ? { transaction_payload: payload.call.json } : {}),
  };
}

/** Encodes a payload as a request and its signing message. */
export function encodedRequest(payload: Payload, envelope: Envelope, random: SeededRandom): EncodedRequest {
  const { nonce, secondary, feePayer } = envelope;
  const sender = address(random.bytes(32));
  const sequenceNumber = envelope.sequenceNumber ?? BigInt(random.below(1000));
  const maxGas = envelope.maxGas ?? BigInt(random.below(2_000_000));
  const gasPrice = envelope.gasPrice ?? BigInt(100 + random.below(900));
  const expiration = envelope.expiration ?? BigInt(1_700_000_000 + random.below(1_000_000_000));
  const chainId = envelope.chainId ?? 4;
  const raw = new RawTransaction(
    sender,
    nonce === undefined ? sequenceNumber : U64_MAX,
    sdkPayload(payload, nonce),
    maxGas,
    gasPrice,
    expiration,
    new ChainId(chainId),
  );
  const message = generateSigningMessageForTransaction(
    secondary === undefined
      ? new SimpleTransaction(raw, feePayer)
      : new MultiAgentTransaction(raw, [...secondary], feePayer),
  );
  return {
    chain_id: chainId,
    request: {
      sender: addressText(sender, random.below(5)),
      sequence_number: `${sequenceNumber}`,
      max_gas_amount: `${maxGas}`,
      gas_unit_price: `${gasPrice}`,
      expiration_timestamp_secs: `${expiration}`,
      payload: payloadJson(payload, random),
      ...(nonce === undefined ? {} : { replay_protection_nonce: `${nonce}` }),
      ...(secondary === undefined
        ? {}
        : { secondary_signers: secondary.map((signer) => addressText(signer, random.below(5))) }),
      ...(feePayer === undefined ? {} : { fee_payer: addressText(feePayer, random.below(5)) }),
    },
    expected: `0x${Buffer.from(message).toString("hex")}`,
  };
}
