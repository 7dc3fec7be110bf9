import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter, RUNS } from "../../test/support/property.ts";
import { equalBytes } from "../base/bytes.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { readWhole } from "../bcs/codec.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { parseJson } from "../json/parse.ts";
import { MoveError } from "./errors.ts";
import type { FieldsLayout, Layout } from "./layout.ts";
import { INTEGER_RANGES, type IntegerName } from "./scalar-text.ts";
import { writeJsonValue } from "./value-json.ts";
import { type JsonValue, ValuePrinter } from "./value-print.ts";

const MAX_CHARACTERS = 100_000;

function fieldsOf(fields: Readonly<Record<string, Layout>>): FieldsLayout {
  const names = Object.keys(fields);
  return {
    fields: names.map((name) => ({ name, layout: fields[name] as Layout })),
    positions: new Map(names.map((name, i) => [name, i])),
  };
}

const structOf = (fields: Readonly<Record<string, Layout>>): Layout => ({
  kind: "struct",
  name: "0x1::m::S",
  ...fieldsOf(fields),
});

const SHAPE: Layout = {
  kind: "enum",
  name: "0x1::m::Shape",
  variants: [
    { name: "Dot", ...fieldsOf({}) },
    { name: "toString", ...fieldsOf({ _0: { kind: "u64" }, _1: { kind: "bool" } }) },
  ],
};

/** What it returns, or the error that it throws. */
function outcome<T>(run: () => T): T | unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** Prints whole and in pieces, which must agree: on the text, and on the error. */
function print(layout: Layout, hex: string, enums: "requests" | "answers" = "answers"): JsonValue {
  const bytes = fromHex(hex) ?? expect.unreachable(hex);
  const printer = (): ValuePrinter => new ValuePrinter({ enums, maxCharacters: MAX_CHARACTERS });
  const whole = (): JsonValue => readWhole(bytes, (reader) => printer().read(reader, layout));
  const inPieces = outcome(() =>
    readWhole(bytes, (reader) => [...printer().pieces(reader, layout)].join("")),
  );
  const expected = outcome(() => JSON.stringify(whole()));
  expect(inPieces).toEqual(expected);
  return whole();
}

function encode(layout: Layout, value: unknown): Uint8Array {
  const document = parseJson(Buffer.from(JSON.stringify(value)));
  const writer = new BcsWriter();
  writeJsonValue(writer, layout, { document, value: document.root, path: [] });
  return writer.take();
}

describe("a printed value", () => {
  const option = (item: Layout): Layout => ({ kind: "option", item });
  it.each<[string, Layout, string, unknown]>([
    ["bool", { kind: "bool" }, "01", true],
    ["u8", { kind: "u8" }, "ff", 255],
    ["u32", { kind: "u32" }, "ffffffff", 4_294_967_295],
    ["i16", { kind: "i16" }, "feff", -2],
    ["u64", { kind: "u64" }, "ff".repeat(8), "18446744073709551615"],
    ["i64", { kind: "i64" }, "ff".repeat(8), "-1"],
    ["u256", { kind: "u256" }, `${"00".repeat(31)}80`, `${1n << 255n}`],
    ["address", { kind: "address" }, `${"00".repeat(31)}0a`, "0xa"],
    ["bytes", { kind: "bytes" }, "020a0b", "0x0a0b"],
    ["no bytes", { kind: "bytes" }, "00", "0x"],
    ["String", { kind: "string" }, "066ec3a46d6500", "näme\0"],
    ["vector", { kind: "vector", item: { kind: "u16" } }, "0201000200", [1, 2]],
    ["none", option({ kind: "u64" }), "00", { vec: [] }],
    ["some", option({ kind: "bool" }), "0101", { vec: [true] }],
    ["some u8", option({ kind: "u8" }), "0105", { vec: "0x05" }],
    ["no u8", option({ kind: "u8" }), "00", { vec: "0x" }],
    ["Object inside", structOf({ inner: { kind: "address" } }), `${"00".repeat(31)}0a`, { inner: "0xa" }],
    ["a variant", SHAPE, `01${"05".padEnd(16, "0")}01`, { __variant__: "toString", _0: "5", _1: true }],
    ["a variant without fields", SHAPE, "00", { __variant__: "Dot" }],
  ])("has the form of the chain's own nodes: %s", (_name, layout, hex, expected) => {
    expect(JSON.stringify(print(layout, hex))).toBe(JSON.stringify(expected));
  });

  it("has enums in the form of requests if that is chosen", () => {
    expect(JSON.stringify(print(SHAPE, `01${"05".padEnd(16, "0")}01`, "requests"))).toBe(
      '{"toString":{"_0":"5","_1":true}}',
    );
  });

  it("keeps fields named __proto__ and constructor", () => {
    const u8: Layout = { kind: "u8" };
    const fields = Object.fromEntries(["constructor", "__proto__"].map((name) => [name, u8]));
    expect(JSON.stringify(print(structOf(fields), "0102"))).toBe('{"constructor":1,"__proto__":2}');
  });

  it.each<[Layout, string, string]>([
    [{ kind: "bool" }, "02", "a boolean is 0 or 1"],
    [{ kind: "string" }, "01ff", "not valid UTF-8"],
    [{ kind: "bytes" }, "8000", "not in its shortest form"],
    [option({ kind: "u8" }), "020102", "an Option holds at most one value, not 2"],
    [SHAPE, "02", "unknown 0x1::m::Shape variant 2"],
    [structOf({ a: { kind: "u8" }, b: { kind: "u64" } }), "0102", "b: needs 8 bytes, 1 left"],
    [{ kind: "u8" }, "0102", "1 bytes left over"],
    [{ kind: "vector", item: { kind: "u64" } }, "02".padEnd(18, "0"), "[1]: needs 8 bytes"],
  ])("is refused if the bytes do not fit its type: %#", (layout, hex, reason) => {
    expect(() => print(layout, hex)).toThrow(reason);
    expect(() => print(layout, hex)).toThrow(BcsError);
  });

  it("is bounded in size, even if items take no bytes", () => {
    const named = structOf({ ["n".repeat(200)]: { kind: "u8" } });
    const many = `e807${"00".repeat(1000)}`;
    expect(() => print({ kind: "vector", item: named }, many)).toThrow("too large to print");
    expect(() => print({ kind: "vector", item: structOf({}) }, "ffffffff07")).toThrow("too large to print");
    expect(print({ kind: "vector", item: structOf({}) }, "03")).toHaveLength(3);
  });

  it("comes in short pieces if it is long", () => {
    const printer = new ValuePrinter({ enums: "answers", maxCharacters: 10_000_000 });
    const layout: Layout = {
      kind: "vector",
      item: structOf({ x: { kind: "vector", item: { kind: "bool" } } }),
    };
    const item = "0400010001";
    const bytes = Buffer.from(`a09c01${item.repeat(20_000)}`, "hex");
    const pieces = [...printer.pieces(new BcsReader(bytes), layout)];
    expect(pieces.join("")).toBe(JSON.stringify(Array(20_000).fill({ x: [false, true, false, true] })));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(10_000);
  });

  it("keeps a field named as the mark of a variant", () => {
    const list: Layout = { kind: "vector", item: { kind: "bool" } };
    const layout: Layout = {
      kind: "enum",
      name: "E",
      variants: [{ name: "A", ...fieldsOf({ a: list, __variant__: list }) }],
    };
    expect(JSON.stringify(print(layout, "0001010100"))).toBe('{"__variant__":[false],"a":[true]}');
  });

  it("has the last of two fields with one name, in the place of the first", () => {
    const byte: Layout = { kind: "u8" };
    const fields = ["a", "b", "a"].map((name) => ({ name, layout: byte }));
    const layout: Layout = {
      kind: "struct",
      name: "0x1::m::S",
      fields,
      positions: new Map([
        ["a", 2],
        ["b", 1],
      ]),
    };
    expect(JSON.stringify(print(layout, "010203"))).toBe('{"a":3,"b":2}');
  });

  it.each(["vector", "option"] as const)("is bounded in depth: %s", (kind) => {
    const deep = (levels: number): Layout =>
      levels === 0 ? { kind: "bool" } : { kind, item: structOf({ x: deep(levels - 1) }) };
    expect(() => print(deep(32), `${"01".repeat(32)}01`)).not.toThrow();
    expect(() => print(deep(33), `${"01".repeat(33)}01`)).toThrow(MoveError);
    expect(() => print(deep(33), `${"01".repeat(33)}01`)).toThrow("nested too deep to print");
  });

  it("leaves the room to the next value when it is refused", () => {
    const printer = new ValuePrinter({ enums: "answers", maxCharacters: 10 });
    const read = (layout: Layout, hex: string): JsonValue =>
      printer.read(new BcsReader(Buffer.from(hex, "hex")), layout);
    expect(() => read({ kind: "bytes" }, `14${"00".repeat(20)}`)).toThrow("too large");
    expect(read({ kind: "bytes" }, "0101")).toBe("0x01");
    expect(() => read({ kind: "bytes" }, "0101")).toThrow("too large");
  });
});

const integers = Object.entries(INTEGER_RANGES).map(([kind, { min, max }]) =>
  fc.bigInt({ min, max }).map((value) => {
    const layout: Layout = { kind: kind as IntegerName };
    return { layout, value: Number(kind.slice(1)) <= 32 ? Number(value) : `${value}` };
  }),
);

interface Sample {
  readonly layout: Layout;
  readonly value: unknown;
}

/** A layout and a value of it in the form of requests. */
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    fc.boolean().map((value): Sample => ({ layout: { kind: "bool" }, value })),
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes): Sample => ({ layout: { kind: "address" }, value: `0x${toHex(bytes)}` })),
    fc
      .uint8Array({ maxLength: 9 })
      .map((bytes): Sample => ({ layout: { kind: "bytes" }, value: `0x${toHex(bytes)}` })),
    fc
      .string({ unit: anyCharacter, maxLength: 9 })
      .map((value): Sample => ({ layout: { kind: "string" }, value })),
    ...integers,
    fc.tuple(tie("sample"), fc.nat({ max: 3 })).map(([{ layout, value }, count]): Sample => {
      const items = Array.from({ length: count }, () => value);
      return layout.kind === "u8"
        ? { layout: { kind: "bytes" }, value: `0x${toHex(Uint8Array.from(items as number[]))}` }
        : { layout: { kind: "vector", item: layout }, value: items };
    }),
    fc.tuple(tie("sample"), fc.boolean()).map(([{ layout, value }, isSome]): Sample => {
      const items = isSome ? [value] : [];
      const vec = layout.kind === "u8" ? `0x${toHex(Uint8Array.from(items as number[]))}` : items;
      return { layout: { kind: "option", item: layout }, value: { vec } };
    }),
    fc.array(tie("sample"), { maxLength: 3, depthIdentifier: "value" }).map((parts): Sample => {
      const named = parts.map((part, i) => [`f${i}`, part] as const);
      return {
        layout: structOf(Object.fromEntries(named.map(([name, { layout }]) => [name, layout]))),
        value: Object.fromEntries(named.map(([name, { value }]) => [name, value])),
      };
    }),
    fc.tuple(tie("sample"), tie("sample")).map(([first, second]): Sample => {
      const layout: Layout = {
        kind: "enum",
        name: "E",
        variants: [
          { name: "A", ...fieldsOf({ x: first.layout }) },
          { name: "B", ...fieldsOf({ y: second.layout }) },
        ],
      };
      return { layout, value: { B: { y: second.value } } };
    }),
  ),
}));

describe("printing and encoding", () => {
  it("are inverse for every layout and value", () => {
    fc.assert(
      fc.property(sample, ({ layout, value }) => {
        const bytes = encode(layout, value);
        expect(encode(layout, print(layout, toHex(bytes), "requests"))).toEqual(bytes);
        print(layout, toHex(bytes), "answers");
      }),
      { numRuns: RUNS },
    );
  });

  it("give back damaged bytes or refuse them", () => {
    fc.assert(
      fc.property(sample, fc.nat(), ({ layout, value }, place) => {
        const bytes = Uint8Array.from(encode(layout, value));
        if (bytes.length === 0) return;
        const bit = place % (8 * bytes.length);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        try {
          const again = encode(layout, print(layout, toHex(bytes), "requests"));
          expect(equalBytes(again, bytes)).toBe(true);
        } catch (error) {
          if (!(error instanceof BcsError) && !(error instanceof MoveError)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  });
});
