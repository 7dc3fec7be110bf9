// A fork whose network goes away and comes back: what was read before works, anything else is refused at once, and the
// node always ends.
import { describe, expect, it, onTestFinished } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { Random } from "../../src/chain/random.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { type Meddler, startProxy } from "../support/proxy.ts";
import { signCall } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SEED = "fork away";

/** A network that answers while `isHere` returns true. */
interface Network extends Meddler {
  isHere: () => boolean;
}

async function startNetwork(): Promise<Network> {
  const origin = await createNode({ localChain: { seed: SEED }, pruneWindow: "off", http: { port: 0 } });
  onTestFinished(() => origin.close());
  await origin.mine(3);
  const proxy = await startProxy(origin.url ?? "");
  onTestFinished(() => proxy.close());
  const network = Object.assign(proxy, { isHere: () => true });
  proxy.meddle = (passing, response) => {
    if (network.isHere()) return passing;
    response.destroy();
    return undefined;
  };
  return network;
}

async function startFork(network: Network, options: NodeOptions = {}): Promise<Node> {
  const fork = { url: network.url, upstreamRate: 0 };
  const node = await createNode({ ...options, fork });
  onTestFinished(() => node.close());
  return node;
}

const heightOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).block_height);

async function ask(node: Node, address: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${node.faucetUrl}/fund`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ address, amount: 5 }),
  });
  return { status: response.status, body: await response.json() };
}

describe("a fork whose network is away", () => {
  it("refuses to fund an account that it never read, makes no block for it, and closes", async () => {
    const network = await startNetwork();
    const fork = await startFork(network, { localChain: { faucetPort: 0 }, http: { port: 0 } });
    expect((await ask(fork, "0xb0b")).status).toBe(200);
    // Its account was read, its coins were not.
    await fork.account("0xf00d").catch(() => {});
    network.isHere = () => false;
    const before = await heightOf(fork);
    for (const address of ["0xfeed", "0xf00d"]) {
      expect(await ask(fork, address)).toMatchObject({
        status: 503,
        body: {
          error_code: "FaucetNotReady",
          message: expect.stringContaining("gave no answer that can be used"),
        },
      });
    }
    expect(await heightOf(fork)).toBe(before);
    // What it read before, it still funds.
    expect((await ask(fork, "0xb0b")).status).toBe(200);
    expect(await fork.balance("0xb0b", APT)).toBe(10n);
    await fork.close();
  });

  it("makes at most a few blocks for a funding that the network leaves alone in the middle", async () => {
    const network = await startNetwork();
    let [refused, funded] = [0, 0];
    for (const answers of [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]) {
      network.isHere = () => true;
      const fork = await startFork(network);
      await fork.mine();
      const before = await heightOf(fork);
      let left = answers;
      network.isHere = () => left-- > 0;
      await fork.fund("0xfeed", 5n).then(
        () => funded++,
        (error: unknown) => {
          expect(error).toMatchObject({ code: "unavailable" });
          refused++;
        },
      );
      expect((await heightOf(fork)) - before).toBeLessThanOrEqual(2n);
      await fork.close();
    }
    expect(refused).toBeGreaterThan(0);
    expect(funded).toBeGreaterThan(0);
  });

  it("keeps at a stop what it can run, and the rest is told", async () => {
    const network = await startNetwork();
    const data = temporaryFolder();
    const sender = createKeypair(chainSeed(SEED), "sender");
    const transfer = (sequenceNumber: bigint): Uint8Array =>
      encodeWith(
        userTransactionCodec,
        signCall(sender, {
          function: "aptos_account::transfer",
          args: [encodeWith(addressCodec, sender.address), encodeWith(u64, 1n)],
          fields: { sequenceNumber },
        }),
      );
    const first = await startFork(network, { data });
    await first.fund(formatAddressLong(sender.address), 1_000_000_000n);
    const hash = await first.submit(transfer(0n));
    network.isHere = () => false;
    await first.close();
    network.isHere = () => true;
    const again = await startFork(network, { data });
    expect(await again.transaction(hash)).toMatchObject({ transaction: { type: "user_transaction" } });
  });
});

describe("a fork whose network comes and goes", () => {
  it("has the balances of a model that knows which calls succeeded", async () => {
    const network = await startNetwork();
    const random = new Random(chainSeed(SEED));
    const fork = await startFork(network, { localChain: { blockOnSubmit: true } });
    const accounts = Array.from({ length: 24 }, (_, i) => createKeypair(chainSeed(SEED), `account ${i}`));
    const model = new Map<string, bigint>();
    const balanceOf = (address: string): bigint => model.get(address) ?? 0n;
    let snapshot = { at: await fork.snapshot(), model: new Map(model) };
    let [isHere, refused] = [true, 0];
    network.isHere = () => isHere;
    for (let round = 0; round < 60; round++) {
      isHere = random.oneIn(2);
      const [from, to] = [random.pick(accounts), random.pick(accounts)].map(({ address }) =>
        formatAddressLong(address),
      ) as [string, string];
      const amount = random.upTo(1000n);
      const steps: readonly (() => Promise<void>)[] = [
        async () => {
          await fork.fund(to, amount);
          model.set(to, balanceOf(to) + amount);
        },
        async () => {
          await fork.setBalance(to, APT, amount);
          model.set(to, amount);
        },
        async () => {
          const call = { function: "0x1::aptos_account::transfer", arguments: [to, amount] };
          const { success } = await fork.impersonate(from, call);
          expect(success).toBe(balanceOf(from) >= amount);
          if (!success) return;
          model.set(from, balanceOf(from) - amount);
          model.set(to, balanceOf(to) + amount);
        },
        async () => void (await fork.mine()),
        async () => {
          snapshot = { at: await fork.snapshot(), model: new Map(model) };
        },
        async () => {
          await fork.revert(snapshot.at);
          model.clear();
          for (const [address, held] of snapshot.model) model.set(address, held);
        },
      ];
      const before = await heightOf(fork);
      await random
        .pick(steps)()
        .catch((error: unknown) => {
          // Also for a moment after the network came back.
          expect(error, `round ${round}`).toMatchObject({ code: "unavailable" });
          refused++;
        });
      expect((await heightOf(fork)) - before).toBeLessThanOrEqual(3n);
    }
    expect(refused).toBeGreaterThan(0);
    isHere = true;
    for (const { address } of accounts) {
      const owner = formatAddressLong(address);
      const held = await until(() => fork.balance(owner, APT).catch(() => undefined));
      expect(held).toBe(balanceOf(owner));
    }
  });
});
