// Code that the chain refuses, in modules of our own.
import { describe, expect, it } from "vitest";
import { outcomeOf, TestMachine } from "../support/machine.ts";
import { REFUSED } from "../support/verifier-cases.ts";

describe("the verifier", () => {
  it.each(REFUSED)("refuses $what with status $status", ({ status, modules }) => {
    expect(outcomeOf(() => new TestMachine(modules()))).toBe(`${status}`);
  });
});
