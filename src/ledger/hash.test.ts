import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import {
  ACCUMULATOR_PLACEHOLDER,
  hashOf,
  hashOfParts,
  hashPair,
  SEEDS,
  SPARSE_MERKLE_PLACEHOLDER,
} from "./hash.ts";

describe("hash", () => {
  it("has the known seeds", () => {
    expect(Object.fromEntries(Object.entries(SEEDS).map(([name, seed]) => [name, toHex(seed)]))).toEqual({
      transaction: "fa210a9417ef3e7fa45bfa1d17a8dbd4d883711910a550d265fee189e9266dd4",
      transactionInfo: "a7571b1ac557d1d3f9e884d79f9174c9ff81fd091502dfad0008455b39eca471",
      writeSet: "27805b4e56482a52f649482bde40b3c45a4b98f37523bb128379aaaad014d2a8",
      contractEvent: "38f46bbd4b520466a91d4166cd85fa9c3c83ac6993bf65f8d90bad19c5e2f661",
      eventAccumulator: "4dbe0448340a3095e1696708e4be4e93f4956d1f9f5755292767ef8a1344ac36",
      transactionAccumulator: "9d054c84c0d2c98b618a1a3247e9979a72229dbd162985a2a924144b8aad0327",
      stateKey: "14715f27d7ab9aad7041a4809fbb1dc5bcd80e0c5ee58c18469f1fde7bd347e4",
      stateValue: "f23de2fd4cb9705bff983c28e48638d29707ad5e0fc73d5db94b50dfd36dbcfa",
      sparseMerkleLeaf: "9df5ce426e6c3cc7a648886c12b661d7d87cba44ce9b7c3b8579bac5b8e8519b",
      sparseMerkleInternal: "6738db124643f427d7b7d92c0cc11ac9ef1caaaaec2ac77145646e1d293e6b38",
      waypoint: "2539380256a7df4f1a22fa5d30cd72c123103ad06479987c44b58b4d7a20efdf",
      auxiliaryInfo: "83365516453ccf7cd4407bb5d7888ab49a4099e7ac71690272a1b23acda81a58",
    });
  });

  it("has the known placeholders", () => {
    expect(toHex(ACCUMULATOR_PLACEHOLDER)).toBe(
      "414343554d554c41544f525f504c414345484f4c4445525f4841534800000000",
    );
    expect(toHex(SPARSE_MERKLE_PLACEHOLDER)).toBe(
      "5350415253455f4d45524b4c455f504c414345484f4c4445525f484153480000",
    );
  });

  it("hashes the same with and without the scratch buffer", () => {
    for (const length of [0, 1, 32, 64, 100, 16_351, 16_352, 16_353, 40_000]) {
      const bytes = new Uint8Array(length).map((_, i) => i % 251);
      const expected = createHash("sha3-256").update(SEEDS.writeSet).update(bytes).digest("hex");
      const cut = length >> 1;
      expect(toHex(hashOf(SEEDS.writeSet, bytes))).toBe(expected);
      expect(toHex(hashOfParts(SEEDS.writeSet, bytes.subarray(0, cut), bytes.subarray(cut)))).toBe(expected);
      if (length === 64) {
        expect(toHex(hashPair(SEEDS.writeSet, bytes.subarray(0, 32), bytes.subarray(32)))).toBe(expected);
      }
    }
  });
});
