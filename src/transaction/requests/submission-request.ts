// From the JSON of a submission to the signed transaction.

import { fromHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { type Codec, decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { struct } from "../../bcs/records.ts";
import type { JsonDocument } from "../../json/document.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { addressCodec } from "../../move/wire.ts";
import {
  type AccountAuthenticator,
  type AnyPublicKey,
  type AnySignature,
  abstractSigningDataCodec,
  keylessPublicKeyCodec,
  keylessSignatureCodec,
  type TransactionAuthenticator,
  webAuthnAssertionCodec,
} from "../authenticator.ts";
import { TransactionError } from "../errors.ts";
import type { RawTransaction } from "../raw.ts";
import { SubmissionError } from "../submission-error.ts";
import type { UserTransaction } from "../user-transaction.ts";
import { parseTransactionRequest, type TransactionRequest } from "./request.ts";
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
  "function_info",
  "auth_data",
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
    case "single_sender":
      return { kind: "singleSender", sender: parseAccountSignature(signature, singleSenderType(signature)) };
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

/** The outer type takes the place of the inner one, which the members tell. */
function singleSenderType(object: SignatureObject): string {
  const has = (name: (typeof MEMBERS)[number]): boolean => presentMember(object, name) >= 0;
  if (has("signatures_required")) return "multi_key_signature";
  if (has("threshold")) return "multi_ed25519_signature";
  if (has("function_info")) return "abstract_signature";
  if (!has("public_key")) return has("signature") ? "single_key_signature" : "no_account_signature";
  const isText = object.document.kind(presentMember(object, "public_key")) === "string";
  return isText ? "ed25519_signature" : "single_key_signature";
}

function parseAccountSignature(
  object: SignatureObject,
  type: string = stringMember(object, "type", "the type of the signature"),
): AccountAuthenticator {
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
      return {
        kind: "singleKey",
        publicKey: parseKey(objectMember(object, "public_key", TYPED)),
        signature: parseAnySignature(objectMember(object, "signature", TYPED)),
      };
    case "multi_key_signature":
      return parseMultiKey(object);
    case "no_account_signature":
      return { kind: "none" };
    case "abstract_signature":
      return parseAbstract(object);
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

function parseAbstract(object: SignatureObject): AccountAuthenticator {
  const expected = "a function as address::module::name";
  const [, address, name, called] =
    /^(?:0x)?([0-9a-fA-F]{1,64})::(\w{1,255})::(\w{1,255})$/.exec(
      stringMember(object, "function_info", expected),
    ) ?? [];
  if (address === undefined || name === undefined || called === undefined)
    failMember(object, "function_info", expected);
  return {
    kind: "abstract",
    function: { module: { address: parseAddress(`0x${address}`), name }, function: called },
    data: decodeMember(object, "auth_data", abstractSigningDataCodec),
  };
}

type TypedObject = RequestObject<"type" | "value">;

const federatedKeylessCodec = struct({ jwkAddress: addressCodec, keyless: keylessPublicKeyCodec });

/** Public keys by the name of their type. */
const KEYS: Readonly<Record<string, (object: TypedObject) => AnyPublicKey>> = {
  ed25519: (object) => ({ kind: "ed25519", publicKey: bytesMember(object, "value", HEX) }),
  secp256k1_ecdsa: (object) => ({ kind: "secp256k1", publicKey: bytesMember(object, "value", HEX) }),
  secp256r1_ecdsa: (object) => ({ kind: "secp256r1", publicKey: bytesMember(object, "value", HEX) }),
  keyless: (object) => ({ kind: "keyless", keyless: decodeMember(object, "value", keylessPublicKeyCodec) }),
  federated_keyless: (object) => ({
    kind: "federatedKeyless",
    ...decodeMember(object, "value", federatedKeylessCodec),
  }),
  slh_dsa_sha2_128s: (object) => ({ kind: "slhDsa", publicKey: bytesMember(object, "value", HEX) }),
};

/** Signatures by the name of their type. */
const SIGNATURES: Readonly<Record<string, (object: TypedObject) => AnySignature>> = {
  ed25519: (object) => ({ kind: "ed25519", signature: bytesMember(object, "value", HEX) }),
  secp256k1_ecdsa: (object) => ({ kind: "secp256k1", signature: bytesMember(object, "value", HEX) }),
  web_authn: (object) => ({
    kind: "webAuthn",
    assertion: decodeMember(object, "value", webAuthnAssertionCodec),
  }),
  keyless: (object) => ({ kind: "keyless", keyless: decodeMember(object, "value", keylessSignatureCodec) }),
  slh_dsa_sha2_128s: (object) => ({ kind: "slhDsa", signature: bytesMember(object, "value", HEX) }),
};

function parseKey(object: TypedObject): AnyPublicKey {
  return parserOf(KEYS, object, "the type of the key")(object);
}

function parseAnySignature(object: TypedObject): AnySignature {
  return parserOf(SIGNATURES, object, "the type of the signature")(object);
}

function parserOf<T>(parsers: Readonly<Record<string, T>>, object: TypedObject, expected: string): T {
  const type = stringMember(object, "type", expected);
  const parser = Object.hasOwn(parsers, type) ? parsers[type] : undefined;
  if (parser !== undefined) return parser;
  throw new SubmissionError(
    "unmodelled",
    `${memberPath(object, "type")}: not modelled here: ${JSON.stringify(type.slice(0, 64))}; expected one of ${Object.keys(parsers).join(", ")}`,
  );
}

/** A member whose bytes are the BCS of a value. */
function decodeMember<T, Name extends string>(object: RequestObject<Name>, name: Name, codec: Codec<T>): T {
  const bytes = bytesMember(object, name, HEX);
  try {
    return decodeWith(codec, bytes);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new TransactionError("request", `${memberPath(object, name)}: ${error.message}`);
  }
}

/** Makes the raw transaction of a request. */
type RawMaker = (request: TransactionRequest) => MaybePromise<RawTransaction>;

/** One submission of a document. Throws TransactionError, and what `makeRaw` throws. */
export async function parseSubmission(
  document: JsonDocument,
  makeRaw: RawMaker,
  value: number = document.root,
  path = "",
): Promise<UserTransaction> {
  const request = parseTransactionRequest(document, value, path);
  if (request.secondarySigners !== undefined || request.feePayer !== undefined) {
    throw new TransactionError(
      "request",
      "secondary_signers, fee_payer: a submission names further signers in its signature",
    );
  }
  const authenticator = parseSignature(signatureMember(asObject(document, value, path, ["signature"])));
  return { raw: await makeRaw(request), authenticator };
}

/** The submissions of a document that is an array, each to be parsed for itself. */
export function parseSubmissions(
  document: JsonDocument,
  makeRaw: RawMaker,
  most: number,
): (() => Promise<UserTransaction>)[] {
  const { root } = document;
  if (document.kind(root) !== "array")
    throw new TransactionError("request", "the body: expected an array of submissions");
  const count = document.count(root);
  if (count > most) throw tooMany(count, most);
  const out: (() => Promise<UserTransaction>)[] = [];
  for (let item = document.first(root); item < document.end(root); item = document.next(item)) {
    const path = `[${out.length}]`;
    out.push(() => parseSubmission(document, makeRaw, item, path));
  }
  return out;
}

/** The refusal of a batch that is too long. */
export function tooMany(count: number, most: number): TransactionError {
  return new TransactionError("invalid", `expected at most ${most} transactions in a batch, got ${count}`);
}
