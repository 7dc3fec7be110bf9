import { describe, expect, it } from "vitest";
import { toHex } from "../base/hex.ts";
import { BcsError } from "./errors.ts";
import { BcsWriter } from "./writer.ts";

function written(write: (writer: BcsWriter) => unknown): string {
  const writer = new BcsWriter();
  write(writer);
  return toHex(writer.take());
}

describe("BcsWriter", () => {
  it("writes integers little-endian", () => {
    expect(written((w) => w.u8(255).u16(0x1234).u32(1))).toBe("ff341201000000");
    expect(written((w) => w.u64((1n << 64n) - 1n))).toBe("ff".repeat(8));
    expect(written((w) => w.u128(1n << 64n))).toBe(`${"00".repeat(8)}01${"00".repeat(7)}`);
    expect(written((w) => w.u256(1n << 255n))).toBe(`${"00".repeat(31)}80`);
    expect(written((w) => w.i8(-1).i16(-2).i32(-3))).toBe("fffefffdffffff");
    expect(written((w) => w.i64(-1n).i128(-1n).i256(-1n))).toBe("ff".repeat(56));
  });

  it("writes ULEB128 in its shortest form", () => {
    expect([0, 127, 128, 16384, 0xffff_ffff].map((value) => written((w) => w.uleb(value)))).toEqual([
      "00",
      "7f",
      "8001",
      "808001",
      "ffffffff0f",
    ]);
  });

  it("writes vectors, bytes and text", () => {
    expect(written((w) => w.vector([1, 2], (o, value) => o.u8(value)))).toBe("020102");
    expect(written((w) => w.byteString(Uint8Array.of(9)).fixed(Uint8Array.of(8)).text("é"))).toBe(
      "01090802c3a9",
    );
  });

  it.each<[string, (writer: BcsWriter) => unknown]>([
    ["256 is not a u8", (w) => w.u8(256)],
    ["-1 is not a u8", (w) => w.u8(-1)],
    ["1.5 is not a u16", (w) => w.u16(1.5)],
    ["NaN is not a u32", (w) => w.u32(Number.NaN)],
    ["128 is not a i8", (w) => w.i8(128)],
    ["-1 is not a u64", (w) => w.u64(-1n)],
    ["18446744073709551616 is not a u64", (w) => w.u64(1n << 64n)],
    ["9223372036854775808 is not a i64", (w) => w.i64(1n << 63n)],
    ["is not a u256", (w) => w.u256(1n << 256n)],
    ["4294967296 is not a u32", (w) => w.uleb(2 ** 32)],
    ["sequence of 2147483648 elements is too long", (w) => w.count(2 ** 31)],
    ["text has an unpaired surrogate", (w) => w.text("\ud800")],
  ])("refuses: %s", (message, write) => {
    expect(() => write(new BcsWriter())).toThrow(BcsError);
    expect(() => write(new BcsWriter())).toThrow(message);
  });

  it("grows at any byte, for every kind of value", () => {
    const pieces: [string, (writer: BcsWriter) => unknown][] = [
      ["07", (w) => w.u8(7)],
      ["ff", (w) => w.i8(-1)],
      ["0700", (w) => w.u16(7)],
      ["07000000", (w) => w.u32(7)],
      ["0700000000000000", (w) => w.u64(7n)],
      ["8001", (w) => w.uleb(128)],
      ["020909", (w) => w.byteString(Uint8Array.of(9, 9))],
    ];
    for (let filled = 0; filled <= 40; filled++) {
      for (const [expected, write] of pieces) {
        const writer = new BcsWriter(16);
        for (let i = 0; i < filled; i++) writer.u8(i);
        write(writer);
        expect(toHex(writer.take()).slice(2 * filled)).toBe(expected);
        expect(writer.length).toBe(filled + expected.length / 2);
      }
    }
  });

  it("counts containers up to 500", () => {
    const writer = new BcsWriter();
    for (let i = 0; i < 500; i++) writer.nest();
    expect(() => writer.nest()).toThrow("nested deeper than 500 containers");
  });
});
