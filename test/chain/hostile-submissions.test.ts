// Submissions that once stopped the local chain, lost a part of a supply or kept others out.
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair, type Keypair } from "../../src/chain/keys.ts";
import { chainSeed, createLocalChain } from "../../src/chain/local-chain.ts";
import { createMachineSource, openHead } from "../../src/chain/machine-source.ts";
import { simulateOnMachine } from "../../src/chain/submission/on-machine.ts";
import { toSubmitted } from "../../src/chain/submission/submitted.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { type Address, addressFromBytes, formatAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { type UserTransaction, userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { ChainRun } from "../support/chain-run.ts";
import { statusText } from "../support/status-text.ts";
import { type Call, signCall } from "../support/submitter.ts";

const SEED = "hostile";
const APT = "0x1::aptos_coin::AptosCoin";
const key = (name: string): Keypair => createKeypair(chainSeed(SEED), name);
const bytesOf = (transaction: UserTransaction): Uint8Array => encodeWith(userTransactionCodec, transaction);
const transfer = (to: Address, amount: bigint): Call => ({
  function: "aptos_account::transfer",
  args: [encodeWith(addressCodec, to), encodeWith(u64, amount)],
});

function someAddress(index: number): Address {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(4, index);
  return addressFromBytes(bytes);
}

describe("hostile submissions", () => {
  let node: Node | undefined;
  afterEach(() => node?.close());

  async function start(): Promise<Node> {
    node = await createNode({ localChain: { seed: SEED } });
    // The first block ends the epoch of genesis.
    await node.mine(2);
    return node;
  }

  async function nowSecs(of: Node): Promise<bigint> {
    return BigInt((await of.ledgerInfo()).ledger_timestamp) / 1_000_000n;
  }

  it("that empty every demo account do not stop the chain", async () => {
    const chain = await start();
    const sink = key("sink");
    for (const name of ["anna", "basil", "clio", "dora", "gus", "demo", "hana"]) {
      const owner = key(name);
      const held = await chain.balance(formatAddress(owner.address), APT);
      if (held === 0n) continue;
      // All but the deposit for the gas.
      const call = transfer(sink.address, held - 2_000_000n);
      const fields = { expirationTimestampSecs: (await nowSecs(chain)) + 60n };
      await chain.submit(bytesOf(signCall(owner, { ...call, nonce: 1n, fields })));
      await chain.mine();
    }
    const { ledger_version: before } = await chain.ledgerInfo();
    await chain.mine(60);
    const { ledger_version: after } = await chain.ledgerInfo();
    expect(BigInt(after) - BigInt(before)).toBeGreaterThanOrEqual(120n);
  });

  it("cannot repeat a transaction of the chain's own that has a nonce", async () => {
    const chain = createLocalChain({ seed: SEED });
    const run = await new ChainRun(chain, createMemoryStore()).start();
    await run.steps(2);
    let replayed = 0;
    for (let block = 0; block < 60 && replayed < 3; block++) {
      const records = await run.step();
      const view = await run.store.openView();
      for (const record of records) {
        const decoded = decodeWith(transactionCodec, decodeRecord(record).transaction);
        if (decoded.kind !== "user" || decoded.transaction.raw.payload.kind !== "payload") continue;
        const { raw } = decoded.transaction;
        const now = view.position.timestampUsec / 1_000_000n;
        expect(raw.expirationTimestampSecs - now).toBeLessThanOrEqual(65n);
        // The visitor's last transaction deletes its account.
        const again = chain.submissions.check(view, toSubmitted(decoded.transaction));
        await expect(again).rejects.toThrow(/NONCE_ALREADY_USED/);
        replayed++;
      }
      view.release();
    }
    expect(replayed).toBeGreaterThanOrEqual(3);
  });

  it("that are large and wait for their turn leave room in the blocks", async () => {
    const chain = await start();
    const client = key("basil");
    // More bytes than a block takes, each of another sender.
    const flooders = Array.from({ length: 70 }, (_, index) => key(`flooder ${index}`));
    for (const [index, { address }] of flooders.entries()) {
      await chain.fund(formatAddress(address), 1_000_000_000n);
      if (index % 40 === 39) await chain.mine();
    }
    await chain.mine(2);
    // Lists of different lengths: it aborts at once, so that the checks cost little.
    const args = [
      encodeWith(vector(addressCodec), Array(1900).fill(client.address)),
      encodeWith(vector(u64), []),
    ];
    for (const flooder of flooders) {
      const fields = { maxGasAmount: 10_000n, sequenceNumber: 5n, gasUnitPrice: 200n };
      await chain.submit(
        bytesOf(signCall(flooder, { function: "aptos_account::batch_transfer", args, fields })),
      );
    }
    const to = key("recipient").address;
    const expirationTimestampSecs = (await nowSecs(chain)) + 60n;
    const call = { ...transfer(to, 5n), nonce: 3n, fields: { expirationTimestampSecs } };
    await chain.submit(bytesOf(signCall(client, call)));
    await chain.mine(2);
    expect(await chain.balance(formatAddress(to), APT)).toBe(5n);
  });

  it("of many transfers run in slices, and the network's limits of gas end them", async () => {
    const chain = createLocalChain({ seed: SEED });
    const run = await new ChainRun(chain, createMemoryStore()).start();
    await run.steps(2);
    const view = await run.store.openView();
    const recipients = Array.from({ length: 1500 }, (_, index) => someAddress(index));
    const call: Call = {
      function: "aptos_account::batch_transfer",
      args: [
        encodeWith(vector(addressCodec), recipients),
        encodeWith(vector(u64), Array(recipients.length).fill(1n)),
      ],
      nonce: 9n,
      fields: {
        maxGasAmount: 2_000_000n,
        expirationTimestampSecs: view.position.timestampUsec / 1_000_000n + 60n,
      },
    };
    const { raw } = signCall(key("gus"), call);
    const authenticator = {
      kind: "ed25519",
      publicKey: key("gus").publicKey,
      signature: new Uint8Array(64),
    } as const;
    let [turns, isRunning] = [0, true];
    const others = (async () => {
      while (isRunning) {
        await setImmediate();
        turns++;
      }
    })();
    const asGiven = { maxGasAmount: false, gasUnitPrice: undefined };
    const head = await openHead(createMachineSource(), view, "requests");
    const record = await simulateOnMachine(head, view, { raw, authenticator }, asGiven);
    isRunning = false;
    await others;
    const { info, writes } = decodeRecord(record);
    expect(await statusText(info.status, view)).toBe("EXECUTION_LIMIT_REACHED");
    view.release();
    expect(turns).toBeGreaterThan(2);
    // Nothing but the nonce and the fee.
    expect(writes.length).toBeLessThan(5);
  });
});
