// Reads every module of every shared network, assembles it again and compares.
import { readdirSync } from "node:fs";
import { deserialize, serialize } from "@mysten/move-bytecode-template";
import { describe, expect, it } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import { importsOf } from "../../scripts/local-chain-modules/definition.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { countAbiJsonBytes } from "../../src/move/abi-json.ts";
import { readModule, readModuleFile } from "../../src/move/bytecode/reader.ts";
import { genesisModules } from "../support/genesis-modules.ts";
import { moduleAbiText, moduleAbiToJson } from "../support/module-abi.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

const MODULES = { devnet: 190, mainnet: 70 } as const;
const networks = Object.keys(MODULES) as (keyof typeof MODULES)[];

describe.skipIf(!hasShared)("modules of the shared networks", () => {
  it("covers all of them", () => {
    expect(readdirSync(sharedPath("networks")).sort()).toEqual(networks);
  });

  for (const network of networks) {
    describe(network, () => {
      const modules = hasShared ? genesisModules(network) : new Map<string, Uint8Array>();
      const abis = [...modules.values()].map(readModule);
      const imports = abis.map(importsOf);

      it("parses every module to its last byte, with the id of its path", () => {
        expect(modules.size).toBe(MODULES[network]);
        for (const [id, bytes] of modules) {
          const { abi, end } = finish(readModuleFile(bytes));
          expect(end).toBe(bytes.length);
          expect(`${toHex(abi.address)}::${abi.name}`).toBe(id);
        }
      });

      it("counts the exact printed size of each module", () => {
        for (const abi of abis) {
          expect(countAbiJsonBytes(abi)).toBe(moduleAbiText(abi).length);
        }
      });

      it("assembles each module again and reads the same ABI", () => {
        for (const [own, abi] of abis.entries()) {
          const others = imports.filter((_, at) => at !== own).flat();
          const bytes = assembleModule({ ...abi, imports: others });
          expect(readModule(bytes)).toEqual(abi);
          if (abi.formatVersion <= 6) {
            expect(Buffer.from(serialize(deserialize(bytes))).equals(bytes)).toBe(true);
          }
        }
      });
    });
  }

  it("finds the attributes that the devnet framework declares in its sources", () => {
    const abis = [...genesisModules("devnet").values()].map(readModule);
    const structs = abis.flatMap((abi) => abi.structs);
    expect(abis.flatMap((abi) => abi.functions).filter((fun) => fun.isView).length).toBe(212);
    expect(structs.filter((struct) => struct.isEvent).length).toBe(163);
    expect(structs.filter((struct) => struct.groupMemberOf !== undefined).length).toBe(33);
    expect(structs.filter((struct) => struct.groupScope !== undefined).length).toBe(3);
    const printed = abis.flatMap((abi) => moduleAbiToJson(abi).structs);
    expect(printed.filter((struct) => struct.is_enum).length).toBe(109);
    // One more enum prints as a struct.
    expect(structs.filter((struct) => struct.variants !== undefined).length).toBe(110);
  });

  it("reads the tables of version 5 as an independent parser does", () => {
    for (const bytes of genesisModules("mainnet").values()) {
      const abi = readModule(bytes);
      const other = deserialize(bytes) as {
        identifiers: string[];
        function_handles: { name: number }[];
        function_defs: { function: number; is_entry: boolean; visibility: string }[];
        datatype_handles: { name: number }[];
        struct_defs: { struct_handle: number }[];
      };
      expect(abi.functions.map(({ name, isEntry, visibility }) => ({ name, isEntry, visibility }))).toEqual(
        other.function_defs.map((def) => ({
          name: other.identifiers[other.function_handles[def.function]!.name],
          isEntry: def.is_entry,
          visibility: def.visibility.toLowerCase(),
        })),
      );
      expect(abi.structs.map(({ name }) => name)).toEqual(
        other.struct_defs.map((def) => other.identifiers[other.datatype_handles[def.struct_handle]!.name]),
      );
    }
  });
});
