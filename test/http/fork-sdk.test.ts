// A developer's day with the official SDK on a fork of a network that another node serves.
import { Account, AccountAddress, Aptos, AptosConfig, Ed25519PrivateKey } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";
import { sdkClient } from "../support/sdk-client.ts";

const SEED = "fork sdk";
const APT = "0x1::aptos_coin::AptosCoin";
const guide = createLocalChain({ seed: SEED }).guide();
/** An account that has a fungible asset without a coin type. */
const holder = guide.accounts
  .flatMap(({ address, assets }) => assets.map((one) => ({ ...one, address })))
  .find(({ symbol, form }) => symbol === "SHELL" && form === "primary store");

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
      localChain: { blockOnSubmit: true, faucetPort: 0 },
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

  it("transfers a fungible asset of the network, builds a call by its ABI, and reads balances and table items", async () => {
    const accountAddress = alice.accountAddress;
    const metadata = holder?.asset ?? "";
    // The network's holder never signs.
    const given = await fork.impersonate(holder?.address ?? "", {
      function: "0x1::primary_fungible_store::transfer",
      typeArguments: ["0x1::fungible_asset::Metadata"],
      arguments: [metadata, accountAddress.toString(), 9n],
    });
    expect(given).toMatchObject({ success: true });
    const send = await aptos.transferFungibleAsset({
      sender: alice,
      fungibleAssetMetadataAddress: AccountAddress.from(metadata),
      recipient: AccountAddress.from(bob),
      amount: 4,
    });
    const sent = await aptos.signAndSubmitTransaction({ signer: alice, transaction: send });
    await aptos.waitForTransaction({ transactionHash: sent.hash });
    expect(await aptos.getBalance({ accountAddress, asset: metadata })).toBe(5);
    expect(await aptos.getBalance({ accountAddress: bob, asset: metadata })).toBe(4);
    const built = await aptos.transaction.build.simple({
      sender: accountAddress,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [bob, 3] },
    });
    const before = await fork.balance(bob, APT);
    const { hash } = await aptos.signAndSubmitTransaction({ signer: alice, transaction: built });
    await aptos.waitForTransaction({ transactionHash: hash });
    expect(await fork.balance(bob, APT)).toBe(before + 3n);
    const [table] = guide.tables;
    const key = table?.keys[0];
    const item = await aptos.getTableItem<string>({
      handle: table?.handle ?? "",
      data: { key_type: "0x1::string::String", value_type: "u64", key: JSON.parse(key?.name ?? "") },
    });
    const raw = await origin.rawItem(table?.handle ?? "", key?.key ?? "", {
      ledgerVersion: (await fork.info()).fork_version,
    });
    expect(BigInt(item)).toBe(Buffer.from(raw ?? []).readBigUInt64LE());
  });

  it("reads what the network has: accounts, resources, modules, table items, transactions", async () => {
    const theirs = sdkClient(origin.url ?? "");
    const ledgerVersion = (await fork.info()).fork_version ?? 0n;
    const untouched = guide.accounts.filter(({ address }) => address !== holder?.address).slice(0, 3);
    for (const { address: accountAddress } of untouched) {
      expect(await aptos.getAccountResources({ accountAddress })).toEqual(
        await theirs.getAccountResources({ accountAddress }),
      );
      expect(await aptos.getAccountInfo({ accountAddress })).toEqual(
        await theirs.getAccountInfo({ accountAddress }),
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
