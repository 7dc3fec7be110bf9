// The bytes that are signed: a 32-byte domain prefix, then BCS. They are not hashed again before signing.
import { sha3 } from "../base/sha3.ts";
import type { Codec } from "../bcs/codec.ts";
import { vector } from "../bcs/sequences.ts";
import { BcsWriter } from "../bcs/writer.ts";
import type { Address } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { type RawTransaction, rawTransactionCodec } from "./raw.ts";

const ascii = new TextEncoder();

/** Prefix of the message that a single signer signs. */
const RAW_TRANSACTION_PREFIX: Uint8Array = sha3(ascii.encode("APTOS::RawTransaction"));

/** Prefix of the message that several signers sign. */
const RAW_TRANSACTION_WITH_DATA_PREFIX: Uint8Array = sha3(ascii.encode("APTOS::RawTransactionWithData"));

const MULTI_AGENT = 0;

const addressesCodec: Codec<readonly Address[]> = vector(addressCodec);

/**
 * The signing message of a raw transaction, given as a value or as its BCS. With secondary signers, even an
 * empty list of them, it is the multi-agent message.
 */
export function signingMessage(
  transaction: RawTransaction | Uint8Array,
  secondarySigners?: readonly Address[],
): Uint8Array {
  const writer = new BcsWriter(Buffer.allocUnsafe(512));
  if (secondarySigners === undefined) writer.fixed(RAW_TRANSACTION_PREFIX);
  else writer.fixed(RAW_TRANSACTION_WITH_DATA_PREFIX).uleb(MULTI_AGENT);
  if (transaction instanceof Uint8Array) writer.fixed(transaction);
  else rawTransactionCodec.write(writer, transaction);
  if (secondarySigners !== undefined) {
    writer.enter("secondarySigners");
    addressesCodec.write(writer, secondarySigners);
    writer.leave();
  }
  return writer.take();
}
