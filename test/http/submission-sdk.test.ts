// The official SDK builds, simulates, signs and submits transactions of every kind that the local chain models.
import {
  Account,
  type AnyRawTransaction,
  Aptos,
  AptosConfig,
  Ed25519PrivateKey,
  MultiKey,
  MultiKeyAccount,
  SigningSchemeInput,
} from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { formatAddressLong, parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";
import { sdkClient } from "../support/sdk-client.ts";

const SEED = "submission sdk";
const APT = "0x1::aptos_coin::AptosCoin";
const FUNDS = 1_000_000_000n;
const BOB = formatAddressLong(parseAddress("0xb0b"));

describe("the official SDK on the local chain", () => {
  let node: Node;
  let aptos: Aptos;
  const options = { gasUnitPrice: 100, maxGasAmount: 5000 };

  beforeAll(async () => {
    node = await createNode({ localChain: { seed: SEED }, http: { port: 0 } });
    aptos = sdkClient(node.url ?? "");
    await node.mine();
  });
  afterAll(() => node.close());

  async function funded<T extends { accountAddress: { toString(): string } }>(account: T): Promise<T> {
    await node.fund(account.accountAddress.toString(), FUNDS);
    await node.mine();
    return account;
  }

  /** What BOB gets by a transaction. */
  async function gainOf(send: () => Promise<unknown>, asset = APT): Promise<bigint> {
    const before = await node.balance(BOB, asset);
    await send();
    await node.mine();
    return (await node.balance(BOB, asset)) - before;
  }

  it("transfers the coin with every kind of account", async () => {
    const key = new Ed25519PrivateKey(new Uint8Array(32).fill(3));
    const keys = [Account.generate(), Account.generate({ scheme: SigningSchemeInput.Secp256k1Ecdsa })];
    const multiKey = new MultiKey({ publicKeys: keys.map((one) => one.publicKey), signaturesRequired: 2 });
    const accounts = [
      Account.fromPrivateKey({ privateKey: key }),
      Account.fromPrivateKey({ privateKey: key, legacy: false }),
      Account.generate({ scheme: SigningSchemeInput.Secp256k1Ecdsa }),
      new MultiKeyAccount({ multiKey, signers: keys }),
    ];
    for (const account of accounts) {
      const signer = await funded(account);
      const sender = signer.accountAddress;
      const gain = await gainOf(async () => {
        const transaction = await aptos.transferCoinTransaction({
          sender,
          recipient: BOB,
          amount: 12,
          options,
        });
        await aptos.signAndSubmitTransaction({ signer, transaction });
      });
      expect(gain).toBe(12n);
      expect((await aptos.getAccountInfo({ accountAddress: sender })).sequence_number).toBe("1");
    }
  });

  it("transfers a fungible asset between accounts and between stores", async () => {
    const { assets } = createLocalChain({ seed: SEED }).items;
    const signer = await funded(Account.generate());
    const sender = signer.accountAddress;
    const transfer = await aptos.transferFungibleAsset({
      sender: signer,
      fungibleAssetMetadataAddress: "0xa",
      recipient: BOB,
      amount: 9,
      options,
    });
    expect(await gainOf(() => aptos.signAndSubmitTransaction({ signer, transaction: transfer }))).toBe(9n);
    const [from, to] = [sender.toString(), BOB].map((owner) =>
      formatAddressLong(primaryStoreAddress(parseAddress(owner), assets.native.metadata)),
    );
    const between = await aptos.transferFungibleAssetBetweenStores({
      sender: signer,
      fromStore: from ?? "",
      toStore: to ?? "",
      amount: 4,
      options,
    });
    expect(await gainOf(() => aptos.signAndSubmitTransaction({ signer, transaction: between }))).toBe(4n);
  });

  it("simulates as the block then does", async () => {
    const signer = await funded(Account.generate());
    const transaction = await aptos.transaction.build.simple({
      sender: signer.accountAddress,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [BOB, 5] },
      options,
    });
    const [simulated] = await aptos.transaction.simulate.simple({
      signerPublicKey: signer.publicKey,
      transaction,
    });
    expect(simulated).toMatchObject({
      type: "user_transaction",
      success: true,
      vm_status: "Executed successfully",
      state_change_hash: `0x${"0".repeat(64)}`,
      gas_unit_price: "100",
      payload: { function: "0x1::aptos_account::transfer", arguments: ["0xb0b", "5"] },
    });
    // As numbers: nodes print no zeros in front, the SDK prints them.
    expect(BigInt(simulated?.sender ?? 0)).toBe(BigInt(signer.accountAddress.toString()));
    expect(simulated?.events.map(({ type }) => type)).toEqual([
      "0x1::fungible_asset::Withdraw",
      "0x1::fungible_asset::Deposit",
      "0x1::transaction_fee::FeeStatement",
    ]);
    const gain = await gainOf(() => aptos.signAndSubmitTransaction({ signer, transaction }));
    expect(gain).toBe(5n);
    const left = await node.balance(signer.accountAddress.toString(), APT);
    expect(FUNDS - left).toBe(5n + BigInt(simulated?.gas_used ?? 0) * 100n);
  });

  it("simulates with estimates, and for a fee payer that is not known yet", async () => {
    const signer = await funded(Account.generate());
    const build = (withFeePayer: boolean) =>
      aptos.transaction.build.simple({
        sender: signer.accountAddress,
        withFeePayer,
        data: { function: "0x1::aptos_account::transfer", functionArguments: [BOB, 5] },
        options: { ...options, gasUnitPrice: 99 },
      });
    const estimates = {
      estimateGasUnitPrice: true,
      estimateMaxGasAmount: true,
      estimatePrioritizedGasUnitPrice: true,
    };
    const [estimated] = await aptos.transaction.simulate.simple({
      signerPublicKey: signer.publicKey,
      transaction: await build(false),
      options: estimates,
    });
    expect(estimated).toMatchObject({ success: true, gas_unit_price: "150", max_gas_amount: "2000000" });
    const [sponsored] = await aptos.transaction.simulate.simple({
      signerPublicKey: signer.publicKey,
      transaction: await build(true),
      options: { estimateGasUnitPrice: true },
    });
    expect(sponsored).toMatchObject({ success: true });
    const [poor] = await aptos.transaction.simulate.simple({
      signerPublicKey: signer.publicKey,
      transaction: await build(false),
    });
    expect(poor).toMatchObject({
      success: false,
      vm_status: "GAS_UNIT_PRICE_BELOW_MIN_BOUND",
      gas_used: "0",
    });
  });

  it("submits a transaction of several signers", async () => {
    const [signer, second] = [await funded(Account.generate()), await funded(Account.generate())];
    const created = Account.generate().accountAddress;
    const build = (data: Parameters<typeof aptos.transaction.build.multiAgent>[0]["data"]) =>
      aptos.transaction.build.multiAgent({
        sender: signer.accountAddress,
        secondarySignerAddresses: [second.accountAddress],
        data,
        options,
      });
    const submit = async (transaction: AnyRawTransaction) => {
      const senderAuthenticator = aptos.transaction.sign({ signer, transaction });
      const additionalSignersAuthenticators = [aptos.transaction.sign({ signer: second, transaction })];
      const pending = await aptos.transaction.submit.multiAgent({
        transaction: transaction as Awaited<ReturnType<typeof build>>,
        senderAuthenticator,
        additionalSignersAuthenticators,
      });
      await node.mine();
      return pending;
    };
    // The one modelled function that takes no signer, and so does not mind a second one.
    const pending = await submit(
      await build({ function: "0x1::aptos_account::create_account", functionArguments: [created] }),
    );
    expect(pending).toMatchObject({ signature: { type: "multi_agent_signature" } });
    const { sequence_number: sequenceNumber } = await aptos.getAccountInfo({ accountAddress: created });
    expect(sequenceNumber).toBe("0");
    const gain = await gainOf(async () =>
      submit(await build({ function: "0x1::aptos_account::transfer", functionArguments: [BOB, 5] })),
    );
    expect(gain).toBe(0n);
    // It is on the chain as a failure.
    const account = await aptos.getAccountInfo({ accountAddress: signer.accountAddress });
    expect(account.sequence_number).toBe("2");
  });

  it("submits a transaction that another account pays for, and one with a nonce", async () => {
    const [poor, sponsor] = [Account.generate(), await funded(Account.generate())];
    const sponsored = await aptos.transaction.build.simple({
      sender: poor.accountAddress,
      withFeePayer: true,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [BOB, 0] },
      options: { ...options, accountSequenceNumber: 0 },
    });
    const senderAuthenticator = aptos.transaction.sign({ signer: poor, transaction: sponsored });
    const feePayerAuthenticator = aptos.transaction.signAsFeePayer({
      signer: sponsor,
      transaction: sponsored,
    });
    await aptos.transaction.submit.simple({
      transaction: sponsored,
      senderAuthenticator,
      feePayerAuthenticator,
    });
    await node.mine();
    expect(await node.balance(sponsor.accountAddress.toString(), APT)).toBeLessThan(FUNDS);
    expect((await aptos.getAccountInfo({ accountAddress: poor.accountAddress })).sequence_number).toBe("1");
    const { ledger_timestamp: time } = await node.ledgerInfo();
    const gain = await gainOf(async () => {
      const transaction = await aptos.transaction.build.simple({
        sender: sponsor.accountAddress,
        data: { function: "0x1::aptos_account::transfer", functionArguments: [BOB, 6] },
        options: {
          ...options,
          replayProtectionNonce: 12_345n,
          expireTimestamp: Math.floor(Number(time) / 1_000_000) + 30,
        },
      });
      const pending = await aptos.signAndSubmitTransaction({ signer: sponsor, transaction });
      expect(pending).toMatchObject({ replay_protection_nonce: "12345" });
    });
    expect(gain).toBe(6n);
  });
});

describe("the official SDK on a test node without settings", () => {
  it("sends a transaction with a nonce, also after hours without a block", async () => {
    const localChain = { faucetPort: 0, blockOnSubmit: true };
    const node = await createNode({ http: { port: 0 }, localChain });
    onTestFinished(() => node.close());
    const aptos = new Aptos(new AptosConfig({ ...node.sdkConfig }));
    const signer = Account.generate();
    await aptos.fundAccount({ accountAddress: signer.accountAddress, amount: Number(FUNDS) });
    const now = vi.spyOn(Date, "now");
    onTestFinished(() => now.mockRestore());
    const startMs = Date.now();
    for (const [hours, nonce] of [
      [0, 1],
      [5, 2],
    ] as const) {
      now.mockImplementation(() => startMs + hours * 3_600_000);
      const transaction = await aptos.transaction.build.simple({
        sender: signer.accountAddress,
        data: { function: "0x1::aptos_account::transfer", functionArguments: [BOB, 6] },
        options: { replayProtectionNonce: nonce },
      });
      const [simulated] = await aptos.transaction.simulate.simple({ transaction });
      expect(simulated?.vm_status).toBe("Executed successfully");
      const { hash } = await aptos.signAndSubmitTransaction({ signer, transaction });
      expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
    }
    expect(await node.balance(BOB, APT)).toBe(12n);
  });
});
