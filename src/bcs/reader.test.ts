import { describe, expect, it } from "vitest";
import { fromHex } from "../base/hex.ts";
import { BcsError } from "./errors.ts";
import { BcsReader } from "./reader.ts";
import { byteString, u8 } from "./scalars.ts";
import { map } from "./sequences.ts";

function reader(hex: string): BcsReader {
  return new BcsReader(fromHex(hex) ?? new Uint8Array());
}

/** Reads one value from a whole buffer. */
function whole<T>(bytes: Uint8Array, read: (reader: BcsReader) => T): T {
  const input = new BcsReader(bytes);
  const value = read(input);
  input.finish();
  return value;
}

function refusal(run: () => unknown): BcsError {
  try {
    run();
  } catch (error) {
    if (error instanceof BcsError) return error;
    throw error;
  }
  return expect.unreachable("it was accepted");
}

describe("BcsReader integers", () => {
  it("are little-endian, unsigned and signed", () => {
    expect(reader("80").u8()).toBe(128);
    expect(reader("3412").u16()).toBe(0x1234);
    expect(reader("ffffffff").u32()).toBe(0xffff_ffff);
    expect(reader("ffffffffffffffff").u64()).toBe((1n << 64n) - 1n);
    expect(reader(`01${"00".repeat(7)}02${"00".repeat(7)}`).u128()).toBe(1n + (2n << 64n));
    expect(reader(`01${"00".repeat(30)}80`).u256()).toBe(1n + (1n << 255n));
    expect(reader("80").i8()).toBe(-128);
    expect(reader("ffff").i16()).toBe(-1);
    expect(reader("00000080").i32()).toBe(-(2 ** 31));
    expect(reader("ffffffffffffffff").i64()).toBe(-1n);
    expect(reader(`${"00".repeat(15)}80`).i128()).toBe(-(1n << 127n));
    expect(reader("ff".repeat(32)).i256()).toBe(-1n);
  });

  it("need all their bytes", () => {
    expect(refusal(() => reader("00").u16()).message).toBe("needs 2 bytes, 1 left (at byte 0)");
    expect(refusal(() => reader("ff".repeat(31)).u256()).details).toMatchObject({ offset: 0 });
  });
});

describe("BcsReader ULEB128", () => {
  it.each([
    ["00", 0],
    ["7f", 127],
    ["8001", 128],
    ["ff7f", 16383],
    ["808004", 65536],
    ["ffffffff0f", 0xffff_ffff],
  ])("reads %s", (hex, value) =>
    expect(whole(fromHex(hex) ?? new Uint8Array(), (r) => r.uleb())).toBe(value),
  );

  it.each([
    ["8000", "not in its shortest form"],
    ["818000", "not in its shortest form"],
    ["8080808000", "not in its shortest form"],
    ["8080808010", "above u32"],
    ["ffffffff1f", "above u32"],
    ["808080808000", "longer than five bytes"],
    ["80", "needs 1 bytes, 0 left"],
    ["", "needs 1 bytes, 0 left"],
  ])("refuses %s", (hex, reason) => expect(refusal(() => reader(hex).uleb()).message).toContain(reason));
});

describe("BcsReader tags", () => {
  it("of booleans and options are 0 or 1", () => {
    expect([reader("00").bool(), reader("01").bool()]).toEqual([false, true]);
    expect([reader("00").some(), reader("01").some()]).toEqual([false, true]);
    for (let tag = 2; tag < 256; tag++) {
      const tagged = (): BcsReader => new BcsReader(Uint8Array.of(tag));
      expect(refusal(() => tagged().bool()).message).toBe(`a boolean is 0 or 1, not ${tag} (at byte 0)`);
      expect(refusal(() => tagged().some()).message).toBe(`an option tag is 0 or 1, not ${tag} (at byte 0)`);
    }
  });

  it("of enums are below the number of variants", () => {
    expect(reader("02").variant(3, "Colour")).toBe(2);
    expect(refusal(() => reader("03").variant(3, "Colour")).message).toBe(
      "unknown Colour variant 3 (at byte 0)",
    );
  });
});

describe("BcsReader text", () => {
  it("keeps every character, a byte order mark too", () => {
    expect(reader("06efbbbf68c3a9").text()).toBe("\ufeffhé");
  });

  it.each(["01ff", "02c080", "03eda080", "04f4908080", "02c328", "01c3"])(
    "refuses %s, read or skipped",
    (hex) => {
      const message = "text is not valid UTF-8 (at byte 0)";
      expect(refusal(() => reader(hex).text()).message).toBe(message);
      expect(refusal(() => reader(hex).skipText()).message).toBe(message);
    },
  );
});

describe("BcsReader sequences", () => {
  it("check the count against the bytes left before anything is made from it", () => {
    expect(refusal(() => reader("ffffff7f00").vector((r) => r.u8())).message).toBe(
      "268435455 elements need at least 268435455 bytes, 1 left (at byte 0)",
    );
    expect(refusal(() => reader("0300").vector((r) => r.u64(), 8)).message).toContain(
      "at least 24 bytes, 1 left",
    );
    expect(refusal(() => reader("8080808008").count()).message).toContain("too long");
    expect(refusal(() => reader("05aabb").byteString()).message).toContain(
      "5 elements need at least 5 bytes",
    );
    expect(refusal(() => reader("05aabb").skipByteString()).message).toContain(
      "5 elements need at least 5 bytes",
    );
  });

  it("hand out views, not copies", () => {
    const bytes = Uint8Array.of(2, 7, 8);
    const view = new BcsReader(bytes).byteString();
    expect(view).toEqual(Uint8Array.of(7, 8));
    expect(view.buffer).toBe(bytes.buffer);
  });
});

describe("maps", () => {
  const readMap = (hex: string) => map(byteString, u8).read(reader(hex));

  it("demand keys that strictly increase by their bytes", () => {
    expect(readMap("020161000162" + "01")).toHaveLength(2);
    expect(refusal(() => readMap("02016200016101")).message).toBe(
      "[1]: map keys are not strictly increasing (at byte 4)",
    );
    expect(refusal(() => readMap("02016100016101")).message).toContain("not strictly increasing");
    // The length byte is part of the key, so a longer key sorts after a shorter one.
    expect(readMap("02016200026161" + "00")).toHaveLength(2);
  });
});

describe("BcsReader as a whole", () => {
  it("refuses bytes left over", () => {
    expect(refusal(() => whole(Uint8Array.of(1, 2, 3), (r) => r.u8())).message).toBe(
      "2 bytes left over (at byte 1)",
    );
  });

  it("reads a view at an offset and never past its end", () => {
    const view = Uint8Array.of(9, 9, 1, 2, 9, 9).subarray(2, 4);
    expect(whole(view, (r) => r.u16())).toBe(0x0201);
    expect(refusal(() => whole(view, (r) => r.u32())).message).toContain("needs 4 bytes, 2 left");
  });

  it("names the path and the offset of a fault", () => {
    const error = refusal(() =>
      whole(Uint8Array.of(0, 2, 1, 5), (r) => {
        r.u8();
        r.field("payload", (p) => p.field("args", (a) => a.vector((item) => item.bool())));
      }),
    );
    expect(error.message).toBe("payload.args[1]: a boolean is 0 or 1, not 5 (at byte 3)");
    expect(error.code).toBe("bcs");
    expect(error.details).toEqual({
      reason: "a boolean is 0 or 1, not 5",
      path: "payload.args[1]",
      offset: 3,
    });
  });

  it("counts containers up to 500", () => {
    const r = reader("");
    for (let i = 0; i < 500; i++) r.nest();
    expect(refusal(() => r.nest()).message).toContain("nested deeper than 500 containers");
  });
});
