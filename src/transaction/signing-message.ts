// The bytes that are signed: a 32-byte domain prefix, then BCS. They are not hashed again before signing.
import { equalBytes } from "../base/bytes.ts";
import { sha3 } from "../base/sha3.ts";
import type { Codec } from "../bcs/codec.ts";
import type { BcsReader } from "../bcs/reader.ts";
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
const FEE_PAYER = 1;

const addressesCodec: Codec<readonly Address[]> = vector(addressCodec);

/** A signing message taken apart. */
export interface SigningMessage {
  readonly prefix: Uint8Array;
  readonly transaction: RawTransaction;
  /** Undefined for a single signer. */
  readonly secondarySigners: readonly Address[] | undefined;
  readonly feePayer: Address | undefined;
}

/**
 * The signing message of a raw transaction, given as a value or as its BCS. With secondary signers, even an
 * empty list of them, it is the multi-agent message; with a fee payer, the fee-payer message. A fee payer of
 * zero stands for an account that is not known yet: the chain takes that signature of everybody but the fee payer.
 */
export function signingMessage(
  transaction: RawTransaction | Uint8Array,
  secondarySigners?: readonly Address[],
  feePayer?: Address,
): Uint8Array {
  const writer = new BcsWriter(Buffer.allocUnsafe(512));
  const isSingle = secondarySigners === undefined && feePayer === undefined;
  if (isSingle) writer.fixed(RAW_TRANSACTION_PREFIX);
  else writer.fixed(RAW_TRANSACTION_WITH_DATA_PREFIX).uleb(feePayer === undefined ? MULTI_AGENT : FEE_PAYER);
  if (transaction instanceof Uint8Array) writer.fixed(transaction);
  else rawTransactionCodec.write(writer, transaction);
  if (isSingle) return writer.take();
  writer.enter("secondarySigners");
  addressesCodec.write(writer, secondarySigners ?? []);
  writer.leave();
  if (feePayer !== undefined) {
    writer.enter("feePayer");
    addressCodec.write(writer, feePayer);
    writer.leave();
  }
  return writer.take();
}

/** Reads a signing message of any form. */
export function readSigningMessage(reader: BcsReader): SigningMessage {
  const prefix = reader.fixed(RAW_TRANSACTION_PREFIX.length);
  if (equalBytes(prefix, RAW_TRANSACTION_PREFIX)) {
    const transaction = rawTransactionCodec.read(reader);
    return { prefix, transaction, secondarySigners: undefined, feePayer: undefined };
  }
  if (!equalBytes(prefix, RAW_TRANSACTION_WITH_DATA_PREFIX)) {
    reader.fail("the first 32 bytes are not the prefix of a transaction's signing message", 0);
  }
  const variant = reader.variant(FEE_PAYER + 1, "RawTransactionWithData");
  const transaction = rawTransactionCodec.read(reader);
  const secondarySigners = reader.field("secondarySigners", addressesCodec.read);
  const feePayer = variant === FEE_PAYER ? reader.field("feePayer", addressCodec.read) : undefined;
  return { prefix, transaction, secondarySigners, feePayer };
}
