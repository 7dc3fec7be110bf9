// Code that the chain refuses: for each fault, a module of our own that has it.
import type { StructDefinition } from "../../scripts/local-chain-modules/definition.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { FRAMEWORK, parseAddress } from "../../src/move/address.ts";
import { TABLE } from "../../src/move/bytecode/directory.ts";
import { functionOf, moduleOf } from "./machine.ts";

const S = "0xcafe::m::S";
const R = "0xcafe::m::R";
const N = "0xcafe::m::N";
const E = "0xcafe::m::E";
const BODY_STRUCTS: readonly StructDefinition[] = [
  { name: "S", abilities: ["copy", "drop", "store"], fields: [{ name: "a", type: "u64" }] },
  { name: "R", abilities: ["key"], fields: [{ name: "a", type: "u64" }] },
  { name: "N", fields: [{ name: "a", type: "u64" }] },
  {
    name: "E",
    abilities: ["drop"],
    variants: [
      { name: "A", fields: [{ name: "a", type: "u64" }] },
      { name: "B", fields: [{ name: "a", type: "bool" }] },
    ],
  },
  {
    name: "P",
    abilities: ["copy", "drop"],
    typeParams: [{ constraints: ["copy"], phantom: false }],
    fields: [{ name: "a", type: "T0" }],
  },
];

type Body = readonly [status: number, what: string, type: string, code: string, locals?: readonly string[]];

/** Bodies with a fault. */
const BODIES: readonly Body[] = [
  [1007, "code without an end", "fn()", "nop"],
  [1009, "an instruction that takes more than there is", "fn()", "pop; ret"],
  [1020, "vectors of other items", "fn(vector<u8>)", "borrow local 0; vector length u64; pop; ret"],
  [1023, "a value without drop that is popped", `fn(${N})`, "move local 0; pop; ret"],
  [1025, "a branch on a number", "fn()", "load u64 1; branch if true out; nop; out:; ret"],
  [1026, "an abort with a boolean", "fn()", "load true; abort"],
  [1027, "a local of another type", "fn()", "load true; store local 0; ret", ["u64"]],
  [
    1028,
    "a value without drop that is overwritten",
    `fn(${N},${N})`,
    "move local 1; store local 0; move local 0; unpack N; pop; ret",
  ],
  [1030, "a result of another type", "fn():(u64)", "load true; ret"],
  [1032, "a value that is frozen", "fn(u64)", "copy local 0; freeze; pop; ret"],
  [1034, "a field of a number", "fn(u64)", "borrow local 0; borrow field S.a; pop; ret"],
  [1037, "a local without a value that is copied", "fn()", "copy local 0; pop; ret", ["u64"]],
  [1038, "a value without copy that is copied", `fn(${N}):(${N},${N})`, "copy local 0; move local 0; ret"],
  [1040, "a local that is moved twice", "fn(u64)", "move local 0; pop; move local 0; pop; ret"],
  [1042, "a reference to a reference", "fn(&u64)", "borrow local 0; pop; ret"],
  [1043, "a local without a value that is borrowed", "fn()", "borrow local 0; pop; ret", ["u64"]],
  [1045, "an argument of another type", "fn(u64)", "load true; call f; ret"],
  [1047, "a field of another type", "fn()", "load true; pack S; pop; ret"],
  [1048, "a struct that is unpacked as another", `fn(${S})`, "move local 0; unpack R; pop; ret"],
  [1049, "a number that is read", "fn(u64)", "copy local 0; read ref; pop; ret"],
  [1050, "a value without copy that is read", `fn(&${N}):(${N})`, "move local 0; read ref; ret"],
  [
    1052,
    "a value of another type that is written",
    "fn(&mut u64)",
    "load true; move local 0; write ref; ret",
  ],
  [
    1053,
    "a value without drop that is written over",
    `fn(&mut ${N},${N})`,
    "move local 1; move local 0; write ref; ret",
  ],
  [1055, "a reference that cannot be written", "fn(&u64)", "load u64 1; move local 0; write ref; ret"],
  [1056, "numbers of two types that are added", "fn(u8)", "load u64 1; copy local 0; add; pop; ret"],
  [1057, "a number that is negated as a boolean", "fn()", "load u64 1; not; pop; ret"],
  [1058, "values of two types that are compared", "fn()", "load u64 1; load true; eq; pop; ret"],
  [1059, "a type without key that is looked for", "fn(address)", "copy local 0; exists S; pop; ret"],
  [1060, "a resource that is borrowed from a number", "fn()", "load u64 1; borrow global R; pop; ret"],
  [1061, "a type without key that is borrowed", "fn(address)", "copy local 0; borrow global S; pop; ret"],
  [1062, "a resource that is moved from a number", `fn():(${R})`, "load u64 1; move from R; ret"],
  [1063, "a type without key that is moved from", `fn(address):(${S})`, "copy local 0; move from S; ret"],
  [
    1064,
    "a resource that is moved to an address",
    `fn(address,${R})`,
    "copy local 0; move local 1; move to R; ret",
  ],
  [
    1065,
    "a type without key that is moved to",
    `fn(&signer,${S})`,
    "move local 0; move local 1; move to S; ret",
  ],
  [1069, "a value that is left on return", "fn()", "load u64 1; ret"],
  [1075, "a type argument without an ability", `fn(${N})`, `move local 0; pack generic P<${N}>; pop; ret`],
  [1076, "too many type arguments", "fn()", "load u64 1; pack generic P<u64,u64>; pop; ret"],
  [1082, "a constant of a type without constants", "fn()", "load constant signer 0x00; pop; ret"],
  [1083, "a constant that does not decode", "fn()", "load constant u64 0x01; pop; ret"],
  [1084, "a function without code", "fn()", ""],
  [1088, "a value without drop that is left in a local", `fn(${N})`, "ret"],
  [1090, "a generic struct that is packed without types", "fn()", "load u64 1; pack P; pop; ret"],
  [1114, "too many blocks", "fn()", `${"load true; branch if true out; ".repeat(1024)}out:; ret`],
  [
    1115,
    "a block that needs too large a stack",
    "fn()",
    `${"load true; ".repeat(1025)}${"pop; ".repeat(1025)}ret`,
  ],
  [1117, "a block that pushes too much", "fn()", `${"load true; pop; ".repeat(10_001)}ret`],
  [
    1037,
    "a local that has a value on one way only",
    "fn()",
    "load true; branch if true out; load u64 1; store local 0; out:; copy local 0; pop; ret",
    ["u64"],
  ],
  [
    1040,
    "a local that a loop moves again",
    `fn(${"u64,".repeat(39)}u64)`,
    "load true; branch if true first; first:; again:; move local 39; pop; load true; branch if true again; ret",
  ],
  [
    1088,
    "a value without drop that one way leaves",
    `fn(${N})`,
    "load true; branch if true out; move local 0; unpack N; pop; out:; ret",
  ],
  [1129, "a struct that is tested for a variant", `fn(&${S})`, "move local 0; test variant E.A; pop; ret"],
  [
    1132,
    "a closure that captures what is no parameter",
    "fn(u64)",
    "load u64 1; pack closure f 0b10; pop; ret",
  ],
  [1133, "a number that is called", "fn()", "load u64 1; call closure u64; ret"],
  [
    1034,
    "a field that is of another type in each variant",
    `fn(&${E})`,
    "move local 0; borrow variant field E.A|B.a; pop; ret",
  ],
];

/** Bodies whose references outlive what they point to, or see it change. */
const REFERENCES: readonly Body[] = [
  [
    1028,
    "a local that is overwritten while borrowed",
    "fn(u64)",
    "borrow local 0; load u64 1; store local 0; pop; ret",
  ],
  [1029, "a reference to a local that is returned", "fn(u64):(&u64)", "borrow local 0; ret"],
  [
    1029,
    "a reference to a resource that is returned",
    `fn(address):(&${R})`,
    "copy local 0; borrow global R; ret",
  ],
  [
    1031,
    "two mutable references to one value",
    "fn(&mut u64):(&mut u64,&mut u64)",
    "copy local 0; move local 0; ret",
  ],
  [
    1033,
    "a borrowed reference that is frozen",
    "fn(&mut u64)",
    "copy local 0; move local 0; freeze; pop; pop; ret",
  ],
  [
    1036,
    "a field that is borrowed behind the back of its struct's reference",
    `fn(&mut ${S})`,
    "copy local 0; move local 0; borrow field mutably S.a; pop; pop; ret",
  ],
  [
    1036,
    "a field that is read while it is borrowed mutably",
    `fn(&mut ${S})`,
    "copy local 0; borrow field mutably S.a; move local 0; borrow field S.a; pop; pop; ret",
  ],
  [
    1039,
    "a local that is copied while borrowed mutably",
    "fn(u64)",
    "borrow local mutably 0; copy local 0; pop; pop; ret",
  ],
  [1041, "a local that is moved while borrowed", "fn(u64)", "borrow local 0; move local 0; pop; pop; ret"],
  [
    1041,
    "a local that is moved while borrowed on one of two ways",
    "fn(u64,u64)",
    "load true; branch if true other; borrow local 0; store local 2; branch join; other:; borrow local 1; store local 2; join:; move local 0; pop; move local 2; pop; ret",
    ["&u64"],
  ],
  [
    1041,
    "a vector that is moved while an element is borrowed",
    "fn(vector<u64>)",
    "borrow local mutably 0; load u64 0; vector borrow mutably u64; move local 0; vector unpack u64 1; pop; pop; ret",
  ],
  [
    1044,
    "a local that is borrowed while borrowed mutably",
    "fn(u64)",
    "borrow local mutably 0; borrow local 0; pop; pop; ret",
  ],
  [
    1046,
    "a borrowed reference that is passed",
    "fn(&mut u64)",
    "copy local 0; move local 0; call f; pop; ret",
  ],
  [
    1051,
    "a value that is read while borrowed mutably",
    "fn(&mut u64)",
    "copy local 0; move local 0; read ref; pop; pop; ret",
  ],
  [
    1051,
    "a value that is compared while borrowed mutably",
    "fn(&mut u64)",
    "copy local 0; move local 0; eq; pop; ret",
  ],
  [
    1054,
    "a value that is written while borrowed",
    "fn(&mut u64)",
    "copy local 0; load u64 1; move local 0; write ref; pop; ret",
  ],
  [
    1074,
    "a resource that is borrowed twice",
    "fn(address)",
    "copy local 0; borrow global mutably R; copy local 0; borrow global R; pop; pop; ret",
  ],
  [
    1074,
    "a resource that is moved while borrowed",
    `fn(address):(${R})`,
    "copy local 0; borrow global R; copy local 0; move from R; store local 1; pop; move local 1; ret",
    [R],
  ],
  [
    1074,
    "a resource that a called function borrows too",
    "fn(address)",
    "copy local 0; borrow global mutably R; copy local 0; call f; pop; ret",
  ],
  [
    1109,
    "a vector that grows while an element is borrowed",
    "fn(&mut vector<u64>)",
    "copy local 0; load u64 0; vector borrow u64; move local 0; load u64 1; vector push u64; pop; ret",
  ],
  [
    1110,
    "two elements that are borrowed mutably",
    "fn(&mut vector<u64>)",
    "copy local 0; load u64 0; vector borrow mutably u64; move local 0; load u64 1; vector borrow mutably u64; pop; pop; ret",
  ],
  [
    1126,
    "references that are too many to follow",
    `fn(${new Array(120).fill("&u64").join(",")})`,
    `${`${"nop; ".repeat(20)}load true; branch if true out; `.repeat(1000)}out:; ret`,
  ],
];

const field = (type: string): readonly { name: string; type: string }[] => [{ name: "a", type }];
const other = (more: object): Uint8Array =>
  moduleOf(
    {
      structs: [{ name: "T", abilities: ["store"], fields: field("u64") }],
      functions: [
        functionOf("open", "fn()", "ret"),
        functionOf("hidden", "fn()", "ret", { visibility: "private" }),
      ],
      ...more,
    },
    "other",
  );
const OTHER = { address: parseAddress("0xcafe"), name: "other" };
const deep = `${"vector<".repeat(20)}u8${">".repeat(20)}`;
const many = <T>(one: T, count: number): T[] => new Array<T>(count).fill(one);
const calls = (name: string, params: readonly string[] = []): Parameters<typeof moduleOf>[0] => ({
  functions: [
    functionOf("f", "fn()", `${"load u64 1; ".repeat(params.length)}call 0xcafe::other::${name}; ret`),
  ],
  importedFunctions: [{ module: OTHER, name, params }],
});
const uses = (name: string, abilities: readonly ["copy"] | readonly []): Parameters<typeof moduleOf>[0] => ({
  structs: [{ name: "S", fields: field(`0xcafe::other::${name}`) }],
  imports: [{ address: OTHER.address, module: OTHER.name, name, abilities, typeParams: [] }],
});

type Declaration = readonly [status: number, what: string, module: Parameters<typeof moduleOf>[0]];

/** Declarations with a fault. */
const DECLARATIONS: readonly Declaration[] = [
  [1003, "a reference inside of a type", { functions: [functionOf("f", "fn(vector<&u64>)", "ret")] }],
  [1005, "a struct that is part of itself", { structs: [{ name: "S", fields: field(`vector<${S}>`) }] }],
  [
    1006,
    "a field without an ability of its struct",
    {
      structs: [
        { name: "N", fields: field("u64") },
        { name: "S", abilities: ["copy"], fields: field(N) },
      ],
    },
  ],
  [1012, "two fields of one name", { structs: [{ name: "S", fields: [...field("u8"), ...field("u64")] }] }],
  [
    1014,
    "a function of its own that it does not define",
    { importedFunctions: [{ module: { ...OTHER, name: "m" }, name: "f" }] },
  ],
  [1017, "a function that the other module keeps to itself", calls("hidden")],
  [1017, "a struct that the other module has not", uses("Missing", [])],
  [1020, "a function with other parameters", calls("open", ["u64"])],
  [1020, "a struct with other abilities", uses("T", ["copy"])],
  [1080, "a struct without fields", { structs: [{ name: "S", fields: [] }] }],
  [
    1081,
    "a module that is not there",
    {
      functions: [functionOf("f", "fn()", "call 0xcafe::none::f; ret")],
      importedFunctions: [{ module: { ...OTHER, name: "none" }, name: "f" }],
    },
  ],
  [1104, "a module that is its own friend", { friends: [{ ...OTHER, name: "m" }] }],
  [1105, "a friend at another address", { friends: [{ address: FRAMEWORK, name: "coin" }] }],
  [
    1108,
    "a phantom parameter that is used",
    {
      structs: [{ name: "S", typeParams: [{ constraints: [], phantom: true }], fields: field("T0") }],
    },
  ],
  [
    1112,
    "too many type parameters",
    { functions: [functionOf("f", "fn()", "ret", { typeParams: many([], 33) })] },
  ],
  [1113, "too many parameters", { functions: [functionOf("f", `fn(${many("u8", 129).join(",")})`, "ret")] }],
  [1116, "a type that is nested too deeply", { functions: [functionOf("f", `fn(${deep})`, "ret")] }],
];

/** Where a table of a module begins. */
function tableStart(bytes: Uint8Array, kind: number): number {
  const reader = new BcsReader(bytes);
  reader.skip(8);
  const tables = Array.from({ length: reader.uleb() }, () => ({
    kind: reader.u8(),
    offset: reader.uleb(),
    length: reader.uleb(),
  }));
  return reader.offset + (tables.find((one) => one.kind === kind)?.offset ?? 0);
}

export interface RefusedCode {
  readonly status: number;
  readonly what: string;
  /** The last one has the fault. */
  readonly modules: () => readonly Uint8Array[];
}

/** A field that one of the variants has not, and a field of no variant. */
export const UNREADABLE: readonly (readonly [fault: string, module: () => Uint8Array])[] = [
  ["INDEX_OUT_OF_BOUNDS", "V.A|B.b"],
  ["ZERO_VARIANTS_ERROR", "V..a"],
].map(([fault = "", of]) => [
  fault,
  () =>
    moduleOf({
      structs: [
        {
          name: "V",
          abilities: ["drop"],
          variants: [
            { name: "A", fields: [...field("u64"), { name: "b", type: "u64" }] },
            { name: "B", fields: field("u64") },
          ],
        },
      ],
      functions: [functionOf("f", "fn(&0xcafe::m::V)", `move local 0; borrow variant field ${of}; pop; ret`)],
    }),
]);

export const REFUSED: readonly RefusedCode[] = [
  ...[...BODIES, ...REFERENCES].map(([status, what, type, code, locals = []]) => ({
    status,
    what,
    modules: () => [
      moduleOf({ structs: BODY_STRUCTS, functions: [functionOf("f", type, code, { locals })] }),
    ],
  })),
  {
    status: 1013,
    what: "a definition of a function of another module",
    modules: () => {
      const bytes = moduleOf(calls("open"));
      // The first handle is that of the function; the first byte of it is its module.
      bytes[tableStart(bytes, TABLE.functionHandles)] = 1;
      return [other({}), bytes];
    },
  },
  ...DECLARATIONS.map(([status, what, module]) => ({
    status,
    what,
    modules: () => [other({}), moduleOf(module)],
  })),
];
