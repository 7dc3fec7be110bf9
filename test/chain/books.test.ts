import { describe, expect, it } from "vitest";
import { createDemoAccounts } from "../../src/chain/demo-accounts.ts";
import { Books } from "../support/books.ts";

const demoAccounts = createDemoAccounts(new Uint8Array(32));

describe("Books", () => {
  it("starts with what the accounts hold, once", () => {
    const books = new Books();
    books.open(demoAccounts);
    books.open(demoAccounts);
    expect(books.amount("emil", "gold", "coin")).toBe(77_700n);
    expect(books.amount("hana", "native", "store")).toBe(0n);
  });

  it("moves, mints and burns", () => {
    const books = new Books();
    const asset = "shell" as const;
    const part = "store" as const;
    books.book(1n, [
      { asset, part, from: undefined, to: "ada", amount: 10n },
      { asset, part, from: "ada", to: "basil", amount: 4n },
      { asset, part, from: "basil", to: undefined, amount: 1n },
    ]);
    expect(books.entries()).toEqual([
      { account: "ada", asset, coin: 0n, store: 6n },
      { account: "basil", asset, coin: 0n, store: 3n },
    ]);
    expect(books.total(asset, part)).toBe(9n);
  });

  it("leaves out a block that was booked, and stays behind after a gap", () => {
    const books = new Books();
    const mint = [{ asset: "gold", part: "coin", from: undefined, to: "ada", amount: 1n }] as const;
    books.book(1n, mint);
    books.book(1n, mint);
    books.book(3n, mint);
    expect(books.height).toBe(1n);
    expect(books.amount("ada", "gold", "coin")).toBe(1n);
  });

  it("refuses to hand out what is not there", () => {
    const move = { asset: "gold", part: "coin", from: "ada", to: "basil", amount: 1n } as const;
    expect(() => new Books().book(1n, [move])).toThrow("ada would hold -1 of gold");
  });
});
