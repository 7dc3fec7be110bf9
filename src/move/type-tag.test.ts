import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../base/hex.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { parseAddress } from "./address.ts";
import { formatTypeTag, structTagCodec, type TypeTag, typeTagCodec } from "./type-tag.ts";

const coin = {
  kind: "struct",
  struct: { address: parseAddress("0x1"), module: "coin", name: "Coin", typeArgs: [{ kind: "u8" }] },
} as const satisfies TypeTag;

describe("type tags", () => {
  it("number the kinds as the chain does", () => {
    const kinds = [
      "bool",
      "u8",
      "u64",
      "u128",
      "address",
      "signer",
      undefined,
      undefined,
      "u16",
      "u32",
      "u256",
      undefined,
      "i8",
      "i16",
      "i32",
      "i64",
      "i128",
      "i256",
    ] as const;
    kinds.forEach((kind, number) => {
      if (kind === undefined) return;
      expect(encodeWith(typeTagCodec, { kind })).toEqual(Uint8Array.of(number));
      expect(decodeWith(typeTagCodec, Uint8Array.of(number))).toEqual({ kind });
    });
    expect(() => decodeWith(typeTagCodec, Uint8Array.of(18))).toThrow("unknown TypeTag variant 18");
  });

  it("write vectors, structs and functions", () => {
    expect(toHex(encodeWith(typeTagCodec, { kind: "vector", item: { kind: "u8" } }))).toBe("0601");
    expect(toHex(encodeWith(typeTagCodec, coin))).toBe(`07${"00".repeat(31)}0104636f696e04436f696e0101`);
    const fn: TypeTag = {
      kind: "function",
      args: [
        { as: "reference", type: { kind: "u8" } },
        { as: "mutable", type: { kind: "bool" } },
      ],
      results: [{ as: "value", type: { kind: "u64" } }],
      abilities: 3,
    };
    expect(toHex(encodeWith(typeTagCodec, fn))).toBe("0b0200010100010202" + "03");
    expect(formatTypeTag(fn)).toBe("|&u8, &mut bool|(u64) has copy + drop");
  });

  it("name the path to a fault", () => {
    const bytes = fromHex(`07${"00".repeat(31)}0104636f696e04436f696e02010612`);
    expect(() => decodeWith(typeTagCodec, bytes ?? new Uint8Array())).toThrow(
      "struct.typeArgs[1].item: unknown TypeTag variant 18 (at byte 46)",
    );
  });

  it("nest at most eight vectors, structs and functions", () => {
    const nested = (vectors: number) => new Uint8Array(vectors + 1).fill(6, 0, vectors).fill(1, vectors);
    const tag = decodeWith(typeTagCodec, nested(8));
    expect(encodeWith(typeTagCodec, tag)).toEqual(nested(8));
    const fault = "nested too deeply";
    expect(() => decodeWith(typeTagCodec, nested(9))).toThrow(BcsError);
    expect(() => decodeWith(typeTagCodec, nested(400))).toThrow(fault);
    expect(() => typeTagCodec.skip(new BcsReader(nested(9)))).toThrow(fault);
    expect(() => encodeWith(typeTagCodec, { kind: "vector", item: tag })).toThrow(fault);
    const struct: TypeTag = { kind: "struct", struct: { ...coin.struct, typeArgs: [tag] } };
    expect(() => encodeWith(typeTagCodec, struct)).toThrow(fault);
    expect(decodeWith(structTagCodec, encodeWith(structTagCodec, struct.struct))).toEqual(struct.struct);
    const fn: TypeTag = { kind: "function", args: [], results: [{ as: "value", type: tag }], abilities: 0 };
    expect(() => encodeWith(typeTagCodec, fn)).toThrow(fault);
    // A fault leaves nothing behind for the next tag.
    expect(decodeWith(typeTagCodec, nested(8))).toEqual(tag);
  });
});
