// The day of the TypeScript SDK on Network.LOCAL, with the settings in the first argument, as JSON; `{}` are none. A second
// argument is the folder of another version of the SDK, a third a node that names the first as its archive.
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type {
  Account as AccountOf,
  AptosSettings,
  PendingTransactionResponse,
  SimpleTransaction,
  UserTransactionResponse,
} from "@aptos-labs/ts-sdk";
import { same, tell } from "./report.ts";

const [given = "{}", folder = import.meta.dirname, prunedNode] = process.argv.slice(2);
const { Account, AccountAddress, Aptos, AptosConfig, Ed25519PrivateKey, Network } = createRequire(
  join(folder, "package.json"),
)("@aptos-labs/ts-sdk") as typeof import("@aptos-labs/ts-sdk");
type Account = AccountOf;

const settings = JSON.parse(given) as AptosSettings;
const aptos = new Aptos(new AptosConfig({ ...settings, network: Network.LOCAL }));
const APT = "0x1::aptos_coin::AptosCoin";
const APT_METADATA = "0xa";
const FUNDS = 1_000_000_000;
const NEVER_FUNDED = Account.generate();
const [alice, bob] = [Account.generate(), Account.generate()];

interface Info {
  readonly demo_accounts: Readonly<Record<string, { address: string; private_key: string }>>;
  readonly demo_assets: Readonly<Record<string, string>>;
  readonly demo_tables: Readonly<Record<string, string>>;
}
const info = (await (await fetch(`${aptos.config.getRequestUrl("Fullnode" as never)}/info`)).json()) as Info;

/** What alice and bob must hold by now. */
const expected = { alice: 0n, bob: 0n };
let last: UserTransactionResponse | undefined;

async function balanceOf(account: Account, asset = APT): Promise<bigint> {
  return BigInt(await aptos.getBalance({ accountAddress: account.accountAddress, asset: asset as never }));
}

/** Waits for a transaction of alice, and books its fee. */
async function settle({ hash }: PendingTransactionResponse): Promise<UserTransactionResponse> {
  const done = (await aptos.waitForTransaction({ transactionHash: hash })) as UserTransactionResponse;
  same("hash", done.hash, hash);
  same("success", done.success, true);
  expected.alice -= BigInt(done.gas_used) * BigInt(done.gas_unit_price);
  last = done;
  return done;
}

async function assertBooks(): Promise<string> {
  const [a, b] = [await balanceOf(alice), await balanceOf(bob)];
  return [same("alice", a, expected.alice), same("bob", b, expected.bob)].join(", ");
}

function send(transaction: SimpleTransaction, signer: Account = alice): Promise<PendingTransactionResponse> {
  return aptos.signAndSubmitTransaction({ signer, transaction });
}

await tell("getLedgerInfo, getChainId", async () => {
  const { ledger_version } = await aptos.getLedgerInfo();
  if (BigInt(ledger_version) < 0n) throw new Error("no version");
  return same("chain id", await aptos.getChainId(), 4);
});
await tell("fundAccount", async () => {
  const accountAddress = alice.accountAddress;
  const done = await aptos.fundAccount({ accountAddress, amount: FUNDS });
  same("success", done.success, true);
  expected.alice += BigInt(FUNDS);
  return assertBooks();
});
await tell("fundAccount again", async () => {
  const accountAddress = alice.accountAddress;
  await aptos.fundAccount({ accountAddress, amount: 1 });
  expected.alice += 1n;
  return assertBooks();
});
await tell("getAccountInfo", async () => {
  const { sequence_number, authentication_key } = await aptos.getAccountInfo(alice);
  same("authentication key", authentication_key, alice.accountAddress.toStringLong());
  return same("sequence number", sequence_number, 0);
});
await tell("getAccountAPTAmount", async () =>
  same("amount", await aptos.getAccountAPTAmount(alice), expected.alice),
);
await tell("transferCoinTransaction", async () => {
  const transaction = await aptos.transferCoinTransaction({
    sender: alice.accountAddress,
    recipient: bob.accountAddress,
    amount: 1000,
  });
  await settle(await send(transaction));
  [expected.alice, expected.bob] = [expected.alice - 1000n, expected.bob + 1000n];
  return assertBooks();
});
await tell("transferFungibleAsset (APT by its metadata)", async () => {
  const transaction = await aptos.transferFungibleAsset({
    sender: alice,
    fungibleAssetMetadataAddress: AccountAddress.from(APT_METADATA),
    recipient: bob.accountAddress,
    amount: 77,
  });
  await settle(await send(transaction));
  [expected.alice, expected.bob] = [expected.alice - 77n, expected.bob + 77n];
  return `${await assertBooks()}; ${same("by metadata", await balanceOf(bob, APT_METADATA), expected.bob)}`;
});
await tell("transferFungibleAsset (SHELL of a demo account, with a nonce)", async () => {
  const [basil, shell] = [info.demo_accounts.basil, info.demo_assets.SHELL];
  if (basil === undefined || shell === undefined) throw new Error("no demo account");
  const signer = Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(basil.private_key) });
  same("address of the key", signer.accountAddress.toStringLong(), basil.address);
  const transaction = await aptos.transferFungibleAsset({
    sender: signer,
    fungibleAssetMetadataAddress: AccountAddress.from(shell),
    recipient: alice.accountAddress,
    amount: 5,
    // The chain's own traffic uses up its sequence numbers.
    options: { replayProtectionNonce: BigInt(Date.now()) },
  });
  const { hash } = await send(transaction, signer);
  same("success", (await aptos.waitForTransaction({ transactionHash: hash })).success, true);
  return same("alice's SHELL", await balanceOf(alice, shell), 5);
});
let built: SimpleTransaction | undefined;
let simulatedGas = "";
await tell("transaction.build.simple", async () => {
  built = await aptos.transaction.build.simple({
    sender: alice.accountAddress,
    data: {
      function: "0x1::aptos_account::transfer",
      functionArguments: [bob.accountAddress, 5],
    },
  });
  return same("sequence number", built.rawTransaction.sequence_number, 2);
});
await tell("transaction.simulate.simple", async () => {
  if (built === undefined) throw new Error("nothing was built");
  const [simulated] = await aptos.transaction.simulate.simple({
    signerPublicKey: alice.publicKey,
    transaction: built,
  });
  simulatedGas = simulated?.gas_used ?? "";
  return `${same("success", simulated?.success, true)}, gas ${simulatedGas}; ${await assertBooks()}`;
});
await tell("transaction.submit.simple, waitForTransaction", async () => {
  if (built === undefined) throw new Error("nothing was built");
  const senderAuthenticator = aptos.transaction.sign({ signer: alice, transaction: built });
  const pending = await aptos.transaction.submit.simple({ transaction: built, senderAuthenticator });
  const { gas_used } = await settle(pending);
  [expected.alice, expected.bob] = [expected.alice - 5n, expected.bob + 5n];
  return `${same("gas", gas_used, simulatedGas)}; ${await assertBooks()}`;
});
await tell("getTransactionByHash, getTransactionByVersion", async () => {
  if (last === undefined) throw new Error("nothing was sent");
  const byHash = (await aptos.getTransactionByHash({
    transactionHash: last.hash,
  })) as UserTransactionResponse;
  const byVersion = (await aptos.getTransactionByVersion({
    ledgerVersion: Number(last.version),
  })) as UserTransactionResponse;
  same("hash", byVersion.hash, last.hash);
  same("sender", byHash.sender, alice.accountAddress.toString());
  return same("version", byHash.version, last.version);
});
await tell("getAccountTransactions", async () => {
  const sent = (await aptos.getAccountTransactions(alice)) as UserTransactionResponse[];
  return same("sequence numbers", sent.map(({ sequence_number }) => sequence_number).join(), "0,1,2");
});
await tell("getAccountInfo after three transactions", async () => {
  const { sequence_number } = await aptos.getAccountInfo(alice);
  return same("sequence number", sequence_number, 3);
});
await tell("getAccountCoinAmount, getAccountAPTAmount", async () => {
  const amount = await aptos.getAccountCoinAmount({ accountAddress: bob.accountAddress, coinType: APT });
  return `${same("coin amount", amount, expected.bob)}, ${same("APT", await aptos.getAccountAPTAmount(bob), expected.bob)}`;
});
await tell("getAccountResources, getAccountResource", async () => {
  const resources = await aptos.getAccountResources(alice);
  const account = resources.find(({ type }) => type === "0x1::account::Account");
  const one = await aptos.getAccountResource<{ sequence_number: string }>({
    accountAddress: alice.accountAddress,
    resourceType: "0x1::account::Account",
  });
  const data = account?.data as { sequence_number: string } | undefined;
  same("sequence number", data?.sequence_number, 3);
  return `${resources.length} resources, ${same("sequence number", one.sequence_number, 3)}`;
});
await tell("getAccountModules, getAccountModule", async () => {
  const modules = await aptos.getAccountModules({ accountAddress: "0x1" });
  const coin = await aptos.getAccountModule({ accountAddress: "0x1", moduleName: "coin" });
  const listed = modules.find(({ abi }) => abi?.name === "coin");
  same("bytecode", listed?.bytecode, coin.bytecode);
  return `${modules.length} modules`;
});
await tell("getTableItem", async () => {
  const handle = info.demo_tables.prices ?? "";
  const data = { key_type: "0x1::string::String", value_type: "u64", key: "APT" };
  const { ledger_version } = await aptos.getLedgerInfo();
  const options = { ledgerVersion: BigInt(ledger_version) };
  const price = await aptos.getTableItem<string>({ handle, data, options });
  const raw = await fetch(
    `${aptos.config.getRequestUrl("Fullnode" as never)}/tables/${handle}/raw_item?ledger_version=${ledger_version}`,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"key":"0x03415054"}' },
  );
  const hex = ((await raw.json()) as string).slice(2);
  return same("price", price, Buffer.from(hex, "hex").readBigUInt64LE());
});
await tell("getBalance of an account that is not there", async () =>
  same("balance", await balanceOf(NEVER_FUNDED), 0),
);
await tell("a transfer of more than there is fails", async () => {
  const transaction = await aptos.transferCoinTransaction({
    sender: alice.accountAddress,
    recipient: bob.accountAddress,
    amount: (expected.alice + 1n) as never,
    options: { maxGasAmount: 2000 },
  });
  const { hash } = await send(transaction);
  const done = (await aptos.waitForTransaction({
    transactionHash: hash,
    options: { checkSuccess: false },
  })) as UserTransactionResponse;
  same("success", done.success, false);
  expected.alice -= BigInt(done.gas_used) * BigInt(done.gas_unit_price);
  return `${done.vm_status.slice(0, 60)}; ${await assertBooks()}`;
});
await tell("a sequence number that was used is refused", async () => {
  const transaction = await aptos.transferCoinTransaction({
    sender: alice.accountAddress,
    recipient: bob.accountAddress,
    amount: 1,
    options: { accountSequenceNumber: 0 },
  });
  const refused = await send(transaction).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refused === undefined) throw new Error("it was taken");
  if (!/SEQUENCE_NUMBER_TOO_OLD|sequence_number_too_old/.test(refused)) throw new Error(refused);
  return "sequence number too old";
});
if (prunedNode !== undefined) {
  await tell("what a node has pruned comes from the archive that it names", async () => {
    const pruned = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: prunedNode }));
    const EARLY = 3;
    const asked = {
      accountAddress: "0x1",
      resourceType: "0x1::block::BlockResource",
      options: { ledgerVersion: EARLY },
    } as const;
    const path = `accounts/0x1/resource/${asked.resourceType}?ledger_version=${EARLY}`;
    while ((await fetch(`${prunedNode}/${path}`)).status !== 410) await setTimeout(200);
    const [kept, replayed] = await Promise.all(
      [aptos, pruned].map((from) => from.getAccountResource<{ height: string }>(asked)),
    );
    const { hash } = await pruned.getTransactionByVersion({ ledgerVersion: EARLY });
    same("hash", hash, (await aptos.getTransactionByVersion({ ledgerVersion: EARLY })).hash);
    return same("height", replayed?.height, kept?.height);
  });
}
