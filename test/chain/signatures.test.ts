// Signatures by the official SDK, in every form that the local chain checks, and what breaks them.
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  ChainId,
  Ed25519PrivateKey,
  EntryFunction,
  FeePayerRawTransaction,
  generateSigningMessage,
  MultiAgentRawTransaction,
  MultiEd25519PublicKey,
  MultiEd25519Signature,
  MultiKey,
  MultiKeySignature,
  RawTransaction,
  Secp256k1PrivateKey,
  SignedTransaction,
  type TransactionAuthenticator,
  TransactionAuthenticatorEd25519,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorMultiAgent,
  TransactionAuthenticatorMultiEd25519,
  TransactionAuthenticatorSingleSender,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { areSignaturesValid } from "../../src/chain/submission/signatures.ts";
import type { WebAuthnAssertion } from "../../src/transaction/authenticator.ts";
import { SubmissionError } from "../../src/transaction/submission-error.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { signersOf } from "../../src/vm/transaction/request.ts";

const address = (text: string) => AccountAddress.from(text, { maxMissingChars: 63 });
const raw = new RawTransaction(
  address("0xdd"),
  7n,
  new TransactionPayloadEntryFunction(
    EntryFunction.build("0x1::aptos_account", "transfer", [], [address("0x1234"), new U64(5)]),
  ),
  2000n,
  100n,
  1_700_000_000n,
  new ChainId(4),
);
const SALT = "APTOS::RawTransaction";
const message = generateSigningMessage(raw.bcsToBytes(), SALT);
const edwards = new Ed25519PrivateKey(new Uint8Array(32).fill(7));
const other = new Ed25519PrivateKey(new Uint8Array(32).fill(8));
const koblitz = new Secp256k1PrivateKey(new Uint8Array(32).fill(9));

const P256_ORDER = 0xffffffff_00000000_ffffffff_ffffffff_bce6faad_a7179e84_f3b9cac2_fc632551n;
const passkey = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** What a device and a browser make of a challenge. */
function assertionOf(clientData: string): WebAuthnAssertion {
  const authenticatorData = Buffer.alloc(37, 5);
  const clientDataJson = Buffer.from(clientData);
  const signedBytes = Buffer.concat([
    authenticatorData,
    createHash("sha256").update(clientDataJson).digest(),
  ]);
  const signature = sign("sha256", signedBytes, { key: passkey.privateKey, dsaEncoding: "ieee-p1363" });
  const scalar = BigInt(`0x${signature.subarray(32).toString("hex")}`);
  const low = scalar > P256_ORDER / 2n ? P256_ORDER - scalar : scalar;
  signature.set(Buffer.from(low.toString(16).padStart(64, "0"), "hex"), 32);
  return { signature: { kind: "secp256r1", signature }, authenticatorData, clientDataJson };
}

function withAssertion(assertion: WebAuthnAssertion): UserTransaction {
  const { x = "", y = "" } = passkey.publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  const sender = {
    kind: "singleKey",
    publicKey: { kind: "secp256r1", publicKey: point },
    signature: { kind: "webAuthn", assertion },
  } as const;
  const { raw: unsigned } = signed(new TransactionAuthenticatorSingleSender(single(message)));
  return { raw: unsigned, authenticator: { kind: "singleSender", sender } };
}

function signed(authenticator: TransactionAuthenticator): UserTransaction {
  return decodeWith(userTransactionCodec, new SignedTransaction(raw, authenticator).bcsToBytes());
}

function ed25519(bytes: Uint8Array, key = edwards): AccountAuthenticatorEd25519 {
  return new AccountAuthenticatorEd25519(key.publicKey(), key.sign(bytes));
}

function single(bytes: Uint8Array): AccountAuthenticatorSingleKey {
  return new AccountAuthenticatorSingleKey(
    new AnyPublicKey(koblitz.publicKey()),
    new AnySignature(koblitz.sign(bytes)),
  );
}

const multiKey = new MultiKey({
  publicKeys: [edwards.publicKey(), koblitz.publicKey(), other.publicKey()],
  signaturesRequired: 2,
});
const multiEd25519 = new MultiEd25519PublicKey({
  publicKeys: [edwards.publicKey(), other.publicKey()],
  threshold: 1,
});
const secondary = [address("0x77")];
const multiAgentMessage = generateSigningMessage(
  new MultiAgentRawTransaction(raw, secondary).bcsToBytes(),
  "APTOS::RawTransactionWithData",
);
const feePayerMessage = (payer: string) =>
  generateSigningMessage(
    new FeePayerRawTransaction(raw, secondary, address(payer)).bcsToBytes(),
    "APTOS::RawTransactionWithData",
  );

const forms: Readonly<Record<string, TransactionAuthenticator>> = {
  ed25519: new TransactionAuthenticatorEd25519(edwards.publicKey(), edwards.sign(message)),
  "multi-ed25519": new TransactionAuthenticatorMultiEd25519(
    multiEd25519,
    new MultiEd25519Signature({ signatures: [other.sign(message)], bitmap: [1] }),
  ),
  "single key, secp256k1": new TransactionAuthenticatorSingleSender(single(message)),
  "single key, ed25519": new TransactionAuthenticatorSingleSender(
    new AccountAuthenticatorSingleKey(
      new AnyPublicKey(edwards.publicKey()),
      new AnySignature(edwards.sign(message)),
    ),
  ),
  "multi-key": new TransactionAuthenticatorSingleSender(
    new AccountAuthenticatorMultiKey(
      multiKey,
      new MultiKeySignature({
        signatures: [new AnySignature(koblitz.sign(message)), new AnySignature(other.sign(message))],
        bitmap: multiKey.createBitmap({ bits: [1, 2] }),
      }),
    ),
  ),
  "multi-agent": new TransactionAuthenticatorMultiAgent(ed25519(multiAgentMessage), secondary, [
    single(multiAgentMessage),
  ]),
  "fee payer that all know": new TransactionAuthenticatorFeePayer(
    ed25519(feePayerMessage("0x99")),
    secondary,
    [single(feePayerMessage("0x99"))],
    { address: address("0x99"), authenticator: ed25519(feePayerMessage("0x99"), other) },
  ),
  "fee payer that only it knows": new TransactionAuthenticatorFeePayer(
    ed25519(feePayerMessage("0x0")),
    secondary,
    [single(feePayerMessage("0x0"))],
    { address: address("0x99"), authenticator: ed25519(feePayerMessage("0x99"), other) },
  ),
};

describe("signatures of a transaction", () => {
  it.each(Object.entries(forms))("%s is valid, and not with another amount", async (_, authenticator) => {
    const transaction = signed(authenticator);
    expect(await areSignaturesValid(transaction)).toBe(true);
    const changed = { ...transaction, raw: { ...transaction.raw, maxGasAmount: 2001n } };
    expect(await areSignaturesValid(changed)).toBe(false);
  });

  it("derives the authentication keys that the SDK derives", () => {
    const keyOf = (name: string) => toHex(signersOf(signed(forms[name]!)).sender.authenticationKey!);
    const hex = (key: { authKey(): { toUint8Array(): Uint8Array } }) => toHex(key.authKey().toUint8Array());
    expect(keyOf("ed25519")).toBe(hex(edwards.publicKey()));
    expect(keyOf("multi-ed25519")).toBe(hex(multiEd25519));
    expect(keyOf("single key, secp256k1")).toBe(hex(new AnyPublicKey(koblitz.publicKey())));
    expect(keyOf("single key, ed25519")).toBe(hex(new AnyPublicKey(edwards.publicKey())));
    expect(keyOf("multi-key")).toBe(hex(multiKey));
    const signers = signersOf(signed(forms["fee payer that all know"]!));
    expect(signers.secondary.map((signer) => signer.address)).toEqual([toHex(secondary[0]!.data)]);
    expect(signers.feePayer!.address).toBe(toHex(address("0x99").data));
  });

  it("refuses a signature that the fee payer made without its own address", async () => {
    const unknown = feePayerMessage("0x0");
    const form = new TransactionAuthenticatorFeePayer(ed25519(unknown), secondary, [single(unknown)], {
      address: address("0x99"),
      authenticator: ed25519(unknown, other),
    });
    expect(await areSignaturesValid(signed(form))).toBe(false);
  });

  it("refuses the larger scalar of a secp256k1 signature, and one of ed25519 above the order", async () => {
    const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;
    const transaction = signed(forms["single key, secp256k1"]!);
    const { authenticator } = transaction;
    if (authenticator.kind !== "singleSender" || authenticator.sender.kind !== "singleKey") throw new Error();
    const { signature } = authenticator.sender;
    if (signature.kind !== "secp256k1") throw new Error();
    const s = order - BigInt(`0x${toHex(signature.signature.subarray(32))}`);
    const high = Buffer.concat([
      signature.signature.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, "0"), "hex"),
    ]);
    const sender = { ...authenticator.sender, signature: { ...signature, signature: high } };
    expect(await areSignaturesValid({ ...transaction, authenticator: { ...authenticator, sender } })).toBe(
      false,
    );

    const edwardsOrder = (1n << 252n) + 27742317777372353535851937790883648493n;
    const plain = signed(forms.ed25519!);
    if (plain.authenticator.kind !== "ed25519") throw new Error();
    const bytes = Buffer.from(plain.authenticator.signature);
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + edwardsOrder;
    Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse().copy(bytes, 32);
    expect(
      await areSignaturesValid({ ...plain, authenticator: { ...plain.authenticator, signature: bytes } }),
    ).toBe(false);
  });

  it("refuses a key of small order, which would sign every message", async () => {
    const plain = signed(forms.ed25519!);
    // The neutral point, with a neutral signature: it fits any message.
    const publicKey = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
    const signature = Buffer.concat([publicKey, Buffer.alloc(32)]);
    expect(
      await areSignaturesValid({ ...plain, authenticator: { kind: "ed25519", publicKey, signature } }),
    ).toBe(false);
  });

  it("refuses fewer signatures than the account needs", async () => {
    const form = new TransactionAuthenticatorSingleSender(
      new AccountAuthenticatorMultiKey(
        multiKey,
        new MultiKeySignature({
          signatures: [new AnySignature(koblitz.sign(message))],
          bitmap: multiKey.createBitmap({ bits: [1] }),
        }),
      ),
    );
    expect(await areSignaturesValid(signed(form))).toBe(false);
  });

  it("names the schemes that it does not check", async () => {
    const transaction = signed(forms["single key, secp256k1"]!);
    const publicKey = { kind: "slhDsa", publicKey: new Uint8Array(32) } as const;
    const signature = { kind: "ed25519", signature: new Uint8Array(64) } as const;
    const authenticator = {
      kind: "singleSender",
      sender: { kind: "singleKey", publicKey, signature },
    } as const;
    await expect(areSignaturesValid({ ...transaction, authenticator })).rejects.toThrow(
      new SubmissionError(
        "unmodelled",
        "not modelled here: SLH-DSA signatures; sign with ed25519, secp256k1 or WebAuthn",
      ),
    );
  });

  it("checks what a device signs in a browser (WebAuthn)", async () => {
    const challenge = createHash("sha3-256").update(message).digest("base64url");
    const clientData = { type: "webauthn.get", challenge, origin: "http://localhost", crossOrigin: false };
    const text = JSON.stringify(clientData);
    const isValid = (made: WebAuthnAssertion) => areSignaturesValid(withAssertion(made));
    const assertion = assertionOf(text);
    expect(await isValid(assertion)).toBe(true);

    const otherChallenge = JSON.stringify({ ...clientData, challenge: "AAAA" });
    expect(await isValid(assertionOf(otherChallenge))).toBe(false);
    expect(await isValid(assertionOf(JSON.stringify({ ...clientData, type: "webauthn.create" })))).toBe(
      false,
    );
    expect(await isValid(assertionOf("no JSON"))).toBe(false);
    expect(await isValid(assertionOf(`${text}${" ".repeat(1024)}`))).toBe(false);
    expect(await isValid({ ...assertion, authenticatorData: new Uint8Array(37) })).toBe(false);
    expect(await isValid({ ...assertion, clientDataJson: Buffer.from(`${text} `) })).toBe(false);
    expect(
      await isValid({ ...assertion, signature: { kind: "secp256r1", signature: new Uint8Array(63) } }),
    ).toBe(false);
    // The other scalar of the same signature.
    const scalar = BigInt(`0x${Buffer.from(assertion.signature.signature.subarray(32)).toString("hex")}`);
    const high = Buffer.concat([
      assertion.signature.signature.subarray(0, 32),
      Buffer.from((P256_ORDER - scalar).toString(16).padStart(64, "0"), "hex"),
    ]);
    expect(await isValid({ ...assertion, signature: { kind: "secp256r1", signature: high } })).toBe(false);
  });

  it("refuses an account that signs twice", async () => {
    const form = new TransactionAuthenticatorMultiAgent(
      ed25519(multiAgentMessage),
      [address("0x77"), address("0x77")],
      [single(multiAgentMessage), single(multiAgentMessage)],
    );
    await expect(areSignaturesValid(signed(form))).rejects.toThrow("SIGNERS_CONTAIN_DUPLICATES");
  });
});
