// A JSON transaction request, its shape checked member by member in a fixed order. Arguments stay in the
// JSON document, where the parameter types will say how to read them.
import type { JsonDocument } from "../../json/document.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { TransactionError } from "../errors.ts";
import {
  addressItem,
  addressMember,
  arrayMember,
  asObject,
  objectMember,
  presentMember,
  type RequestObject,
  u64Member,
} from "./request-members.ts";
import { PAYLOAD_MEMBERS, type PayloadRequest, parsePayloadRequest } from "./request-payload.ts";

/** What a client asks to have encoded. */
export interface TransactionRequest {
  readonly document: JsonDocument;
  readonly sender: Address;
  /** Undefined when it was left out, which a nonce allows. */
  readonly sequenceNumber: bigint | undefined;
  readonly maxGasAmount: bigint;
  readonly gasUnitPrice: bigint;
  readonly expirationTimestampSecs: bigint;
  readonly payload: PayloadRequest;
  readonly replayProtectionNonce: bigint | undefined;
  /** Undefined for a single signer; an empty list is not the same. */
  readonly secondarySigners: readonly Address[] | undefined;
  /** Pays for the gas in the sender's place; zero when it is not known yet. */
  readonly feePayer: Address | undefined;
}

const BODY_MEMBERS = [
  "sender",
  "sequence_number",
  "max_gas_amount",
  "gas_unit_price",
  "expiration_timestamp_secs",
  "payload",
  "replay_protection_nonce",
  "secondary_signers",
  "fee_payer",
] as const;

type Body = RequestObject<(typeof BODY_MEMBERS)[number]>;

/** More addresses than this do not fit a transaction that the chain takes in. */
export const MAX_SECONDARY_SIGNERS = 2048;
/**
 * The chain verifies at most 32 signatures of a transaction, the sender's included. Longer lists fail there
 * anyway, and a recorded answer encodes one with repeated addresses, so repeats are not looked for in them.
 */
const MAX_VERIFIED_SECONDARY_SIGNERS = 31;

/**
 * Reads a request. Unknown members are ignored, of a repeated member the last counts, an optional member
 * may be null. Throws TransactionError.
 */
export function parseTransactionRequest(
  document: JsonDocument,
  value = document.root,
  path = "",
): TransactionRequest {
  const body = asObject(document, value, path, BODY_MEMBERS);
  const sender = addressMember(body, "sender");
  const sequenceNumber = sequenceNumberOf(body);
  const maxGasAmount = u64Member(body, "max_gas_amount");
  const gasUnitPrice = u64Member(body, "gas_unit_price");
  const expirationTimestampSecs = u64Member(body, "expiration_timestamp_secs");
  const payload = parsePayloadRequest(objectMember(body, "payload", PAYLOAD_MEMBERS));
  const hasNonce = presentMember(body, "replay_protection_nonce") >= 0;
  const replayProtectionNonce = hasNonce ? u64Member(body, "replay_protection_nonce") : undefined;
  const secondarySigners = secondarySignersOf(body);
  if (secondarySigners !== undefined) assertDistinctSigners(sender, secondarySigners);
  const feePayer = presentMember(body, "fee_payer") < 0 ? undefined : addressMember(body, "fee_payer");
  return {
    document,
    sender,
    sequenceNumber,
    maxGasAmount,
    gasUnitPrice,
    expirationTimestampSecs,
    payload,
    replayProtectionNonce,
    secondarySigners,
    feePayer,
  };
}

function sequenceNumberOf(body: Body): bigint | undefined {
  const isGiven = presentMember(body, "sequence_number") >= 0;
  if (!isGiven && presentMember(body, "replay_protection_nonce") >= 0) return undefined;
  return u64Member(body, "sequence_number");
}

function secondarySignersOf(body: Body): Address[] | undefined {
  if (presentMember(body, "secondary_signers") < 0) return undefined;
  const { document } = body;
  const array = arrayMember(body, "secondary_signers", "address strings");
  const count = document.count(array);
  if (count > MAX_SECONDARY_SIGNERS) {
    throw new TransactionError(
      "invalid",
      `secondary_signers: ${count} addresses do not fit a transaction; at most ${MAX_SECONDARY_SIGNERS} do`,
    );
  }
  const signers: Address[] = [];
  for (let item = document.first(array), i = 0; item < document.end(array); item = document.next(item), i++) {
    signers.push(addressItem(document, item, `secondary_signers[${i}]`));
  }
  return signers;
}

/** The chain rejects a transaction in which one account signs twice; as the fee payer it may sign once more. */
function assertDistinctSigners(sender: Address, secondarySigners: readonly Address[]): void {
  if (secondarySigners.length > MAX_VERIFIED_SECONDARY_SIGNERS) return;
  const seen = new Set<string>();
  for (const [index, signer] of secondarySigners.entries()) {
    const text = formatAddress(signer);
    const isSender = text === formatAddress(sender);
    if (isSender || seen.has(text)) {
      throw new TransactionError(
        "invalid",
        `secondary_signers[${index}]: ${text} is ${isSender ? "the sender, who signs already; list only the other signers" : "listed twice; an account signs once"}`,
      );
    }
    seen.add(text);
  }
}
