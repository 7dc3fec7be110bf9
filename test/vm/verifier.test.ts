// Code that the chain refuses, in modules of our own.
import { describe, expect, it } from "vitest";
import { outcomeOf, TestMachine } from "../support/machine.ts";
import { REFUSED, UNREADABLE } from "../support/verifier-cases.ts";

describe("the verifier", () => {
  it.each(REFUSED)("refuses $what with status $status", ({ status, modules }) => {
    expect(outcomeOf(() => new TestMachine(modules()))).toBe(`${status}`);
  });

  // So nothing reaches the verifier that would have status 1035 or 1130.
  it.each(UNREADABLE)("never sees what the format refuses: %s", (fault, module) => {
    expect(module).toThrow(fault);
  });
});
