import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { assertStateValue, type StateValue, stateValueCodec } from "./state-value.ts";

function accepts(check: (bytes: Uint8Array) => unknown, bytes: Uint8Array): boolean {
  try {
    check(bytes);
    return true;
  } catch {
    return false;
  }
}

const anyNumber = fc.bigInt(1n, 2n ** 64n - 1n);
const anyData = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.constantFrom(127, 128, 16_383, 16_384).map((length) => new Uint8Array(length)),
);
const anyValue: fc.Arbitrary<StateValue> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), data: anyData }),
  fc.record({
    kind: fc.constant("withMetadata" as const),
    data: anyData,
    metadata: fc.oneof(
      fc.record({ kind: fc.constant("v0" as const), deposit: anyNumber, creationTimeUsec: anyNumber }),
      fc.record({
        kind: fc.constant("v1" as const),
        slotDeposit: anyNumber,
        bytesDeposit: anyNumber,
        creationTimeUsec: anyNumber,
      }),
    ),
  }),
);

describe("the check of a state value's bytes", () => {
  it("accepts and refuses what the codec does, whatever byte is changed, added or cut off", () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), fc.nat(255), fc.constantFrom(-1, 0, 1), (value, at, byte, more) => {
        const sound = encodeWith(stateValueCodec, value);
        expect(accepts(assertStateValue, sound)).toBe(true);
        const changed = new Uint8Array(sound.length + more);
        changed.set(sound.subarray(0, changed.length));
        // The bytes that decide are at both ends of the data.
        const place = at % 2 === 0 ? at % 4 : (value.data.length + (at % 6)) % changed.length;
        if (place < changed.length) changed[place] = byte;
        expect(accepts(assertStateValue, changed)).toBe(
          accepts((bytes) => decodeWith(stateValueCodec, bytes), changed),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
