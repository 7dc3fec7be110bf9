// Each modelled function on the local chain: what it changes, which events it emits, and how it fails.
import { beforeAll, describe, expect, it } from "vitest";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { text, u64 } from "../../src/bcs/scalars.ts";
import type { Keypair } from "../../src/chain/keys.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { type Submitted, toSubmitted } from "../../src/chain/submission/submitted.ts";
import { primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { contractEventCodec } from "../../src/ledger/formats/block-event.ts";
import { decodeRecord, recordTransactionHash } from "../../src/ledger/formats/record.ts";
import { parseAddress } from "../../src/move/address.ts";
import { formatTypeTag, type TypeTag } from "../../src/move/type-tag.ts";
import { parseStructTag } from "../../src/move/type-text.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { statusText } from "../support/status-text.ts";
import { type Call, signCall } from "../support/submitter.ts";

const chain = createLocalChain({ seed: "modelled functions" });
const { assets, demoAccounts } = chain.items;
const { anna, basil, dora, emil, gus, demo } = demoAccounts;
const NEW = parseAddress("0xabcdef");
const address = (bytes: Uint8Array) => encodeWith(addressCodec, bytes as typeof NEW);
const amount = (value: bigint) => encodeWith(u64, value);
const type = (text: string): TypeTag => ({ kind: "struct", struct: parseStructTag(text) });
const STORE = type("0x1::fungible_asset::FungibleStore");
const METADATA = type("0x1::fungible_asset::Metadata");
const GOLD: TypeTag = { kind: "struct", struct: assets.gold.coinType! };
const FEE = "0x1::transaction_fee::FeeStatement";
const MOVED = ["0x1::fungible_asset::Withdraw", "0x1::fungible_asset::Deposit", FEE];
const store = (owner: Keypair | { address: typeof NEW }) =>
  address(primaryStoreAddress(owner.address, assets.shell.metadata));

describe("modelled functions", () => {
  const run = new ChainRun(chain, createMemoryStore());
  let nonce = 0n;

  beforeAll(async () => {
    await run.start();
    await run.steps(2);
  });

  /** The outcome of a call in a block of its own. */
  async function execute(sender: Keypair, call: Call) {
    const view = await run.store.openView();
    const settled: Submitted[] = [];
    try {
      const { position } = view;
      const expirationTimestampSecs = position.timestampUsec / 1_000_000n + 60n;
      const fields = { expirationTimestampSecs };
      const transaction = signCall(sender, { ...call, fields, nonce: nonce++ });
      const { submitted } = await chain.submissions.check(view, toSubmitted(transaction));
      const { records } = await chain.produceBlock({
        position,
        view,
        getTreeNodes: (keys) => run.store.getTreeNodes(keys),
        timestampUsec: position.timestampUsec + 1_000_000n,
        submitted: {
          waiting: [submitted],
          faucet: chain.submissions.faucet,
          settle: (one) => settled.push(one),
        },
      });
      await run.append(records);
      const record = records.find((one) => Buffer.compare(recordTransactionHash(one), submitted.hash) === 0);
      if (record === undefined) throw new Error("the transaction is not in the block");
      const { info, events, writes } = decodeRecord(record);
      expect(settled).toEqual([submitted]);
      return {
        status: await statusText(info.status, view),
        events: events.map((event) => formatTypeTag(decodeWith(contractEventCodec, event).type)),
        writes: writes.length,
      };
    } finally {
      view.release();
    }
  }

  it.each<[string, Keypair, Call, string[]]>([
    [
      "aptos_account::create_account",
      basil,
      { function: "aptos_account::create_account", args: [address(NEW)] },
      [FEE],
    ],
    [
      "aptos_account::transfer from a coin store",
      anna,
      { function: "aptos_account::transfer", args: [address(NEW), amount(5n)] },
      ["0x1::coin::WithdrawEvent", "0x1::fungible_asset::Deposit", FEE],
    ],
    [
      "coin::transfer into a coin store",
      basil,
      {
        function: "coin::transfer",
        typeArgs: [type("0x1::aptos_coin::AptosCoin")],
        args: [address(anna.address), amount(5n)],
      },
      ["0x1::fungible_asset::Withdraw", "0x1::coin::DepositEvent", FEE],
    ],
    [
      "primary_fungible_store::transfer",
      basil,
      {
        function: "primary_fungible_store::transfer",
        typeArgs: [METADATA],
        args: [address(assets.shell.metadata), address(NEW), amount(5n)],
      },
      MOVED,
    ],
    [
      "fungible_asset::transfer",
      basil,
      {
        function: "fungible_asset::transfer",
        typeArgs: [STORE],
        args: [store(basil), store(dora), amount(5n)],
      },
      MOVED,
    ],
    [
      "dispatchable_fungible_asset::transfer",
      dora,
      {
        function: "dispatchable_fungible_asset::transfer",
        typeArgs: [STORE],
        args: [store(dora), store(basil), amount(5n)],
      },
      MOVED,
    ],
    [
      "object::transfer",
      demo,
      {
        function: "object::transfer",
        typeArgs: [METADATA],
        args: [address(assets.shell.metadata), address(basil.address)],
      },
      ["0x1::object::TransferEvent", FEE],
    ],
  ])("%s", async (_, sender, call, events) => {
    expect(await execute(sender, call)).toMatchObject({ status: "Executed successfully", events });
  });

  it.each<[string, Keypair, Call, string]>([
    [
      "too little in a store",
      basil,
      {
        function: "primary_fungible_store::transfer",
        typeArgs: [METADATA],
        args: [address(assets.shell.metadata), address(NEW), amount(10n ** 19n)],
      },
      "Move abort in 0x1::fungible_asset: EINSUFFICIENT_BALANCE(0x10004): Insufficient balance to withdraw or transfer.",
    ],
    [
      "too little in a coin store",
      anna,
      { function: "coin::transfer", typeArgs: [GOLD], args: [address(NEW), amount(10n ** 19n)] },
      "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins to complete transaction",
    ],
    [
      "a frozen store",
      emil,
      {
        function: "primary_fungible_store::transfer",
        typeArgs: [METADATA],
        args: [address(assets.native.metadata), address(NEW), amount(1n)],
      },
      "Move abort in 0x1::fungible_asset: ESTORE_IS_FROZEN(0x50003): Store is disabled from sending and receiving this fungible asset.",
    ],
    [
      "a frozen coin store",
      emil,
      { function: "coin::transfer", typeArgs: [GOLD], args: [address(NEW), amount(1n)] },
      "Move abort in 0x1::coin: EFROZEN(0x5000a): CoinStore is frozen. Coins cannot be deposited or withdrawn",
    ],
    [
      "the store of another account",
      basil,
      {
        function: "fungible_asset::transfer",
        typeArgs: [STORE],
        args: [store(gus), store(basil), amount(1n)],
      },
      "Move abort in 0x1::fungible_asset: ENOT_STORE_OWNER(0x50008): Account is not the store's owner.",
    ],
    [
      "an account that exists",
      basil,
      { function: "aptos_account::create_account", args: [address(anna.address)] },
      "Move abort in 0x1::account: EACCOUNT_ALREADY_EXISTS(0x80001): Account already exists",
    ],
    [
      "the object of another account",
      anna,
      {
        function: "object::transfer",
        typeArgs: [METADATA],
        args: [address(assets.gold.metadata), address(anna.address)],
      },
      "Move abort in 0x1::object: ENOT_OBJECT_OWNER(0x50004): The caller does not have ownership permissions",
    ],
    [
      "a mint by anyone else",
      anna,
      { function: "aptos_coin::mint", args: [address(anna.address), amount(1n)] },
      "Move abort in 0x1::aptos_coin: ENO_CAPABILITIES(0x60001): Account does not have mint capability",
    ],
  ])("fails on chain, with the fee as its only event: %s", async (_, sender, call, status) => {
    expect(await execute(sender, call)).toMatchObject({ status, events: [FEE] });
  });

  it.each<readonly [string, Call, string]>([
    [
      "a coin that is not there",
      { function: "coin::transfer", typeArgs: [type("0x9::no::Coin")], args: [address(NEW), amount(1n)] },
      "LINKER_ERROR",
    ],
    [
      "an asset that is not there",
      {
        function: "aptos_account::transfer_fungible_assets",
        args: [address(NEW), address(NEW), amount(1n)],
      },
      "Move abort in 0x1::object: EOBJECT_DOES_NOT_EXIST(0x60002): there is no object at the address",
    ],
    [
      "an argument too few",
      { function: "aptos_account::transfer", args: [address(NEW)] },
      "NUMBER_OF_ARGUMENTS_MISMATCH",
    ],
    [
      "an argument that does not decode",
      { function: "aptos_account::transfer", args: [address(NEW), amount(1n).subarray(1)] },
      "FAILED_TO_DESERIALIZE_ARGUMENT",
    ],
  ])("fails on chain as on a network: %s", async (_, call, status) => {
    expect(await execute(basil, call)).toMatchObject({ status, events: [FEE] });
  });

  it("refuses a coin type that is no coin, which the framework would not let be", async () => {
    const typeArgs = [type("0x1::string::String")];
    const call = { function: "coin::transfer", typeArgs, args: [address(NEW), amount(1n)] };
    await expect(execute(basil, call)).rejects.toThrow("0x1::string::String is not a coin of this ledger");
  });

  it("runs the functions of the demo module", async () => {
    const { demo } = chain.items.demoAccounts;
    const symbol = encodeWith(text, "PEARL");
    const call = { module: demo.address, function: "demo::set_price", args: [symbol, amount(7n)] };
    expect(await execute(demo, call)).toMatchObject({ status: "Executed successfully", events: [FEE] });
    expect(await execute(basil, call)).toMatchObject({
      status: expect.stringContaining("ENOT_PUBLISHER(0x50001)"),
    });
  });
});
