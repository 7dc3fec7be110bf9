// A local chain as its owner uses it: which blocks it makes, what its clock does, what a revert undoes and a stop keeps.
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { createKeypair, type Keypair } from "../../src/chain/keys.ts";
import { chainSeed, createLocalChain } from "../../src/chain/local-chain.ts";
import { Random } from "../../src/chain/random.ts";
import { addressFromBytes, formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { PendingTree } from "../../src/sync/verify/pending-tree.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { type Call, signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SEED = "local chain";
const ALICE = createKeypair(chainSeed(SEED), "alice");
const ALICE_ADDRESS = formatAddressLong(ALICE.address);
const BOB = parseAddress("0xb0b");
const FUNDS = 500_000_000_000n;
const rich = (...keys: readonly Keypair[]) =>
  keys.map(({ privateKey: key }) => ({ key, balances: { [APT]: FUNDS } }));

afterEach(() => {
  vi.restoreAllMocks();
});

async function start(options: NodeOptions = {}): Promise<Node> {
  const localChain = { traffic: false, seed: SEED, ...options.localChain };
  const node = await createNode({ pruneWindow: "off", ...options, localChain });
  onTestFinished(() => node.close());
  return node;
}

async function startUnseeded(options: NodeOptions = {}): Promise<Node> {
  return start({ ...options, localChain: { ...options.localChain, seed: undefined } });
}

/** Bytes of a transfer to BOB. */
function transfer(sender: Keypair, sequenceNumber: bigint, amount = 1000n, more: Partial<Call> = {}) {
  const call = {
    function: "aptos_account::transfer",
    args: [encodeWith(addressCodec, BOB), encodeWith(u64, amount)],
    ...more,
    fields: { sequenceNumber, ...more.fields },
  };
  return encodeWith(userTransactionCodec, signCall(sender, call));
}

const timeOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_timestamp);
const heightOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).block_height);

/** The type of a transaction once it has a block. */
async function committed(node: Node, hash: string): Promise<unknown> {
  return (await node.waitForTransaction(hash, { waitMs: 20_000 }))?.transaction.type;
}

/** What a node logs at `warn`. */
function logTo(lines: { fields: unknown; text: string }[]): Logger {
  return { ...silentLogger, warn: (fields, text) => void lines.push({ fields, text }) };
}

describe("a block on submission", () => {
  it("is followed by another one if it ended an epoch, also on a fresh chain", async () => {
    const { anna } = createLocalChain({ seed: SEED }).items.demoAccounts;
    const node = await start({ localChain: { blockOnSubmit: true, epochTimeMs: 3000 } });
    for (let number = 0n; number < 8n; number++) {
      expect(await committed(node, await node.submit(transfer(anna, number)))).toBe("user_transaction");
    }
  });

  it("is followed by others until those that it had no room for have theirs", async () => {
    const senders = [0, 1, 2].map((index) => createKeypair(chainSeed(SEED), `sender ${index}`));
    const node = await start({ accounts: rich(...senders), localChain: { blockOnSubmit: true } });
    // New accounts cost much gas: a block has room for some of these transactions.
    const crowd = (sender: number, number: number) =>
      Array.from({ length: 150 }, (_, i) => {
        const bytes = new Uint8Array(32).fill(7);
        bytes.set([sender, number, i], 0);
        return addressFromBytes(bytes);
      });
    const hashes = await Promise.all(
      senders.flatMap((sender, index) =>
        [0, 1, 2].map((number) =>
          node.submit(
            transfer(sender, BigInt(number), 0n, {
              function: "aptos_account::batch_transfer",
              args: [
                encodeWith(vector(addressCodec), crowd(index, number)),
                encodeWith(vector(u64), new Array<bigint>(150).fill(1n)),
              ],
              fields: { maxGasAmount: 2_000_000n },
            }),
          ),
        ),
      ),
    );
    for (const hash of hashes) expect(await committed(node, hash)).toBe("user_transaction");
  });
});

describe("blocks", () => {
  it("end the node once one of them has a wrong root", async () => {
    const node = await start({ localChain: { blockTimeMs: 5 } });
    await node.mine();
    vi.spyOn(PendingTree.prototype, "apply").mockResolvedValueOnce(new Uint8Array(32));
    expect(await node.faulted).toMatchObject({ code: "mismatch" });
  });

  it("are made one in a turn of the event loop at most, also in memory", async () => {
    const node = await start();
    let [turns, isCounting] = [0, true];
    const counting = (async () => {
      while (isCounting) {
        await setImmediate();
        turns++;
      }
    })();
    await node.mine(30);
    isCounting = false;
    await counting;
    expect(turns).toBeGreaterThanOrEqual(29);
  });

  it("hold transactions although an epoch is shorter than the time between two blocks", async () => {
    const node = await start({ localChain: { epochTimeMs: 500 } });
    await node.fund("0xb0b", 5n);
    await node.setBalance("0xcafe", APT, 7n);
    expect([await node.balance("0xb0b", APT), await node.balance("0xcafe", APT)]).toEqual([5n, 7n]);
  });

  it("that are asked for do not keep a node from closing", async () => {
    const node = await start();
    const mining = node.mine(100_000);
    const outcome = expect(mining).rejects.toMatchObject({ code: "unavailable" });
    await until(async () => (await heightOf(node)) > 5n);
    await node.close();
    await outcome;
  });
});

describe("a revert", () => {
  it("with a submission in flight does not lock its sender out", async () => {
    const node = await start({ accounts: rich(ALICE) });
    const snapshot = await node.snapshot();
    // It is checked before the revert, or after it: each number of turns of the event loop between them is tried.
    for (let turns = 0; turns < 5; turns++) {
      await node.submit(transfer(ALICE, 0n));
      await node.mine();
      const inFlight = node.submit(transfer(ALICE, 1n)).catch(() => {});
      for (let left = turns; left > 0; left--) await setImmediate();
      await node.revert(snapshot);
      await inFlight;
      await node.submit(transfer(ALICE, 0n, 7n));
      await node.mine();
      expect((await node.balance("0xb0b", APT)) % 1000n).toBe(7n);
      await node.revert(snapshot);
    }
  });

  it("leaves no gas price of the blocks that it undid", async () => {
    const senders = [0, 1, 2].map((index) => createKeypair(chainSeed(SEED), `sender ${index}`));
    const node = await start({ accounts: rich(...senders) });
    await node.mine(2);
    const snapshot = await node.snapshot();
    // The price of a full block counts from the next block on.
    const fill = async (gasUnitPrice: bigint) => {
      for (let number = 0n; number < 90n; number++) {
        for (const sender of senders)
          await node.submit(transfer(sender, number, 1n, { fields: { gasUnitPrice } }));
      }
      await node.mine(2);
      return node.gasPrices();
    };
    const dear = await fill(2000n);
    await node.revert(snapshot);
    const cheap = await fill(150n);
    expect([dear.prioritized, cheap.prioritized]).toEqual([5000n, 500n]);
  });
});

describe("an orderly stop", () => {
  it("makes a last block for the transactions that were taken", async () => {
    const data = temporaryFolder();
    const node = await start({ data, accounts: rich(ALICE) });
    const hashes = [await node.submit(transfer(ALICE, 0n)), await node.submit(transfer(ALICE, 1n))];
    await node.close();
    const again = await start({ data });
    for (const hash of hashes)
      expect(await again.transaction(hash)).toMatchObject({ transaction: { type: "user_transaction" } });
    expect(await again.balance("0xb0b", APT)).toBe(2000n);
  });

  it("says in the log how many transactions no block could take", async () => {
    const lines: { fields: unknown; text: string }[] = [];
    const node = await start({ data: temporaryFolder(), accounts: rich(ALICE), logger: logTo(lines) });
    // Their turn never came: number 0 is missing.
    for (const number of [1n, 2n, 3n]) await node.submit(transfer(ALICE, number));
    await node.close();
    expect(lines).toEqual([
      { fields: { count: 3 }, text: expect.stringContaining("those that waited are lost") },
    ]);
  });

  it("makes no block if nothing waits", async () => {
    const data = temporaryFolder();
    const node = await start({ data });
    const { ledger_version } = await node.mine();
    await node.close();
    expect(node.closedAt).toBe(BigInt(ledger_version));
  });
});

describe("the clock", () => {
  it("goes on after a restart of a chain whose clock was set ahead", async () => {
    let nowMs = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
    const data = temporaryFolder();
    const first = await startUnseeded({ data });
    await first.advanceTime(10 * 86_400_000);
    const before = await timeOf(first);
    await first.close();
    nowMs += 5000;
    const node = await startUnseeded({ data });
    await node.mine();
    const began = await timeOf(node);
    expect(began).toBeGreaterThan(before);
    nowMs += 60_000;
    await node.mine();
    expect((await timeOf(node)) - began).toBe(60_000_000n);
    // A time set after the restart counts from there too.
    await node.advanceTime(1000);
    nowMs += 2000;
    await node.mine();
    expect((await timeOf(node)) - began).toBe(63_000_000n);
  });

  it("advances by all calls that come at once", async () => {
    for (const node of [await start(), await startUnseeded()]) {
      let nowMs = Date.now();
      vi.spyOn(Date, "now").mockImplementation(() => nowMs);
      await node.mine();
      const before = await timeOf(node);
      await Promise.all([node.advanceTime(1000), node.advanceTime(20_000), node.advanceTime(300_000)]);
      expect((await timeOf(node)) - before).toBe(321_000_000n);
      nowMs += 1;
      vi.restoreAllMocks();
    }
  });

  it("is the wall clock without a seed, and begins in 2024 with one", async () => {
    const nowMs = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => nowMs);
    const [wall, steps] = [await startUnseeded(), await start()];
    for (const node of [wall, steps]) await node.produceBlock();
    expect(await timeOf(wall)).toBe(BigInt(nowMs) * 1000n);
    expect(await timeOf(steps)).toBe(1_704_067_200_000_000n);
    await steps.mine();
    expect(await timeOf(steps)).toBe(1_704_067_201_000_000n);
  });
});

describe("a call as any account", () => {
  const call = { function: "0x1::aptos_account::transfer", arguments: ["0xcafe", 2n] };

  it("is made while a transaction of that account waits, after it", async () => {
    const node = await start({ accounts: rich(ALICE) });
    const hash = await node.submit(transfer(ALICE, 0n));
    expect(await node.impersonate(ALICE_ADDRESS, call)).toMatchObject({ success: true });
    expect(await node.transaction(hash)).toMatchObject({
      transaction: { type: "user_transaction", success: true },
    });
    expect(await node.balance("0xcafe", APT)).toBe(2n);
    expect(await node.account(ALICE_ADDRESS)).toMatchObject({ sequenceNumber: 2n });
  });

  it("is made while one waits whose turn does not come, and one that no block takes", async () => {
    const node = await start({ accounts: rich(ALICE) });
    await node.submit(transfer(ALICE, 5n));
    const soon = (await timeOf(node)) / 1_000_000n + 2n;
    await node.submit(transfer(ALICE, 0n, 1n, { fields: { expirationTimestampSecs: soon } }));
    await node.advanceTime(60_000);
    expect(await node.impersonate(ALICE_ADDRESS, call)).toMatchObject({ success: true });
  });
});

describe("snapshots with submissions in flight", () => {
  it("leave every sender able to send, with the number that its account has", async () => {
    const random = new Random(chainSeed(`${SEED} in flight`));
    const senders = [0, 1, 2].map((index) => createKeypair(chainSeed(SEED), `sender ${index}`));
    const node = await start({ accounts: rich(...senders), localChain: { blockOnSubmit: random.oneIn(2) } });
    const numberOf = async ({ address }: Keypair) =>
      (await node.account(formatAddressLong(address))).sequenceNumber;
    const snapshots = [await node.snapshot()];
    for (let round = 0; round < 40; round++) {
      const inFlight: Promise<unknown>[] = [];
      for (const sender of senders) {
        const number = await numberOf(sender);
        for (let next = 0n; next < BigInt(random.below(3)); next++)
          inFlight.push(node.submit(transfer(sender, number + next, 1n)).catch(() => {}));
      }
      const steps = [
        () => node.mine(),
        async () => void snapshots.push(await node.snapshot()),
        () => node.revert(random.pick(snapshots)),
        () => node.advanceTime(1000),
      ];
      for (let left = random.below(3); left >= 0; left--) inFlight.push(random.pick(steps)());
      if (random.oneIn(2)) inFlight.push(node.revert(random.pick(snapshots)));
      await Promise.all(inFlight);
      const sender = random.pick(senders);
      const number = await numberOf(sender);
      // What waits already is as good as a new one of the same number.
      await node.submit(transfer(sender, number, 1n));
      await node.mine(3);
      expect(await numberOf(sender), `round ${round}`).toBeGreaterThan(number);
    }
  });
});
