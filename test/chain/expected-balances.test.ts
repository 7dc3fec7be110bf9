import { describe, expect, it } from "vitest";
import { createDemoAccounts } from "../../src/chain/demo-accounts.ts";
import { ExpectedBalances } from "../support/expected-balances.ts";

const demoAccounts = createDemoAccounts(new Uint8Array(32));

describe("ExpectedBalances", () => {
  it("adds the initial holdings once", () => {
    const expected = new ExpectedBalances();
    expected.addHoldings(demoAccounts);
    expected.addHoldings(demoAccounts);
    expect(expected.amount("emil", "gold", "coin")).toBe(77_700n);
    expect(expected.amount("hana", "native", "store")).toBe(0n);
  });

  it("moves, mints and burns", () => {
    const expected = new ExpectedBalances();
    const asset = "shell" as const;
    const part = "store" as const;
    expected.applyBlock(1n, [
      { asset, part, from: undefined, to: "anna", amount: 10n },
      { asset, part, from: "anna", to: "basil", amount: 4n },
      { asset, part, from: "basil", to: undefined, amount: 1n },
    ]);
    expect(expected.entries()).toEqual([
      { account: "anna", asset, coin: 0n, store: 6n },
      { account: "basil", asset, coin: 0n, store: 3n },
    ]);
    expect(expected.total(asset, part)).toBe(9n);
  });

  it("ignores a block applied before, and every block after a gap", () => {
    const expected = new ExpectedBalances();
    const mint = [{ asset: "gold", part: "coin", from: undefined, to: "anna", amount: 1n }] as const;
    expected.applyBlock(1n, mint);
    expected.applyBlock(1n, mint);
    expected.applyBlock(3n, mint);
    expect(expected.height).toBe(1n);
    expect(expected.amount("anna", "gold", "coin")).toBe(1n);
  });

  it("refuses a negative balance", () => {
    const move = { asset: "gold", part: "coin", from: "anna", to: "basil", amount: 1n } as const;
    expect(() => new ExpectedBalances().applyBlock(1n, [move])).toThrow("anna would hold -1 of gold");
  });
});
