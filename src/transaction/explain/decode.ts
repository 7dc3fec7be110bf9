// Bytes to a transaction whose every part can be shown: a signing message or a raw transaction, within limits
// that keep the explanation small, and with names that cannot be taken for something else.
import { shortenText } from "../../base/texts/text.ts";
import { readWhole } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import type { BcsReader } from "../../bcs/reader.ts";
import type { Address } from "../../move/address.ts";
import { isIdentifier } from "../../move/identifier.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { TransactionError } from "../errors.ts";
import type { LimitsRequest } from "../executable.ts";
import {
  type MultisigPayload,
  type RawTransaction,
  rawTransactionCodec,
  type TransactionPayload,
} from "../raw.ts";
import { MAX_SECONDARY_SIGNERS } from "../requests/request.ts";
import { readSigningMessage } from "../signing-message.ts";
import type { ExplanationKind } from "./explanation.ts";

/** Four times what the chain takes of anyone but its governance. Decoding may cost a hundred times as much memory. */
export const MAX_MESSAGE_BYTES: number = 256 * 1024;
/** No function on chain takes as many; more would only make the answer large. */
const MAX_ARGUMENTS = 1024;
const MAX_TYPE_ARGUMENTS = 256;
/** Bits of copy, drop, store and key. */
const ALL_ABILITIES = 15;

/** What a payload of any form asks for. */
export interface PayloadParts {
  /** Undefined for what a multisig account has stored. */
  readonly call: MultisigPayload | undefined;
  readonly multisigAddress: Address | undefined;
  readonly nonce: bigint | undefined;
  readonly limits: LimitsRequest | undefined;
}

/** A transaction as its bytes say it. */
export interface Submission {
  readonly kind: ExplanationKind;
  readonly bytes: Uint8Array;
  /** Undefined for a raw transaction. */
  readonly prefix: Uint8Array | undefined;
  readonly transaction: RawTransaction;
  readonly parts: PayloadParts;
  readonly secondarySigners: readonly Address[] | undefined;
  readonly feePayer: Address | undefined;
}

/**
 * Decodes bytes that `field` of a request holds. Throws TransactionError `invalid` when they are not the canonical
 * form of a transaction, or one that cannot be explained.
 */
export function decodeSubmission(bytes: Uint8Array, field: "message" | "raw_transaction"): Submission {
  if (bytes.length > MAX_MESSAGE_BYTES) {
    fail(field, `${bytes.length} bytes are more than the ${MAX_MESSAGE_BYTES} that are explained`);
  }
  const submission = field === "message" ? decodeMessage(bytes) : decodeRaw(bytes);
  const { call } = submission.parts;
  if (call !== undefined) assertCall(call, field);
  const count = submission.secondarySigners?.length ?? 0;
  if (count > MAX_SECONDARY_SIGNERS) {
    fail(
      field,
      `secondary_signers: ${count} addresses do not fit a transaction; at most ${MAX_SECONDARY_SIGNERS} do`,
    );
  }
  return submission;
}

function fail(field: string, reason: string): never {
  throw new TransactionError("invalid", `${field}: ${reason}`);
}

function decodeField<T>(bytes: Uint8Array, field: string, read: (reader: BcsReader) => T): T {
  try {
    return readWhole(bytes, read);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    const { path, reason, offset } = error.details as { path: string; reason: string; offset: number };
    // A path through nested types can be as long as the bytes.
    return fail(field, `${path === "" ? "" : `${shortenText(path)}: `}${reason} (at byte ${offset})`);
  }
}

function decodeMessage(bytes: Uint8Array): Submission {
  const message = decodeField(bytes, "message", readSigningMessage);
  const { feePayer, secondarySigners, transaction } = message;
  const several = secondarySigners === undefined ? "single_signer" : "multi_agent";
  const kind = feePayer === undefined ? several : "fee_payer";
  return { ...message, kind, bytes, parts: partsOf(transaction.payload, "message") };
}

function decodeRaw(bytes: Uint8Array): Submission {
  const transaction = decodeField(bytes, "raw_transaction", rawTransactionCodec.read);
  return {
    kind: "raw_transaction",
    bytes,
    prefix: undefined,
    transaction,
    parts: partsOf(transaction.payload, "raw_transaction"),
    secondarySigners: undefined,
    feePayer: undefined,
  };
}

function partsOf(payload: TransactionPayload, field: string): PayloadParts {
  const plain = { multisigAddress: undefined, nonce: undefined, limits: undefined };
  switch (payload.kind) {
    case "script":
    case "entryFunction":
      return { ...plain, call: payload };
    case "multisig":
      return { ...plain, call: payload.transactionPayload, multisigAddress: payload.multisigAddress };
    case "moduleBundle":
      return fail(field, "payload: module bundles were removed from the chain");
    case "encrypted":
      return fail(field, "payload: it is encrypted, so nobody can say what it does");
    case "payload": {
      const { executable, extraConfig: config } = payload.payload;
      if (executable.kind === "encrypted") fail(field, "payload: its executable stands for an encrypted one");
      if (executable.kind === "empty" && config.multisigAddress === undefined) {
        fail(field, "payload: it runs nothing and names no multisig account; the chain rejects it");
      }
      return {
        call: executable.kind === "empty" ? undefined : executable,
        multisigAddress: config.multisigAddress,
        nonce: config.replayProtectionNonce,
        limits: config.kind === "v2" ? config.limits : undefined,
      };
    }
  }
}

/** Checks what the codecs leave open: texts that can mean one thing only, and few enough parts to show. */
function assertCall(call: MultisigPayload, field: string): void {
  const { typeArgs, args } = call.kind === "script" ? call.script : call.entryFunction;
  if (args.length > MAX_ARGUMENTS) {
    fail(field, `payload.arguments: ${args.length} are more than the ${MAX_ARGUMENTS} that are explained`);
  }
  if (typeArgs.length > MAX_TYPE_ARGUMENTS) {
    fail(
      field,
      `payload.type_arguments: ${typeArgs.length} are more than the ${MAX_TYPE_ARGUMENTS} that are explained`,
    );
  }
  if (call.kind === "entryFunction") {
    assertName(call.entryFunction.module.name, `${field}: payload.function`);
    assertName(call.entryFunction.function, `${field}: payload.function`);
  }
  for (const [i, tag] of typeArgs.entries()) assertType(tag, `${field}: payload.type_arguments[${i}]`);
}

function assertName(name: string, path: string): void {
  if (isIdentifier(name)) return;
  const text = JSON.stringify(shortenText(name));
  fail(path, `${text} is not an identifier, so nothing on chain has this name`);
}

/** Two types that pass never have the same text. */
function assertType(tag: TypeTag, path: string): void {
  switch (tag.kind) {
    case "vector":
      assertType(tag.item, path);
      return;
    case "struct":
      assertName(tag.struct.module, path);
      assertName(tag.struct.name, path);
      for (const arg of tag.struct.typeArgs) assertType(arg, path);
      return;
    case "function":
      if (tag.abilities > ALL_ABILITIES) fail(path, `${tag.abilities} is not a set of abilities`);
      for (const { type } of [...tag.args, ...tag.results]) assertType(type, path);
      return;
    default:
  }
}
