// Limits of a run, each reached by code of our own.
import { describe, expect, it } from "vitest";
import { PLAIN_SCHEDULE } from "../../src/vm/gas.ts";
import type { Value } from "../../src/vm/values.ts";
import { functionOf, type MachineOptions, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

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
const READ = functionOf("read", "fn(address):(bool)", "copy local 0; exists R; ret");

const MODULE = moduleOf({
  structs: [
    { name: "R", abilities: ["key"], fields: [{ name: "a", type: "u64" }] },
    {
      name: "Pair",
      typeParams: [
        { constraints: [], phantom: true },
        { constraints: [], phantom: true },
      ],
      fields: [{ name: "a", type: "u64" }],
    },
  ],
  functions: [FOREVER, RECURSE, DEEPER, WIDER, GROW, READ],
});

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
  ["2006", "the parts of a type", "wider", [], ["u64"], {}],
];

describe("a run ends with status", () => {
  it.each(ENDS)("%s at the limit of %s", (status, _, name, args, typeArgs, options) => {
    const machine = new TestMachine([MODULE], options);
    expect(outcomeOf(() => machine.call(`0xcafe::m::${name}`, args, typeArgs))).toBe(status);
  });

  it("1124 at the limit of modules that it uses", () => {
    const options = withPrices({ "txn.max_num_dependencies": 0 });
    expect(outcomeOf(() => new TestMachine([MODULE], options).call("0xcafe::m::recurse", []))).toBe("1124");
  });
});
