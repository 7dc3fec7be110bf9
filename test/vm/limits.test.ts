// Limits of a run, each reached by code of our own.
import { describe, expect, it, vi } from "vitest";
import { parseAbiType } from "../../scripts/local-chain-modules/notation.ts";
import type { AbiType } from "../../src/move/abi.ts";
import { assertLimits } from "../../src/vm/change-set.ts";
import { Meter, PLAIN_SCHEDULE } from "../../src/vm/gas.ts";
import { encodeStored } from "../../src/vm/layout.ts";
import type { SessionEvent } from "../../src/vm/session.ts";
import { LedgerState } from "../../src/vm/state.ts";
import { structType, tagOf } from "../../src/vm/types.ts";
import { byteVec, Delayed, Struct, type Value } from "../../src/vm/values.ts";
import {
  functionOf,
  loadedModule,
  type MachineOptions,
  moduleOf,
  outcomeOf,
  TestMachine,
} from "../support/machine.ts";

const FOREVER = functionOf("forever", "fn()", "again:; branch again");
const RECURSE = functionOf("recurse", "fn()", "call recurse; ret");
/** Each call has a type argument that is one vector deeper. */
const DEEPER = functionOf("deeper", "fn()", "call generic deeper<vector<T0>>; ret", { typeParams: [[]] });
/** Each call has a type argument of twice the parts. */
const WIDER = functionOf("wider", "fn()", "call generic wider<0xcafe::m::Pair<T0,T0>>; ret", {
  typeParams: [[]],
});
const GROW = functionOf(
  "grow",
  "fn()",
  `vector pack u64 0; store local 0; again:;
   borrow local mutably 0; load u64 1; vector push u64; branch again`,
  { locals: ["vector<u64>"] },
);
/** Few instructions, each of which takes long if the vector does. */
const CARRY = functionOf("carry", "fn(vector<u8>)", "again:; copy local 0; pop; branch again");
const READ = functionOf("read", "fn(address):(bool)", "copy local 0; exists R; ret");

const READ_OF = functionOf("readOf", "fn(address):(bool)", "copy local 0; exists generic Of<T0>; ret", {
  typeParams: [[]],
});

/** Each call leaves twenty operands under the next. */
const PILE = functionOf("pile", "fn()", `${"load u64 1; ".repeat(20)}call pile; ${"pop; ".repeat(20)}ret`);
const FUN = "fn()+copy+drop";
const HOLD = functionOf("hold", `fn(${FUN})`, "ret");
/** Each function value holds the one before. */
const NEST = functionOf(
  "nest",
  "fn()",
  `pack closure nest 0; store local 0; again:;
   copy local 0; pack closure hold 1; store local 0; branch again`,
  { locals: [FUN] },
);

const MODULE = moduleOf({
  structs: [
    { name: "R", abilities: ["key"], fields: [{ name: "a", type: "u64" }] },
    {
      name: "Of",
      abilities: ["key"],
      typeParams: [{ constraints: [], phantom: true }],
      fields: [{ name: "a", type: "u64" }],
    },
    {
      name: "Pair",
      typeParams: [
        { constraints: [], phantom: true },
        { constraints: [], phantom: true },
      ],
      fields: [{ name: "a", type: "u64" }],
    },
  ],
  functions: [FOREVER, RECURSE, DEEPER, WIDER, GROW, CARRY, READ, READ_OF, PILE, HOLD, NEST],
});

/** The state of a ledger that is empty. */
const LEDGER = new LedgerState(
  () => undefined,
  (_, bytes) => loadedModule(bytes),
);

/** A machine with some prices of its own. */
function withPrices(prices: Readonly<Record<string, number>>): MachineOptions {
  const { version } = PLAIN_SCHEDULE;
  return { schedule: { version, prices: new Map(Object.entries(prices)) } };
}

const ENDS: readonly (readonly [string, string, string, Value[], string[], MachineOptions])[] = [
  ["4002", "gas", "forever", [], [], { maxGas: 1 }],
  ["4030", "work", "forever", [], [], { maxGas: 1e9 }],
  [
    "4031",
    "reads",
    "read",
    ["0".repeat(64)],
    [],
    withPrices({ "txn.max_io_gas": 9, "txn.storage_io_per_state_slot_read": 10 }),
  ],
  ["4028", "memory", "grow", [], [], withPrices({ "txn.memory_quota": 1000 })],
  ["4021", "nested calls", "recurse", [], [], {}],
  ["4024", "the depth of types", "deeper", [], ["u64"], {}],
  ["4020", "operands", "pile", [], [], {}],
  ["4025", "the depth of values", "nest", [], [], {}],
  [
    "3022",
    "the tag of a resource's type",
    "readOf",
    ["0".repeat(64)],
    [`${"vector<".repeat(9)}u8${">".repeat(9)}`],
    { state: LEDGER },
  ],
  ["2006", "the parts of a type", "wider", [], ["u64"], {}],
];

describe("a run ends with status", () => {
  it.each(ENDS)("%s at the limit of %s", (status, _, name, args, typeArgs, options) => {
    const machine = new TestMachine([MODULE], options);
    expect(outcomeOf(() => machine.call(`0xcafe::m::${name}`, args, typeArgs))).toBe(status);
  });

  it("4030, and looks at the clock before, however few instructions do the work", () => {
    const now = vi.spyOn(performance, "now");
    const machine = new TestMachine([MODULE], { maxGas: 1e9 });
    const vector = byteVec(new Uint8Array(1 << 16));
    expect(outcomeOf(() => machine.call("0xcafe::m::carry", [vector]))).toBe("4030");
    expect(now.mock.calls.length).toBeGreaterThan(50);
    now.mockRestore();
  });

  it("4030 at the limit of the texts of its types", () => {
    const { linker } = new TestMachine([MODULE]);
    const module = linker.module(`${"0".repeat(60)}cafe`, "m");
    const long = "x".repeat(1 << 16);
    const use = (i: number) =>
      outcomeOf(
        () => linker.functionIn(module, "deeper", [structType("0".repeat(64), "m", `${long}${i}`)]).key,
      );
    const outcomes = Array.from({ length: 600 }, (_, i) => use(i));
    expect(outcomes.indexOf("4030")).toBeGreaterThan(500);
    // Types that were used before are no more text.
    expect(use(0)).toBe(module.key);
  });

  it("4027 at the limit of writes and events", () => {
    const { schedule = PLAIN_SCHEDULE } = withPrices({ "txn.max_bytes_per_event": 1 });
    const event = { guid: undefined, sequenceNumber: 0n, type: { kind: "u16" }, data: new Uint8Array(2) };
    const events = [event as SessionEvent];
    expect(outcomeOf(() => assertLimits(new Meter(schedule, 1), new Map(), events))).toBe("4027");
  });

  it("4032 at the limit of storage fees", () => {
    const { schedule = PLAIN_SCHEDULE } = withPrices({ "txn.max_storage_fee": 5 });
    const meter = new Meter(schedule, 1_000_000);
    meter.chargeStorage(5, 1);
    expect(outcomeOf(() => meter.chargeStorage(1, 1))).toBe("4032");
  });

  it("4033 at the limit of a type's tag", () => {
    const wide = (count: number): AbiType =>
      parseAbiType(`0x1::m::S<${new Array(count).fill("u8").join(",")}>`);
    expect(outcomeOf(() => tagOf(wide(40)).kind)).toBe("struct");
    expect(outcomeOf(() => tagOf(wide(50)).kind)).toBe("4033");
  });

  it("4036 at the limit of aggregators in a value", () => {
    const encoded = (count: number): string | number =>
      outcomeOf(
        () =>
          encodeStored(new Struct(Array.from({ length: count }, () => new Delayed(1n))), {
            kind: "struct",
            fields: Array.from({ length: count }, () => ({ kind: "delayed", inner: { kind: "u64" } })),
          }).length,
      );
    expect([encoded(10), encoded(11)]).toEqual([80, "4036"]);
  });

  it("1124 at the limit of modules that it uses", () => {
    const options = withPrices({ "txn.max_num_dependencies": 0 });
    expect(outcomeOf(() => new TestMachine([MODULE], options).call("0xcafe::m::recurse", []))).toBe("1124");
  });
});
