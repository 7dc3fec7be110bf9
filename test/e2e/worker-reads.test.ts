// Workers read the ledger that another process writes. A client that has the writer's word for something, through a worker
// or from the faucet, finds it in its next read, whichever worker that reaches.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { type Running, startProgram } from "../support/program.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BCS = "application/x.aptos.signed_transaction+bcs";
const APT = "0x1::aptos_coin::AptosCoin";
const PAYER = createKeypair(chainSeed(DEFAULT_SEED), "gus");

describe("what the writer answered is in the next read", () => {
  let node: Running;
  let isDone = false;
  let load: Promise<unknown> = Promise.resolve();
  let nonce = 0n;

  beforeAll(async () => {
    node = await startProgram([
      ...["--data", join(temporaryFolder(), "data"), "--block-time", "30ms", "--workers", "2"],
      ...["--faucet-port", "0", "--log-level", "warn"],
    ]);
    await until(async () => BigInt((await ledger()).block_height) > 2n);
    // Every worker has a snapshot that is a moment old.
    const read = async (): Promise<void> => {
      while (!isDone) await (await fetch(node.url)).arrayBuffer();
    };
    load = Promise.all([read(), read(), read(), read()]);
  });

  afterAll(async () => {
    isDone = true;
    await load;
    await node.stop();
  });

  async function ledger(): Promise<{ block_height: string; ledger_timestamp: string }> {
    return (await (await fetch(node.url)).json()) as { block_height: string; ledger_timestamp: string };
  }

  async function submit(): Promise<string> {
    const transaction = signCall(PAYER, {
      function: "aptos_account::transfer",
      args: [encodeWith(addressCodec, parseAddress("0xb0b")), encodeWith(u64, 1n)],
      nonce: ++nonce,
      fields: { expirationTimestampSecs: BigInt((await ledger()).ledger_timestamp) / 1_000_000n + 60n },
    });
    const response = await fetch(`${node.url}/transactions`, {
      method: "POST",
      headers: { "Content-Type": BCS },
      body: encodeWith(userTransactionCodec, transaction),
    });
    expect(response.status).toBe(202);
    return ((await response.json()) as { hash: string }).hash;
  }

  it("the balance after the faucet's answer", async () => {
    const faucet = await until(async () => {
      const info = await (await fetch(`${node.url}/info`)).json();
      return (info as { faucet_url?: string }).faucet_url;
    });
    for (let round = 1; round <= 60; round++) {
      const address = `0x${round.toString(16).padStart(64, "f")}`;
      const funded = await fetch(`${faucet}/fund`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ address, amount: round }),
      });
      expect(funded.status).toBe(200);
      const { txn_hashes: hashes } = (await funded.json()) as { txn_hashes: string[] };
      const [balance, transaction] = await Promise.all([
        fetch(`${node.url}/accounts/${address}/balance/${APT}`).then((response) => response.json()),
        fetch(`${node.url}/transactions/by_hash/${hashes[0]}`).then((response) => response.json()),
      ]);
      expect({ round, balance }).toEqual({ round, balance: round });
      expect(transaction).toMatchObject({ type: "user_transaction", success: true });
    }
  });

  it("an accepted transaction: pending, then committed, never 404", async () => {
    const polls = { pending: 0, committed: 0, other: [] as string[] };
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let round = 0; round < 12; round++) {
          const hash = await submit();
          for (let isCommitted = false; !isCommitted; ) {
            const response = await fetch(`${node.url}/transactions/by_hash/${hash}`);
            const { type } = (await response.json()) as { type?: string };
            isCommitted = type === "user_transaction";
            if (type === "pending_transaction") polls.pending++;
            else if (isCommitted) polls.committed++;
            else polls.other.push(`${response.status}`);
          }
        }
      }),
    );
    expect(polls).toEqual({ pending: expect.any(Number), committed: 72, other: [] });
  });

  it("an accepted transaction that a client waits for", async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const types: (string | undefined)[] = [];
        for (let round = 0; round < 10; round++) {
          const response = await fetch(`${node.url}/transactions/wait_by_hash/${await submit()}`);
          types.push(((await response.json()) as { type?: string }).type);
        }
        return types;
      }),
    );
    // A machine that is busy for a second gets the answer that it is pending still.
    expect(["pending_transaction", "user_transaction"]).toEqual(
      expect.arrayContaining([...new Set(answers.flat())]),
    );
  });
});
