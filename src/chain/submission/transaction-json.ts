// A submitted transaction as the API shows it.
import { toPrefixedHex } from "../../base/hex.ts";
import { formatAddress } from "../../move/address.ts";
import { formatTypeTag } from "../../move/type-tag.ts";
import type { AccountAuthenticator } from "../../transaction/account-authenticator.ts";
import type { AnyPublicKey, AnySignature } from "../../transaction/any-key.ts";
import type { TransactionAuthenticator } from "../../transaction/authenticator.ts";
import type { Submitted } from "./submitted.ts";

type Json = Readonly<Record<string, unknown>>;

function submittedJson({ transaction, entryFunction, call, nonce }: Submitted): Json {
  const { raw, authenticator } = transaction;
  const { module, function: name, typeArgs } = entryFunction;
  return {
    sender: formatAddress(raw.sender),
    sequence_number: `${raw.sequenceNumber}`,
    max_gas_amount: `${raw.maxGasAmount}`,
    gas_unit_price: `${raw.gasUnitPrice}`,
    expiration_timestamp_secs: `${raw.expirationTimestampSecs}`,
    ...(nonce === undefined ? {} : { replay_protection_nonce: `${nonce}` }),
    payload: {
      function: `${formatAddress(module.address)}::${module.name}::${name}`,
      type_arguments: typeArgs.map(formatTypeTag),
      arguments: call.argumentsJson(),
      type: "entry_function_payload",
    },
    signature: signatureJson(authenticator),
  };
}

/** A transaction that waits for a block. */
export function pendingJson(submitted: Submitted): Json {
  return { type: "pending_transaction", hash: toPrefixedHex(submitted.hash), ...submittedJson(submitted) };
}

function signatureJson(authenticator: TransactionAuthenticator): Json {
  switch (authenticator.kind) {
    case "ed25519":
    case "multiEd25519":
      return accountJson(authenticator);
    case "singleSender":
      return { ...accountJson(authenticator.sender), type: "single_sender" };
    default: {
      const signers = {
        sender: accountJson(authenticator.sender),
        secondary_signer_addresses: authenticator.secondaryAddresses.map(formatAddress),
        secondary_signers: authenticator.secondarySigners.map(accountJson),
      };
      if (authenticator.kind === "multiAgent") return { ...signers, type: "multi_agent_signature" };
      return {
        ...signers,
        fee_payer_address: formatAddress(authenticator.feePayerAddress),
        fee_payer_signer: accountJson(authenticator.feePayer),
        type: "fee_payer_signature",
      };
    }
  }
}

const ED25519_BYTES = 32;
const SIGNATURE_BYTES = 64;

function chunks(bytes: Uint8Array, size: number, end: number): string[] {
  const out: string[] = [];
  for (let at = 0; at + size <= end; at += size) out.push(toPrefixedHex(bytes.subarray(at, at + size)));
  return out;
}

function accountJson(account: AccountAuthenticator): Json {
  switch (account.kind) {
    case "ed25519":
      return {
        public_key: toPrefixedHex(account.publicKey),
        signature: toPrefixedHex(account.signature),
        type: "ed25519_signature",
      };
    case "multiEd25519": {
      const { publicKey, signature } = account;
      return {
        public_keys: chunks(publicKey, ED25519_BYTES, publicKey.length - 1),
        signatures: chunks(signature, SIGNATURE_BYTES, signature.length - 4),
        threshold: publicKey[publicKey.length - 1] ?? 0,
        bitmap: toPrefixedHex(signature.subarray(-4)),
        type: "multi_ed25519_signature",
      };
    }
    case "singleKey":
      return {
        public_key: keyJson(account.publicKey),
        signature: anySignatureJson(account.signature),
        type: "single_key_signature",
      };
    case "multiKey": {
      const indices: number[] = [];
      for (let i = 0; i < account.bitmap.length * 8; i++)
        if (((account.bitmap[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0) indices.push(i);
      return {
        public_keys: account.publicKeys.map(keyJson),
        signatures: account.signatures.map((signature, index) => ({
          index: indices[index] ?? 0,
          signature: anySignatureJson(signature),
        })),
        signatures_required: account.signaturesRequired,
        type: "multi_key_signature",
      };
    }
    default:
      return { type: "no_account_signature" };
  }
}

const KEY_TYPES = { ed25519: "ed25519", secp256k1: "secp256k1_ecdsa" } as const;

function keyJson(key: AnyPublicKey): Json {
  // Keys of other schemes are refused before.
  if (key.kind !== "ed25519" && key.kind !== "secp256k1") return { type: key.kind };
  return { value: toPrefixedHex(key.publicKey), type: KEY_TYPES[key.kind] };
}

function anySignatureJson(signature: AnySignature): Json {
  if (signature.kind !== "ed25519" && signature.kind !== "secp256k1") return { type: signature.kind };
  return { value: toPrefixedHex(signature.signature), type: KEY_TYPES[signature.kind] };
}
