// The limits and version rules of the format, one by one, on files built by hand.
import { describe, expect, it } from "vitest";
import { timesYardstick } from "../../../test/support/yardstick.ts";
import { finish } from "../../base/pieces.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { MoveError } from "../errors.ts";
import { MAX_BYTECODE_BYTES } from "./directory.ts";
import { readModule, readModuleFile, readScript, readScriptFile } from "./reader.ts";

type Bytes = readonly number[] | Uint8Array;
type Tables = Readonly<Record<number, Bytes>>;

interface FileParts {
  readonly version?: number;
  readonly word?: number;
  readonly tables: Tables;
  readonly tail: Bytes;
}

function file({ version = 10, word = version, tables, tail }: FileParts): Uint8Array {
  const writer = new BcsWriter();
  writer.fixed(Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b)).u32(word);
  const entries = Object.entries(tables);
  writer.uleb(entries.length);
  let offset = 0;
  for (const [kind, bytes] of entries) {
    writer.u8(Number(kind)).uleb(offset).uleb(bytes.length);
    offset += bytes.length;
  }
  for (const [, bytes] of entries) writer.fixed(bytes instanceof Uint8Array ? bytes : Uint8Array.from(bytes));
  return writer.fixed(Uint8Array.from(tail)).take();
}

const address = new Array<number>(32).fill(1);

/** A module `m` with more tables; identifier 0 is its name. */
function moduleFile(tables: Tables, version = 10): Uint8Array {
  return file({ version, tables: { 1: [0, 0], 7: [1, 0x6d], 8: address, ...tables }, tail: [0] });
}

function statusOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    if (!(error instanceof MoveError) || error.code !== "bytecode") throw error;
    return error.details.status;
  }
  return "ok";
}

const moduleStatus = (tables: Tables, version = 10) =>
  statusOf(() => readModule(moduleFile(tables, version)));
const repeat = (count: number, ...bytes: number[]): number[] => new Array<number[]>(count).fill(bytes).flat();

describe("header", () => {
  it("knows versions 1 to 10 under the flavour mask", () => {
    const words: [number, string][] = [
      [0x0a000005, "ok"],
      [0x0000000a, "ok"],
      [0x0800000a, "ok"],
      [0x0200000a, "ok"],
      [0x0100000a, "UNKNOWN_VERSION"],
      [0x0500000a, "UNKNOWN_VERSION"],
      [0, "UNKNOWN_VERSION"],
      [0x0a000000, "UNKNOWN_VERSION"],
      [11, "UNKNOWN_VERSION"],
      [0xffffffff, "UNKNOWN_VERSION"],
    ];
    for (let version = 1; version <= 10; version++) words.push([version, "ok"]);
    for (const [word, status] of words) {
      const bytes = file({ word, tables: { 1: [0, 0], 7: [1, 0x6d], 8: address }, tail: [0] });
      expect([word, statusOf(() => readModule(bytes))]).toEqual([word, status]);
    }
  });

  it("requires the magic", () => {
    expect(statusOf(() => readModule(new Uint8Array()))).toBe("BAD_MAGIC");
    expect(statusOf(() => readModule(Uint8Array.of(0xa1, 0x1c, 0xeb)))).toBe("BAD_MAGIC");
    expect(statusOf(() => readModule(Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b, 10)))).toBe("MALFORMED");
  });

  const withDirectory = (...directory: number[]) =>
    statusOf(() =>
      readModule(
        Uint8Array.from([0xa1, 0x1c, 0xeb, 0x0b, 10, 0, 0, 0, ...directory, 0, 0, 1, 0x6d, ...address, 0]),
      ),
    );

  it("requires tables that cover the contents exactly, in any order", () => {
    expect(withDirectory(3, 1, 0, 2, 7, 2, 2, 8, 4, 32)).toBe("ok");
    expect(withDirectory(3, 8, 4, 32, 7, 2, 2, 1, 0, 2)).toBe("ok");
    expect(withDirectory(3, 1, 0, 2, 7, 3, 1, 8, 4, 32)).toBe("BAD_HEADER_TABLE");
    expect(withDirectory(3, 1, 0, 3, 7, 2, 2, 8, 4, 32)).toBe("BAD_HEADER_TABLE");
    expect(withDirectory(4, 1, 0, 2, 6, 2, 0, 7, 2, 2, 8, 4, 32)).toBe("BAD_HEADER_TABLE");
    expect(withDirectory(3, 1, 0, 2, 7, 2, 2, 7, 4, 32)).toBe("DUPLICATE_TABLE");
    expect(withDirectory(3, 1, 0, 2, 9, 2, 2, 8, 4, 32)).toBe("UNKNOWN_TABLE_TYPE");
    expect(withDirectory(3, 1, 0, 2, 0, 2, 2, 8, 4, 32)).toBe("UNKNOWN_TABLE_TYPE");
    expect(withDirectory(3, 1, 0, 2, 0x15, 2, 2, 8, 4, 32)).toBe("UNKNOWN_TABLE_TYPE");
    expect(withDirectory(3, 1, 0, 2, 7, 2, 2, 8, 4, 0xff, 0xff, 0xff, 0xff, 0x0f)).toBe("BAD_HEADER_TABLE");
    expect(withDirectory(3, 1, 0, 2, 7, 2, 2, 8, 4, 34)).toBe("MALFORMED");
    expect(withDirectory(0)).toBe("NO_MODULE_HANDLES");
  });

  it("requires numbers in their shortest form and within 64 bits", () => {
    expect(withDirectory(0x83, 0, 1, 0, 2, 7, 2, 2, 8, 4, 32)).toBe("MALFORMED");
    expect(withDirectory(...repeat(9, 0xff), 0x02)).toBe("MALFORMED");
    expect(withDirectory(...repeat(10, 0x80), 0x01)).toBe("MALFORMED");
  });

  it("knows the first version of each table, and which tables only modules have", () => {
    const friend = { 15: [0, 0] };
    expect(moduleStatus(friend, 1)).toBe("MALFORMED");
    expect(moduleStatus(friend, 2)).toBe("ok");
    const metadata = { 16: [1, 0x61, 0] };
    expect(moduleStatus(metadata, 4)).toBe("MALFORMED");
    expect(moduleStatus(metadata, 5)).toBe("ok");
    for (const kind of [0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x11, 0x12, 0x13, 0x14]) {
      const bytes = file({ tables: { 5: [0], [kind]: [0] }, tail: [0, 0, 1, 0, 1, 2] });
      expect(statusOf(() => readScript(bytes))).toBe("MALFORMED");
    }
  });

  it("reads up to a megabyte", () => {
    const tooLong = new Uint8Array(MAX_BYTECODE_BYTES + 1);
    tooLong.set(moduleFile({}));
    expect(statusOf(() => readModule(tooLong))).toBe("CODE_TOO_LARGE");
    expect(finish(readModuleFile(tooLong.subarray(0, MAX_BYTECODE_BYTES))).end).toBe(55);
  });
});

describe("names", () => {
  const named = (name: string, version: number) =>
    moduleStatus({ 7: [1, 0x6d, name.length, ...Buffer.from(name, "latin1")] }, version);

  it("are identifiers of at most 255 characters", () => {
    for (const name of ["a", "Z9_", "_0", "<SELF>", "<SELF>_12", "x".repeat(127)])
      expect(named(name, 5)).toBe("ok");
    for (const name of ["", "_", "$", "9a", "a-b", "<SELF>_", "<SELF>x", "\xe9", "a\x00"]) {
      expect(named(name, 10)).toBe("MALFORMED");
    }
    const long = (length: number) =>
      moduleStatus({ 7: [1, 0x6d, ...new BcsWriter().text("x".repeat(length)).take()] });
    expect(long(255)).toBe("ok");
    expect(long(256)).toBe("MALFORMED");
  });

  it("may hold a dollar sign from version 9 on", () => {
    expect(named("pack$S", 8)).toBe("MALFORMED");
    expect(named("pack$S", 9)).toBe("ok");
    expect(named("$a", 9)).toBe("ok");
  });
});

describe("types", () => {
  const signature = (bytes: readonly number[], version = 10, structs: Tables = {}) =>
    moduleStatus({ ...structs, 5: [1, ...bytes] }, version);

  it("nest 256 levels deep", () => {
    expect(signature([...repeat(255, 0x0a), 0x02])).toBe("ok");
    expect(signature([...repeat(256, 0x0a), 0x02])).toBe("MALFORMED");
    expect(signature([...repeat(255, 0x10, 0, 1, 0), 0x02])).toBe("ok");
    expect(signature([...repeat(256, 0x10, 0, 1, 0), 0x02])).toBe("MALFORMED");
  });

  it("are refused before the version that introduced them", () => {
    const since: [number, number[]][] = [
      [1, [0x01, 0x02, 0x03, 0x04, 0x05, 0x0c]],
      [6, [0x0d, 0x0e, 0x0f]],
      [9, [0x11, 0x12, 0x13, 0x14, 0x15, 0x16]],
    ];
    for (const [from, tags] of since) {
      for (const tag of tags) {
        for (let version = 1; version <= 10; version++) {
          expect([tag, version, signature([tag], version)]).toEqual([
            tag,
            version,
            version < from ? "MALFORMED" : "ok",
          ]);
        }
      }
    }
    expect(signature([0x10, 0, 0, 0], 7)).toBe("MALFORMED");
    expect(signature([0x10, 0, 0, 0], 8)).toBe("ok");
    for (const tag of [0x00, 0x17, 0xff]) expect(signature([tag])).toBe("UNKNOWN_SERIALIZED_TYPE");
  });

  it("have parameters up to 65535 and lists up to 255", () => {
    expect(signature([0x09, 0xff, 0xff, 0x03])).toBe("ok");
    expect(signature([0x09, 0x80, 0x80, 0x04])).toBe("MALFORMED");
    expect(moduleStatus({ 5: [0xff, 0x01, ...repeat(255, 2)] })).toBe("ok");
    expect(moduleStatus({ 5: [0x80, 0x02, ...repeat(256, 2)] })).toBe("MALFORMED");
  });

  it("give structs the declared number of arguments", () => {
    const structs = { 2: [0, 0, 15, 0, 0, 0, 0, 2, 0, 0, 15, 1] };
    expect(signature([0x08, 0], 10, structs)).toBe("ok");
    expect(signature([0x08, 1], 10, structs)).toBe("NUMBER_OF_TYPE_ARGUMENTS_MISMATCH");
    expect(signature([0x08, 2], 10, structs)).toBe("INDEX_OUT_OF_BOUNDS");
    expect(signature([0x0b, 1, 2, 2, 2], 10, structs)).toBe("ok");
    expect(signature([0x0b, 1, 1, 2], 10, structs)).toBe("NUMBER_OF_TYPE_ARGUMENTS_MISMATCH");
    expect(signature([0x0b, 0, 0], 10, structs)).toBe("MALFORMED");
    expect(moduleStatus({ 2: [0, 0, 16, 0] })).toBe("MALFORMED");
    expect(moduleStatus({ 2: [0, 0, 0, 1, 0, 2] })).toBe("MALFORMED");
  });
});

describe("definitions", () => {
  const struct = { 2: [0, 0, 0, 1, 0, 0] };

  it("refuse unknown tags, bad variant counts and undeclared type parameters", () => {
    const defined = (bytes: readonly number[], version = 10) =>
      moduleStatus({ ...struct, 10: bytes }, version);
    expect(defined([0, 1])).toBe("ok");
    expect(defined([0, 2, 0])).toBe("ok");
    expect(defined([0, 2, 1, 0, 0x09, 0])).toBe("ok");
    expect(defined([0, 2, 1, 0, 0x09, 1])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(defined([0, 2, 1, 1, 0x02])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(defined([1, 1])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(defined([0, 4])).toBe("UNKNOWN_NATIVE_STRUCT_FLAG");
    expect(defined([0, 3, 1, 0, 0])).toBe("ok");
    expect(defined([0, 3, 1, 0, 0], 6)).toBe("UNKNOWN_NATIVE_STRUCT_FLAG");
    expect(defined([0, 3, 0])).toBe("ZERO_VARIANTS_ERROR");
    expect(defined([0, 3, 0x80, 0x01, ...repeat(128, 0, 0)])).toBe("MALFORMED");
    expect(defined([0, 3, 0x7f, ...repeat(127, 0, 0)])).toBe("ok");
  });

  it("refuse handles of fields and variants that their owner does not have", () => {
    const tables = { ...struct, 5: [0], 10: [0, 2, 1, 0, 2, 0, 3, 2, 0, 0, 0, 1, 0, 2] };
    expect(moduleStatus({ ...tables, 13: [0, 0] })).toBe("ok");
    expect(moduleStatus({ ...tables, 13: [0, 1] })).toBe("INDEX_OUT_OF_BOUNDS");
    expect(moduleStatus({ ...tables, 13: [1, 0] })).toBe("INDEX_OUT_OF_BOUNDS");
    expect(moduleStatus({ ...tables, 17: [1, 0, 1, 1] })).toBe("ok");
    expect(moduleStatus({ ...tables, 17: [1, 0, 1, 0] })).toBe("INDEX_OUT_OF_BOUNDS");
    expect(moduleStatus({ ...tables, 17: [1, 0, 1, 2] })).toBe("INDEX_OUT_OF_BOUNDS");
    expect(moduleStatus({ ...tables, 17: [1, 0, 0] })).toBe("ZERO_VARIANTS_ERROR");
    expect(moduleStatus({ ...tables, 19: [1, 1] })).toBe("ok");
    expect(moduleStatus({ ...tables, 19: [0, 0] })).toBe("INDEX_OUT_OF_BOUNDS");
    for (const [kind, of] of [
      [0x0b, 0x0a],
      [0x0e, 0x0d],
      [0x12, 0x11],
      [0x14, 0x13],
    ] as const) {
      const handles: Tables = { 13: [0, 0], 17: [1, 0, 1, 1], 19: [1, 1] };
      const with_ = { ...tables, ...(handles[of] === undefined ? {} : { [of]: handles[of] }) };
      expect(moduleStatus({ ...with_, [kind]: [0, 0] })).toBe("ok");
      expect(moduleStatus({ ...with_, [kind]: [2, 0] })).toBe("INDEX_OUT_OF_BOUNDS");
      expect(moduleStatus({ ...with_, [kind]: [0, 1] })).toBe("INDEX_OUT_OF_BOUNDS");
    }
  });

  const handle = (version: number) =>
    version >= 8 ? [0, 0, 0, 0, 0, 1, 0] : version === 7 ? [0, 0, 0, 0, 0, 1] : [0, 0, 0, 0, 0];
  const functionFile = (definition: readonly number[], version = 10) =>
    moduleFile({ 3: handle(version), 5: [0], 12: definition }, version);
  const functionStatus = (definition: readonly number[], version = 10) =>
    statusOf(() => readModule(functionFile(definition, version)));

  it("know the visibilities and flags of every version", () => {
    expect(functionStatus([0, 2, 2, 0])).toBe("MALFORMED");
    expect(functionStatus([0, 4, 2, 0])).toBe("MALFORMED");
    expect(functionStatus([0, 1, 8, 0])).toBe("INVALID_FLAG_BITS");
    expect(functionStatus([0, 1, 1, 0])).toBe("INVALID_FLAG_BITS");
    expect(functionStatus([0, 1, 6, 0], 4)).toBe("INVALID_FLAG_BITS");
    expect(functionStatus([0, 4, 0], 1)).toBe("INVALID_FLAG_BITS");
    const read = (definition: readonly number[], version: number) => {
      const fun = readModule(functionFile(definition, version)).functions[0];
      return [fun?.visibility, fun?.isEntry];
    };
    expect(read([0, 0, 2, 0], 5)).toEqual(["private", false]);
    expect(read([0, 1, 6, 0], 5)).toEqual(["public", true]);
    expect(read([0, 3, 6, 0], 5)).toEqual(["friend", true]);
    expect(read([0, 2, 2, 0], 4)).toEqual(["public", true]);
    expect(read([0, 3, 0], 1)).toEqual(["public", false]);
    expect(read([0, 2, 0], 1)).toEqual(["private", false]);
  });

  it("refuse functions that refer to undeclared types, locals or code", () => {
    expect(functionStatus([0, 1, 0, 0, 0, 1, 2])).toBe("ok");
    expect(functionStatus([0, 1, 0, 0, 0, 0])).toBe("ok");
    expect(functionStatus([1, 1, 2, 0])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(functionStatus([0, 1, 2, 1, 0])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(functionStatus([0, 1, 0, 0, 1, 1, 2])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(functionStatus([0, 1, 0, 0, 0, 1, 5, 0])).toBe("ok");
    expect(functionStatus([0, 1, 0, 0, 0, 1, 5, 1])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(functionStatus([0, 1, 0, 0, 0, 1, 0x0a, 0])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(functionStatus([0, 1, 0, 0, 0, 2, 2])).toBe("MALFORMED");
    // Type parameters of signatures belong to the function that uses them.
    const generic = { 3: [0, 0, 1, 0, 0, 1, 0], 5: [0, 1, 0x09, 0] };
    expect(moduleStatus(generic)).toBe("INDEX_OUT_OF_BOUNDS");
    expect(moduleStatus({ ...generic, 3: [0, 0, 1, 0, 1, 0, 1, 0] })).toBe("ok");
    const body = (typeParams: readonly number[], code: readonly number[]) =>
      moduleStatus({
        3: [0, 0, 0, 0, ...typeParams, 1, 0],
        4: [0, 1],
        5: [0, 1, 0x09, 0],
        12: [0, 1, 0, 0, ...code],
      });
    expect(body([1, 0], [0, 2, 0x38, 0, 2])).toBe("ok");
    expect(body([0], [0, 2, 0x38, 0, 2])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(body([0], [0, 2, 0x41, 1, 2])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(body([0], [1, 1, 2])).toBe("INDEX_OUT_OF_BOUNDS");
    expect(body([1, 0], [1, 1, 2])).toBe("ok");
  });

  it("count parameters and locals together", () => {
    const locals = (params: number, more: number) =>
      moduleStatus({
        3: [0, 0, 0, 2, 0, 1, 0],
        5: [...uleb(params), ...repeat(params, 2), ...uleb(more), ...repeat(more, 2), 0],
        12: [0, 1, 0, 0, 1, 1, 2],
      });
    expect(locals(200, 55)).toBe("ok");
    expect(locals(200, 56)).toBe("TOO_MANY_LOCALS");
  });

  it("read access specifiers and attributes without resolving them", () => {
    const extras = (bytes: readonly number[], version = 10) =>
      moduleStatus({ 3: [0, 0, 0, 0, 0, ...bytes], 5: [0] }, version);
    expect(extras([1, 0])).toBe("ok");
    expect(extras([2, 0, 0])).toBe("ok");
    expect(extras([2, 1, 1, 2, 5, 0xff, 0x7f, 9, 3, 7, 2, 99, 0])).toBe("ok");
    expect(extras([2, 1, 2, 1, 1, 2, 5, 0])).toBe("ok");
    expect(extras([0, 0])).toBe("MALFORMED");
    expect(extras([2, 1, 3, 1, 1, 1, 0])).toBe("MALFORMED");
    expect(extras([2, 1, 1, 0, 1, 1, 0])).toBe("MALFORMED");
    expect(extras([2, 1, 1, 1, 6, 1, 0])).toBe("MALFORMED");
    expect(extras([2, 1, 1, 1, 1, 4, 0])).toBe("MALFORMED");
    expect(extras([2, 65, ...repeat(65, 1, 1, 1, 1), 0])).toBe("MALFORMED");
    expect(extras([1, 2, 1, 2])).toBe("ok");
    expect(extras([1, 5, 3, 5, 4, 0, 0, 9, 1, 1, 6, 2, 2])).toBe("ok");
    expect(extras([1, 1, 3], 9)).toBe("MALFORMED");
    expect(extras([1, 1, 10])).toBe("MALFORMED");
    expect(extras([1, 17, ...repeat(17, 1)])).toBe("MALFORMED");
  });
});

describe("instructions", () => {
  // First and last opcode, bytes of the operand when every index is 0, and the version that introduced them.
  const SETS: readonly (readonly [from: number, to: number, operandBytes: number, since: number])[] = [
    [0x01, 0x02, 0, 1],
    [0x03, 0x05, 1, 1],
    [0x06, 0x06, 8, 1],
    [0x07, 0x07, 1, 1],
    [0x08, 0x09, 0, 1],
    [0x0a, 0x13, 1, 1],
    [0x14, 0x28, 0, 1],
    [0x29, 0x2d, 1, 1],
    [0x2e, 0x30, 0, 1],
    [0x31, 0x31, 1, 1],
    [0x32, 0x32, 16, 1],
    [0x33, 0x35, 0, 1],
    [0x36, 0x3f, 1, 1],
    [0x40, 0x40, 9, 4],
    [0x41, 0x45, 1, 4],
    [0x46, 0x46, 9, 4],
    [0x47, 0x47, 1, 4],
    [0x48, 0x48, 2, 6],
    [0x49, 0x49, 4, 6],
    [0x4a, 0x4a, 32, 6],
    [0x4b, 0x4d, 0, 6],
    [0x4e, 0x57, 1, 7],
    [0x58, 0x59, 2, 8],
    [0x5a, 0x5a, 1, 8],
    [0x5b, 0x5b, 1, 9],
    [0x5c, 0x5c, 2, 9],
    [0x5d, 0x5d, 4, 9],
    [0x5e, 0x5e, 8, 9],
    [0x5f, 0x5f, 16, 9],
    [0x60, 0x60, 32, 9],
    [0x61, 0x67, 0, 9],
    [0x68, 0x68, 0, 10],
  ];

  function script(version: number, code: readonly number[]): Uint8Array {
    const extras = version >= 8 ? [1, 0] : version === 7 ? [1] : [];
    const tables = {
      1: [0, 0],
      3: [0, 0, 0, 0, 0, ...extras],
      4: [0, 0],
      5: [0, 1, 2],
      6: [2, 1, 0],
      7: [1, 0x6d],
      8: address,
    };
    // One parameter, so that there is a local 0.
    return file({ version, tables, tail: [0, 1, ...(version >= 8 ? [1] : []), 0, 1, ...code] });
  }

  it("have the operands and the first version that the format defines", () => {
    let tried = 0;
    for (const [from, to, operandBytes, since] of SETS) {
      for (let code = from; code <= to; code++, tried++) {
        for (let version = 1; version <= 10; version++) {
          const bytes = script(version, [code, ...repeat(operandBytes, 0)]);
          const status = statusOf(() => readScript(bytes));
          expect([code, version, status]).toEqual([code, version, version < since ? "MALFORMED" : "ok"]);
          if (version < since) continue;
          expect(statusOf(() => readScript(bytes.subarray(0, -1)))).not.toBe("ok");
          expect(finish(readScriptFile(Buffer.concat([bytes, Buffer.alloc(40)]))).end).toBe(bytes.length);
        }
      }
    }
    expect(tried).toBe(104);
  });

  it("end at 0x68", () => {
    for (const code of [0x00, 0x69, 0x80, 0xff]) {
      expect(statusOf(() => readScript(script(10, [code, 0, 0])))).toBe("UNKNOWN_OPCODE");
    }
  });

  it("accept a capture mask of 64 bits and no more", () => {
    expect(statusOf(() => readScript(script(10, [0x58, 0, ...repeat(9, 0xff), 0x01])))).toBe("ok");
    expect(statusOf(() => readScript(script(10, [0x58, 0, ...repeat(9, 0xff), 0x02])))).toBe("MALFORMED");
  });
});

describe("version 1", () => {
  it("has kinds where later versions have abilities", () => {
    const abi = readModule(moduleFile({ 2: [0, 0, 1, 0, 0, 0, 2, 3, 1, 2, 3], 10: [0, 1, 1, 1] }, 1));
    expect(
      abi.structs.map(({ abilities, typeParams }) => [
        abilities,
        typeParams.map((param) => param.constraints),
      ]),
    ).toEqual([
      [["store", "key"], []],
      [
        ["copy", "drop", "store"],
        [[], ["copy", "drop"], ["key"]],
      ],
    ]);
    expect(moduleStatus({ 2: [0, 0, 3, 0] }, 1)).toBe("UNKNOWN_ABILITY");
    expect(moduleStatus({ 2: [0, 0, 0, 0] }, 1)).toBe("UNKNOWN_ABILITY");
    const bytes = file({ version: 1, tables: { 5: [0] }, tail: [3, 1, 2, 3, 0, 0, 1, 2] });
    expect(readScript(bytes).typeParams).toEqual([["store"], ["copy", "drop", "store"], ["store", "key"]]);
  });
});

describe("a megabyte of the smallest elements", () => {
  const available = MAX_BYTECODE_BYTES - 200;
  const MAX_YARDSTICKS = 8;
  const large = (...element: readonly number[]) =>
    Buffer.alloc(available - (available % element.length), Uint8Array.from(element));
  const files: Readonly<Record<string, () => Tables>> = {
    signatures: () => ({ 5: large(0) }),
    vectors: () => ({ 5: large(1, ...repeat(255, 0x0a), 2) }),
    references: () => ({ 5: large(1, ...repeat(255, 0x06), 2) }),
    parameters: () => ({ 5: large(0xff, 0x01, ...repeat(255, 0x09, 0xff, 0x7f)) }),
    names: () => ({ 7: large(3, 0x61, 0x62, 0x63) }),
    modules: () => ({ 1: large(0, 0) }),
    structs: () => ({ 2: large(0, 0, 0, 0) }),
    functions: () => ({ 3: large(0, 0, 0, 0, 0, 1, 0), 5: [0] }),
    constants: () => ({ 6: large(2, 0) }),
    friends: () => ({ 15: large(0, 0) }),
    "native structs": () => ({ 2: [0, 0, 0, 0], 10: large(0, 1) }),
    fields: () => ({ 2: [0, 0, 0, 0], 10: large(0, 2, 0xff, 0x01, ...repeat(255, 0, 2)) }),
    metadata: () => ({ 16: large(0, 0) }),
    bodies: () => ({ 3: [0, 0, 0, 0, 0, 1, 0], 5: [0], 12: large(0, 1, 0, 0, 0, 0) }),
  };

  for (const [name, tables] of Object.entries(files)) {
    it(`handles ${name} in bounded time`, async () => {
      const bytes = moduleFile(tables());
      expect(bytes.length).toBeGreaterThan(MAX_BYTECODE_BYTES - 1200);
      let status: unknown;
      const times = await timesYardstick(() => {
        status = statusOf(() => readModule(bytes));
      }, MAX_YARDSTICKS / 2);
      expect(status).toBeOneOf(["ok", "TABLE_TOO_LONG"]);
      expect(times).toBeLessThan(MAX_YARDSTICKS);
    });
  }

  it("stops at the last element that an index can reach", () => {
    expect(moduleStatus({ 5: repeat(65_536, 0) })).toBe("ok");
    expect(moduleStatus({ 5: repeat(65_537, 0) })).toBe("TABLE_TOO_LONG");
  });
});

function uleb(value: number): Uint8Array {
  return new BcsWriter().uleb(value).take();
}
