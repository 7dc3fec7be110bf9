import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOffset } from "../../../test/support/codec-properties.ts";
import { anyStateValue, anyWriteSet } from "../../../test/support/ledger-arbitraries.ts";
import { RUNS } from "../../../test/support/property.ts";
import { fromHex, toHex } from "../../base/hex.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { LedgerError } from "../errors.ts";
import { readStateWrites } from "../state-writes.ts";
import { stateKeyHash } from "./state-key.ts";
import { stateMetadataCodec, stateValueCodec, stateValueData } from "./state-value.ts";
import { writeSetCodec, writeSetHash, writtenValue } from "./write-set.ts";

const bytes = (hex: string) => fromHex(hex)!;

describe("state value", () => {
  it("refuses v1 metadata with a bytes deposit of zero", () => {
    const metadata = bytes(`01${"01".repeat(8)}${"00".repeat(8)}${"02".repeat(8)}`);
    expect(() => decodeWith(stateMetadataCodec, metadata)).toThrow(BcsError);
    expect(() => stateMetadataCodec.skip(new BcsReader(metadata))).toThrow("bytes deposit of 0");
    expect(() =>
      encodeWith(stateMetadataCodec, {
        kind: "v1",
        slotDeposit: 1n,
        bytesDeposit: 0n,
        creationTimeUsec: 2n,
      }),
    ).toThrow(BcsError);
  });

  it("finds its data by offset", () => {
    fc.assert(
      fc.property(anyStateValue, (value) => {
        const encoded = encodeWith(stateValueCodec, value);
        expect(toHex(stateValueData(encoded))).toBe(toHex(value.data));
      }),
      { numRuns: RUNS },
    );
    const long = encodeWith(stateValueCodec, { kind: "v0", data: new Uint8Array(70_000).fill(1) });
    expect(stateValueData(long).length).toBe(70_000);
    for (const bad of ["", "00", "0080", "0002aa", "0200", "00ffffffffff"]) {
      expect(() => stateValueData(bytes(bad))).toThrow(LedgerError);
    }
  });
});

describe("write set", () => {
  it("has the known hashes when empty", () => {
    expect(toHex(writeSetHash(encodeWith(writeSetCodec, { kind: "v0", writes: [] })))).toBe(
      "afb6e14fe47d850fd0a7395bcfb997ffacf4715e0f895cc162c218e4a7564bc6",
    );
    const empty = { kind: "v1", writes: [], hotKeys: [], extensions: [] } as const;
    expect(toHex(writeSetHash(encodeWith(writeSetCodec, empty)))).toBe(
      "b7a54e80888328ea7017ef0a5cc0c93b9bfbd87bd43f55ddd94149ce4b52484d",
    );
  });

  it("gives the same state writes from its bytes as from its values", () => {
    fc.assert(
      fc.property(anyWriteSet, (writeSet) => {
        const encoded = encodeWith(writeSetCodec, writeSet);
        const reader = new BcsReader(encoded);
        const writes = readStateWrites(reader);
        reader.finish();
        const { writes: entries } = decodeWith(writeSetCodec, encoded);
        expect(writes.map((write) => [toHex(write.keyHash), write.value && toHex(write.value)])).toEqual(
          entries.map(([key, op]) => {
            const value = writtenValue(op);
            return [toHex(stateKeyHash(key)), value && toHex(encodeWith(stateValueCodec, value))];
          }),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it("is refused as bytes exactly where its codec refuses it", () => {
    fc.assert(
      fc.property(anyWriteSet, fc.nat(), fc.integer({ min: 0, max: 255 }), (writeSet, at, byte) => {
        const encoded = encodeWith(writeSetCodec, writeSet);
        encoded[at % encoded.length] = byte;
        expect(endOffset(encoded, readStateWrites)).toBe(endOffset(encoded, writeSetCodec.skip));
      }),
      { numRuns: RUNS },
    );
  });
});
