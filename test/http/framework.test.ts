// Chains that run a network's own framework: blocks on its genesis, and forks of such a chain. Packages were compiled
// elsewhere, and clients are the official SDK.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  Account,
  AccountAddress,
  Aptos,
  AptosConfig,
  Ed25519PrivateKey,
  generateTransactionPayload,
  type InputGenerateTransactionPayloadData,
  U64,
} from "@aptos-labs/ts-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { byteString } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { frameworkModules } from "../../src/chain/genesis.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { stateValueData } from "../../src/ledger/formats/state-value.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import { readModule } from "../../src/move/bytecode/reader.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import type { UserTransaction } from "../../src/transaction/user-transaction.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { transferRequest } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const SHOP = AccountAddress.from(`0x${"0".repeat(60)}cafe`);
const KEY = `0x${"07".repeat(32)}`;

async function startNode(options: NodeOptions): Promise<Node> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

interface CompiledPackage {
  /** Where its modules are compiled for. */
  readonly address: string;
  readonly metadata: Uint8Array;
  readonly code: readonly Uint8Array[];
}

/** What a recorded transaction of an account carries. */
function recorded(name: string): UserTransaction["raw"] {
  const file = gunzipSync(readFileSync(sharedPath("vectors/vm/transactions.jsonl.gz"))).toString();
  const line = file.split("\n").find((one) => one.includes(`"${name}"`));
  const { transaction } = JSON.parse(line ?? "{}") as { transaction: string };
  const decoded = decodeWith(transactionCodec, Buffer.from(transaction, "hex"));
  if (decoded.kind !== "user") throw new Error(`${name} is of no account`);
  return decoded.transaction.raw;
}

/** A package that a recorded transaction published. */
function packageOf(name: string): CompiledPackage {
  const raw = recorded(name);
  if (raw.payload.kind !== "entryFunction") throw new Error(`no package ${name}`);
  const [metadata = new Uint8Array(), code = new Uint8Array()] = raw.payload.entryFunction.args;
  return {
    address: formatAddressLong(raw.sender),
    metadata: decodeWith(byteString, metadata),
    code: decodeWith(vector(byteString), code),
  };
}

/** A developer's day: publish, call, read. */
async function publishAndCall(node: Node, { address, metadata, code }: CompiledPackage): Promise<void> {
  const aptos = new Aptos(new AptosConfig(node.sdkConfig));
  const publisher = Account.fromPrivateKey({
    privateKey: new Ed25519PrivateKey(Buffer.from(KEY.slice(2), "hex")),
    address: AccountAddress.from(address),
  });
  const accountAddress = publisher.accountAddress;
  const funded = await aptos.fundAccount({ accountAddress, amount: 500_000_000 });
  expect(funded).toMatchObject({ success: true, type: "user_transaction" });
  const send = async (data: InputGenerateTransactionPayloadData) => {
    const transaction = await aptos.transaction.build.simple({ sender: accountAddress, data });
    const [simulated] = await aptos.transaction.simulate.simple({
      signerPublicKey: publisher.publicKey,
      transaction,
    });
    const { hash } = await aptos.signAndSubmitTransaction({ signer: publisher, transaction });
    const done = await aptos.waitForTransaction({ transactionHash: hash });
    expect(done).toMatchObject({ success: true, vm_status: "Executed successfully" });
    // The simulation ran the same code on the same state.
    expect(simulated).toMatchObject({ success: true, gas_used: (done as { gas_used: string }).gas_used });
    return done as { gas_used: string; gas_unit_price: string };
  };
  const publishing = await aptos.publishPackageTransaction({
    account: accountAddress,
    metadataBytes: metadata,
    moduleBytecode: [...code],
  });
  const sent = await aptos.signAndSubmitTransaction({ signer: publisher, transaction: publishing });
  const published = await aptos.waitForTransaction({ transactionHash: sent.hash });
  expect(published).toMatchObject({ success: true });
  const before = await node.balance(address, APT);
  const called = await send({ function: `${address}::message::set_message`, functionArguments: ["hello"] });
  expect(await node.balance(address, APT)).toBe(
    before - BigInt(called.gas_used) * BigInt(called.gas_unit_price),
  );
  expect(
    await aptos.view({
      payload: { function: `${address}::message::get_message`, functionArguments: [address] },
    }),
  ).toEqual(["hello"]);
  await send({ function: "0x1::aptos_account::transfer", functionArguments: [SHOP, 12] });
  expect(await node.balance("0xcafe", APT)).toBe(12n);
}

const SERVED = {
  localChain: { blockOnSubmit: true, faucetPort: 0 },
  http: { port: 0 },
} as const;

describe.skipIf(!hasShared)("a chain with a network's framework", () => {
  it("publishes a package and calls it, on the network's genesis and on a fork of that chain", async () => {
    const compiled = packageOf("publish hello_blockchain0");
    const accounts = [{ address: compiled.address, key: KEY }];
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const chain = await startNode({ genesis, accounts, ...SERVED });
    const fork = await startNode({ fork: { url: chain.url ?? "", upstreamRate: 0 }, ...SERVED });
    await publishAndCall(chain, compiled);
    // The fork began before the package was there.
    await publishAndCall(fork, compiled);
    const later = await startNode({ fork: { url: chain.url ?? "", upstreamRate: 0 }, ...SERVED });
    const called = await later.impersonate(compiled.address, {
      function: `${compiled.address}::message::set_message`,
      arguments: ["from the fork"],
    });
    expect(called).toMatchObject({ success: true });
    const message = (node: Node) =>
      node.view({ function: `${compiled.address}::message::get_message`, arguments: [compiled.address] });
    expect(await message(later)).toEqual(["from the fork"]);
    expect(await message(chain)).toEqual(["hello"]);
  });

  it("simulates on followers, of all versions or from the middle on, with the level of what was read", async () => {
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const chain = await startNode({ genesis, localChain: {}, http: { port: 0 }, pruneWindow: "off" });
    await chain.fund("0xb0b", 500_000_000n);
    const { ledger_version: startVersion } = await chain.mine(1);
    await chain.mine(1);
    const transfer = transferRequest("0xb0b", "0xcafe", "1000", {
      signature: { type: "no_account_signature" },
    });
    const wanted = await chain.simulate(transfer);
    expect(wanted).toMatchObject({ success: true, vmStatus: "Executed successfully" });
    const levels: (string | null)[] = [];
    for (const from of [{}, { startVersion: `${startVersion}` }]) {
      const follower = await startNode({
        http: { port: 0 },
        follow: { upstreams: [chain.url ?? ""], pollTimeMs: 5, ...from },
      });
      await follower.untilReady();
      expect(await follower.simulate(transfer)).toMatchObject({ success: true, gasUsed: wanted.gasUsed });
      const response = await fetch(`${follower.url}/transactions/simulate`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...transfer, sequence_number: "7" }),
      });
      // What the chain would refuse is an answer too.
      expect(await response.json()).toMatchObject([
        { success: false, vm_status: expect.stringContaining("SEQUENCE_NUMBER_TOO_NEW"), gas_used: "0" },
      ]);
      levels.push(response.headers.get("x-node-trust"));
    }
    expect(levels).toEqual(["trusted", "trusted"]);
    expect(await chain.balance("0xcafe", APT)).toBe(0n);
  });

  it.each(["devnet", "mainnet"])("moves time, epochs and coins by the functions of %s", async (network) => {
    const node = await startNode({ genesis: sharedPath(`networks/${network}/genesis.blob`), localChain: {} });
    await node.mine(2);
    const { epoch } = await node.ledgerInfo();
    await node.fund("0xb0b", 500_000_000n);
    expect(await node.balance("0xb0b", APT)).toBe(500_000_000n);
    const transfer = { function: "0x1::aptos_account::transfer", arguments: ["0xcafe", 1_000n] };
    expect(await node.impersonate("0xb0b", transfer)).toMatchObject({ success: true });
    expect(await node.balance("0xcafe", APT)).toBe(1_000n);
    const tooMuch = { ...transfer, arguments: ["0xcafe", 600_000_000n] };
    expect(await node.impersonate("0xb0b", tooMuch)).toMatchObject({ success: false });
    // A block that ends an epoch is the last of it.
    await node.advanceTime(3 * 3_600_000);
    const { epoch: later } = await node.mine(1);
    expect(later).toBe(epoch + 1n);
    await node.fund("0xb0b", 5n);
    expect(await node.balance("0xb0b", APT)).toBe(500_000_000n - 1_000n + 5n);
  });

  it("tells the framework how large the state is at the beginning of an epoch, and a fork what the network last said", async () => {
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const node = await startNode({ genesis, localChain: {}, http: { port: 0 }, pruneWindow: "off" });
    const told = async (of: Node) =>
      (await of.resource("0x1", "0x1::state_storage::StateStorageUsage"))?.data;
    /** Counts what all records before a version leave. */
    const counted = async (before: bigint): Promise<object> => {
      const sizes = new Map<string, number>();
      for (const { version, writes } of decodePage(await node.dumpState())) {
        for (const { key, value } of version < before ? writes : []) {
          const path = new BcsReader(key.subarray(33)).byteString();
          if (value === undefined) sizes.delete(toHex(key));
          else sizes.set(toHex(key), 32 + path.length + stateValueData(value).length);
        }
      }
      const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      return { items: `${sizes.size}`, bytes: `${bytes}` };
    };
    // The first block ends epoch 1: its time is long after genesis.
    await node.mine(1);
    expect(await told(node)).toMatchObject({ epoch: "1", usage: await counted(1n) });
    // Run again, it is told the same size.
    expect(await node.trace(1n)).toMatchObject({ matches_ledger: true, success: true });
    for (let epoch = 3; epoch < 6; epoch++) {
      await node.fund(`0xb0b${epoch}`, 5n);
      const { ledger_version: funded } = await node.info();
      expect(await node.trace(BigInt(String(funded)))).toMatchObject({ matches_ledger: true });
      await node.putTableItem("0x7ab1e", "0x01", epoch % 2 === 0 ? "0x010203" : undefined);
      // A block that ends the epoch, and the first of the next.
      const { ledger_version } = await node.advanceTime(3 * 3_600_000);
      await node.mine(1);
      const usage = await counted(ledger_version + 1n);
      expect(await told(node)).toMatchObject({ epoch: `${epoch}`, usage });
      expect(await node.trace(ledger_version + 1n)).toMatchObject({ matches_ledger: true });
    }
    const fork = await startNode({ fork: { url: node.url ?? "", upstreamRate: 0 } });
    const before = (await told(fork)) as { readonly usage: object };
    await fork.advanceTime(3 * 3_600_000);
    await fork.mine(1);
    expect(await told(fork)).toEqual({ epoch: "6", usage: before.usage });
    // A stream of a fork begins with its oldest version, though the network has the one before.
    const oldest = BigInt(String((await fork.info()).oldest_ledger_version));
    const feed = fork.transactions({ from: oldest, to: oldest });
    for await (const { items } of feed) expect(items).toHaveLength(1);
  });

  it("takes scripts, several signers, other payers, nonces and multisig accounts", async () => {
    const node = await startNode({ genesis: sharedPath("networks/devnet/genesis.blob"), ...SERVED });
    const aptos = new Aptos(new AptosConfig(node.sdkConfig));
    const [anna, ben, payer] = [Account.generate(), Account.generate(), Account.generate()];
    const [annas, bens, payers] = [anna, ben, payer].map((one) => one.accountAddress.toString());
    for (const { accountAddress } of [anna, ben, payer])
      await aptos.fundAccount({ accountAddress, amount: 500_000_000 });
    const done = async ({ hash: transactionHash }: { readonly hash: string }) => {
      const committed = await aptos.waitForTransaction({ transactionHash });
      const { gas_used, gas_unit_price } = committed as { gas_used: string; gas_unit_price: string };
      return BigInt(gas_used) * BigInt(gas_unit_price);
    };
    const balances = () => Promise.all([annas, bens, payers].map((one) => node.balance(one ?? "", APT)));

    // A script that takes coins of two signers, whose fee a third account pays.
    const { payload } = recorded("multi agent with a fee payer");
    const bytecode = payload.kind === "script" ? payload.script.code : new Uint8Array();
    const both = await aptos.transaction.build.multiAgent({
      sender: anna.accountAddress,
      secondarySignerAddresses: [ben.accountAddress],
      withFeePayer: true,
      data: { bytecode, functionArguments: [SHOP, new U64(10), new U64(20)] },
    });
    const feePayerAuthenticator = aptos.transaction.signAsFeePayer({ signer: payer, transaction: both });
    const fee = await done(
      await aptos.transaction.submit.multiAgent({
        transaction: both,
        senderAuthenticator: aptos.transaction.sign({ signer: anna, transaction: both }),
        additionalSignersAuthenticators: [aptos.transaction.sign({ signer: ben, transaction: both })],
        feePayerAuthenticator,
      }),
    );
    expect(fee).toBeGreaterThan(0n);
    expect(await balances()).toEqual([499_999_990n, 499_999_980n, 500_000_000n - fee]);
    expect(await node.balance("0xcafe", APT)).toBe(30n);

    // A nonce in the place of a sequence number, which is good once.
    const orderless = await aptos.transaction.build.simple({
      sender: ben.accountAddress,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [SHOP, 70] },
      options: { replayProtectionNonce: 77 },
    });
    const orderlessFee = await done(
      await aptos.signAndSubmitTransaction({ signer: ben, transaction: orderless }),
    );
    expect(await node.balance("0xcafe", APT)).toBe(100n);
    expect((await balances())[1]).toBe(499_999_910n - orderlessFee);
    await expect(aptos.signAndSubmitTransaction({ signer: ben, transaction: orderless })).rejects.toThrow(
      /NONCE_ALREADY_USED|already/,
    );

    // An account of two owners: one proposes, the other agrees, and anyone of them has it done.
    const call = async (signer: Account, data: InputGenerateTransactionPayloadData) => {
      const transaction = await aptos.transaction.build.simple({ sender: signer.accountAddress, data });
      return done(await aptos.signAndSubmitTransaction({ signer, transaction }));
    };
    const view = (name: string, args: string[]) =>
      node.view({ function: `0x1::multisig_account::${name}`, arguments: args });
    const [multisig] = (await view("get_next_multisig_account_address", [annas ?? ""])) as [string];
    await call(anna, {
      function: "0x1::multisig_account::create_with_owners",
      functionArguments: [[ben.accountAddress], 2, ["name"], [new Uint8Array([1])]],
    });
    await call(anna, { function: "0x1::aptos_account::transfer", functionArguments: [multisig, 5_000] });
    const transfer = {
      function: "0x1::aptos_account::transfer",
      functionArguments: [SHOP, 4_000],
    } satisfies InputGenerateTransactionPayloadData;
    const inner = await generateTransactionPayload({
      multisigAddress: multisig,
      ...transfer,
      aptosConfig: aptos.config,
    });
    await call(anna, {
      function: "0x1::multisig_account::create_transaction",
      functionArguments: [multisig, inner.multiSig.transaction_payload?.bcsToBytes() ?? new Uint8Array()],
    });
    await call(ben, {
      function: "0x1::multisig_account::approve_transaction",
      functionArguments: [multisig, 1],
    });
    await call(ben, { multisigAddress: multisig, ...transfer });
    expect(await node.balance("0xcafe", APT)).toBe(4_100n);
    expect(await node.balance(multisig, APT)).toBe(1_000n);
  });

  it("publishes a compiled package from its folder, as the official command line lays it out", async () => {
    const { address, metadata, code } = packageOf("publish hello_blockchain0");
    const node = await startNode({ genesis: sharedPath("networks/devnet/genesis.blob"), localChain: {} });
    await node.mine(1);
    const folder = temporaryFolder();
    const modules = join(folder, "build", "HelloBlockchain", "bytecode_modules");
    mkdirSync(modules, { recursive: true });
    await expect(node.publish(folder)).rejects.toMatchObject({ code: "config" });
    writeFileSync(join(folder, "build", "HelloBlockchain", "package-metadata.bcs"), metadata);
    for (const bytes of code) writeFileSync(join(modules, `${readModule(bytes).name}.mv`), bytes);
    const published = await node.publish(folder);
    expect(published.modules).toEqual(code.map((bytes) => `${address}::${readModule(bytes).name}`));
    expect(await node.resource(address, "0x1::code::PackageRegistry")).toMatchObject({
      data: { packages: [{ modules: published.modules.map((name) => ({ name: name.split("::")[1] })) }] },
    });
    const call = { function: `${address}::message::set_message`, arguments: ["from a folder"] };
    expect(await node.impersonate(address, call)).toMatchObject({ success: true });
    const read = { function: `${address}::message::get_message`, arguments: [address] };
    expect(await node.view(read)).toEqual(["from a folder"]);
    // A package whose account already has one of its name is an update.
    expect((await node.publish(join(folder, "build", "HelloBlockchain"))).version).toBeGreaterThan(
      published.version,
    );
  });

  it("serves on when the framework cannot open a block any more", async () => {
    const genesis = sharedPath("networks/devnet/genesis.blob");
    const node = await startNode({ genesis, localChain: {} });
    await node.mine(2);
    const broken = frameworkModules().find(({ name }) => name === "block");
    await node.publish(broken?.bytes ?? new Uint8Array());
    await expect(node.mine(1)).rejects.toMatchObject({ code: "unavailable" });
    expect(await node.balance("0xa550c18", APT)).toBeGreaterThan(0n);
    expect(await node.unreadyReason()).toBeUndefined();
  });
});
