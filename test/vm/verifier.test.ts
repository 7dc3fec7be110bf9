// Code that the chain refuses, in modules of our own.
import { describe, expect, it, vi } from "vitest";
import { finish } from "../../src/base/pieces.ts";
import { parseAddress } from "../../src/move/address.ts";
import { readProgram } from "../../src/move/bytecode/program.ts";
import { assertLinks, assertWellFormed } from "../../src/vm/publishing/verify.ts";
import { functionOf, loadedModule, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";
import { REFUSED, UNREADABLE } from "../support/verifier-cases.ts";

describe("the verifier", () => {
  it("follows many references in pieces, so that other work has its turns", () => {
    const params = new Array(120).fill("&u64").join(",");
    const code = `${"load true; branch if true out; ".repeat(1000)}out:; ret`;
    const bytes = moduleOf({ functions: [functionOf("f", `fn(${params})`, code)] });
    const module = finish(readProgram(bytes));
    expect([...assertWellFormed(module)].length).toBeGreaterThan(100);
  });

  it("takes steps in proportion to chains of calls and of structs", () => {
    const count = 1000;
    const all = Array.from({ length: count }, (_, i) => i);
    const bytes = moduleOf({
      structs: all.map((i) => ({
        name: `S${i}`,
        fields: [{ name: "a", type: i === count - 1 ? "u64" : `0xcafe::m::S${i + 1}` }],
      })),
      functions: all.map((i) => functionOf(`f${i}`, "fn()", i === count - 1 ? "ret" : `call f${i + 1}; ret`)),
    });
    const module = finish(readProgram(bytes));
    const steps = [vi.spyOn(Set.prototype, "add"), vi.spyOn(Map.prototype, "has")];
    try {
      finish(assertWellFormed(module));
      expect(steps.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThan(100 * count);
    } finally {
      for (const step of steps) step.mockRestore();
    }
  });

  it("looks at thousands of functions in pieces, none of which looks at all of them", () => {
    const count = 4000;
    const other = { address: parseAddress("0xcafe"), name: "other" };
    const names = Array.from({ length: count }, (_, i) => `f${i}`);
    const callee = moduleOf({ functions: names.map((name) => functionOf(name, "fn()", "ret")) }, "other");
    const bytes = moduleOf({
      functions: names.map((name) => functionOf(name, "fn()", "ret")),
      importedFunctions: names.map((name) => ({ module: other, name })),
    });
    const module = finish(readProgram(bytes));
    const { linker } = new TestMachine([loadedModule(callee)]);
    const add = vi.spyOn(Set.prototype, "add");
    try {
      for (const pieces of [
        assertWellFormed(module),
        assertLinks(module.tables, `${"cafe".padStart(64, "0")}::m`, linker),
      ]) {
        let longest = 0;
        let turns = 0;
        for (let done: boolean | undefined = false; done !== true; turns++) {
          add.mockClear();
          ({ done } = pieces.next());
          longest = Math.max(longest, add.mock.calls.length);
        }
        expect([longest < count / 2, turns > count / 1000]).toEqual([true, true]);
      }
    } finally {
      add.mockRestore();
    }
  });

  it("looks into a type once, however many functions have it", () => {
    const nested = (parts: number): string =>
      parts < 3 ? "u8" : `0xcafe::m::Pair<${nested(parts >> 1)},${nested((parts - 1) >> 1)}>`;
    const locals = Array.from({ length: 30 }, (_, i) => nested(120 - i));
    const phantom = { constraints: [], phantom: true };
    const pair = { name: "Pair", typeParams: [phantom, phantom], fields: [{ name: "a", type: "u64" }] };
    const functions = Array.from({ length: 200 }, (_, i) => functionOf(`f${i}`, "fn()", "ret", { locals }));
    const bytes = moduleOf({ structs: [pair], functions });
    const module = finish(readProgram(bytes));
    const get = vi.spyOn(Map.prototype, "get");
    try {
      finish(assertWellFormed(module));
      expect(get.mock.calls.length).toBeLessThan(50_000);
    } finally {
      get.mockRestore();
    }
  });

  it.each(REFUSED)("refuses $what with status $status", ({ status, modules }) => {
    expect(outcomeOf(() => new TestMachine(modules()))).toBe(`${status}`);
  });

  // So nothing reaches the verifier that would have status 1035 or 1130.
  it.each(UNREADABLE)("never sees what the format refuses: %s", (fault, module) => {
    expect(module).toThrow(fault);
  });
});
