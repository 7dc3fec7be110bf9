// Variant numbers and field order of the signed and the unsigned parts, as bytes written by hand.
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../base/hex.ts";
import { type Codec, decodeWith, encodeWith } from "../bcs/codec.ts";
import { parseAddress } from "../move/address.ts";
import {
  type AccountAuthenticator,
  type AnyPublicKey,
  type AnySignature,
  accountAuthenticatorCodec,
  anyPublicKeyCodec,
  anySignatureCodec,
  authenticatorCodec,
  type TransactionAuthenticator,
} from "./authenticator.ts";
import {
  type BlockMetadataExt,
  blockEndInfoCodec,
  blockMetadataExtCodec,
  feeDistributionCodec,
  type ValidatorTransaction,
  validatorTransactionCodec,
} from "./system-transactions.ts";

const address = parseAddress("0x7");
const addressHex = `${"00".repeat(31)}07`;
const a = Uint8Array.of(0xaa);
const b = Uint8Array.of(0xbb);
const c = Uint8Array.of(0xcc);

function u64Hex(low: string): string {
  return low.padEnd(16, "0");
}

function check<T>(codec: Codec<T>, hex: string, value: T): void {
  expect(toHex(encodeWith(codec, value))).toBe(hex);
  expect(decodeWith(codec, fromHex(hex) ?? expect.unreachable())).toEqual(value);
}

const none: AccountAuthenticator = { kind: "none" };

describe("transaction authenticators", () => {
  it.each<[string, TransactionAuthenticator]>([
    ["0001aa01bb", { kind: "ed25519", publicKey: a, signature: b }],
    ["0101aa01bb", { kind: "multiEd25519", publicKey: a, signature: b }],
    [
      `020401${addressHex}0104`,
      { kind: "multiAgent", sender: none, secondaryAddresses: [address], secondarySigners: [none] },
    ],
    [
      `03040000${addressHex}04`,
      {
        kind: "feePayer",
        sender: none,
        secondaryAddresses: [],
        secondarySigners: [],
        feePayerAddress: address,
        feePayer: none,
      },
    ],
    ["0404", { kind: "singleSender", sender: none }],
  ])("%s", (hex, value) => check(authenticatorCodec, hex, value));
});

describe("account authenticators", () => {
  const module = { address, name: "m" };
  it.each<[string, AccountAuthenticator]>([
    ["0001aa01bb", { kind: "ed25519", publicKey: a, signature: b }],
    ["0101aa01bb", { kind: "multiEd25519", publicKey: a, signature: b }],
    [
      "020101aa0101bb",
      {
        kind: "singleKey",
        publicKey: { kind: "secp256k1", publicKey: a },
        signature: { kind: "secp256k1", signature: b },
      },
    ],
    [
      "03010001aa02010001bb01cc",
      {
        kind: "multiKey",
        publicKeys: [{ kind: "ed25519", publicKey: a }],
        signaturesRequired: 2,
        signatures: [{ kind: "ed25519", signature: b }],
        bitmap: c,
      },
    ],
    ["04", none],
    [
      `05${addressHex}016d01660001aa01bb`,
      {
        kind: "abstract",
        function: { module, function: "f" },
        data: { kind: "v1", digest: a, signature: b },
      },
    ],
    [
      `05${addressHex}016d01660101aa01bb01cc`,
      {
        kind: "abstract",
        function: { module, function: "f" },
        data: { kind: "derivable", digest: a, signature: b, publicKey: c },
      },
    ],
  ])("%s", (hex, value) => check(accountAuthenticatorCodec, hex, value));
});

describe("public keys", () => {
  const keyless = { issuer: "i", identityCommitment: a };
  it.each<[string, AnyPublicKey]>([
    ["0001aa", { kind: "ed25519", publicKey: a }],
    ["0101aa", { kind: "secp256k1", publicKey: a }],
    ["0201aa", { kind: "secp256r1", publicKey: a }],
    ["03016901aa", { kind: "keyless", keyless }],
    [`04${addressHex}016901aa`, { kind: "federatedKeyless", jwkAddress: address, keyless }],
    ["0501aa", { kind: "slhDsa", publicKey: a }],
  ])("%s", (hex, value) => check(anyPublicKeyCodec, hex, value));
});

describe("signatures", () => {
  const assertion = {
    signature: { kind: "secp256r1" as const, signature: a },
    authenticatorData: b,
    clientDataJson: c,
  };
  const tail = `0168${u64Hex("09")}0101aa0001bb`;
  const rest = {
    tokenHeader: "h",
    expirationSecs: 9n,
    ephemeralPublicKey: { kind: "secp256r1" as const, publicKey: a },
    ephemeralSignature: { kind: "ed25519" as const, signature: b },
  };
  it.each<[string, AnySignature]>([
    ["0001aa", { kind: "ed25519", signature: a }],
    ["0101aa", { kind: "secp256k1", signature: a }],
    ["020001aa01bb01cc", { kind: "webAuthn", assertion }],
    ["0401aa", { kind: "slhDsa", signature: a }],
    [
      `030000${"01".repeat(32)}${"02".repeat(64)}${"03".repeat(32)}${u64Hex("05")}01016500` +
        `01010001aa01bb01cc${tail}`,
      {
        kind: "keyless",
        keyless: {
          certificate: {
            kind: "zeroKnowledge",
            proof: {
              kind: "groth16",
              a: new Uint8Array(32).fill(1),
              b: new Uint8Array(64).fill(2),
              c: new Uint8Array(32).fill(3),
            },
            expirationHorizonSecs: 5n,
            extraField: "e",
            overrideAudience: undefined,
            trainingWheelsSignature: { kind: "webAuthn", assertion },
          },
          ...rest,
        },
      },
    ],
    [
      `030101aa0170017501bb${"04".repeat(31)}010161${tail}`,
      {
        kind: "keyless",
        keyless: {
          certificate: {
            kind: "openId",
            tokenSignature: a,
            tokenPayload: "p",
            uidKey: "u",
            keyBlinder: b,
            pepper: new Uint8Array(31).fill(4),
            commitmentAudience: "a",
          },
          ...rest,
        },
      },
    ],
  ])("%s", (hex, value) => check(anySignatureCodec, hex, value));
});

describe("block metadata, newer forms", () => {
  const block = {
    id: new Uint8Array(32).fill(1),
    epoch: 2n,
    round: 3n,
    proposer: address,
    previousVotes: a,
    failedProposers: [5],
    timestampUsec: 6n,
  };
  const blockHex = `${"01".repeat(32)}${u64Hex("02")}${u64Hex("03")}${addressHex}01aa0105000000${u64Hex("06")}`;
  const secret = { epoch: 8n, round: 9n, bytes: b };
  const secretHex = `${u64Hex("08")}${u64Hex("09")}01bb`;
  it.each<[string, BlockMetadataExt]>([
    [`00${blockHex}`, { kind: "v0", block }],
    [`01${blockHex}01${secretHex}`, { kind: "v1", block, randomness: secret }],
    [`02${blockHex}0001${secretHex}`, { kind: "v2", block, randomness: undefined, decryptionKey: secret }],
    [
      `03${blockHex}0001${secretHex}${u64Hex("0a")}`,
      { kind: "v3", block, randomness: undefined, decryptionKey: { key: secret, decryptionRound: 10n } },
    ],
  ])("%s", (hex, value) => check(blockMetadataExtCodec, hex, value));
});

describe("block ends", () => {
  it("hold two flags, two figures, and fees by validator", () => {
    check(blockEndInfoCodec, `000100${u64Hex("07")}${u64Hex("08")}`, {
      kind: "v0",
      gasLimitReached: true,
      outputLimitReached: false,
      gasUnits: 7n,
      approximateOutputBytes: 8n,
    });
    // 256 comes first: its bytes are 00 01, those of 1 are 01 00.
    check(feeDistributionCodec, `0002${u64Hex("0001")}${u64Hex("05")}${u64Hex("01")}${u64Hex("06")}`, {
      kind: "v0",
      amounts: [
        [256n, 5n],
        [1n, 6n],
      ],
    });
  });
});

describe("validator transactions", () => {
  const signature = { bitmask: b, signature: c };
  it.each<[string, ValidatorTransaction]>([
    [`00${u64Hex("01")}${addressHex}01aa`, { kind: "dkgResult", epoch: 1n, author: address, transcript: a }],
    [
      `0101aa${u64Hex("02")}01017401bb01bb0101cc`,
      { kind: "jwkUpdate", issuer: a, version: 2n, jwks: [{ type: "t", data: b }], signature },
    ],
    [
      `02${u64Hex("01")}${addressHex}01aa01bb0001cc`,
      {
        kind: "chunkyDkgResult",
        epoch: 1n,
        author: address,
        transcript: a,
        signature: { bitmask: b, signature: undefined },
        encryptionKey: c,
      },
    ],
  ])("%s", (hex, value) => check(validatorTransactionCodec, hex, value));
});
