// Calls between modules of which one was replaced after the other was checked.
import { describe, expect, it } from "vitest";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import { parseAddress } from "../../src/move/address.ts";
import { assertTypeArgs } from "../../src/vm/arguments.ts";
import type { LoadedModule } from "../../src/vm/linker.ts";
import { abortInfoOf } from "../../src/vm/publishing/metadata.ts";
import { linkFault } from "../../src/vm/publishing/verify-types.ts";
import { Struct } from "../../src/vm/values.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

type Definition = Parameters<typeof moduleOf>[0];

const FRIEND = { address: parseAddress("0xcafe"), name: "user" };
const USED = { address: parseAddress("0xcafe"), name: "used" };
const FAKE = { name: "Fake", abilities: ["drop", "copy"], fields: [{ name: "a", type: "address" }] } as const;
const GOOD = functionOf("f", "fn(&0xcafe::used::Fake):(u64)", "load u64 1; ret", { visibility: "friend" });
const GENERIC = functionOf("g", "fn()", "ret", { visibility: "friend", typeParams: [["drop"]] });
const LAST = functionOf("last", "fn(u64):(u64)", "move local 0; ret", { visibility: "friend" });

function used(...functions: NonNullable<Definition["functions"]>): LoadedModule {
  return loadedModule(moduleOf({ structs: [FAKE], friends: [FRIEND], functions }, "used"));
}

const CHECKED = used(GOOD, GENERIC, LAST);
/** Code that was checked against `CHECKED`. */
const USER = loadedModule(
  moduleOf(
    {
      imports: [{ address: USED.address, module: USED.name, ...FAKE, typeParams: [] }],
      importedFunctions: [
        { module: USED, name: "f", params: ["&0xcafe::used::Fake"], returns: ["u64"] },
        { module: USED, name: "g", typeParams: [["drop"]] },
        { module: USED, name: "last", params: ["u64"], returns: ["u64"] },
      ],
      functions: [
        functionOf("call", "fn(0xcafe::used::Fake):(u64)", "borrow local 0; call 0xcafe::used::f; ret"),
        functionOf("generic", "fn()", "call generic 0xcafe::used::g<u64>; ret"),
        functionOf("pack", "fn()", "pack closure 0xcafe::used::last 0; pop; ret"),
      ],
    },
    "user",
  ),
);

const NEWER: readonly (readonly [string, string, string, LoadedModule])[] = [
  [
    "call",
    "takes a signer in the place of a struct",
    "1020",
    used(functionOf("f", "fn(&signer):(u64)", "load u64 2; ret", { visibility: "friend" })),
  ],
  ["call", "gives another type", "1020", used({ ...GOOD, returns: ["u8"] })],
  ["call", "is private", "1017", used({ ...GOOD, visibility: "private" })],
  [
    "call",
    "has no such friend",
    "1017",
    loadedModule(moduleOf({ structs: [FAKE], functions: [GOOD] }, "used")),
  ],
  ["call", "is gone", "1091", used()],
  ["generic", "asks for more of its type", "1020", used({ ...GENERIC, typeParams: [["drop", "key"]] })],
  ["generic", "has another count of types", "1076", used({ ...GENERIC, typeParams: [] })],
  ["pack", "is private", "1017", used({ ...LAST, visibility: "private" })],
];

function run(machine: TestMachine, name: string): unknown {
  const args = name === "call" ? [new Struct(["0".repeat(64)])] : [];
  return outcomeOf(() => machine.call(`0xcafe::user::${name}`, args));
}

describe("a link between modules", () => {
  it.each(NEWER)("of %s ends with a fault where what it finds %s: %s", (name, _, status, newer) => {
    const good = name === "call" ? [1n] : [];
    // In a transaction of its own, and where the transaction itself replaced the module.
    expect(run(new TestMachine([USER, newer]), name)).toBe(status);
    const machine = new TestMachine([USER, CHECKED]);
    expect(run(machine, name)).toEqual(good);
    machine.linker.stage([newer]);
    expect(run(machine, name)).toBe(status);
    machine.linker.stage([CHECKED]);
    expect(run(machine, name)).toEqual(good);
    expect(run(new TestMachine([USER, CHECKED]), name)).toEqual(good);
  });

  it("of structs that are parts of one another ends with a fault where one is laid out", () => {
    const [a, b] = ["a", "b"].map((name, i) => {
      const other = i === 0 ? "b" : "a";
      const abilities = ["key", "store"] as const;
      return loadedModule(
        moduleOf(
          {
            imports: [{ address: USED.address, module: other, name: "S", abilities, typeParams: [] }],
            structs: [{ name: "S", abilities, fields: [{ name: "s", type: `0xcafe::${other}::S` }] }],
            functions: [functionOf("has", "fn(address):(bool)", "move local 0; exists S; ret")],
          },
          name,
        ),
      );
    });
    const machine = new TestMachine([a, b].filter((one) => one !== undefined));
    expect(outcomeOf(() => machine.call("0xcafe::a::has", ["0".repeat(64)]))).toBe("4025");
  });

  it("of an abort to its text finds none for a script", () => {
    const read = (): undefined => undefined;
    expect(["script", "", USER.key].map((place) => abortInfoOf(place, 7n, read, () => USER))).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("holds where the newer function only opens", () => {
    const open = used({ ...GOOD, visibility: "public" }, { ...GENERIC, typeParams: [[]] });
    const machine = new TestMachine([USER, open]);
    expect([run(machine, "call"), run(machine, "generic")]).toEqual([[1n], []]);
  });

  it("looks through the friends of a module once, however many functions are called", () => {
    let reads = 0;
    const friends = Array.from({ length: 1000 }, (_, i) => ({
      ...FRIEND,
      get name() {
        reads++;
        return `user${i}`;
      },
    }));
    const [real] = CHECKED.program.functions;
    if (real === undefined) throw new Error("no function");
    const status = (user: string) => linkFault(real, real, friends, `${CHECKED.address}::${user}`);
    const found = friends.map((_, i) => status(`user${2 * i}`));
    expect(found.map((one) => one ?? 0)).toEqual(found.map((_, i) => (i < 500 ? 0 : 1017)));
    expect(reads).toBe(friends.length);
  });
});

it("type arguments have as many of their own as their structs take, with the abilities that those ask for", () => {
  const box = { abilities: ["key", "copy"], fields: [{ name: "a", type: "T0" }] } as const;
  const structs = [
    { ...box, name: "Box", typeParams: [{ constraints: ["copy"], phantom: false }] },
    { ...FAKE, name: "Coin", abilities: [], typeParams: [] },
  ] as const;
  const { linker } = new TestMachine([moduleOf({ structs })]);
  const outcome = (type: string): unknown =>
    outcomeOf(() => assertTypeArgs(linker, [[]], [parseAbiType(type)]));
  const [good, short, long, lacking] = ["<u8>", "", "<u8,u8>", "<0xcafe::m::Coin>"];
  for (const inner of ["0xcafe::m::Box?", "vector<0xcafe::m::Box?>", "0xcafe::m::Box<0xcafe::m::Box?>"]) {
    const given = [good, short, long, lacking].map((args) => outcome(inner.replace("?", args ?? "")));
    expect(given).toEqual([undefined, "1076", "1076", "1075"]);
  }
});
