import { describe, expect, it } from "vitest";
import { frameworkModules, loaderOf, moduleAbi, ONE, structAbi, structType } from "../../test/support/abi.ts";
import { toHex } from "../base/hex.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { parseJson } from "../json/parse.ts";
import type { AbiType } from "./abi.ts";
import { parseAddress } from "./address.ts";
import { MoveError } from "./errors.ts";
import { createParameterLayout, createValueLayout, MAX_LAYOUT_NODES } from "./layout.ts";
import { writeJsonValue } from "./value-json.ts";

const u8: AbiType = { kind: "u8" };
const u64: AbiType = { kind: "u64" };
const T0: AbiType = { kind: "parameter", index: 0 };
const T1: AbiType = { kind: "parameter", index: 1 };
const vector = (item: AbiType): AbiType => ({ kind: "vector", item });
const option = (item: AbiType): AbiType => structType("option", "Option", [item]);
const string = structType("string", "String");
const object = structType("object", "Object", [structType("coin", "Coin")]);
const missing = structType("none", "Such", [], parseAddress("0xdead"));

const things = moduleAbi(ONE, "things", {
  structs: [
    structAbi("Marker", 0, { fields: [{ name: "dummy_field", type: { kind: "bool" } }] }),
    structAbi("Pair", 2, {
      fields: [
        { name: "left", type: T0 },
        { name: "right", type: vector(T1) },
      ],
    }),
    structAbi("Odd", 0, {
      fields: [
        { name: "constructor", type: u8 },
        { name: "__proto__", type: u8 },
      ],
    }),
    structAbi("Shape", 0, {
      variants: [
        { name: "Dot", fields: [] },
        {
          name: "toString",
          fields: [
            { name: "_0", type: u64 },
            { name: "_1", type: u8 },
          ],
        },
      ],
    }),
    structAbi("Native", 0, { isNative: true }),
    structAbi("Wide", 1, { fields: Array.from({ length: 250 }, (_, i) => ({ name: `f${i}`, type: T0 })) }),
    structAbi("Loop", 0, { fields: [{ name: "next", type: vector(structType("things", "Loop")) }] }),
    structAbi("Closure", 0, {
      fields: [{ name: "f", type: { kind: "function", args: [], results: [], abilities: 0 } }],
    }),
  ],
});

async function encode(type: AbiType, json: string, form: "struct" | "enum" = "enum"): Promise<string> {
  const layout = await createParameterLayout(type, loaderOf([...frameworkModules(form), things]));
  const document = parseJson(Buffer.from(json));
  const writer = new BcsWriter();
  writeJsonValue(writer, layout, { document, value: document.root, path: ["x"] });
  return toHex(writer.take());
}

async function refusal(type: AbiType, json: string): Promise<string> {
  const error: unknown = await encode(type, json).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MoveError);
  return (error as MoveError).message;
}

const thing = (name: string, typeArgs: readonly AbiType[] = []): AbiType =>
  structType("things", name, typeArgs);

describe("writeJsonValue", () => {
  it.each<[string, AbiType, string, string]>([
    ["bool", { kind: "bool" }, "true", "01"],
    ["u16", { kind: "u16" }, "258", "0201"],
    ["minus zero", u8, "-0", "00"],
    ["i8", { kind: "i8" }, "-128", "80"],
    ["u64", u64, '"+018446744073709551615"', "ff".repeat(8)],
    ["i128", { kind: "i128" }, '"-1"', "ff".repeat(16)],
    ["address", { kind: "address" }, '"A"', `${"00".repeat(31)}0a`],
    ["bytes", vector(u8), '"0xAb01"', "02ab01"],
    ["bytes with escapes", vector(u8), '"\\u0030\\u0078ab"', "01ab"],
    ["bytes of a substituted type", thing("Pair", [u8, u8]), '{"left":1,"right":"0x02"}', "010102"],
    ["string", string, '"\\u00e9\\ud83d\\ude00/\\/"', "08c3a9f09f98802f2f"],
    ["empty vector", vector(u64), "[]", "00"],
    ["nested vectors", vector(vector({ kind: "bool" })), "[[true],[]]", "02010100"],
    ["none", option(u64), '{"vec":[]}', "00"],
    ["some", option(u64), '{"vec":["5"],"more":1}', "010500000000000000"],
    ["some of a u8", option(u8), '{"vec":"0x05"}', "0105"],
    ["some of none", option(option(u64)), '{"vec":[{"vec":[]}]}', "0100"],
    ["object as a parameter", object, '"0x2"', `${"00".repeat(31)}02`],
    ["object of nothing known", structType("object", "Object", [missing]), '"0x2"', `${"00".repeat(31)}02`],
    ["object inside", vector(object), '[{"inner":"0x2"}]', `01${"00".repeat(31)}02`],
    ["marker", thing("Marker"), '{"dummy_field":false}', "00"],
    ["struct in any order", thing("Pair", [u8, u64]), '{"right":[],"x":0,"left":7}', "0700"],
    ["last of repeated members", thing("Marker"), '{"dummy_field":1,"dummy_fiel\\u0064":true}', "01"],
    ["names of the language", thing("Odd"), '{"__proto__":2,"constructor":1}', "0102"],
    ["variant", thing("Shape"), '{"Dot":{}}', "00"],
    ["variant with fields", thing("Shape"), '{"toString":{"_1":9,"_0":"1"}}', "01010000000000000009"],
    ["repeated variant", thing("Shape"), '{"Dot":1,"Dot":{}}', "00"],
  ])("writes %s", async (_, type, json, expected) => {
    expect(await encode(type, json, "enum")).toBe(expected);
    expect(await encode(type, json, "struct")).toBe(expected);
  });

  it.each<[AbiType, string, string]>([
    [{ kind: "bool" }, '"true"', 'x: expected true or false, got "true"; write it without quotes'],
    [u8, '"5"', 'got "5"; write the number without quotes'],
    [u8, "1.0", "got 1.0; write digits only"],
    [u8, "1e0", "got 1e0; write digits only"],
    [u8, "256", "a JSON integer from 0 to 255 (u8), got 256"],
    [{ kind: "i8" }, "-129", "from -128 to 127"],
    [u64, "5", 'a string of decimal digits such as "5" (u64), got 5; put the number in quotes'],
    [u64, "null", "got null"],
    [u64, '"-1"', "it cannot be negative"],
    [{ kind: "address" }, "1", "got 1; put the address in quotes"],
    [{ kind: "address" }, '"0xg"', '"g" at position 2 is not a hex digit'],
    [object, '{"inner":"0x1"}', "write the address itself, without"],
    [vector(u8), "[1,2]", "write the bytes as one hex string"],
    [vector(u64), '"0x01"', "only vector<u8> is written as one string"],
    [vector(u64), '["1",2]', "x[1]: expected a string of decimal digits"],
    [string, "5", "expected a string, got 5; put it in quotes"],
    [option(u64), "null", 'write none as {"vec": []}'],
    [option(u64), '"5"', 'write it as {"vec": ["5"]}'],
    [option(u64), '["5"]', 'write it as {"vec": ["5"]}'],
    [option(u64), '{"Some":"5"}', 'the only member is "vec"'],
    [option(u64), '{"vec":["1","2"]}', "x.vec: an Option holds at most one value, got 2"],
    [option(u8), '{"vec":"0x0102"}', "an Option holds at most one value, got 2"],
    [option(u8), '{"vec":[5]}', 'write some as {"vec": "0x05"}'],
    [
      vector(object),
      '["0x2"]',
      'x[0]: expected an object with the fields of 0x1::object::Object: inner, got "0x2"',
    ],
    [vector(object), '["0x2"]', 'is written {"inner": "0x…"}'],
    [thing("Pair", [u8, u8]), '{"left":1}', "the field right is missing; its fields are left, right"],
    [thing("Pair", [u8, u8]), "[]", "an object with the fields of 0x1::things::Pair: left, right, got []"],
    [thing("Pair", [u8, u64]), '{"left":1,"right":["1",{}]}', "x.right[1]: expected a string"],
    [
      thing("Shape"),
      "{}",
      "an object with one member that names a variant of 0x1::things::Shape: Dot, toString",
    ],
    [thing("Shape"), '{"Dot":{},"toString":{}}', "an object with one member"],
    [thing("Shape"), '{"constructor":{}}', "an object with one member"],
    [thing("Shape"), '{"__variant__":"Dot"}', 'not {"__variant__": "Name", …}'],
    [thing("Shape"), '{"Dot":null}', "x.Dot: expected an object with the fields of the variant"],
    [thing("Shape"), '{"Dot":{"a":1}}', 'variant Dot has no field "a"; it has no fields'],
    [thing("Shape"), '{"toString":{"_0":"1"}}', "x.toString: the field _1 is missing"],
  ])("refuses %j %s", async (type, json, message) => {
    expect(await refusal(type, json)).toContain(message);
  });
});

describe("createParameterLayout", () => {
  it.each<[string, AbiType, string]>([
    ["a module that is not there", vector(missing), "the module of 0xdead::none::Such is not on chain"],
    ["a type argument that is not there", option(structType("object", "Object", [missing])), "not on chain"],
    ["a struct that is not there", thing("Nothing"), "has no struct or enum 0x1::things::Nothing"],
    ["too few type arguments", thing("Pair", [u8]), "0x1::things::Pair takes 2 type arguments, not 1"],
    ["a signer inside", vector({ kind: "signer" }), "no value can hold a signer"],
    ["a native struct", thing("Native"), "is native"],
    ["a reference", { kind: "reference", mutable: false, to: u8 }, "a reference cannot be given"],
    ["a function value", thing("Closure"), "a function value cannot be given as JSON"],
    ["an open type parameter", vector(T0), "T0 has no type to stand for"],
    ["a struct that holds itself", thing("Loop"), "it has more than 513 parts"],
  ])("refuses %s, whatever the value", async (_, type, message) => {
    expect(await refusal(type, "null")).toContain(message);
  });

  it("accepts 513 visited types and refuses 514", async () => {
    // A wide struct costs itself, its argument and 250 fields.
    const wide = thing("Wide", [u8]);
    const two = thing("Pair", [wide, wide]);
    // Two wide ones, the pair itself, and its fields: T0, vector, T1.
    expect(2 * 252 + 1 + 3).toBe(508);
    const nested = (levels: number): AbiType => (levels === 0 ? two : vector(nested(levels - 1)));
    expect(MAX_LAYOUT_NODES).toBe(513);
    expect(await refusal(nested(5), "null")).toContain("expected an array");
    expect(await refusal(nested(6), "null")).toContain("more than 513 parts");
  });
});

describe("enums as nodes print them", () => {
  const write = async (json: string, takesPrinted: boolean): Promise<string> => {
    const { layout } = await createValueLayout(structType("things", "Shape"), loaderOf([things]));
    const document = parseJson(Buffer.from(json));
    const writer = new BcsWriter(64);
    writeJsonValue(writer, layout, { document, value: document.root, path: ["value"], takesPrinted });
    return toHex(writer.take());
  };

  it.each([
    ['{"__variant__": "Dot"}', "00"],
    ['{"_1": 7, "__variant__": "toString", "_0": "5"}', "01050000000000000007"],
    ['{"toString": {"_0": "5", "_1": 7}}', "01050000000000000007"],
  ])("become bytes where the caller takes them: %s", async (json, expected) => {
    expect(await write(json, true)).toBe(expected);
  });

  it.each([
    ['{"__variant__": "Dot"}', false, "names a variant of 0x1::things::Shape: Dot, toString"],
    ['{"__variant__": "Line"}', true, "names a variant of 0x1::things::Shape: Dot, toString"],
    ['{"__variant__": 1}', true, "names a variant of 0x1::things::Shape: Dot, toString"],
    ['{"__variant__": "toString", "_0": "5"}', true, "value: the field _1 is missing"],
  ])("are refused: %s %s", async (json, takesPrinted, reason) => {
    await expect(write(json, takesPrinted)).rejects.toThrow(reason);
  });
});
