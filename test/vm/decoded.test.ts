// What sessions on one state share: items that are read and decoded once, and stay as the state has them.
import { expect, it } from "vitest";
import { DecodedItems, type StateSource } from "../../src/vm/session.ts";
import { STRUCTS } from "../support/instruction-cases.ts";
import { functionOf, moduleOf, outcomeOf, TestMachine } from "../support/machine.ts";

const AT = "ab".repeat(32);
const VALUE = "copy local 0; borrow global Coin; borrow field Coin.value; read ref";
const MODULE = moduleOf({
  structs: STRUCTS,
  functions: [
    functionOf("value", "fn(address):(u64)", `${VALUE}; ret`),
    functionOf(
      "set",
      "fn(address):(u64)",
      `load u64 50; copy local 0; borrow global mutably Coin; borrow field mutably Coin.value; write ref; ${VALUE}; ret`,
    ),
    functionOf(
      "take",
      "fn(address):(bool)",
      "copy local 0; move from Coin; unpack Coin; pop; copy local 0; exists Coin; ret",
    ),
  ],
});

/** A state in which every account has five coins, in a group of a hundred bytes. */
function countingState(hasCoins = true) {
  const reads: string[] = [];
  const state: StateSource = {
    resource: (address, { name }) => {
      reads.push(`${name} ${address}`);
      return hasCoins
        ? { bytes: Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0), groupBytes: 100 }
        : { bytes: undefined };
    },
    tableItem: () => ({ bytes: undefined }),
  };
  return { state, reads };
}

it("is read once, whatever the runs do with it, at the same price", () => {
  const { state, reads } = countingState();
  const decoded = new DecodedItems();
  const run = (name: string, options: { readonly decoded?: DecodedItems }) => {
    const machine = new TestMachine([MODULE], { state, ...options });
    return { gives: machine.call(`0xcafe::m::${name}`, [AT]), left: machine.linker.meter.balance };
  };
  for (const [name, gives] of [
    ["value", [5n]],
    ["set", [50n]],
    ["take", [false]],
    ["value", [5n]],
    ["set", [50n]],
  ] as const) {
    const shared = run(name, { decoded });
    expect(shared.gives).toEqual(gives);
    expect(shared).toEqual(run(name, {}));
  }
  // Once for the runs that share, and once for each of the others.
  expect(reads).toHaveLength(6);
});

it("that is not there stays away, and another state has its own", () => {
  const empty = countingState(false);
  const decoded = new DecodedItems();
  const value = (options: ConstructorParameters<typeof TestMachine>[1]) =>
    outcomeOf(() => new TestMachine([MODULE], options).call("0xcafe::m::value", [AT]));
  expect(value({ state: empty.state, decoded })).toBe("4008");
  expect(value({ state: empty.state, decoded })).toBe("4008");
  expect(empty.reads).toHaveLength(1);
  expect(value({ state: countingState().state, decoded: new DecodedItems() })).toEqual([5n]);
});

it("takes no more than its budget", () => {
  const decoded = new DecodedItems();
  const item = { type: "u8", value: 1n, heap: 0, bytes: 1 << 20, groupBytes: 0 };
  for (let i = 0; i < 4; i++) decoded.add("owner", `${i}`, item);
  expect(decoded.get("owner", "0")).toBe(item);
  expect(decoded.get("owner", "3")).toBeUndefined();
  // What is small fits still.
  decoded.add("owner", "small", { ...item, bytes: 8 });
  expect(decoded.get("owner", "small")).toBeDefined();
});
