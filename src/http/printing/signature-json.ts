// Signatures in JSON. A type stands behind the members, as the reference prints it.
import { toHex, toPrefixedHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { formatAddress } from "../../move/address.ts";
import {
  type AccountAuthenticator,
  type AnyPublicKey,
  type AnySignature,
  abstractSigningDataCodec,
  keylessPublicKeyCodec,
  keylessSignatureCodec,
  type TransactionAuthenticator,
  webAuthnAssertionCodec,
} from "../../transaction/authenticator.ts";

type Json = Readonly<Record<string, unknown>>;

const ED25519_KEY_BYTES = 32;
const ED25519_SIGNATURE_BYTES = 64;

interface KeyAndSignature {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** Numbers of the bits that are set, top bit of the first byte first. */
export function setBits(bitmap: Uint8Array): number[] {
  const bits: number[] = [];
  for (let i = 0; i < bitmap.length * 8; i++) {
    if (((bitmap[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0) bits.push(i);
  }
  return bits;
}

function parts(bytes: Uint8Array, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at + size <= bytes.length; at += size)
    out.push(toPrefixedHex(bytes.subarray(at, at + size)));
  return out;
}

function ed25519({ publicKey, signature }: KeyAndSignature): Json {
  return {
    public_key: toPrefixedHex(publicKey),
    signature: toPrefixedHex(signature),
    type: "ed25519_signature",
  };
}

/** The keys, then the threshold in one byte; the signatures, then the bitmap. */
function multiEd25519({ publicKey, signature }: KeyAndSignature): Json {
  const bitmapAt = signature.length - (signature.length % ED25519_SIGNATURE_BYTES);
  return {
    public_keys: parts(publicKey, ED25519_KEY_BYTES),
    signatures: parts(signature, ED25519_SIGNATURE_BYTES),
    threshold: publicKey.at(-1) ?? 0,
    bitmap: toPrefixedHex(signature.subarray(bitmapAt)),
    type: "multi_ed25519_signature",
  };
}

function publicKeyJson(key: AnyPublicKey): Json {
  switch (key.kind) {
    case "ed25519":
      return { value: toPrefixedHex(key.publicKey), type: "ed25519" };
    case "secp256k1":
      return { value: toPrefixedHex(key.publicKey), type: "secp256k1_ecdsa" };
    case "secp256r1":
      return { value: toPrefixedHex(key.publicKey), type: "secp256r1_ecdsa" };
    case "keyless":
      return { value: toPrefixedHex(encodeWith(keylessPublicKeyCodec, key.keyless)), type: "keyless" };
    case "federatedKeyless": {
      const keyless = encodeWith(keylessPublicKeyCodec, key.keyless);
      return { value: toPrefixedHex(key.jwkAddress) + toHex(keyless), type: "federated_keyless" };
    }
    case "slhDsa":
      return { value: toPrefixedHex(key.publicKey), type: "slh_dsa_sha2_128s" };
  }
}

function signatureOf(signature: AnySignature): Json {
  switch (signature.kind) {
    case "ed25519":
      return { value: toPrefixedHex(signature.signature), type: "ed25519" };
    case "secp256k1":
      return { value: toPrefixedHex(signature.signature), type: "secp256k1_ecdsa" };
    case "webAuthn": {
      const value = toPrefixedHex(encodeWith(webAuthnAssertionCodec, signature.assertion));
      return { value, type: "web_authn" };
    }
    case "keyless": {
      const value = toPrefixedHex(encodeWith(keylessSignatureCodec, signature.keyless));
      return { value, type: "keyless" };
    }
    case "slhDsa":
      return { value: toPrefixedHex(signature.signature), type: "slh_dsa_sha2_128s" };
  }
}

function accountSignatureJson(account: AccountAuthenticator): Json {
  switch (account.kind) {
    case "ed25519":
      return ed25519(account);
    case "multiEd25519":
      return multiEd25519(account);
    case "singleKey":
      return {
        public_key: publicKeyJson(account.publicKey),
        signature: signatureOf(account.signature),
        type: "single_key_signature",
      };
    case "multiKey": {
      const signers = setBits(account.bitmap);
      return {
        public_keys: account.publicKeys.map(publicKeyJson),
        signatures: account.signatures.map((signature, i) => ({
          index: signers[i] ?? i,
          signature: signatureOf(signature),
        })),
        signatures_required: account.signaturesRequired,
        type: "multi_key_signature",
      };
    }
    case "none":
      return { type: "no_account_signature" };
    case "abstract": {
      const { module, function: name } = account.function;
      return {
        // Here the reference prints the whole address, without 0x.
        function_info: `${toHex(module.address)}::${module.name}::${name}`,
        auth_data: toPrefixedHex(encodeWith(abstractSigningDataCodec, account.data)),
        type: "abstract_signature",
      };
    }
  }
}

/** The signatures of a transaction. */
export function signatureJson(authenticator: TransactionAuthenticator): Json {
  switch (authenticator.kind) {
    case "ed25519":
      return ed25519(authenticator);
    case "multiEd25519":
      return multiEd25519(authenticator);
    case "multiAgent":
    case "feePayer": {
      const shared = {
        sender: accountSignatureJson(authenticator.sender),
        secondary_signer_addresses: authenticator.secondaryAddresses.map(formatAddress),
        secondary_signers: authenticator.secondarySigners.map(accountSignatureJson),
      };
      if (authenticator.kind === "multiAgent") return { ...shared, type: "multi_agent_signature" };
      return {
        ...shared,
        fee_payer_address: formatAddress(authenticator.feePayerAddress),
        fee_payer_signer: accountSignatureJson(authenticator.feePayer),
        type: "fee_payer_signature",
      };
    }
    case "singleSender":
      // The outer type takes the place of the inner one: both have the same name.
      return { ...accountSignatureJson(authenticator.sender), type: "single_sender" };
  }
}
