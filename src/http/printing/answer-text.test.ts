import { describe, expect, it } from "vitest";
import { Slices } from "../../base/wait.ts";
import { AnswerText, addHex, hexText } from "./answer-text.ts";

/** Every byte, and none of them at the same place of each chunk. */
const someBytes = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

describe("hex of an answer", () => {
  it.each([0, 1, 16_383, 16_384, 65_536, 65_537, 200_001])("of %d bytes", async (length) => {
    const bytes = someBytes(length);
    const expected = `"0x${bytes.toString("hex")}"`;
    expect(Buffer.from(await hexText(bytes, new Slices())).toString()).toBe(expected);
    const out = new AnswerText().add("[é,");
    await addHex(out, bytes, new Slices());
    out.add("]");
    expect(out.length).toBe(expected.length + 4);
    expect(Buffer.from(await out.finish()).toString()).toBe(`[é,${expected}]`);
  });
});
