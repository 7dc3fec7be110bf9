import { describe, expect, it } from "vitest";
import { signCall } from "../../test/support/submitter.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { addressCodec } from "../move/wire.ts";
import { createKeypair } from "./keys.ts";
import { Mempool } from "./mempool.ts";
import { type Submitted, toSubmitted } from "./submission/submitted.ts";

const keys = ["a", "b", "c"].map((name) => createKeypair(new Uint8Array(32), name));

function transaction(sender: number, sequenceNumber: bigint, gasUnitPrice = 100n, nonce?: bigint): Submitted {
  const key = keys[sender];
  if (key === undefined) throw new Error("no such sender");
  return toSubmitted(
    signCall(key, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, key.address), encodeWith(u64, 1n)],
      fields: { gasUnitPrice, ...(nonce === undefined ? { sequenceNumber } : {}) },
      ...(nonce === undefined ? {} : { nonce }),
    }),
  );
}

describe("Mempool", () => {
  it("orders by gas price and age, and the transactions of a sender by sequence number", () => {
    const mempool = new Mempool();
    const [cheap, early, late, other] = [
      transaction(0, 0n),
      transaction(1, 5n, 100n),
      transaction(1, 6n, 300n),
      transaction(2, 0n, 200n),
    ];
    for (const one of [late, cheap, other, early]) mempool.add(one);
    // The price of the second one of a sender gives the turn to the first.
    expect(mempool.inOrder()).toEqual([early, other, cheap, late]);
  });

  it("keeps the order of sequence numbers among transactions with nonces", () => {
    const mempool = new Mempool();
    const [second, nonced, first] = [transaction(0, 1n), transaction(0, 0n, 100n, 9n), transaction(0, 0n)];
    for (const one of [second, nonced, first]) mempool.add(one);
    expect(mempool.inOrder()).toEqual([nonced, first, second]);
  });

  it("is bounded in number, bytes and per sender, and takes again what leaves room", () => {
    const first = transaction(0, 0n);
    const few = new Mempool({ maxCount: 1 });
    few.add(first);
    expect(() => few.add(transaction(1, 0n))).toThrow("1 transactions wait for a block already");
    few.remove(first.hash);
    expect([few.count, few.bytes]).toEqual([0, 0]);
    few.add(transaction(1, 0n));
    const small = new Mempool({ maxBytes: first.sizeBytes });
    small.add(first);
    small.add(first);
    expect(() => small.add(transaction(1, 0n))).toThrow("bytes of transactions wait");
    const fair = new Mempool({ maxPerSender: 1 });
    fair.add(first);
    expect(() => fair.add(transaction(0, 1n))).toThrow("1 transactions of 0x");
    fair.add(transaction(1, 0n));
  });

  it("replaces a transaction only by itself at a higher price", () => {
    const mempool = new Mempool();
    mempool.add(transaction(0, 0n, 200n));
    expect(() => mempool.add(transaction(0, 0n, 150n))).toThrow("waits already");
    const raised = transaction(0, 0n, 300n);
    mempool.add(raised);
    expect(mempool.inOrder()).toEqual([raised]);
  });
});
