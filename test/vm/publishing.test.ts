// What the chain asks of a package besides well-formed code: modules of our own with each fault.
import { describe, expect, it } from "vitest";
import { assembleModule } from "../../scripts/local-chain-modules/assembler.ts";
import { toHex } from "../../src/base/hex.ts";
import { finish } from "../../src/base/pieces.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { FRAMEWORK, parseAddress } from "../../src/move/address.ts";
import { MAGIC, TABLE } from "../../src/move/bytecode/directory.ts";
import type { ChainConfig } from "../../src/vm/ledger/chain-config.ts";
import { assertInitialiser, checkPublish } from "../../src/vm/publishing/publish.ts";
import { Features } from "../../src/vm/session.ts";
import { runScript } from "../../src/vm/transaction/payload.ts";
import type { SessionRun } from "../../src/vm/transaction/session-run.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

type Definition = Parameters<typeof moduleOf>[0];

const AT = toHex(parseAddress("0xcafe"));
const ALL = new Features(new Uint8Array(32).fill(0xff));
/** All but flag 95: modules are loaded with all that they use. */
const EAGER = new Features(new Uint8Array(32).fill(0xff).fill(0x7f, 11, 12));
/** The newest format that the chain takes. */
const FORMAT = { formatVersion: 9 };
const F = functionOf("f", "fn(u64)", "ret");
const fields = [{ name: "a", type: "u64" }];

function made(definition: Definition = {}, name = "m"): Uint8Array {
  return moduleOf({ ...FORMAT, ...definition }, name);
}

/** Parameters of many nodes, which are in the module once. */
const LARGE = Array.from({ length: 10 }, (_, i) =>
  functionOf(`f${i}`, `fn(${new Array<string>(100).fill("vector<vector<vector<u8>>>").join(",")})`, "ret"),
);

interface Package {
  /** 1 is the main network. */
  readonly chainId?: number;
  readonly bundle: readonly Uint8Array[];
  readonly names?: readonly string[];
  readonly old?: Definition;
  readonly destination?: string;
  readonly features?: Features;
  readonly allowed?: readonly { readonly address: string; readonly name: string }[];
}

function publish(given: Package): string {
  const { bundle, names = ["m"], old, destination = AT, allowed, chainId = 2, features = ALL } = given;
  const { linker } = new TestMachine(old === undefined ? [] : [made(old)]);
  const request = { destination, expectedModules: names, bundle, allowed };
  const checked = outcomeOf(() => finish(checkPublish(request, { linker, features, chainId })));
  return typeof checked === "string" ? checked : checked.map(({ loaded }) => loaded.name).join();
}

/** An upgrade of a module. */
const upgraded = (old: Definition, now: Definition): Package => ({ old, bundle: [made(now)] });
const group = (groupScope: string): NonNullable<Definition["structs"]>[number] => ({
  name: "G",
  fields,
  groupScope,
});
const member = (groupMemberOf: string): NonNullable<Definition["structs"]>[number] => ({
  name: "R",
  abilities: ["key"],
  fields,
  groupMemberOf,
});
const event = { name: "V", abilities: ["store", "drop"], fields, isEvent: true } as const;

const REFUSED: readonly (readonly [status: number, what: string, given: Package])[] = [
  [3024, "bytes that are no module", { bundle: [Uint8Array.of(1, 2, 3)] }],
  [3024, "a format that is not supported yet", { bundle: [made({ formatVersion: 10 })] }],
  [1067, "a module for another address", { bundle: [made()], destination: AT.replace("cafe", "beef") }],
  [1075, "a module that is there twice", { bundle: [made(), made()], names: ["m", "m"] }],
  [1075, "a module that the package does not name", { bundle: [made()], names: ["n"] }],
  [1075, "a module that the package names and has not", { bundle: [made()], names: ["m", "n"] }],
  [
    1075,
    "a use that the package does not name",
    {
      bundle: [
        made({
          functions: [functionOf("g", "fn()", "call 0xcafe::m2::f; ret")],
          importedFunctions: [{ module: { address: parseAddress("0xcafe"), name: "m2" }, name: "f" }],
        }),
        made({ functions: [functionOf("f", "fn()", "ret")] }, "m2"),
      ],
      names: ["m", "m2"],
      allowed: [],
    },
  ],
  [
    1081,
    "a use of a module that is not there",
    {
      bundle: [
        made({
          functions: [functionOf("g", "fn()", "call 0xcafe::none::f; ret")],
          importedFunctions: [{ module: { address: parseAddress("0xcafe"), name: "none" }, name: "f" }],
        }),
      ],
    },
  ],
  [
    1135,
    "a friend that is not in the bundle",
    {
      bundle: [made({ friends: [{ address: parseAddress("0xcafe"), name: "n" }] })],
    },
  ],
  [1127, "a native function", { bundle: [made({ functions: [{ name: "f", isNative: true }] })] }],
  [1096, "a public function that is gone", upgraded({ functions: [F] }, {})],
  [
    1096,
    "a function with other parameters",
    upgraded({ functions: [F] }, { functions: [functionOf("f", "fn(u8)", "ret")] }),
  ],
  [
    1096,
    "a public function that is hidden",
    upgraded({ functions: [F] }, { functions: [{ ...F, visibility: "private" }] }),
  ],
  [1096, "a struct that is gone", upgraded({ structs: [{ name: "S", fields }] }, {})],
  [
    1096,
    "a struct with one more field",
    upgraded(
      { structs: [{ name: "S", fields }] },
      { structs: [{ name: "S", fields: [...fields, { name: "b", type: "u64" }] }] },
    ),
  ],
  [
    1096,
    "a struct that loses an ability",
    upgraded({ structs: [{ name: "S", abilities: ["drop"], fields }] }, { structs: [{ name: "S", fields }] }),
  ],
  [
    1123,
    "an event that is one no longer",
    upgraded({ structs: [event] }, { structs: [{ ...event, isEvent: false }] }),
  ],
  [
    1123,
    "code that emits what is no event",
    {
      bundle: [
        made({
          structs: [{ ...event, isEvent: false }],
          functions: [
            functionOf(
              "f",
              "fn(0xcafe::m::V)",
              "move local 0; call generic 0x1::event::emit<0xcafe::m::V>; ret",
            ),
          ],
          importedFunctions: [
            {
              module: { address: FRAMEWORK, name: "event" },
              name: "emit",
              typeParams: [["store", "drop"]],
              params: ["T0"],
            },
          ],
        }),
      ],
    },
  ],
  [1075, "a resource group of an unknown scope", { bundle: [made({ structs: [group("planet")] })] }],
  [
    1075,
    "a member of a group without key",
    { bundle: [made({ structs: [group("global"), { ...member("0xcafe::m::G"), abilities: [] }] })] },
  ],
  [
    1075,
    "a member of what is no group",
    { bundle: [made({ structs: [{ name: "G", fields }, member("0xcafe::m::G")] })] },
  ],
  [
    1075,
    "a member that leaves its group",
    upgraded(
      { structs: [group("global"), member("0xcafe::m::G")] },
      { structs: [group("global"), { ...member(""), groupMemberOf: undefined }] },
    ),
  ],
  [
    1075,
    "a group that is narrowed",
    upgraded({ structs: [group("global")] }, { structs: [group("module_")] }),
  ],
  [1125, "code that is marked as not stable", { bundle: [made({ isUnstable: true })], chainId: 1 }],
  [1126, "types much larger than the module", { bundle: [made({ functions: LARGE })] }],
  [1075, "a view function without results", { bundle: [made({ functions: [{ ...F, isView: true }] })] }],
];

/** A script that names `0x1::event::emit`, in version 6 of the format. */
function scriptOf(...code: number[][]): Uint8Array {
  const tables: readonly (readonly [kind: number, bytes: Uint8Array])[] = [
    [TABLE.moduleHandles, Uint8Array.of(0, 0)],
    // Module, name, parameters, results, and one type parameter with drop and store.
    [TABLE.functionHandles, Uint8Array.of(0, 1, 1, 0, 1, 6)],
    [TABLE.signatures, Uint8Array.of(0, 1, 9, 0)],
    [TABLE.identifiers, new BcsWriter().text("event").text("emit").take()],
    [TABLE.addresses, FRAMEWORK],
  ];
  const writer = new BcsWriter().fixed(Uint8Array.from(MAGIC)).u32(6).uleb(tables.length);
  let offset = 0;
  for (const [kind, bytes] of tables) {
    writer.u8(kind).uleb(offset).uleb(bytes.length);
    offset += bytes.length;
  }
  for (const [, bytes] of tables) writer.fixed(bytes);
  // Type parameters, parameters, locals, instructions.
  return writer.fixed(Uint8Array.of(0, 0, 0, code.length, ...code.flat())).take();
}

describe("a script", () => {
  const [PACK, RETURN] = [[0x12, 0], [0x02]];

  it.each([
    ["could emit events", [RETURN]],
    ["packs a struct", [PACK, RETURN]],
  ])("ends with status 1094 where it %s", (_, code) => {
    const emit = functionOf("emit", "fn(T0)", "ret", { typeParams: [["drop", "store"]] });
    const event = assembleModule({ address: FRAMEWORK, name: "event", functions: [emit] });
    const run = new TestMachine([event]) as unknown as SessionRun;
    const script = { code: scriptOf(...code), typeArgs: [], args: [] };
    const config = { features: ALL, chainId: 2 } as unknown as ChainConfig;
    expect(outcomeOf(() => finish(runScript(run, script, [], config)))).toBe("1094");
  });
});

/** Modules that use one another. */
const CIRCLE = ["m", "n"].map((name) => {
  const other = { address: parseAddress("0xcafe"), name: name === "m" ? "n" : "m" };
  const functions = [functionOf("f", "fn()", `call 0xcafe::${other.name}::f; ret`)];
  return made({ functions, importedFunctions: [{ module: other, name: "f" }] }, name);
});

describe("publishing", () => {
  it("ends with status 1097 for modules that use one another, unless each is loaded alone", () => {
    const circle = { bundle: CIRCLE, names: ["m", "n"] };
    expect(publish(circle)).toBe("m,n");
    expect(publish({ ...circle, features: EAGER })).toBe("1097");
    expect(publish({ bundle: [made()], features: EAGER })).toBe("m");
  });

  it.each([
    ["a public function", functionOf("init_module", "fn(&signer)", "ret")],
    ["results", functionOf("init_module", "fn(&signer):(u64)", "load u64 1; ret", { visibility: "private" })],
    ["two parameters", functionOf("init_module", "fn(&signer,u8)", "ret", { visibility: "private" })],
  ])("ends with status 1134 for an initialiser with %s", (_, fun) => {
    const [definition] = loadedModule(made({ functions: [fun] })).program.functions;
    if (definition === undefined) throw new Error("no function");
    expect(outcomeOf(() => assertInitialiser(definition, 43))).toBe("1134");
  });

  it.each(REFUSED)("ends with status %s for %s", (status, _, given) => {
    expect(publish(given)).toBe(`${status}`);
  });

  it("takes a package whose modules use each other, and an upgrade that only adds", () => {
    const used = made({ functions: [F] }, "n");
    const call = { module: { address: parseAddress("0xcafe"), name: "n" }, name: "f", params: ["u64"] };
    const functions = [functionOf("g", "fn()", "load u64 1; call 0xcafe::n::f; ret")];
    const user = made({ functions, importedFunctions: [call] });
    expect(publish({ bundle: [user, used], names: ["m", "n"] })).toBe("m,n");
    const old = { functions: [F], structs: [{ name: "S", fields }] };
    const now = {
      functions: [F, ...functions.map((one) => ({ ...one, body: "return" as const }))],
      structs: [...old.structs, event],
    };
    expect(publish(upgraded(old, now))).toBe("m");
  });
});
