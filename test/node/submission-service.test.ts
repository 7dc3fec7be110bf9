// Submissions in-process: what is remembered, across restarts too, and what a repetition costs.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed, createLocalChain } from "../../src/chain/local-chain.ts";
import { Mempool } from "../../src/chain/mempool.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { RequestThread } from "../../src/node/request-thread/thread.ts";
import { SubmissionService } from "../../src/node/submissions/submission-service.ts";
import { createNode } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { ChainRun } from "../support/chain-run.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SEED = "submission service";
const APT = "0x1::aptos_coin::AptosCoin";
const BOB = parseAddress("0xb0b");
const payer = createKeypair(chainSeed(SEED), "basil");

function transfer(amount: bigint, nonce: bigint, nowSecs: bigint): UserTransaction {
  return signCall(payer, {
    function: "aptos_account::transfer",
    args: [encodeWith(addressCodec, BOB), encodeWith(u64, amount)],
    nonce,
    fields: { expirationTimestampSecs: nowSecs + 60n },
  });
}

/** Counts the items that are read. */
function counting(view: LedgerView): { readonly view: LedgerView; readonly reads: () => number } {
  let reads = 0;
  const counted = new Proxy(view, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (name === "getItems") reads += (args[0] as unknown[]).length;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { view: counted, reads: () => reads };
}

describe("SubmissionService", () => {
  it("reads nothing for a transaction that waits already", async () => {
    const chain = createLocalChain({ seed: SEED });
    const run = await new ChainRun(chain, createMemoryStore()).start();
    await run.steps(2);
    const mempool = new Mempool();
    const service = new SubmissionService({
      chain,
      mempool: () => mempool,
      nextTimeUsec: ({ timestampUsec }) => timestampUsec,
      loadModule: () => () => Promise.resolve(undefined),
      thread: new RequestThread(),
    });
    const { view, reads } = counting(await run.store.openView());
    const transaction = transfer(1n, 1n, view.position.timestampUsec / 1_000_000n);
    const body = { bytes: encodeWith(userTransactionCodec, transaction), isJson: false };
    const first = await service.submit(body, view);
    const before = reads();
    expect(before).toBeGreaterThan(0);
    expect(await service.submit(body, view)).toEqual(first);
    expect(reads()).toBe(before);
    expect(mempool.count).toBe(1);
    expect(await service.pendingTransaction(first.hash)).toEqual(first);
    expect(await service.pendingTransaction(new Uint8Array(32))).toBeUndefined();
    view.release();
  });

  it("knows the nonces of before a restart", async () => {
    const options = {
      localChain: { seed: SEED },
      store: { engine: "lmdb", path: join(temporaryFolder(), "data") },
    } as const;
    let node = await createNode(options);
    await node.mine(2);
    const nowSecs = BigInt((await node.ledgerInfo()).ledger_timestamp) / 1_000_000n;
    const bytes = encodeWith(userTransactionCodec, transfer(5n, 7n, nowSecs));
    await node.submit(bytes);
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(5n);
    await node.close();
    node = await createNode(options);
    await expect(node.submit(bytes)).rejects.toThrow("NONCE_ALREADY_USED");
    await node.close();
  });

  it("gives a nonce free again when no transaction of before can be repeated", async () => {
    const node = await createNode({ localChain: { seed: SEED } });
    await node.mine(2);
    const now = async () => BigInt((await node.ledgerInfo()).ledger_timestamp) / 1_000_000n;
    const submit = async () => node.submit(encodeWith(userTransactionCodec, transfer(5n, 7n, await now())));
    await submit();
    // Each block is a second later. The first one expires after 60, and another must expire 65 after it.
    await node.mine(65);
    await expect(submit()).rejects.toThrow("NONCE_ALREADY_USED");
    await node.mine(3);
    await submit();
    await node.mine();
    expect(await node.balance(formatAddress(BOB), APT)).toBe(10n);
    await node.close();
  });
});
