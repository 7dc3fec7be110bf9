import { describe, expect, it } from "vitest";
import { signCall } from "../../test/support/submitter.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { parseAddress } from "../move/address.ts";
import { addressCodec } from "../move/wire.ts";
import { createKeypair, type Keypair } from "./keys.ts";
import { Mempool } from "./mempool.ts";
import { type Submitted, toSubmitted } from "./submission/submitted.ts";

const keys = ["a", "b", "c"].map((name) => createKeypair(new Uint8Array(32), name));

function sender(index: number): Keypair {
  const key = keys[index];
  if (key === undefined) throw new Error("no such sender");
  return key;
}

function sponsored(submitted: Submitted): Submitted {
  const feePayer = { kind: "none" } as const;
  const authenticator = {
    kind: "feePayer",
    sender: feePayer,
    secondaryAddresses: [],
    secondarySigners: [],
    feePayerAddress: parseAddress("0xfee"),
    feePayer,
  } as const;
  return { ...submitted, transaction: { ...submitted.transaction, authenticator } };
}

function transaction(index: number, sequenceNumber: bigint, gasUnitPrice = 100n, nonce?: bigint): Submitted {
  const key = sender(index);
  return toSubmitted(
    signCall(key, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, key.address), encodeWith(u64, 1n)],
      fields: { gasUnitPrice, ...(nonce === undefined ? { sequenceNumber } : {}) },
      ...(nonce === undefined ? {} : { nonce }),
    }),
    { isOwners: false },
  );
}

const AT = { sequenceNumber: 0n, nowSecs: 0n };

describe("Mempool", () => {
  it("orders by gas price and age, and the transactions of a sender by sequence number", () => {
    const mempool = new Mempool();
    const [cheap, early, late, other] = [
      transaction(0, 0n),
      transaction(1, 5n, 100n),
      transaction(1, 6n, 300n),
      transaction(2, 0n, 200n),
    ];
    for (const one of [late, cheap, other, early]) mempool.add(one, AT);
    // The price of the second one of a sender gives the turn to the first.
    expect(mempool.inOrder()).toEqual([early, other, cheap, late]);
  });

  it("gives turns to transactions with nonces by their own price", () => {
    const mempool = new Mempool();
    const [second, nonced, first] = [transaction(0, 1n), transaction(0, 0n, 100n, 9n), transaction(0, 0n)];
    for (const one of [second, nonced, first]) mempool.add(one, AT);
    expect(mempool.inOrder()).toEqual([first, nonced, second]);
  });

  it("is bounded in number, bytes, per sender and per fee payer, and takes again what leaves room", () => {
    const first = transaction(0, 0n);
    const few = new Mempool({ maxCount: 1 });
    few.add(first, AT);
    expect(() => few.add(transaction(1, 0n), AT)).toThrow("Mempool is full: 1 of 1 transactions");
    few.remove(first.hash);
    expect([few.count, few.bytes]).toEqual([0, 0]);
    few.add(transaction(1, 0n), AT);
    const small = new Mempool({ maxBytes: first.sizeBytes });
    small.add(first, AT);
    small.add(first, AT);
    expect(() => small.add(transaction(1, 0n), AT)).toThrow("Mempool is full");
    const fair = new Mempool({ maxPerSender: 1, maxNoncesPerSender: 1, maxPerFeePayer: 1 });
    fair.add(first, AT);
    expect(() => fair.add(transaction(0, 1n), AT)).toThrow("over capacity for account 0x");
    fair.add(transaction(0, 0n, 100n, 1n), AT);
    expect(() => fair.add(transaction(0, 0n, 100n, 2n), AT)).toThrow("over capacity for account 0x");
    fair.add(sponsored(transaction(1, 0n)), AT);
    expect(() => fair.add(sponsored(transaction(2, 0n)), AT)).toThrow("over capacity for fee payer 0x");
    fair.remove(transaction(1, 0n).hash);
    fair.add(sponsored(transaction(2, 0n)), AT);
  });

  it("removes the cheapest transactions that cannot run yet to make room for one that can, and no others", () => {
    const mempool = new Mempool({ maxCount: 3 });
    const [ready, dear, cheap] = [transaction(0, 0n), transaction(1, 5n, 200n), transaction(1, 6n, 100n)];
    for (const one of [ready, dear, cheap]) mempool.add(one, AT);
    // One that cannot run itself displaces nothing.
    expect(() => mempool.add(transaction(2, 3n, 900n), AT)).toThrow("Mempool is full");
    mempool.add(transaction(2, 0n), AT);
    expect(mempool.get(cheap.hash)).toBeUndefined();
    expect(mempool.get(dear.hash)).toBe(dear);
    mempool.add(transaction(0, 1n), AT);
    expect(mempool.get(dear.hash)).toBeUndefined();
    expect(() => mempool.add(transaction(0, 2n, 900n), AT)).toThrow("Mempool is full");
    expect(mempool.get(ready.hash)).toBe(ready);
  });

  it("replaces a transaction only by itself at a higher price", () => {
    const mempool = new Mempool({ maxBytes: 1000 });
    const first = transaction(0, 0n, 200n);
    mempool.add(first, AT);
    expect(() => mempool.add(transaction(0, 0n, 150n), AT)).toThrow("with a higher gas price");
    const later = { ...first.transaction.raw, expirationTimestampSecs: 1n };
    const changed = { ...first, transaction: { ...first.transaction, raw: later } };
    expect(() => mempool.add(changed, AT)).toThrow("with a different expiration timestamp");
    const raised = transaction(0, 0n, 300n);
    mempool.add(raised, AT);
    expect(mempool.inOrder()).toEqual([raised]);
    // The one that waits stays if there is no room for the new one.
    expect(() => mempool.add({ ...transaction(0, 0n, 400n), sizeBytes: 2000 }, AT)).toThrow(
      "Mempool is full",
    );
    expect(mempool.inOrder()).toEqual([raised]);
  });

  it("keeps the first of two that differ in their signatures alone", () => {
    const mempool = new Mempool();
    const first = transaction(0, 0n);
    mempool.add(first, AT);
    expect(mempool.add({ ...first, hash: new Uint8Array(32) }, AT)).toBe(first);
    expect(mempool.count).toBe(1);
  });

  it("refuses a sequence number that a block took while the transaction was checked", () => {
    const mempool = new Mempool();
    mempool.add(transaction(0, 0n), AT);
    mempool.settle(transaction(0, 0n), { isIncluded: true });
    expect(() => mempool.add(transaction(0, 0n, 300n), AT)).toThrow(
      "transaction sequence number is 0, current sequence number is 1",
    );
    mempool.add(transaction(0, 1n), AT);
    expect(mempool.nextSequenceNumber(sender(0).address, 0n)).toBe(2n);
  });

  it("forgets transactions that expired or waited too long", () => {
    const mempool = new Mempool({ maxAgeSecs: 600n });
    mempool.add(transaction(0, 0n), { sequenceNumber: 0n, nowSecs: 5n });
    mempool.expire(605n);
    expect(mempool.count).toBe(1);
    mempool.expire(606n);
    expect([mempool.count, mempool.bytes]).toEqual([0, 0]);
    mempool.add(transaction(0, 0n), { sequenceNumber: 0n, nowSecs: 3_999_999_999n });
    mempool.expire(4_000_000_000n);
    expect(mempool.count).toBe(0);
  });
});
