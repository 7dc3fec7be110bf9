import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../base/hex.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { parseAddress } from "./address.ts";
import { formatTypeTag, type TypeTag, typeTagCodec } from "./type-tag.ts";

const coin: TypeTag = {
  kind: "struct",
  struct: { address: parseAddress("0x1"), module: "coin", name: "Coin", typeArgs: [{ kind: "u8" }] },
};

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

  it("nest at most 500 containers", () => {
    const nested = (vectors: number) => new Uint8Array(vectors + 1).fill(6, 0, vectors).fill(1, vectors);
    expect(decodeWith(typeTagCodec, nested(499))).toBeDefined();
    expect(() => decodeWith(typeTagCodec, nested(500))).toThrow(BcsError);
    expect(() => decodeWith(typeTagCodec, nested(500))).toThrow("nested deeper than 500");
  });
});
