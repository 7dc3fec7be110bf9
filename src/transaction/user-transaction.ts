// The user transaction: a raw transaction with its signatures, and the form of it that is hashed.
import { concatBytes } from "../base/bytes.ts";
import type { ValueOf } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { struct } from "../bcs/records.ts";
import { ADDRESS_LENGTH } from "../move/address.ts";
import { authenticatorCodec } from "./authenticator.ts";
import { encryptedInnerCodec, encryptedPayloadCodec } from "./encrypted-payload.ts";
import { rawTransactionCodec } from "./raw.ts";

/** A signed transaction. */
export const userTransactionCodec = struct({ raw: rawTransactionCodec, authenticator: authenticatorCodec });
export type UserTransaction = ValueOf<typeof userTransactionCodec>;

/** Sender and sequence number come before the payload. */
const PAYLOAD_OFFSET = ADDRESS_LENGTH + 8;
const ENCRYPTED_PAYLOAD = 5;
/** Payload tag, then the tag of a payload that is still encrypted. */
const STILL_ENCRYPTED = Uint8Array.of(ENCRYPTED_PAYLOAD, 0);

/**
 * The form of a user transaction, or of a raw transaction, whose bytes are hashed or signed: the given bytes,
 * except that an encrypted payload is put back to how it was before decryption, without proof, reason and
 * plaintext.
 */
export function hashedForm(bytes: Uint8Array): Uint8Array {
  if (bytes[PAYLOAD_OFFSET] !== ENCRYPTED_PAYLOAD || bytes[PAYLOAD_OFFSET + 1] === 0) return bytes;
  const reader = new BcsReader(bytes);
  reader.skip(PAYLOAD_OFFSET + STILL_ENCRYPTED.length);
  const innerStart = reader.offset;
  encryptedInnerCodec.skip(reader);
  const inner = reader.span(innerStart);
  reader.offset = PAYLOAD_OFFSET + 1;
  encryptedPayloadCodec.skip(reader);
  return concatBytes(
    bytes.subarray(0, PAYLOAD_OFFSET),
    STILL_ENCRYPTED,
    inner,
    bytes.subarray(reader.offset),
  );
}

/** What a simulation uses in the place of the transaction's own fields. */
export interface SimulationEstimates {
  /** True for the most gas that the sender can pay for. */
  readonly maxGasAmount: boolean;
  readonly gasUnitPrice: bigint | undefined;
}
