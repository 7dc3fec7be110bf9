// A developer's day with the official SDK on a fork of a network that another node serves.
import { Account, Aptos, AptosConfig, Ed25519PrivateKey, Network } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";

const SEED = "fork sdk";
const APT = "0x1::aptos_coin::AptosCoin";
const guide = createLocalChain({ seed: SEED }).guide();

describe("the official SDK on a fork", () => {
  let origin: Node;
  let fork: Node;
  let aptos: Aptos;
  const alice = Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(new Uint8Array(32).fill(5)) });
  const bob = formatAddressLong(parseAddress("0xb0b"));

  beforeAll(async () => {
    origin = await createNode({ localChain: { seed: SEED }, pruneWindow: "off", http: { port: 0 } });
    await origin.mine(8);
    fork = await createNode({
      fork: { url: origin.url ?? "", upstreamRate: 0 },
      localChain: { blockOnSubmit: true, faucetPort: 0, statusPort: 0 },
      http: { port: 0, headerBrands: ["NODE", "APTOS"] },
    });
    aptos = new Aptos(new AptosConfig(fork.sdkConfig));
  });
  afterAll(async () => {
    await fork.close();
    await origin.close();
  });

  it("funds, transfers, waits and reads", async () => {
    const accountAddress = alice.accountAddress;
    const funded = await aptos.fundAccount({ accountAddress, amount: 500_000_000 });
    expect(funded.success).toBe(true);
    expect(await aptos.getAccountAPTAmount({ accountAddress })).toBe(500_000_000);
    expect((await aptos.getAccountInfo({ accountAddress })).sequence_number).toBe("0");
    const transaction = await aptos.transferCoinTransaction({
      sender: accountAddress,
      recipient: bob,
      amount: 12,
    });
    const [simulated] = await aptos.transaction.simulate.simple({
      signerPublicKey: alice.publicKey,
      transaction,
    });
    expect(simulated).toMatchObject({ success: true });
    const { hash } = await aptos.signAndSubmitTransaction({ signer: alice, transaction });
    const done = await aptos.waitForTransaction({ transactionHash: hash });
    expect(done).toMatchObject({ success: true, hash });
    expect(await fork.balance(bob, APT)).toBe(12n);
    expect((await aptos.getAccountInfo({ accountAddress })).sequence_number).toBe("1");
    expect(await aptos.getTransactionByHash({ transactionHash: hash })).toMatchObject({ hash });
    const sent = await aptos.getAccountTransactions({ accountAddress });
    expect(sent.map((one) => one.hash)).toEqual([hash]);
    expect(await origin.balance(bob, APT)).toBe(0n);
  });

  it("reads what the network has: accounts, resources, modules, table items, transactions", async () => {
    const theirs = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: origin.url ?? "" }));
    const ledgerVersion = BigInt((await fork.info()).fork_version as string);
    for (const { address } of guide.accounts.slice(0, 3)) {
      const options = { accountAddress: address, options: { ledgerVersion } };
      expect(await aptos.getAccountResources({ accountAddress: address })).toEqual(
        await theirs.getAccountResources(options),
      );
      expect(await aptos.getAccountInfo({ accountAddress: address })).toEqual(
        await theirs.getAccountInfo({ accountAddress: address }),
      );
    }
    const modules = await aptos.getAccountModules({ accountAddress: "0x1" });
    expect(modules.length).toBeGreaterThan(5);
    expect(modules).toHaveLength((await theirs.getAccountModules({ accountAddress: "0x1" })).length);
    const old = await theirs.getTransactionByVersion({ ledgerVersion: 3 });
    expect(await aptos.getTransactionByVersion({ ledgerVersion: 3 })).toEqual(old);
    const records = await theirs.getTransactions({ options: { offset: 1, limit: 20 } });
    const user = records.find(({ type }) => type === "user_transaction");
    const transactionHash = "hash" in (user ?? {}) ? (user as { hash: string }).hash : "";
    expect(await aptos.getTransactionByHash({ transactionHash })).toEqual(user);
    expect(await aptos.getBlockByHeight({ blockHeight: 2 })).toEqual(
      await theirs.getBlockByHeight({ blockHeight: 2 }),
    );
    // What the network does after the fork is not part of it.
    const head = Number((await origin.mine(2)).ledger_version);
    const later = await theirs.getTransactionByVersion({ ledgerVersion: head });
    await expect(
      aptos.getTransactionByHash({ transactionHash: (later as { hash: string }).hash }),
    ).rejects.toThrow();
    const sender = (user as unknown as { sender: string }).sender;
    const upTo = (one: object): boolean => BigInt((one as { version: string }).version) <= ledgerVersion;
    expect(await aptos.getAccountTransactions({ accountAddress: sender, options: { offset: 0 } })).toEqual(
      (await theirs.getAccountTransactions({ accountAddress: sender, options: { offset: 0 } })).filter(upTo),
    );
  });
});
