// The whole way from bytes to sign, or a request for them, to what they mean.
import { equalBytes } from "../../base/bytes.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import { USEC_PER_SEC } from "../../base/numbers.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson } from "../../json/parse.ts";
import { formatAddress } from "../../move/address.ts";
import { ValuePrinter } from "../../move/value-print.ts";
import { encodeSubmission } from "../encode-submission.ts";
import { TransactionError } from "../errors.ts";
import type { EncodeContext } from "../requests/raw-from-request.ts";
import {
  asObject,
  bytesMember,
  failMember,
  memberOf,
  presentMember,
  type RequestObject,
  stringMember,
} from "../requests/request-members.ts";
import { type AccountReader, accountWarnings } from "./account-warnings.ts";
import { type ExplainedCall, explainCall } from "./call.ts";
import { decodeSubmission, type Submission } from "./decode.ts";
import type { ExplainedLimits, ExplainedPayload, Explanation, Warning, WarningCode } from "./explanation.ts";
import { backingOf, encodeFields } from "./fields.ts";
import { transferOf } from "./transfer.ts";

/** What the ledger contributes to an explanation. */
export interface ExplainContext extends EncodeContext {
  /** Time of the latest block, in microseconds. */
  readonly timestampUsec: bigint;
  readonly accounts: AccountReader;
}

/** Most characters that the values of arguments print to. */
const MAX_VALUE_CHARACTERS = 1024 * 1024;
/** The last second that RFC 3339 has a text for. */
const MAX_TIME_SECS = 253_402_300_799n;
/** How far ahead the chain takes the expiration of a transaction with a nonce. */
const MAX_NONCE_SECS = 100n;

/**
 * Explains `{"message": …}`, `{"raw_transaction": …}` or a request for a message. Throws JsonError when the body is
 * not JSON and TransactionError when it is none of these or its bytes are not the canonical form of a transaction;
 * what the context throws passes through.
 */
export async function explainSubmission(
  body: Uint8Array | JsonDocument,
  context: ExplainContext,
): Promise<Explanation> {
  const document = body instanceof Uint8Array ? parseJson(body) : body;
  return explain(await submissionOf(document, context), context);
}

/** Members that tell the forms of a request apart. */
const FORM_MEMBERS = ["type", "message", "raw_transaction", "payload", "sender"] as const;

/** The `type` of each form. Requests of hand-written clients may leave it out. */
export const EXPLAIN_TYPES = {
  message: "signing_message",
  raw_transaction: "raw_transaction",
  request: "encode_request",
} as const;

async function submissionOf(document: JsonDocument, context: ExplainContext): Promise<Submission> {
  const request = asObject(document, document.root, "", FORM_MEMBERS);
  const isGiven = (name: (typeof FORM_MEMBERS)[number]): boolean => presentMember(request, name) >= 0;
  const forms = (["message", "raw_transaction"] as const).filter(isGiven);
  const isRequest = isGiven("payload") || isGiven("sender");
  if (forms.length + Number(isRequest) !== 1) {
    throw new TransactionError(
      "request",
      "the body: expected one of message, raw_transaction, or the members of an encode request",
    );
  }
  const [field] = forms;
  assertType(request, EXPLAIN_TYPES[field ?? "request"]);
  if (field === undefined) return decodeSubmission(await encodeSubmission(document, context), "message");
  return decodeSubmission(bytesMember(request, field, "the bytes as a hex string"), field);
}

/** A request that names its type must have the members of that type. */
function assertType(request: RequestObject<(typeof FORM_MEMBERS)[number]>, type: string): void {
  if (memberOf(request, "type") === ABSENT) return;
  const expected = `${JSON.stringify(type)}, which goes with the other members`;
  if (stringMember(request, "type", expected) !== type) failMember(request, "type", expected);
}

async function explain(submission: Submission, context: ExplainContext): Promise<Explanation> {
  const { kind, bytes, transaction, parts, secondarySigners, feePayer } = submission;
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string): void => void warnings.push({ code, message });
  checkEnvelope(submission, context, warn);
  const call =
    parts.call &&
    (await explainCall(parts.call, {
      path: parts.multisigAddress === undefined ? "payload" : "payload.transaction_payload",
      loadModule: context.loadModule,
      printer: new ValuePrinter({ enums: "requests", maxCharacters: MAX_VALUE_CHARACTERS }),
      signerCount: signerCountOf(submission),
      warn,
    }));
  const encoded = encodeFields(submission, call?.encoded);
  if (!equalBytes(encoded.bytes, bytes)) {
    throw new TransactionError(
      "invalid",
      "what these bytes decode to encodes to other bytes: do not sign them",
    );
  }
  if (transaction.chainId === context.chainId) {
    const transfer = call?.payload.type === "entry_function_payload" ? transferOf(call.payload) : undefined;
    warnings.push(...(await accountWarnings(submission, transfer, context.accounts)));
  }
  const time = timeOf(transaction.expirationTimestampSecs);
  return {
    kind,
    bytes: toPrefixedHex(bytes),
    chain_id: transaction.chainId,
    sender: formatAddress(transaction.sender),
    ...(secondarySigners === undefined ? {} : { secondary_signers: secondarySigners.map(formatAddress) }),
    ...(feePayer === undefined ? {} : { fee_payer: formatAddress(feePayer) }),
    payload: payloadOf(submission, call),
    ...(parts.limits === undefined ? {} : { limits: limitsOf(parts.limits) }),
    max_gas_amount: `${transaction.maxGasAmount}`,
    gas_unit_price: `${transaction.gasUnitPrice}`,
    max_fee: `${transaction.maxGasAmount * transaction.gasUnitPrice}`,
    expiration_timestamp_secs: `${transaction.expirationTimestampSecs}`,
    ...(time === undefined ? {} : { expiration: time }),
    replay_protection:
      parts.nonce === undefined
        ? { type: "sequence_number", sequence_number: `${transaction.sequenceNumber}` }
        : { type: "nonce", nonce: `${parts.nonce}` },
    fields: encoded.fields,
    warnings,
    matches: true,
  };
}

/** What speaks against a submission without a look at any account. */
function checkEnvelope(
  { transaction, parts, secondarySigners = [] }: Submission,
  { chainId, timestampUsec }: ExplainContext,
  warn: (code: WarningCode, message: string) => void,
): void {
  if (transaction.chainId !== chainId) {
    warn(
      "wrong_chain",
      `chain_id: the transaction is for chain ${transaction.chainId}, this node serves ${chainId}`,
    );
  }
  const now = timestampUsec / USEC_PER_SEC;
  const expiration = transaction.expirationTimestampSecs;
  if (expiration <= now) {
    const [then, ledger] = [timeOf(expiration), timeOf(now)];
    warn("expired", `expiration_timestamp_secs: it expired at ${then}; the ledger's time is ${ledger}`);
  } else if (parts.nonce !== undefined && expiration > now + MAX_NONCE_SECS) {
    warn(
      "expires_too_late",
      `expiration_timestamp_secs: it is ${expiration - now} seconds ahead of the ledger's time; with a nonce the chain takes at most ${MAX_NONCE_SECS}`,
    );
  }
  const seen = new Set([formatAddress(transaction.sender)]);
  for (const [i, signer] of secondarySigners.entries()) {
    const text = formatAddress(signer);
    if (seen.has(text))
      warn("wrong_signers", `secondary_signers[${i}]: ${text} signs already; the chain rejects it`);
    seen.add(text);
  }
}

/** How many signers the call gets; undefined for a raw transaction, which does not say. */
function signerCountOf({ kind, parts, secondarySigners = [] }: Submission): number | undefined {
  if (parts.multisigAddress !== undefined) return 1;
  return kind === "raw_transaction" ? undefined : 1 + secondarySigners.length;
}

function payloadOf({ parts }: Submission, call: ExplainedCall | undefined): ExplainedPayload {
  if (parts.multisigAddress !== undefined) {
    return {
      type: "multisig_payload",
      multisig_address: formatAddress(parts.multisigAddress),
      ...(call === undefined ? {} : { transaction_payload: call.payload }),
    };
  }
  if (call === undefined) throw new Error("a payload that runs nothing was let through");
  return call.payload;
}

function limitsOf(limits: NonNullable<Submission["parts"]["limits"]>): ExplainedLimits {
  return {
    backed_by: backingOf(limits),
    ...(limits.kind === "stakePoolOwner" ? {} : { pool: formatAddress(limits.pool) }),
    execution_multiplier: `${limits.multipliers.execution}`,
    io_multiplier: `${limits.multipliers.io}`,
  };
}

/** A time in RFC 3339, to the second; undefined after the year 9999. */
function timeOf(secs: bigint): string | undefined {
  if (secs > MAX_TIME_SECS) return undefined;
  return new Date(1000 * Number(secs)).toISOString().replace(".000Z", "Z");
}
