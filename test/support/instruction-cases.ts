// What each instruction does, in functions of our own: cases for the tests of instructions, seeds for hostile code. Outcomes
// are worked out by hand.
import type { FunctionDefinition, StructDefinition } from "../../scripts/local-chain-modules/definition.ts";
import { byteVec, Closure, Ref, Struct, signerOf, type Value, Vec } from "../../src/vm/values.ts";
import { functionOf, loadedModule, moduleOf } from "./machine.ts";

export const M = "0xcafe::m";
export const FAULT = "4017";
export const PAIR_CODE = "copy local 0; move local 1";
const PLAIN = ["copy", "drop", "store"] as const;
const T0 = [{ constraints: [], phantom: false }];
export const STRUCTS: readonly StructDefinition[] = [
  {
    name: "Pair",
    abilities: PLAIN,
    fields: [
      { name: "a", type: "u64" },
      { name: "b", type: "bool" },
    ],
  },
  {
    name: "Box",
    abilities: PLAIN,
    typeParams: T0,
    fields: [
      { name: "inner", type: "T0" },
      { name: "count", type: "u8" },
    ],
  },
  { name: "Coin", abilities: ["key", "store"], fields: [{ name: "value", type: "u64" }] },
  { name: "Vault", abilities: ["key"], typeParams: T0, fields: [{ name: "inner", type: "T0" }] },
  {
    name: "Shape",
    abilities: PLAIN,
    variants: [
      { name: "Dot" },
      {
        name: "Square",
        fields: [
          { name: "side", type: "u32" },
          { name: "tag", type: "bool" },
        ],
      },
      { name: "Line", fields: [{ name: "side", type: "u32" }] },
    ],
  },
  {
    name: "Maybe",
    abilities: PLAIN,
    typeParams: T0,
    variants: [{ name: "None" }, { name: "Some", fields: [{ name: "inner", type: "T0" }] }],
  },
];
export const FUNCTIONS: readonly FunctionDefinition[] = [
  functionOf("less", "fn(u64,u64):(u64)", "copy local 0; copy local 1; sub; ret"),
  functionOf("same", "fn(T0):(T0)", "move local 0; ret", { typeParams: [[]] }),
  functionOf("second", "fn(T0,T0):(T0)", "move local 1; ret", { typeParams: [["drop"]] }),
  functionOf("twice", "fn(u64):(u64,u64)", "copy local 0; move local 0; ret"),
];

export interface Case {
  readonly signature: string;
  readonly code: string;
  readonly args: readonly Value[];
  /** Results, or a fault. */
  readonly gives: readonly Value[] | string;
  readonly locals?: readonly string[];
}

/** A case: a signature, code, arguments, results or a fault, types of more locals. */
function run(
  signature: string,
  code: string,
  args: readonly Value[],
  gives: readonly Value[] | string,
  ...locals: readonly string[]
): Case {
  return { signature: `fn${signature}`, code: `${code}; ret`, args, gives, locals };
}

const AT = "ab".repeat(32);
const pair = (a: bigint, b: boolean): Struct => new Struct([a, b]);
const u64s = (...items: bigint[]): Vec => new Vec("u64", items);
const by = (): Value => new Ref([signerOf(AT)], 0);
/** Stores a coin and a vault at the signer's address. */
const STORED = `copy local 0; load u64 5; pack Coin; move to Coin;
  copy local 0; load u64 6; pack generic Vault<u64>; move to generic Vault<u64>`;

/** What each other instruction does; the key is its name. */
export const CASES: Readonly<Record<string, readonly Case[]>> = {
  pop: [run("(u64,u64):(u64)", "copy local 0; copy local 1; pop", [1n, 2n], [1n])],
  ret: [
    run("(u64,bool):(bool,u64)", "copy local 1; copy local 0", [1n, true], [true, 1n]),
    run("()", "nop", [], []),
  ],
  "branch if true": [
    run("(bool):(u64)", "copy local 0; branch if true yes; load u64 1; ret; yes:; load u64 2", [true], [2n]),
    run("(bool):(u64)", "copy local 0; branch if true yes; load u64 1; ret; yes:; load u64 2", [false], [1n]),
  ],
  "branch if false": [
    run("(bool):(u64)", "copy local 0; branch if false no; load u64 1; ret; no:; load u64 2", [true], [1n]),
    run("(bool):(u64)", "copy local 0; branch if false no; load u64 1; ret; no:; load u64 2", [false], [2n]),
  ],
  branch: [
    run("():(u64)", "branch on; load u64 1; ret; on:; load u64 2", [], [2n]),
    // The sum of the numbers below ten: a loop.
    run(
      "():(u64)",
      `load u64 0; store local 0; load u64 0; store local 1; again:;
       copy local 1; copy local 0; add; store local 1;
       copy local 0; load u64 1; add; store local 0;
       copy local 0; load u64 10; lt; branch if false out; branch again; out:; copy local 1`,
      [],
      [45n],
      "u64",
      "u64",
    ),
  ],
  "load constant": [
    run("():(vector<u8>)", "load constant vector<u8> 0x03010203", [], [byteVec(Buffer.of(1, 2, 3))]),
    run("():(vector<u64>)", `load constant vector<u64> 0x01${"0500000000000000"}`, [], [u64s(5n)]),
    run("():(address)", `load constant address 0x${AT}`, [], [AT]),
  ],
  "load true": [run("():(bool)", "load true", [], [true])],
  "load false": [run("():(bool)", "load false", [], [false])],
  "copy local": [
    // A copy is deep: a change of it leaves the original.
    run(
      "(vector<u64>):(vector<u64>,vector<u64>)",
      "copy local 0; store local 1; borrow local mutably 1; load u64 9; vector push u64; move local 0; move local 1",
      [u64s(1n)],
      [u64s(1n), u64s(1n, 9n)],
      "vector<u64>",
    ),
  ],
  "move local": [run("(u64):(u64)", "move local 0", [3n], [3n])],
  "store local": [run("(u64):(u64)", "load u64 4; store local 0; move local 0", [3n], [4n])],
  "borrow local mutably": [
    run("(u64):(u64)", "load u64 8; borrow local mutably 0; write ref; move local 0", [3n], [8n]),
  ],
  "borrow local": [run("(u64):(u64)", "borrow local 0; read ref", [3n], [3n])],
  "borrow field mutably": [
    run(
      `(${M}::Pair):(${M}::Pair)`,
      "load u64 8; borrow local mutably 0; borrow field mutably Pair.a; write ref; move local 0",
      [pair(1n, true)],
      [pair(8n, true)],
    ),
  ],
  "borrow field": [
    run(`(${M}::Pair):(bool)`, "borrow local 0; borrow field Pair.b; read ref", [pair(1n, true)], [true]),
  ],
  "borrow generic field mutably": [
    run(
      `(${M}::Box<u64>):(${M}::Box<u64>)`,
      "load u64 8; borrow local mutably 0; borrow generic field mutably Box<u64>.inner; write ref; move local 0",
      [new Struct([1n, 2])],
      [new Struct([8n, 2])],
    ),
  ],
  "borrow generic field": [
    run(
      `(${M}::Box<u64>):(u8)`,
      "borrow local 0; borrow generic field Box<u64>.count; read ref",
      [new Struct([1n, 2])],
      [2],
    ),
  ],
  call: [
    run("():(u64)", "load u64 9; load u64 4; call less", [], [5n]),
    run("():(u64)", "load u64 4; load u64 9; call less", [], FAULT),
    run("():(u64,u64)", "load u64 4; call twice", [], [4n, 4n]),
  ],
  "call generic": [
    run("():(bool)", "load true; call generic same<bool>", [], [true]),
    run("():(u8)", "load u8 1; load u8 2; call generic second<u8>", [], [2]),
  ],
  pack: [run(`():(${M}::Pair)`, "load u64 1; load true; pack Pair", [], [pair(1n, true)])],
  unpack: [run(`(${M}::Pair):(u64,bool)`, "move local 0; unpack Pair", [pair(1n, true)], [1n, true])],
  "pack generic": [
    run(`():(${M}::Box<bool>)`, "load true; load u8 2; pack generic Box<bool>", [], [new Struct([true, 2])]),
  ],
  "unpack generic": [
    run(
      `(${M}::Box<bool>):(bool,u8)`,
      "move local 0; unpack generic Box<bool>",
      [new Struct([true, 2])],
      [true, 2],
    ),
  ],
  "read ref": [
    run(
      "(vector<u64>):(vector<u64>,vector<u64>)",
      "borrow local 0; read ref; store local 1; borrow local mutably 1; vector pop u64; pop; move local 0; move local 1",
      [u64s(1n)],
      [u64s(1n), u64s()],
      "vector<u64>",
    ),
  ],
  "write ref": [run("(u8):(u8)", "load u8 7; borrow local mutably 0; write ref; move local 0", [1], [7])],
  or: [false, true].flatMap((a) =>
    [false, true].map((b) => run("(bool,bool):(bool)", `${PAIR_CODE}; or`, [a, b], [a || b])),
  ),
  and: [false, true].flatMap((a) =>
    [false, true].map((b) => run("(bool,bool):(bool)", `${PAIR_CODE}; and`, [a, b], [a && b])),
  ),
  not: [false, true].map((a) => run("(bool):(bool)", "move local 0; not", [a], [!a])),
  eq: [
    run("(vector<u64>,vector<u64>):(bool)", `${PAIR_CODE}; eq`, [u64s(1n), u64s(1n)], [true]),
    run("(vector<u64>,vector<u64>):(bool)", `${PAIR_CODE}; eq`, [u64s(1n), u64s(1n, 2n)], [false]),
    run(
      `(${M}::Pair,${M}::Pair):(bool)`,
      "borrow local 0; borrow local 1; eq",
      [pair(1n, true), pair(1n, true)],
      [true],
    ),
    run("(address,address):(bool)", `${PAIR_CODE}; eq`, [AT, "0".repeat(64)], [false]),
  ],
  neq: [
    run(
      `(${M}::Shape,${M}::Shape):(bool)`,
      `${PAIR_CODE}; neq`,
      [new Struct([], 0), new Struct([1], 2)],
      [true],
    ),
    run(
      `(${M}::Shape,${M}::Shape):(bool)`,
      `${PAIR_CODE}; neq`,
      [new Struct([1], 2), new Struct([1], 2)],
      [false],
    ),
  ],
  abort: [run("(u64)", "copy local 0; abort", [77n], "4016:77")],
  "abort with message": [
    run("(u64)", "copy local 0; load constant vector<u8> 0x026869; abort with message", [5n], "4016:5"),
  ],
  nop: [run("():(bool)", "nop; load true; nop", [], [true])],
  exists: [
    run("(&signer,address):(bool)", `${STORED}; copy local 1; exists Coin`, [by(), AT], [true]),
    run("(&signer,address):(bool)", `${STORED}; copy local 1; exists Coin`, [by(), "0".repeat(64)], [false]),
  ],
  "borrow global mutably": [
    run(
      "(&signer,address):(u64)",
      `${STORED}; load u64 50; copy local 1; borrow global mutably Coin; borrow field mutably Coin.value; write ref;
       copy local 1; borrow global Coin; borrow field Coin.value; read ref`,
      [by(), AT],
      [50n],
    ),
    run("(address)", "copy local 0; borrow global mutably Coin; pop", [AT], "4008"),
  ],
  "borrow global": [
    run(
      "(&signer,address):(u64)",
      `${STORED}; copy local 1; borrow global Coin; borrow field Coin.value; read ref`,
      [by(), AT],
      [5n],
    ),
    run("(address)", "copy local 0; borrow global Coin; pop", [AT], "4008"),
  ],
  "move from": [
    run(
      "(&signer,address):(u64,bool)",
      `${STORED}; copy local 1; move from Coin; unpack Coin; copy local 1; exists Coin`,
      [by(), AT],
      [5n, false],
    ),
    run("(address):(u64)", "copy local 0; move from Coin; unpack Coin", [AT], "4008"),
  ],
  "move to": [
    run(
      "(&signer,address)",
      `${STORED}; copy local 0; load u64 5; pack Coin; move to Coin`,
      [by(), AT],
      "4004",
    ),
  ],
  freeze: [run("(u64):(u64)", "borrow local mutably 0; freeze; read ref", [3n], [3n])],
  "exists generic": [
    run(
      "(&signer,address):(bool,bool)",
      `${STORED}; copy local 1; exists generic Vault<u64>; copy local 1; exists generic Vault<u8>`,
      [by(), AT],
      [true, false],
    ),
  ],
  "borrow global mutably generic": [
    run(
      "(&signer,address):(u64)",
      `${STORED}; load u64 60; copy local 1; borrow global mutably generic Vault<u64>;
       borrow generic field mutably Vault<u64>.inner; write ref;
       copy local 1; borrow global generic Vault<u64>; borrow generic field Vault<u64>.inner; read ref`,
      [by(), AT],
      [60n],
    ),
    run("(address)", "copy local 0; borrow global mutably generic Vault<u8>; pop", [AT], "4008"),
  ],
  "borrow global generic": [
    run("(address)", "copy local 0; borrow global generic Vault<u8>; pop", [AT], "4008"),
    run(
      "(&signer,address):(u64)",
      `${STORED}; copy local 1; borrow global generic Vault<u64>; borrow generic field Vault<u64>.inner; read ref`,
      [by(), AT],
      [6n],
    ),
  ],
  "move from generic": [
    run(
      "(&signer,address):(u64)",
      `${STORED}; copy local 1; move from generic Vault<u64>; unpack generic Vault<u64>`,
      [by(), AT],
      [6n],
    ),
    run(
      "(address):(u64)",
      "copy local 0; move from generic Vault<u64>; unpack generic Vault<u64>",
      [AT],
      "4008",
    ),
  ],
  "move to generic": [
    run(
      "(&signer,address)",
      `${STORED}; copy local 0; load u64 6; pack generic Vault<u64>; move to generic Vault<u64>`,
      [by(), AT],
      "4004",
    ),
  ],
  "vector pack": [
    run("():(vector<u8>)", "load u8 1; load u8 2; vector pack u8 2", [], [byteVec(Buffer.of(1, 2))]),
    run("():(vector<bool>)", "vector pack bool 0", [], [new Vec("bool", [])]),
  ],
  "vector length": [run("(vector<u64>):(u64)", "borrow local 0; vector length u64", [u64s(4n, 5n)], [2n])],
  "vector borrow": [
    run(
      "(vector<u64>):(u64)",
      "borrow local 0; load u64 1; vector borrow u64; read ref",
      [u64s(4n, 5n)],
      [5n],
    ),
    run(
      "(vector<u64>):(u64)",
      "borrow local 0; load u64 2; vector borrow u64; read ref",
      [u64s(4n, 5n)],
      "4018:1",
    ),
    run(
      "(vector<u64>):(u64)",
      `borrow local 0; load u64 ${2n ** 64n - 1n}; vector borrow u64; read ref`,
      [u64s(4n)],
      "4018:1",
    ),
  ],
  "vector borrow mutably": [
    run(
      "(vector<u64>):(vector<u64>)",
      "load u64 9; borrow local mutably 0; load u64 0; vector borrow mutably u64; write ref; move local 0",
      [u64s(4n, 5n)],
      [u64s(9n, 5n)],
    ),
    run(
      "(vector<u64>)",
      "borrow local mutably 0; load u64 0; vector borrow mutably u64; pop",
      [u64s()],
      "4018:1",
    ),
  ],
  "vector push": [
    run(
      "(vector<u64>):(vector<u64>)",
      "borrow local mutably 0; load u64 6; vector push u64; move local 0",
      [u64s(4n)],
      [u64s(4n, 6n)],
    ),
  ],
  "vector pop": [
    run(
      "(vector<u64>):(u64,vector<u64>)",
      "borrow local mutably 0; vector pop u64; move local 0",
      [u64s(4n, 5n)],
      [5n, u64s(4n)],
    ),
    run("(vector<u64>):(u64)", "borrow local mutably 0; vector pop u64", [u64s()], "4018:2"),
  ],
  "vector unpack": [
    run("(vector<u64>):(u64,u64)", "move local 0; vector unpack u64 2", [u64s(4n, 5n)], [4n, 5n]),
    run("(vector<u64>):(u64,u64)", "move local 0; vector unpack u64 2", [u64s(4n)], "4018:3"),
  ],
  "vector swap": [
    run(
      "(vector<u64>):(vector<u64>)",
      "borrow local mutably 0; load u64 0; load u64 2; vector swap u64; move local 0",
      [u64s(1n, 2n, 3n)],
      [u64s(3n, 2n, 1n)],
    ),
    run(
      "(vector<u64>)",
      "borrow local mutably 0; load u64 0; load u64 3; vector swap u64",
      [u64s(1n, 2n, 3n)],
      "4018:1",
    ),
  ],
  "borrow variant field": [
    run(
      `(${M}::Shape):(u32)`,
      "borrow local 0; borrow variant field Shape.Square|Line.side; read ref",
      [new Struct([6], 2)],
      [6],
    ),
    run(
      `(${M}::Shape):(u32)`,
      "borrow local 0; borrow variant field Shape.Square.side; read ref",
      [new Struct([6], 2)],
      "4038",
    ),
  ],
  "borrow variant field mutably": [
    run(
      `(${M}::Shape):(${M}::Shape)`,
      "load u32 8; borrow local mutably 0; borrow variant field mutably Shape.Square.side; write ref; move local 0",
      [new Struct([6, true], 1)],
      [new Struct([8, true], 1)],
    ),
    run(
      `(${M}::Shape)`,
      "borrow local mutably 0; borrow variant field mutably Shape.Square.side; pop",
      [new Struct([], 0)],
      "4038",
    ),
  ],
  "borrow variant field generic": [
    run(
      `(${M}::Maybe<u8>):(u8)`,
      "borrow local 0; borrow variant field generic Maybe<u8>.Some.inner; read ref",
      [new Struct([6], 1)],
      [6],
    ),
    run(
      `(${M}::Maybe<u8>):(u8)`,
      "borrow local 0; borrow variant field generic Maybe<u8>.Some.inner; read ref",
      [new Struct([], 0)],
      "4038",
    ),
  ],
  "borrow variant field mutably generic": [
    run(
      `(${M}::Maybe<u8>):(${M}::Maybe<u8>)`,
      "load u8 8; borrow local mutably 0; borrow variant field mutably generic Maybe<u8>.Some.inner; write ref; move local 0",
      [new Struct([6], 1)],
      [new Struct([8], 1)],
    ),
  ],
  "pack variant": [
    run(
      `():(${M}::Shape)`,
      "load u32 8; load true; pack variant Shape.Square",
      [],
      [new Struct([8, true], 1)],
    ),
    run(`():(${M}::Shape)`, "pack variant Shape.Dot", [], [new Struct([], 0)]),
  ],
  "pack variant generic": [
    run(
      `():(${M}::Maybe<u64>)`,
      "load u64 8; pack variant generic Maybe<u64>.Some",
      [],
      [new Struct([8n], 1)],
    ),
  ],
  "unpack variant": [
    run(
      `(${M}::Shape):(u32,bool)`,
      "move local 0; unpack variant Shape.Square",
      [new Struct([8, true], 1)],
      [8, true],
    ),
    run(`(${M}::Shape):(u32)`, "move local 0; unpack variant Shape.Line", [new Struct([8, true], 1)], "4038"),
  ],
  "unpack variant generic": [
    run(
      `(${M}::Maybe<u64>):(u64)`,
      "move local 0; unpack variant generic Maybe<u64>.Some",
      [new Struct([8n], 1)],
      [8n],
    ),
    run(
      `(${M}::Maybe<u64>)`,
      "move local 0; unpack variant generic Maybe<u64>.None",
      [new Struct([8n], 1)],
      "4038",
    ),
  ],
  "test variant": [
    run(
      `(${M}::Shape):(bool,bool)`,
      "borrow local 0; test variant Shape.Dot; borrow local 0; test variant Shape.Line",
      [new Struct([1], 2)],
      [false, true],
    ),
  ],
  "test variant generic": [
    run(
      `(${M}::Maybe<u64>):(bool)`,
      "borrow local 0; test variant generic Maybe<u64>.None",
      [new Struct([], 0)],
      [true],
    ),
  ],
  "pack closure": [
    run(
      "():(fn(u64):(u64)+copy+drop+store)",
      "load u64 9; pack closure less 0b01",
      [],
      [closure("less", 1n, [9n])],
    ),
  ],
  "pack closure generic": [
    run(
      "():(fn(u8):(u8)+copy+drop+store)",
      "load u8 3; pack closure generic second<u8> 0b10",
      [],
      [closure("second", 2n, [3], "u8")],
    ),
  ],
  "call closure": [
    // The captured parameter is the first one, then the second one.
    run(
      "():(u64)",
      "load u64 4; load u64 9; pack closure less 0b01; call closure fn(u64):(u64)+copy+drop+store",
      [],
      [5n],
    ),
    run(
      "():(u64)",
      "load u64 9; load u64 4; pack closure less 0b10; call closure fn(u64):(u64)+copy+drop+store",
      [],
      [5n],
    ),
    run(
      "():(u64)",
      "load u64 9; load u64 4; pack closure less 0b11; call closure fn():(u64)+copy+drop+store",
      [],
      [5n],
    ),
    run(
      "():(u8)",
      "load u8 1; load u8 3; pack closure generic second<u8> 0b10; call closure fn(u8):(u8)+copy+drop+store",
      [],
      [3],
    ),
  ],
};

function closure(name: string, mask: bigint, captured: Value[], ...types: readonly "u8"[]): Closure {
  const layouts = captured.map((one) => ({ kind: typeof one === "bigint" ? "u64" : "u8" }));
  const address = loadedModule(moduleOf({})).program.abi?.address;
  if (address === undefined) throw new Error("a module without an address");
  const module = { address, name: "m" };
  return new Closure(
    { module, name },
    types.map((kind) => ({ kind })),
    mask,
    captured,
    layouts,
  );
}

/** A module with the function `f` of a case. */
export function caseModule({ signature, code, locals = [] }: Case): Uint8Array {
  return moduleOf({
    structs: STRUCTS,
    functions: [...FUNCTIONS, functionOf("f", signature, code, { locals })],
  });
}
