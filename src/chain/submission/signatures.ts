// Checks the signatures of a transaction as strictly as the network: canonical scalars, no keys or points of small
// order, each signature by the key in its place. Schemes that are not checked here are refused by name.
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { sha3Parts } from "../../base/sha3.ts";
import { Slices } from "../../base/wait.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { type Address, formatAddress, parseAddress } from "../../move/address.ts";
import type {
  AccountAuthenticator,
  AnyPublicKey,
  AnySignature,
  WebAuthnAssertion,
} from "../../transaction/authenticator.ts";
import { rawTransactionCodec } from "../../transaction/raw.ts";
import { signingMessage } from "../../transaction/signing-message.ts";
import { refuse, unmodelled } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";

/** Most signatures of one transaction, and most keys of one account. */
const MAX_SIGNATURES = 32;
const ED25519_KEY_BYTES = 32;
const ED25519_SIGNATURE_BYTES = 64;
const MULTI_BITMAP_BYTES = 4;
/** Uncompressed: a tag and both coordinates. */
const ECDSA_KEY_BYTES = 65;
const ECDSA_SIGNATURE_BYTES = 64;
const UNCOMPRESSED = 4;
const HALF_SECP256K1_ORDER = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n;
const HALF_SECP256R1_ORDER = 0x7fffffff_80000000_7fffffff_ffffffff_de737d56_d38bcf42_79dce561_7e3192a8n;
/** Most bytes of an assertion besides its signature. */
const MAX_WEB_AUTHN_BYTES = 1024;
/** The y coordinates of the points of small order, canonical or not, little-endian without the sign bit. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);
const NOBODY = parseAddress("0x0");

/** One proof, with the messages that it may be a signature of. */
interface Proof {
  readonly authenticator: AccountAuthenticator;
  readonly messages: readonly Uint8Array[];
}

/**
 * True if every signature of the transaction is valid. Works in slices: a transaction may have many signatures. Throws
 * SubmissionError for a scheme that is not checked here, and for signers that no chain takes together.
 */
export async function areSignaturesValid(transaction: UserTransaction): Promise<boolean> {
  const slices = new Slices();
  for (const { authenticator, messages } of proofsOf(transaction)) {
    const checks = checksOf(authenticator);
    if (checks === undefined) return false;
    // Each message is tried with all signatures: they sign the same one.
    let isValid = false;
    for (const message of messages) {
      isValid = true;
      for (const check of checks) {
        isValid = check(message);
        await slices.pause();
        if (!isValid) break;
      }
      if (isValid) break;
    }
    if (!isValid) return false;
  }
  return true;
}

/** The proofs of the signers in order: sender, secondary signers, fee payer. */
function proofsOf({ raw, authenticator }: UserTransaction): Proof[] {
  const bytes = encodeWith(rawTransactionCodec, raw);
  switch (authenticator.kind) {
    case "ed25519":
    case "multiEd25519":
      return [{ authenticator, messages: [signingMessage(bytes)] }];
    case "singleSender":
      return [{ authenticator: authenticator.sender, messages: [signingMessage(bytes)] }];
    default: {
      const { sender, secondaryAddresses, secondarySigners } = authenticator;
      if (secondaryAddresses.length !== secondarySigners.length)
        throw refuse("SECONDARY_KEYS_ADDRESSES_COUNT_MISMATCH");
      const payer = authenticator.kind === "feePayer" ? authenticator : undefined;
      const others = [sender, ...secondarySigners];
      assertSigners(
        raw.sender,
        secondaryAddresses,
        payer === undefined ? others : [...others, payer.feePayer],
      );
      const message = signingMessage(bytes, secondaryAddresses, payer?.feePayerAddress);
      // All but the fee payer may sign before they know who pays.
      const messages =
        payer === undefined ? [message] : [signingMessage(bytes, secondaryAddresses, NOBODY), message];
      const proofs = others.map((one): Proof => ({ authenticator: one, messages }));
      return payer === undefined
        ? proofs
        : [...proofs, { authenticator: payer.feePayer, messages: [message] }];
    }
  }
}

function assertSigners(
  sender: Address,
  secondary: readonly Address[],
  accounts: readonly AccountAuthenticator[],
): void {
  const texts = [sender, ...secondary].map(formatAddress);
  if (new Set(texts).size !== texts.length) throw refuse("SIGNERS_CONTAIN_DUPLICATES");
  if (accounts.reduce((sum, account) => sum + signatureCount(account), 0) > MAX_SIGNATURES)
    throw refuse("INVALID_SIGNATURE");
}

function signatureCount(account: AccountAuthenticator): number {
  if (account.kind === "multiKey") return account.signatures.length;
  if (account.kind !== "multiEd25519") return 1;
  return Math.floor(account.signature.length / ED25519_SIGNATURE_BYTES);
}

const SCHEME_NAMES: Readonly<Partial<Record<AnyPublicKey["kind"], string>>> = {
  keyless: "keyless",
  federatedKeyless: "federated keyless",
  slhDsa: "SLH-DSA",
};

function assertChecked(key: AnyPublicKey): void {
  const name = SCHEME_NAMES[key.kind];
  if (name !== undefined) throw unmodelled(`${name} signatures; sign with ed25519, secp256k1 or WebAuthn`);
}

/** Checks one signature of a message. */
type SignatureCheck = (message: Uint8Array) => boolean;

/** One check for each signature; undefined if there are too few, or if they do not fit their keys. */
function checksOf(account: AccountAuthenticator): readonly SignatureCheck[] | undefined {
  switch (account.kind) {
    case "ed25519":
      return [(message) => isEd25519(account.publicKey, account.signature, message)];
    case "multiEd25519":
      return multiEd25519Checks(account.publicKey, account.signature);
    case "singleKey":
      assertChecked(account.publicKey);
      return [(message) => isAnySignature(account.publicKey, account.signature, message)];
    case "multiKey":
      for (const key of account.publicKeys) assertChecked(key);
      return multiKeyChecks(account);
    case "none":
      return undefined;
    case "abstract":
      throw unmodelled("an account whose own function checks its signatures (account abstraction)");
  }
}

function isAnySignature(key: AnyPublicKey, signature: AnySignature, message: Uint8Array): boolean {
  if (key.kind === "ed25519" && signature.kind === "ed25519")
    return isEd25519(key.publicKey, signature.signature, message);
  if (key.kind === "secp256k1" && signature.kind === "secp256k1")
    return isEcdsa(SECP256K1, key.publicKey, signature.signature, message);
  if (key.kind === "secp256r1" && signature.kind === "webAuthn")
    return isWebAuthn(key.publicKey, signature.assertion, message);
  return false;
}

/** Indices of the set bits, top bit of the first byte first. */
function setBits(bitmap: Uint8Array): number[] {
  const bits: number[] = [];
  for (let i = 0; i < bitmap.length * 8; i++)
    if (((bitmap[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0) bits.push(i);
  return bits;
}

function multiKeyChecks(
  account: AccountAuthenticator & { kind: "multiKey" },
): readonly SignatureCheck[] | undefined {
  const { publicKeys, signaturesRequired, signatures, bitmap } = account;
  if (publicKeys.length === 0 || publicKeys.length > MAX_SIGNATURES || bitmap.length > MULTI_BITMAP_BYTES)
    return undefined;
  if (signaturesRequired === 0 || signaturesRequired > publicKeys.length) return undefined;
  const bits = setBits(bitmap);
  if (bits.length !== signatures.length || signatures.length < signaturesRequired) return undefined;
  return bits.map((bit, index) => (message) => {
    const [key, signature] = [publicKeys[bit], signatures[index]];
    return key !== undefined && signature !== undefined && isAnySignature(key, signature, message);
  });
}

/** Keys one after the other, then the threshold; signatures one after the other, then the bitmap of their keys. */
function multiEd25519Checks(
  publicKey: Uint8Array,
  signature: Uint8Array,
): readonly SignatureCheck[] | undefined {
  const count = (publicKey.length - 1) / ED25519_KEY_BYTES;
  const signed = (signature.length - MULTI_BITMAP_BYTES) / ED25519_SIGNATURE_BYTES;
  if (!Number.isInteger(count) || count < 1 || count > MAX_SIGNATURES || !Number.isInteger(signed))
    return undefined;
  const threshold = publicKey[publicKey.length - 1] ?? 0;
  if (threshold === 0 || threshold > count || signed < threshold) return undefined;
  const bits = setBits(signature.subarray(signed * ED25519_SIGNATURE_BYTES));
  if (bits.length !== signed) return undefined;
  return bits.map((bit, index) => (message) => {
    if (bit >= count) return false;
    const key = publicKey.subarray(bit * ED25519_KEY_BYTES, (bit + 1) * ED25519_KEY_BYTES);
    const start = index * ED25519_SIGNATURE_BYTES;
    return isEd25519(key, signature.subarray(start, start + ED25519_SIGNATURE_BYTES), message);
  });
}

function isSmallOrder(point: Uint8Array): boolean {
  const y = Buffer.from(point);
  y[ED25519_KEY_BYTES - 1] = (y[ED25519_KEY_BYTES - 1] ?? 0) & 0x7f;
  return SMALL_ORDER.has(y.toString("hex"));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** OpenSSL refuses scalars that are not canonical, and compares the encoded point, but takes points of small order. */
export function isEd25519(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== ED25519_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false;
  if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, ED25519_KEY_BYTES))) return false;
  const key = importKey({ kty: "OKP", crv: "Ed25519", x: base64url(publicKey) });
  return key !== undefined && verify(null, message, key, signature);
}

interface EcdsaCurve {
  readonly name: string;
  readonly hash: string;
  readonly halfOrder: bigint;
}

const SECP256K1: EcdsaCurve = { name: "secp256k1", hash: "sha3-256", halfOrder: HALF_SECP256K1_ORDER };
const SECP256R1: EcdsaCurve = { name: "P-256", hash: "sha256", halfOrder: HALF_SECP256R1_ORDER };

/** The signature has the smaller of the two scalars. */
function isEcdsa(
  { name, hash, halfOrder }: EcdsaCurve,
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): boolean {
  if (publicKey.length !== ECDSA_KEY_BYTES || publicKey[0] !== UNCOMPRESSED) return false;
  if (signature.length !== ECDSA_SIGNATURE_BYTES) return false;
  if (BigInt(`0x${Buffer.from(signature.subarray(32)).toString("hex")}`) > halfOrder) return false;
  const [x, y] = [base64url(publicKey.subarray(1, 33)), base64url(publicKey.subarray(33))];
  const key = importKey({ kty: "EC", crv: name, x, y });
  return key !== undefined && verify(hash, message, { key, dsaEncoding: "ieee-p1363" }, signature);
}

/** A device signs its own data and the browser's, whose challenge is the SHA3-256 of the message. */
function isWebAuthn(publicKey: Uint8Array, assertion: WebAuthnAssertion, message: Uint8Array): boolean {
  const { signature, authenticatorData, clientDataJson } = assertion;
  if (authenticatorData.length + clientDataJson.length > MAX_WEB_AUTHN_BYTES) return false;
  if (challengeIn(clientDataJson) !== base64url(sha3Parts(message))) return false;
  const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientDataJson).digest()]);
  return isEcdsa(SECP256R1, publicKey, signature.signature, signed);
}

function challengeIn(clientDataJson: Uint8Array): unknown {
  try {
    const { type, challenge } = JSON.parse(Buffer.from(clientDataJson).toString("utf8"));
    return type === "webauthn.get" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for bytes that are not a point of the curve. */
function importKey(jwk: Readonly<Record<string, string>>): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: "jwk" });
  } catch {
    return undefined;
  }
}
