import { describe, expect, it } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import type { ModuleDefinition } from "../../scripts/local-chain-modules/definition.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { countAbiJsonBytes, MAX_ABI_JSON_BYTES } from "../../src/move/abi-json.ts";
import { parseAddress } from "../../src/move/address.ts";
import { estimateAbiBytes } from "../../src/move/bytecode/abi-size.ts";
import { formatAbiType } from "../../src/move/bytecode/abi-text.ts";
import { readModule } from "../../src/move/bytecode/reader.ts";
import { MoveError } from "../../src/move/errors.ts";
import { moduleAbiText, moduleAbiToJson } from "../support/module-abi.ts";
import { timesYardstick } from "../support/yardstick.ts";

const self = { address: parseAddress("0xcafe"), name: "demo" };

/** Many functions that share one signature of 255 types with the longest names. */
function amplifier(functions: number): ModuleDefinition {
  const name = "N".repeat(255);
  const address = parseAddress(`0x${"f".repeat(64)}`);
  const imports = [{ address, module: "M".repeat(255), name, abilities: [], typeParams: [] }];
  const type: AbiType = { kind: "struct", address, module: "M".repeat(255), name, typeArgs: [] };
  const params = new Array<AbiType>(255).fill(type);
  return {
    ...self,
    imports,
    functions: Array.from({ length: functions }, (_, i) => ({
      name: `f${i}`,
      isNative: true,
      params,
      returns: params,
    })),
  };
}

describe("moduleAbiToJson", () => {
  it("refuses a small module that prints to hundreds of megabytes, without printing it", async () => {
    const bytes = assembleModule(amplifier(1000));
    expect(bytes.length).toBeLessThan(25_000);
    const abi = readModule(bytes);
    const all = countAbiJsonBytes(abi, { maxBytes: Number.POSITIVE_INFINITY });
    expect(all).toBeGreaterThan(290_000_000);
    const times = await timesYardstick(
      () =>
        expect(() => moduleAbiToJson(abi)).toThrow(
          expect.objectContaining({
            code: "bytecode",
            details: { status: "ABI_TOO_LARGE", maxBytes: MAX_ABI_JSON_BYTES },
          }),
        ),
      1,
    );
    expect(times).toBeLessThan(4);
    expect(estimateAbiBytes(abi)).toBeLessThan(20 * bytes.length);
  });

  it("counts exactly, and accepts a size equal to the bound", () => {
    const abi = readModule(assembleModule(amplifier(3)));
    const size = moduleAbiText(abi).length;
    expect(countAbiJsonBytes(abi)).toBe(size);
    expect(() => moduleAbiToJson(abi, { maxBytes: size })).not.toThrow();
    expect(() => moduleAbiToJson(abi, { maxBytes: size - 1 })).toThrow(MoveError);
  });

  it("lists all functions except private ones that are neither entry nor view", () => {
    const abi = readModule(
      assembleModule({
        ...self,
        functions: [
          { name: "hidden", visibility: "private" },
          { name: "private_entry", visibility: "private", isEntry: true },
          { name: "private_view", visibility: "private", isView: true, returns: ["u8"] },
          { name: "of_friends", visibility: "friend" },
          { name: "open" },
        ],
      }),
    );
    expect(abi.functions.length).toBe(5);
    const json = moduleAbiToJson(abi);
    expect(json.exposed_functions.map(({ name, is_entry, is_view }) => [name, is_entry, is_view])).toEqual([
      ["private_entry", true, false],
      ["private_view", false, true],
      ["of_friends", false, false],
      ["open", false, false],
    ]);
  });

  it("shows only the Option enum of 0x1 as a struct", () => {
    const option = (address: string): ModuleDefinition => ({
      address: parseAddress(address),
      name: "option",
      structs: [
        {
          name: "Option",
          abilities: ["copy", "drop", "store"],
          typeParams: [{ constraints: [], phantom: false }],
          variants: [{ name: "None" }, { name: "Some", fields: [{ name: "e", type: "T0" }] }],
        },
      ],
    });
    const abi = readModule(assembleModule(option("0x1")));
    expect(moduleAbiToJson(abi).structs[0]).toMatchObject({
      is_enum: false,
      fields: [{ name: "vec", type: "vector<T0>" }],
      variants: [],
    });
    expect(countAbiJsonBytes(abi)).toBe(moduleAbiText(abi).length);
    const other = moduleAbiToJson(readModule(assembleModule(option("0x2")))).structs[0];
    expect(other).toMatchObject({
      is_enum: true,
      fields: [],
      variants: [{ name: "None" }, { name: "Some" }],
    });
  });
});

describe("formatAbiType", () => {
  const u64: AbiType = { kind: "u64" };
  const pair: AbiType = {
    kind: "struct",
    address: parseAddress("0x0cafe"),
    module: "m",
    name: "Pair",
    typeArgs: [u64, { kind: "parameter", index: 3 }],
  };

  it("prints every kind of type", () => {
    const address: AbiType = { kind: "address" };
    const printed: [AbiType, string][] = [
      [pair, "0xcafe::m::Pair<u64, T3>"],
      [{ kind: "vector", item: pair }, "vector<0xcafe::m::Pair<u64, T3>>"],
      [{ kind: "reference", mutable: true, to: u64 }, "&mut u64"],
      [{ kind: "reference", mutable: false, to: { kind: "signer" } }, "&signer"],
      [{ kind: "function", args: [address, u64], results: [], abilities: 7 }, "|address,u64|"],
      [{ kind: "function", args: [], results: [u64, address], abilities: 0 }, "||u64,address"],
    ];
    for (const [type, text] of printed) expect(formatAbiType(type)).toBe(text);
  });

  it("shortens types that are too long for a message", () => {
    expect(formatAbiType(pair, 10)).toBe("0xcafe::m::Pair<...>");
    expect(formatAbiType({ kind: "vector", item: pair }, 10)).toBe("vector<...>");
    expect(formatAbiType({ kind: "reference", mutable: false, to: pair }, 10)).toBe("&...");
  });
});
