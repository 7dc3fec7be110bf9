import { expect, it } from "vitest";
import { VerifierRest } from "./remote-verification.ts";

it("each rest is twice as long as the one before, until a remote verifier served", () => {
  const rest = new VerifierRest(10n);
  expect(rest.isOver(0n)).toBe(true);
  for (const versions of [10n, 20n, 40n]) {
    rest.begin(100n);
    expect(rest.isOver(100n + versions - 1n)).toBe(false);
    expect(rest.isOver(100n + versions)).toBe(true);
  }
  rest.served();
  rest.begin(100n);
  expect(rest.isOver(110n)).toBe(true);
});

it("the page that begins a ledger is verified here, wherever the ledger begins", () => {
  const rest = new VerifierRest(10n);
  for (const start of [0n, 5_000_000n]) {
    rest.beginFirst(start);
    expect(rest.isOver(start)).toBe(false);
    expect(rest.isOver(start + 1n)).toBe(true);
  }
});

it("rests stop growing", () => {
  const rest = new VerifierRest(1n);
  for (let i = 0; i < 100; i++) rest.begin(0n);
  expect(rest.isOver(1n << 20n)).toBe(true);
});
