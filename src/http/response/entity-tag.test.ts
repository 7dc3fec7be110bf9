// Tags stand for exact bytes in one form, whether they are the bytes themselves or a hash of them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { entityTag } from "./body-forms.ts";

describe("entity tags", () => {
  it("have one shape, at every length", () => {
    for (let length = 0; length < 40; length++) {
      expect(entityTag(new Uint8Array(length), "bcs")).toMatch(/^"[0-9a-f]{32}"$/);
    }
  });

  it("differ where bytes or forms differ", () => {
    const body = fc.uint8Array({ maxLength: 20 });
    const form = fc.constantFrom("json" as const, "bcs" as const);
    fc.assert(
      fc.property(body, form, body, form, (a, formA, b, formB) => {
        const isSame = Buffer.compare(a, b) === 0 && (formA === formB || a.length > 14);
        expect(entityTag(a, formA) === entityTag(b, formB)).toBe(isSame);
      }),
      { numRuns: RUNS },
    );
    expect(entityTag(Uint8Array.of(), "bcs")).not.toBe(entityTag(Uint8Array.of(0), "bcs"));
    expect(entityTag("1", "json")).not.toBe(entityTag("10", "json"));
    expect(entityTag("1", "json")).toBe(entityTag(Uint8Array.of(0x31), "json"));
  });
});
