import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import { addressFromBytes, parseAddress } from "../move/address.ts";
import type { RawTransaction } from "./raw.ts";
import { signingMessage } from "./signing-message.ts";

const PLAIN = "b5e97db07fa0bd0e5598aa3643a9bc6f6693bddc1a9fec9e674a461eaa00b193";
const WITH_DATA = "5efa3c4f02f83a0f4b2d69fc95c607cc02825cc4e7be536ef0992df050d9e67c";

const transfer: RawTransaction = {
  sender: parseAddress("0xdd"),
  sequenceNumber: 7n,
  payload: {
    kind: "entryFunction",
    entryFunction: {
      module: { address: parseAddress("0x1"), name: "aptos_account" },
      function: "transfer",
      typeArgs: [],
      args: [parseAddress("0x1234"), Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0)],
    },
  },
  maxGasAmount: 2000n,
  gasUnitPrice: 100n,
  expirationTimestampSecs: 1_700_000_000n,
  chainId: 243,
};

const CALL =
  `${"00".repeat(31)}01` +
  "0d6170746f735f6163636f756e74" +
  "087472616e73666572" +
  `000220${"00".repeat(30)}1234080500000000000000`;
const GAS = "d007000000000000640000000000000000f1536500000000f3";
const RAW = `${"00".repeat(31)}dd0700000000000000` + `02${CALL}${GAS}`;

describe("signingMessage", () => {
  it("is the domain prefix and the raw transaction", () => {
    expect(toHex(signingMessage(transfer))).toBe(PLAIN + RAW);
  });

  it("is the same for a raw transaction that is given as its BCS", () => {
    const bytes = Buffer.from(RAW, "hex");
    expect(toHex(signingMessage(bytes))).toBe(PLAIN + RAW);
    expect(toHex(signingMessage(bytes, []))).toBe(`${WITH_DATA}00${RAW}00`);
  });

  it("has another prefix and the signers' addresses when there are secondary signers", () => {
    const signers = [parseAddress("0x2"), parseAddress("0x3")];
    const tail = `02${"00".repeat(31)}02${"00".repeat(31)}03`;
    expect(toHex(signingMessage(transfer, signers))).toBe(`${WITH_DATA}00${RAW}${tail}`);
    expect(toHex(signingMessage(transfer, []))).toBe(`${WITH_DATA}00${RAW}00`);
  });

  it("ends with the fee payer where there is one, and is then another variant", () => {
    const payer = parseAddress("0xfee");
    const tail = `${"00".repeat(30)}0fee`;
    expect(toHex(signingMessage(transfer, undefined, payer))).toBe(`${WITH_DATA}01${RAW}00${tail}`);
    expect(toHex(signingMessage(transfer, [], payer))).toBe(`${WITH_DATA}01${RAW}00${tail}`);
    const signers = `01${"00".repeat(31)}02`;
    expect(toHex(signingMessage(transfer, [parseAddress("0x2")], payer))).toBe(
      `${WITH_DATA}01${RAW}${signers}${tail}`,
    );
    expect(toHex(signingMessage(transfer, [], parseAddress("0x0")))).toBe(
      `${WITH_DATA}01${RAW}00${"00".repeat(32)}`,
    );
  });

  it("carries a nonce in the newer payload form", () => {
    const orderless: RawTransaction = {
      ...transfer,
      sequenceNumber: 0xffff_ffff_ffff_ffffn,
      payload: {
        kind: "payload",
        payload: {
          kind: "v1",
          executable: transfer.payload as Extract<typeof transfer.payload, { kind: "entryFunction" }>,
          extraConfig: { kind: "v1", multisigAddress: undefined, replayProtectionNonce: 9n },
        },
      },
    };
    const expected = `${"00".repeat(31)}dd${"ff".repeat(8)}040001${CALL}0000010900000000000000${GAS}`;
    expect(toHex(signingMessage(orderless))).toBe(PLAIN + expected);
  });

  it("refuses what has no bytes", () => {
    expect(() => signingMessage({ ...transfer, chainId: 256 })).toThrow("chainId: 256 is not a u8");
    const short = addressFromBytes(new Uint8Array(32)).subarray(1) as RawTransaction["sender"];
    expect(() => signingMessage({ ...transfer, sender: short })).toThrow("sender: expected 32 bytes, not 31");
    expect(() => signingMessage(transfer, [short])).toThrow("secondarySigners[0]: expected 32 bytes, not 31");
  });
});
