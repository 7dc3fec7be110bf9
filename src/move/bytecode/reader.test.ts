import { describe, expect, it } from "vitest";
import { moduleAbiText, moduleAbiToJson } from "../../../test/support/module-abi.ts";
import { hasShared, sharedJson } from "../../../test/support/shared.ts";
import { fromHex } from "../../base/hex.ts";
import { finish } from "../../base/pieces.ts";
import { countAbiJsonBytes } from "../abi-json.ts";
import { readModule, readModuleFile, readScriptFile } from "./reader.ts";

/** Drops the keys that the expected value does not have, at every depth. */
function withKeysOf(value: unknown, expected: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(expected)) {
    return value.map((item, i) => withKeysOf(item, expected[i]));
  }
  if (typeof value !== "object" || value === null || typeof expected !== "object" || expected === null) {
    return value;
  }
  const shape = expected as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => Object.hasOwn(shape, key))
      .map(([key, item]) => [key, withKeysOf(item, shape[key])]),
  );
}

describe.skipIf(!hasShared)("modules with a known ABI", () => {
  type Vector = { name: string; bytecode: string; abi: unknown };
  // This code runs even when the tests are skipped.
  const vectors = hasShared ? sharedJson<Vector[]>("vectors/module-abi.json") : [];

  it("has vectors", () => {
    expect(vectors.length).toBe(32);
  });

  for (const { name, bytecode, abi: expected } of vectors) {
    it(`reads ${name}`, () => {
      const bytes = fromHex(bytecode.slice(2))!;
      const { abi, end } = finish(readModuleFile(bytes));
      expect(end).toBe(bytes.length);
      const json = moduleAbiToJson(abi);
      // Text, so that the order of keys counts too.
      expect(JSON.stringify(withKeysOf(json, expected))).toBe(JSON.stringify(expected));
      expect(countAbiJsonBytes(abi)).toBe(JSON.stringify(json).length);
    });
  }
});

// A module of format version 10 with a friend, a struct, an enum, an entry function and a view function.
const DEMO =
  "a11ceb0b0a00000a0a01000202020a030c10051c0907253b0860201080011f0a9f01110cb001200fd001020000000108" +
  "000002030103000003000100010101000402030001010102060c0300010501030464656d6f07436f756e746572055368" +
  "6170650462756d7004726561640576616c756503446f74065371756172650473696465037461670370616c0000000000" +
  "00000000000000000000000000000000000000000000000000cafe126170746f733a3a6d657461646174615f76310b00" +
  "00010472656164010100000201050301030206000702080e090900000104000102060000000000000000270101000001" +
  "0206000000000000000027000a00";

const DEMO_ABI =
  '{"address":"0xcafe","name":"demo","friends":["0xcafe::pal"],"exposed_functions":[{"name":"bump",' +
  '"visibility":"public","is_entry":true,"is_view":false,"generic_type_params":[],"params":["&signer","u64"],' +
  '"return":[]},{"name":"read","visibility":"public","is_entry":false,"is_view":true,' +
  '"generic_type_params":[],"params":["address"],"return":["u64"]}],"structs":[{"name":"Counter",' +
  '"is_native":false,"is_event":false,"is_enum":false,"abilities":["key"],"generic_type_params":[],' +
  '"fields":[{"name":"value","type":"u64"}],"variants":[]},{"name":"Shape","is_native":false,' +
  '"is_event":false,"is_enum":true,"abilities":["copy","drop"],"generic_type_params":[{"constraints":' +
  '["copy","drop"]}],"fields":[],"variants":[{"name":"Dot","fields":[]},{"name":"Square","fields":' +
  '[{"name":"side","type":"u32"},{"name":"tag","type":"T0"}]}]}]}';

describe("a module of version 10", () => {
  const bytes = fromHex(DEMO)!;

  it("has its ABI", () => {
    const { abi, end } = finish(readModuleFile(bytes));
    expect(end).toBe(254);
    expect(abi.formatVersion).toBe(10);
    expect(moduleAbiText(abi)).toBe(DEMO_ABI);
  });

  it("reads the same from a view on a larger buffer, with bytes after the end", () => {
    const around = new Uint8Array(300).fill(0xff);
    around.set(bytes, 13);
    const [whole, part] = [bytes, around.subarray(13)].map((one) => finish(readModuleFile(one)));
    expect([part?.abi, part?.end]).toEqual([whole?.abi, whole?.end]);
    expect(readModule(around.subarray(13, 13 + 254))).toEqual(readModule(bytes));
  });

  it("fails at every truncation and names an offset inside the file", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readModule(bytes.subarray(0, length))).toThrow(
        expect.objectContaining({ name: "MoveError", code: "bytecode" }),
      );
    }
  });

  it("does not keep its input", () => {
    const copy = new Uint8Array(bytes);
    const abi = readModule(copy);
    copy.fill(0);
    expect(abi).toEqual(readModule(bytes));
  });
});

describe("scripts", () => {
  it("reads the smallest script, version 1", () => {
    const bytes = fromHex("a11ceb0b0100000001050001000000000102")!;
    const { abi, end } = finish(readScriptFile(bytes));
    expect(abi).toEqual({ typeParams: [], params: [] });
    expect(end).toBe(bytes.length);
  });

  it("refuses the tables of a module", () => {
    expect(() => finish(readScriptFile(fromHex(DEMO)!))).toThrow(
      /MALFORMED: a script has no table of kind 10 /,
    );
  });
});
