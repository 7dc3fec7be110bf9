// Signed transactions made by the official SDK, in every form it can sign: decoded, and encoded again.
import {
  AccountAddress,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorNoAccountAuthenticator,
  AccountAuthenticatorSingleKey,
  AnyPublicKey,
  AnySignature,
  ChainId,
  Ed25519PrivateKey,
  EntryFunction,
  generateSigningMessageForTransaction,
  MultiAgentTransaction,
  MultiKey,
  MultiKeySignature,
  RawTransaction,
  Secp256k1PrivateKey,
  SignedTransaction,
  SimpleTransaction,
  type TransactionAuthenticator,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorMultiAgent,
  TransactionAuthenticatorSingleSender,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import { signingMessage } from "../../src/transaction/signing-message.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";

const raw = new RawTransaction(
  AccountAddress.from("0xdd", { maxMissingChars: 63 }),
  7n,
  new TransactionPayloadEntryFunction(
    EntryFunction.build(
      "0x1::aptos_account",
      "transfer",
      [],
      [AccountAddress.from("0x1234", { maxMissingChars: 63 }), new U64(5)],
    ),
  ),
  2000n,
  100n,
  1_700_000_000n,
  new ChainId(4),
);
const message = raw.bcsToBytes();
const edwards = new Ed25519PrivateKey(new Uint8Array(32).fill(7));
const koblitz = new Secp256k1PrivateKey(new Uint8Array(32).fill(9));
const ed25519 = new AccountAuthenticatorEd25519(edwards.publicKey(), edwards.sign(message));
const single = new AccountAuthenticatorSingleKey(
  new AnyPublicKey(koblitz.publicKey()),
  new AnySignature(koblitz.sign(message)),
);
const multi = new AccountAuthenticatorMultiKey(
  new MultiKey({ publicKeys: [edwards.publicKey(), koblitz.publicKey()], signaturesRequired: 1 }),
  new MultiKeySignature({ signatures: [koblitz.sign(message)], bitmap: [1] }),
);
const none = new AccountAuthenticatorNoAccountAuthenticator();
const other = AccountAddress.from("0xabc", { maxMissingChars: 63 });

function roundTrip(authenticator: TransactionAuthenticator): UserTransaction["authenticator"] {
  const bytes = new SignedTransaction(raw, authenticator).bcsToBytes();
  const transaction = decodeWith(userTransactionCodec, bytes);
  expect(toHex(encodeWith(userTransactionCodec, transaction))).toBe(toHex(bytes));
  return transaction.authenticator;
}

describe("what the SDK signs", () => {
  it("with one sender", () => {
    expect(roundTrip(new TransactionAuthenticatorSingleSender(single))).toMatchObject({
      kind: "singleSender",
      sender: { kind: "singleKey", publicKey: { kind: "secp256k1" }, signature: { kind: "secp256k1" } },
    });
    expect(roundTrip(new TransactionAuthenticatorSingleSender(multi))).toMatchObject({
      sender: {
        kind: "multiKey",
        publicKeys: [{ kind: "ed25519" }, { kind: "secp256k1" }],
        signaturesRequired: 1,
        signatures: [{ kind: "secp256k1" }],
      },
    });
  });

  it("with several signers and a fee payer", () => {
    expect(roundTrip(new TransactionAuthenticatorMultiAgent(ed25519, [other], [single]))).toMatchObject({
      kind: "multiAgent",
      sender: { kind: "ed25519", publicKey: edwards.publicKey().toUint8Array() },
      secondaryAddresses: [other.toUint8Array()],
      secondarySigners: [{ kind: "singleKey" }],
    });
    const feePayer = { address: other, authenticator: none };
    expect(
      roundTrip(new TransactionAuthenticatorFeePayer(ed25519, [other], [multi], feePayer)),
    ).toMatchObject({
      kind: "feePayer",
      secondarySigners: [{ kind: "multiKey" }],
      feePayerAddress: other.toUint8Array(),
      feePayer: { kind: "none" },
    });
  });

  it("signs the same messages", () => {
    const plain = generateSigningMessageForTransaction(new SimpleTransaction(raw));
    expect(toHex(signingMessage(message))).toBe(toHex(plain));
    const several = generateSigningMessageForTransaction(new MultiAgentTransaction(raw, [other]));
    const signers = [addressFromBytes(other.toUint8Array())];
    expect(toHex(signingMessage(message, signers))).toBe(toHex(several));
  });
});
