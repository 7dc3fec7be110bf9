// Every wire format of the room: the properties of each, and the variant numbers that are easy to get wrong.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import * as any from "../../test/support/transaction-arbitraries.ts";
import { toHex } from "../base/hex.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { parseAddress } from "../move/address.ts";
import { type ScriptArgument, scriptArgumentCodec } from "./executable.ts";
import { payloadCodec, rawTransactionCodec, type TransactionPayload } from "./raw.ts";
import { hashedForm, type UserTransaction, userTransactionCodec } from "./user-transaction.ts";

const PAYLOAD_NAME_OFFSET = 73;
const address = parseAddress("0x7");
const addressHex = `${"00".repeat(31)}07`;
const script = { code: Uint8Array.of(0xaa), typeArgs: [], args: [] };
const scriptHex = "01aa0000";
const entryFunction = { module: { address, name: "m" }, function: "f", typeArgs: [], args: [] };
const entryHex = `${addressHex}016d01660000`;

describe("payload numbers", () => {
  it.each<[string, TransactionPayload]>([
    [`00${scriptHex}`, { kind: "script", script }],
    [`01${"05".padEnd(16, "0")}`, { kind: "moduleBundle", placeholder: 5n }],
    [`02${entryHex}`, { kind: "entryFunction", entryFunction }],
    [`03${addressHex}00`, { kind: "multisig", multisigAddress: address, transactionPayload: undefined }],
    [
      `03${addressHex}0100${entryHex}`,
      {
        kind: "multisig",
        multisigAddress: address,
        transactionPayload: { kind: "entryFunction", entryFunction },
      },
    ],
    [
      `03${addressHex}0101${scriptHex}`,
      { kind: "multisig", multisigAddress: address, transactionPayload: { kind: "script", script } },
    ],
    [
      `040000${scriptHex}000000`,
      {
        kind: "payload",
        payload: {
          kind: "v1",
          executable: { kind: "script", script },
          extraConfig: { kind: "v1", multisigAddress: undefined, replayProtectionNonce: undefined },
        },
      },
    ],
    [
      `04000201` +
        `01${addressHex}` +
        "00" +
        `0101${addressHex}00` +
        "64".padEnd(16, "0") +
        "c8".padEnd(16, "0"),
      {
        kind: "payload",
        payload: {
          kind: "v1",
          executable: { kind: "empty" },
          extraConfig: {
            kind: "v2",
            multisigAddress: address,
            replayProtectionNonce: undefined,
            limits: {
              kind: "delegatedVoter",
              pool: address,
              multipliers: { kind: "v1", execution: 100n, io: 200n },
            },
          },
        },
      },
    ],
  ])("%s", (hex, payload) => {
    const bytes = encodeWith(payloadCodec, payload);
    expect(toHex(bytes)).toBe(hex);
    expect(decodeWith(payloadCodec, bytes)).toEqual(payload);
  });
});

describe("script argument numbers", () => {
  it.each<[string, ScriptArgument]>([
    ["0009", { kind: "u8", value: 9 }],
    [`01${"09".padEnd(16, "0")}`, { kind: "u64", value: 9n }],
    [`02${"09".padEnd(32, "0")}`, { kind: "u128", value: 9n }],
    [`03${addressHex}`, { kind: "address", value: address }],
    ["0401aa", { kind: "bytes", value: Uint8Array.of(0xaa) }],
    ["0501", { kind: "bool", value: true }],
    ["060900", { kind: "u16", value: 9 }],
    ["0709000000", { kind: "u32", value: 9 }],
    [`08${"09".padEnd(64, "0")}`, { kind: "u256", value: 9n }],
    ["0901aa", { kind: "serialized", value: Uint8Array.of(0xaa) }],
    ["0aff", { kind: "i8", value: -1 }],
    ["0bffff", { kind: "i16", value: -1 }],
    [`0c${"ff".repeat(4)}`, { kind: "i32", value: -1 }],
    [`0d${"ff".repeat(8)}`, { kind: "i64", value: -1n }],
    [`0e${"ff".repeat(16)}`, { kind: "i128", value: -1n }],
    [`0f${"ff".repeat(32)}`, { kind: "i256", value: -1n }],
  ])("%s", (hex, argument) => {
    const bytes = encodeWith(scriptArgumentCodec, argument);
    expect(toHex(bytes)).toBe(hex);
    expect(decodeWith(scriptArgumentCodec, bytes)).toEqual(argument);
  });

  it("end at 15", () => {
    expect(() => decodeWith(scriptArgumentCodec, Uint8Array.of(16, 0))).toThrow(
      "unknown ScriptArgument variant 16 (at byte 0)",
    );
  });
});

describe("hashedForm", () => {
  const PAYLOAD_OFFSET = 40;

  /** The same transaction as it was before decryption. */
  function beforeDecryption(transaction: UserTransaction): UserTransaction {
    const { payload } = transaction.raw;
    if (payload.kind !== "encrypted") return transaction;
    const encrypted = { kind: "encrypted" as const, inner: payload.encrypted.inner };
    return { ...transaction, raw: { ...transaction.raw, payload: { kind: "encrypted", encrypted } } };
  }

  it("puts an encrypted payload back, in user transactions and in raw ones, and leaves the rest alone", () => {
    const encrypted = fc.record({
      raw: fc
        .tuple(any.anyRawTransaction, any.anyEncryptedPayload)
        .map(([raw, payload]) => ({ ...raw, payload: { kind: "encrypted" as const, encrypted: payload } })),
      authenticator: any.anyAuthenticator,
    });
    fc.assert(
      fc.property(fc.oneof(encrypted, any.anyUserTransaction), (transaction) => {
        const expected = beforeDecryption(transaction);
        const bytes = encodeWith(userTransactionCodec, transaction);
        expect(toHex(hashedForm(bytes))).toBe(toHex(encodeWith(userTransactionCodec, expected)));
        const raw = encodeWith(rawTransactionCodec, transaction.raw);
        expect(toHex(hashedForm(raw))).toBe(toHex(encodeWith(rawTransactionCodec, expected.raw)));
      }),
      { numRuns: RUNS },
    );
  });

  it("returns the same array when there is nothing to put back", () => {
    const plain = new Uint8Array(PAYLOAD_OFFSET + 2);
    expect(hashedForm(plain)).toBe(plain);
    const short = new Uint8Array(3);
    expect(hashedForm(short)).toBe(short);
  });

  it("refuses an encrypted payload that does not parse", () => {
    const broken = new Uint8Array(PAYLOAD_OFFSET + 2);
    broken.set([5, 3], PAYLOAD_OFFSET);
    expect(() => hashedForm(broken)).toThrow(BcsError);
  });
});

describe("fault paths", () => {
  it("lead through the whole transaction", () => {
    const raw = {
      sender: address,
      sequenceNumber: 1n,
      payload: { kind: "entryFunction" as const, entryFunction },
      maxGasAmount: 1n,
      gasUnitPrice: 1n,
      expirationTimestampSecs: 1n,
      chainId: 4,
    };
    const bytes = encodeWith(rawTransactionCodec, raw);
    // The length of the module's name: behind sender, sequence number, payload tag and module address.
    bytes[PAYLOAD_NAME_OFFSET] = 0xff;
    expect(() => decodeWith(rawTransactionCodec, bytes)).toThrow(
      /^payload\.entryFunction\.module\.name: .* \(at byte 73\)$/,
    );
  });
});
