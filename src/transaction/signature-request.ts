// The signature object of a JSON submission, in each form of the API.
import { fromHex } from "../base/hex.ts";
import type { JsonDocument } from "../json/document.ts";
import type { Address } from "../move/address.ts";
import type { AccountAuthenticator } from "./account-authenticator.ts";
import type { AnyPublicKey, AnySignature } from "./any-key.ts";
import type { TransactionAuthenticator } from "./authenticator.ts";
import { TransactionError } from "./errors.ts";
import {
  addressItem,
  addressMember,
  arrayMember,
  asObject,
  bytesMember,
  failMember,
  memberPath,
  objectMember,
  presentMember,
  type RequestObject,
  stringMember,
} from "./request-members.ts";
import { SubmissionError } from "./submission-error.ts";

const MEMBERS = [
  "type",
  "public_key",
  "public_keys",
  "signature",
  "signatures",
  "signatures_required",
  "threshold",
  "bitmap",
  "sender",
  "secondary_signer_addresses",
  "secondary_signers",
  "fee_payer_address",
  "fee_payer_signer",
] as const;
type SignatureObject = RequestObject<(typeof MEMBERS)[number]>;

const TYPED = ["type", "value"] as const;
const INDEXED = ["index", "signature"] as const;
const HEX = 'bytes in hex such as "0x00"';
/** More keys than an account can have are refused before they are read. */
const MAX_KEYS = 32;
/** Most signers that are read. */
const MAX_SIGNERS = 32;

/** Reads the `signature` member of a request. Throws TransactionError, or SubmissionError for a scheme that is not checked. */
export function parseSignature(signature: SignatureObject): TransactionAuthenticator {
  const type = stringMember(signature, "type", "the type of the signature");
  switch (type) {
    case "multi_agent_signature":
      return { kind: "multiAgent", ...signersMembers(signature) };
    case "fee_payer_signature":
      return {
        kind: "feePayer",
        ...signersMembers(signature),
        feePayerAddress: addressMember(signature, "fee_payer_address"),
        feePayer: parseAccountSignature(objectMember(signature, "fee_payer_signer", MEMBERS)),
      };
    default: {
      const sender = parseAccountSignature(signature);
      // The two oldest forms have a place of their own in a transaction.
      return sender.kind === "ed25519" || sender.kind === "multiEd25519"
        ? sender
        : { kind: "singleSender", sender };
    }
  }
}

/** The `signature` member of a request object. */
export function signatureMember<Name extends string>(
  request: RequestObject<Name | "signature">,
): SignatureObject {
  return objectMember(request, "signature", MEMBERS);
}

function signersMembers(signature: SignatureObject): {
  readonly sender: AccountAuthenticator;
  readonly secondaryAddresses: readonly Address[];
  readonly secondarySigners: readonly AccountAuthenticator[];
} {
  return {
    sender: parseAccountSignature(objectMember(signature, "sender", MEMBERS)),
    secondaryAddresses: items(signature, "secondary_signer_addresses", MAX_SIGNERS, addressItem),
    secondarySigners: items(signature, "secondary_signers", MAX_SIGNERS, (document, item, path) =>
      parseAccountSignature(asObject(document, item, path, MEMBERS)),
    ),
  };
}

function items<T>(
  object: SignatureObject,
  name: (typeof MEMBERS)[number],
  most: number,
  read: (document: JsonDocument, item: number, path: string) => T,
): T[] {
  const { document } = object;
  const array = arrayMember(object, name, "values");
  if (document.count(array) > most)
    throw new TransactionError("request", `${memberPath(object, name)}: expected at most ${most} values`);
  const values: T[] = [];
  for (let item = document.first(array); item < document.end(array); item = document.next(item)) {
    values.push(read(document, item, `${memberPath(object, name)}[${values.length}]`));
  }
  return values;
}

function parseAccountSignature(object: SignatureObject): AccountAuthenticator {
  const type = stringMember(object, "type", "the type of the signature");
  switch (type) {
    case "ed25519_signature":
      return {
        kind: "ed25519",
        publicKey: bytesMember(object, "public_key", HEX),
        signature: bytesMember(object, "signature", HEX),
      };
    case "multi_ed25519_signature":
      return parseMultiEd25519(object);
    case "single_key_signature":
    case "single_sender":
      return {
        kind: "singleKey",
        publicKey: parseKey(objectMember(object, "public_key", TYPED)),
        signature: parseAnySignature(objectMember(object, "signature", TYPED)),
      };
    case "multi_key_signature":
      return parseMultiKey(object);
    case "no_account_signature":
      return { kind: "none" };
    default:
      throw new SubmissionError(
        "unmodelled",
        `${memberPath(object, "type")}: not modelled here: ${JSON.stringify(type.slice(0, 64))} signatures`,
      );
  }
}

/** A small number, written as a number. */
function countMember<Name extends string>(object: RequestObject<Name>, name: Name): number {
  const value = presentMember(object, name);
  const text = value >= 0 && object.document.kind(value) === "number" ? object.document.excerpt(value) : "";
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 255) failMember(object, name, "a number from 0 to 255");
  return Number(text);
}

function parseMultiEd25519(object: SignatureObject): AccountAuthenticator {
  const hex = (name: "public_keys" | "signatures") =>
    items(object, name, MAX_KEYS, (document, item, path) => {
      const bytes = document.kind(item) === "string" ? hexOf(document.string(item)) : undefined;
      if (bytes === undefined) throw new TransactionError("request", `${path}: expected ${HEX}`);
      return bytes;
    });
  const bitmap = bytesMember(object, "bitmap", HEX);
  return {
    kind: "multiEd25519",
    publicKey: Buffer.concat([...hex("public_keys"), Buffer.of(countMember(object, "threshold"))]),
    signature: Buffer.concat([...hex("signatures"), bitmap]),
  };
}

function hexOf(text: string): Uint8Array | undefined {
  return fromHex(text.startsWith("0x") ? text.slice(2) : text);
}

function parseMultiKey(object: SignatureObject): AccountAuthenticator {
  const publicKeys = items(object, "public_keys", MAX_KEYS, (document, item, path) =>
    parseKey(asObject(document, item, path, TYPED)),
  );
  const signed = items(object, "signatures", MAX_KEYS, (document, item, path) => {
    const entry = asObject(document, item, path, INDEXED);
    return {
      index: countMember(entry, "index"),
      signature: parseAnySignature(objectMember(entry, "signature", TYPED)),
    };
  });
  const bitmap = Buffer.alloc(4);
  for (const { index } of signed) {
    if (index >= MAX_KEYS) throw new TransactionError("request", "signatures: expected indices below 32");
    bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (0x80 >> (index & 7));
  }
  return {
    kind: "multiKey",
    publicKeys,
    signaturesRequired: countMember(object, "signatures_required"),
    signatures: signed.sort((a, b) => a.index - b.index).map(({ signature }) => signature),
    bitmap,
  };
}

function parseKey(object: RequestObject<"type" | "value">): AnyPublicKey {
  const publicKey = bytesMember(object, "value", HEX);
  const type = stringMember(object, "type", "the type of the key");
  if (type === "ed25519") return { kind: "ed25519", publicKey };
  if (type === "secp256k1_ecdsa") return { kind: "secp256k1", publicKey };
  throw uncheckedScheme(object, type);
}

function parseAnySignature(object: RequestObject<"type" | "value">): AnySignature {
  const signature = bytesMember(object, "value", HEX);
  const type = stringMember(object, "type", "the type of the signature");
  if (type === "ed25519") return { kind: "ed25519", signature };
  if (type === "secp256k1_ecdsa") return { kind: "secp256k1", signature };
  throw uncheckedScheme(object, type);
}

function uncheckedScheme(object: Pick<RequestObject, "path">, type: string): SubmissionError {
  return new SubmissionError(
    "unmodelled",
    `${memberPath(object, "type")}: not modelled here: ${JSON.stringify(type.slice(0, 64))}; sign with ed25519 or secp256k1_ecdsa`,
  );
}
