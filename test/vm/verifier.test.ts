// Code that the chain refuses, in modules of our own.
import { describe, expect, it, vi } from "vitest";
import { readProgram, readProgramTables } from "../../src/move/bytecode/program.ts";
import { finish } from "../../src/vm/pieces.ts";
import { assertWellFormed } from "../../src/vm/publishing/verify.ts";
import { functionOf, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";
import { REFUSED, UNREADABLE } from "../support/verifier-cases.ts";

describe("the verifier", () => {
  it("follows many references in pieces, so that other work has its turns", () => {
    const params = new Array(120).fill("&u64").join(",");
    const code = `${"load true; branch if true out; ".repeat(1000)}out:; ret`;
    const bytes = moduleOf({ functions: [functionOf("f", `fn(${params})`, code)] });
    const module = { program: readProgram(bytes), tables: readProgramTables(bytes, "module") };
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
    const module = { program: readProgram(bytes), tables: readProgramTables(bytes, "module") };
    const steps = [vi.spyOn(Set.prototype, "add"), vi.spyOn(Map.prototype, "has")];
    try {
      finish(assertWellFormed(module));
      expect(steps.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThan(100 * count);
    } finally {
      for (const step of steps) step.mockRestore();
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
