import { deserialize, serialize } from "@mysten/move-bytecode-template";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import {
  type ImportedStruct,
  importsOf,
  type ModuleDefinition,
} from "../../scripts/local-chain-modules/definition.ts";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import type { Ability, AbiType } from "../../src/move/abi.ts";
import { parseAddress } from "../../src/move/address.ts";
import { formatAbiType } from "../../src/move/bytecode/abi-text.ts";
import { ABILITIES } from "../../src/move/bytecode/abilities.ts";
import { readModuleFile } from "../../src/move/bytecode/reader.ts";
import { PRIMITIVE_TOKENS } from "../../src/move/bytecode/types.ts";
import { RUNS } from "../support/property.ts";

const self = { address: parseAddress("0xcafe"), name: "demo" };

const demo: ModuleDefinition = {
  ...self,
  friends: [{ address: self.address, name: "pal" }],
  structs: [
    { name: "Counter", abilities: ["key"], fields: [{ name: "value", type: "u64" }] },
    {
      name: "Shape",
      abilities: ["copy", "drop"],
      typeParams: [{ constraints: ["copy", "drop"], phantom: false }],
      variants: [
        { name: "Dot" },
        {
          name: "Square",
          fields: [
            { name: "side", type: "u32" },
            { name: "tag", type: "T0" },
          ],
        },
      ],
    },
  ],
  functions: [
    { name: "bump", isEntry: true, params: ["&signer", "u64"] },
    { name: "read", isView: true, params: ["address"], returns: ["u64"] },
  ],
};

describe("assembleModule", () => {
  it("writes the annotated module of version 10 byte for byte", () => {
    expect(toHex(assembleModule(demo))).toBe(
      "a11ceb0b0a00000a0a01000202020a030c10051c0907253b0860201080011f0a9f01110cb001200fd001020000000108" +
        "000002030103000003000100010101000402030001010102060c0300010501030464656d6f07436f756e746572055368" +
        "6170650462756d7004726561640576616c756503446f74065371756172650473696465037461670370616c0000000000" +
        "00000000000000000000000000000000000000000000000000cafe126170746f733a3a6d657461646174615f76310b00" +
        "00010472656164010100000201050301030206000702080e090900000104000102060000000000000000270101000001" +
        "0206000000000000000027000a00",
    );
  });

  it("writes versions 5 and 6 that an independent parser reads and reproduces", () => {
    for (const formatVersion of [5, 6]) {
      const bytes = assembleModule({
        ...demo,
        formatVersion,
        structs: demo.structs!.slice(0, 1),
        functions: demo.functions!.map((fun) => ({
          ...fun,
          isView: formatVersion === 6 && fun.name === "read",
        })),
      });
      const tables = deserialize(bytes) as {
        version: number;
        identifiers: string[];
        function_defs: unknown[];
      };
      expect(tables.version).toBe(formatVersion);
      expect(tables.identifiers).toEqual(["demo", "Counter", "bump", "read", "value", "pal"]);
      expect(tables.function_defs.length).toBe(2);
      expect(toHex(serialize(tables))).toBe(toHex(bytes));
    }
  });
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,9}$/), { maxLength: 5 });
const abilities: fc.Arbitrary<Ability[]> = fc.subarray([...ABILITIES]);
const structTypeParams = fc.array(fc.record({ constraints: abilities, phantom: fc.boolean() }), {
  maxLength: 3,
});
const functionTypeParams = fc.array(abilities, { maxLength: 3 });

function typeOf(version: number, params: number, structs: readonly ImportedStruct[]): fc.Arbitrary<AbiType> {
  const primitives = PRIMITIVE_TOKENS.filter(([, , since]) => since <= version).map(([, kind]) => ({ kind }));
  const leaves: fc.Arbitrary<AbiType>[] = [fc.constantFrom(...primitives)];
  if (params > 0) leaves.push(fc.nat(params - 1).map((index) => ({ kind: "parameter", index })));
  const { type } = fc.letrec<{ type: AbiType }>((tie) => {
    const parts: fc.Arbitrary<AbiType>[] = [
      ...leaves,
      tie("type").map((item): AbiType => ({ kind: "vector", item })),
      fc
        .record({ mutable: fc.boolean(), to: tie("type") })
        .map((part): AbiType => ({ kind: "reference", ...part })),
    ];
    if (structs.length > 0) {
      parts.push(
        fc
          .constantFrom(...structs)
          .chain(({ address, module, name, typeParams }) =>
            fc
              .tuple(...typeParams.map(() => tie("type")))
              .map((typeArgs): AbiType => ({ kind: "struct", address, module, name, typeArgs })),
          ),
      );
    }
    if (version >= 8) {
      const list = fc.array(tie("type"), { maxLength: 2 });
      parts.push(
        fc
          .record({ args: list, results: list, abilities: fc.nat(15) })
          .map((part): AbiType => ({ kind: "function", ...part })),
      );
    }
    return { type: fc.oneof({ depthSize: "small", withCrossShrink: true }, ...parts) };
  });
  return type;
}

const imported: ImportedStruct[] = [
  {
    address: parseAddress("0x1"),
    module: "string",
    name: "String",
    abilities: ["copy", "drop", "store"],
    typeParams: [],
  },
  {
    address: parseAddress("0x2"),
    module: "pair",
    name: "Pair",
    abilities: ["store"],
    typeParams: [
      { constraints: ["copy"], phantom: false },
      { constraints: [], phantom: true },
    ],
  },
];

const definitions = fc
  .record({
    formatVersion: fc.integer({ min: 5, max: 10 }),
    structs: names.chain((all) =>
      fc.tuple(
        ...all.map((name) => fc.record({ name: fc.constant(name), abilities, typeParams: structTypeParams })),
      ),
    ),
    functionNames: names,
    friends: names.map((all) => all.map((name) => ({ address: self.address, name }))),
  })
  .chain(({ formatVersion, structs, functionNames, friends }) => {
    const known = [...importsOf({ ...self, structs }), ...imported];
    const attributes = formatVersion >= 6;
    const fieldsOf = (params: number) =>
      fc.array(
        fc.record({ name: fc.constantFrom("a", "b", "vec"), type: typeOf(formatVersion, params, known) }),
        {
          maxLength: 3,
        },
      );
    const withBodies = structs.map((struct) => {
      const fields = fieldsOf(struct.typeParams.length);
      const shape = fc.oneof(
        fields.map((list) => ({ fields: list, variants: undefined, isNative: false })),
        fc.constant({ fields: [], variants: undefined, isNative: true }),
        ...(formatVersion >= 7
          ? [
              fc
                .array(fc.record({ name: fc.constantFrom("None", "Some"), fields }), {
                  minLength: 1,
                  maxLength: 3,
                })
                .map((variants) => ({ fields: [], variants, isNative: false })),
            ]
          : []),
      );
      const marks = fc.record({
        isEvent: attributes ? fc.boolean() : fc.constant(false),
        groupMemberOf: fc.constantFrom(undefined, ...(attributes ? ["0x1::object::ObjectGroup"] : [])),
        groupScope: fc.constantFrom(undefined, ...(attributes ? ["global", "address", "module_"] : [])),
      });
      return fc.tuple(shape, marks).map(([body, mark]) => ({ ...struct, ...body, ...mark }));
    });
    const functions = functionNames.map((name) =>
      functionTypeParams.chain((typeParams) => {
        const types = fc.array(typeOf(formatVersion, typeParams.length, known), { maxLength: 4 });
        return fc.record({
          name: fc.constant(name),
          visibility: fc.constantFrom("private" as const, "public" as const, "friend" as const),
          isEntry: fc.boolean(),
          isView: attributes ? fc.boolean() : fc.constant(false),
          typeParams: fc.constant(typeParams),
          params: types,
          returns: types,
        });
      }),
    );
    return fc.record({
      address: fc.constant(self.address),
      name: fc.constant(self.name),
      formatVersion: fc.constant(formatVersion),
      friends: fc.constant(friends),
      structs: fc.tuple(...withBodies),
      functions: fc.tuple(...functions),
    });
  });

describe("assembler and reader", () => {
  it("give back the definition, with no bytes left over", () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const bytes = assembleModule({ ...definition, imports: imported });
        const { abi, end } = finish(readModuleFile(bytes));
        expect(end).toBe(bytes.length);
        expect(abi).toEqual(definition);
        if (definition.formatVersion <= 6) expect(toHex(serialize(deserialize(bytes)))).toBe(toHex(bytes));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("parseAbiType", () => {
  it("parses every printed type except function types", () => {
    fc.assert(
      fc.property(typeOf(7, 3, imported), (type) => {
        expect(parseAbiType(formatAbiType(type, 100_000))).toEqual(type);
      }),
      { numRuns: RUNS },
    );
  });
});
