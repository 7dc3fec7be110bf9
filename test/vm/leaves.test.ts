// Functions that only read run without a frame. A tracer sees every call, so with one each of them has its frame: gas,
// results and faults must be the same, whatever the budget.
import { expect, it } from "vitest";
import type { Tracer } from "../../src/vm/session.ts";
import { functionOf, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

const TRACER: Tracer = { begin: () => {}, enter: () => {}, leave: () => {}, fail: () => {} };

const MODULE = moduleOf({
  structs: [
    {
      name: "S",
      abilities: ["drop"],
      fields: [
        { name: "a", type: "u64" },
        { name: "b", type: "vector<u8>" },
      ],
    },
    {
      name: "Of",
      abilities: ["drop"],
      typeParams: [{ constraints: [], phantom: false }],
      fields: [{ name: "a", type: "T0" }],
    },
    {
      name: "E",
      abilities: ["drop"],
      variants: [
        { name: "Dot", fields: [] },
        { name: "Line", fields: [{ name: "a", type: "u64" }] },
      ],
    },
  ],
  functions: [
    functionOf("a", "fn(&0xcafe::m::S):(u64)", "move local 0; borrow field S.a; read ref; ret"),
    functionOf("b", "fn(&0xcafe::m::S):(vector<u8>)", "move local 0; borrow field S.b; read ref; ret"),
    functionOf(
      "of",
      "fn(&0xcafe::m::Of<T0>):(T0)",
      "move local 0; borrow generic field Of<T0>.a; read ref; ret",
      {
        typeParams: [["copy"]],
      },
    ),
    functionOf("dot", "fn(&0xcafe::m::E):(bool)", "move local 0; test variant E.Dot; ret"),
    functionOf(
      "run",
      "fn():(u64)",
      `load u64 5; vector pack u8 0; pack S; store local 0; load u64 7; pack generic Of<u64>; store local 1;
       pack variant E.Dot; store local 2; load u64 0; store local 3; again:;
       copy local 3; borrow local 0; call a; add; borrow local 1; call generic of<u64>; add; store local 3;
       borrow local 0; call b; pop;
       borrow local 2; call dot; branch if false done; copy local 3; load u64 40; lt; branch if true again;
       done:; copy local 3; ret`,
      { locals: ["0xcafe::m::S", "0xcafe::m::Of<u64>", "0xcafe::m::E", "u64"] },
    ),
  ],
});

function run(maxGas: number, tracer?: Tracer): readonly unknown[] {
  const machine = new TestMachine([MODULE], { maxGas, tracer });
  const outcome = outcomeOf(() => machine.call("0xcafe::m::run", []));
  return [outcome, machine.linker.meter.balance];
}

it("cost what they cost in a frame, and fail where they fail in one", () => {
  const [values, left] = run(100);
  expect(values).toEqual([48n]);
  const used = 100 - (left as number) / new TestMachine([]).linker.meter.scaling;
  for (let i = 0; i <= 400; i++) {
    const budget = (used * i) / 399;
    expect(run(budget), `a budget of ${budget}`).toEqual(run(budget, TRACER));
  }
});
