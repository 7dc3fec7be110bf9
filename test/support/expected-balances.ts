// Expected balances of a local chain, computed from the events of its blocks and never from the state, so that tests can
// check the state against them.
import { toHex } from "../../src/base/hex.ts";
import { decodeWith, type ValueOf } from "../../src/bcs/codec.ts";
import { struct } from "../../src/bcs/records.ts";
import { u64, u128 } from "../../src/bcs/scalars.ts";
import type { ChainItems } from "../../src/chain/chain-items.ts";
import type { AssetName } from "../../src/chain/demo/assets.ts";
import type { BalancePart, DemoAccountName, DemoAccounts } from "../../src/chain/demo/demo-accounts.ts";
import { tableItem } from "../../src/chain/item.ts";
import { createLocalChain, type LocalChain, type LocalChainSettings } from "../../src/chain/local-chain.ts";
import { WorkingState } from "../../src/chain/working-state.ts";
import { type ContractEvent, contractEventCodec } from "../../src/ledger/formats/block-event.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { concurrentSupplyCodec } from "../../src/ledger/items/resources.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { addressCodec } from "../../src/move/wire.ts";

/** A change of one part of a demo account's balance. */
export interface Movement {
  readonly account: DemoAccountName;
  readonly asset: AssetName;
  readonly part: BalancePart;
  readonly delta: bigint;
}

const storeEventCodec = struct({ store: addressCodec, amount: u64 });
const feeStatementCodec = struct({ total: u64, execution: u64, io: u64, storageFee: u64, refund: u64 });

/** The account and asset of the coin store with an event handle: its stores took the numbers from 2 on, in order. */
function coinOf({ demoAccounts }: ChainItems, event: ContractEvent & { kind: "v1" }) {
  const owner = toHex(event.account);
  const [name, account] =
    Object.entries(demoAccounts).find(([, { address }]) => toHex(address) === owner) ?? [];
  const coins = account?.holdings.filter(({ part }) => part === "coin") ?? [];
  const asset = coins[Number(event.creationNumber - 2n) >> 1]?.asset;
  return name === undefined || asset === undefined ? undefined : { account: name as DemoAccountName, asset };
}

function storeOf({ accounts }: ChainItems, store: Uint8Array) {
  for (const [account, { storeAddresses }] of Object.entries(accounts)) {
    const found = Object.entries(storeAddresses).find(([, address]) => toHex(address) === toHex(store));
    if (found !== undefined) return { account: account as DemoAccountName, asset: found[0] as AssetName };
  }
  return undefined;
}

/** What an event moved; undefined if it moved nothing of a demo account. */
function movementOf(items: ChainItems, event: ContractEvent): Movement | undefined {
  if (event.type.kind !== "struct") return undefined;
  const { module, name } = event.type.struct;
  const sign = name.startsWith("Withdraw") ? -1n : 1n;
  if (module === "coin" && event.kind === "v1" && /^(Withdraw|Deposit)Event$/.test(name)) {
    const coin = coinOf(items, event);
    return coin && { ...coin, part: "coin", delta: sign * decodeWith(u64, event.data) };
  }
  if (module !== "fungible_asset" || !/^(Withdraw|Deposit)$/.test(name)) return undefined;
  const { store, amount } = decodeWith(storeEventCodec, event.data);
  const found = storeOf(items, store);
  return found && { ...found, part: "store", delta: sign * amount };
}

/** What a user transaction says of its gas: its last event. */
export function feeStatementOf(events: readonly ContractEvent[]): ValueOf<typeof feeStatementCodec> {
  return decodeWith(feeStatementCodec, events.at(-1)?.data ?? new Uint8Array());
}

/** What a transaction moved of demo accounts, and its fee, which its payer loses without an event. */
export function movementsOf(
  items: ChainItems,
  record: Uint8Array,
): {
  readonly moved: readonly Movement[];
  readonly fee: bigint;
  readonly payer: DemoAccountName | undefined;
} {
  const { transaction: bytes, events: encoded } = decodeRecord(record);
  const transaction = decodeWith(transactionCodec, bytes);
  const events = encoded.map((event) => decodeWith(contractEventCodec, event));
  const moved = events.flatMap((event) => movementOf(items, event) ?? []);
  if (transaction.kind !== "user") return { moved, fee: 0n, payer: undefined };
  const { raw, authenticator } = transaction.transaction;
  const payer = toHex(authenticator.kind === "feePayer" ? authenticator.feePayerAddress : raw.sender);
  const name = Object.entries(items.demoAccounts).find(([, { address }]) => toHex(address) === payer)?.[0];
  const statement = feeStatementOf(events);
  const fee = statement.total * raw.gasUnitPrice;
  // A refund above the fee is paid by an event.
  const rest = fee > statement.refund ? fee - statement.refund : 0n;
  return { moved, fee: rest, payer: name as DemoAccountName | undefined };
}

/** Expected balance of one account in one asset. */
export interface ExpectedBalance {
  readonly account: DemoAccountName;
  readonly asset: AssetName;
  readonly coin: bigint;
  readonly store: bigint;
}

/** Expected balances of all accounts at one height. */
export class ExpectedBalances {
  readonly #amounts = new Map<string, bigint>();
  #height = 0n;

  /** Height of the last block applied. */
  get height(): bigint {
    return this.#height;
  }

  /** Applies the initial holdings; a second call does nothing. */
  addHoldings(demoAccounts: DemoAccounts): void {
    if (this.#amounts.size > 0) return;
    for (const [name, { holdings }] of Object.entries(demoAccounts)) {
      for (const { asset, part, amount } of holdings) {
        this.#add(name as DemoAccountName, asset, part, amount);
      }
    }
  }

  /** Applies the next block. Ignores a block that was applied before, and every block after a gap. */
  applyBlock(items: ChainItems, height: bigint, records: readonly Uint8Array[]): void {
    if (height !== this.#height + 1n) return;
    this.#height = height;
    for (const record of records) {
      const { moved, fee, payer } = movementsOf(items, record);
      for (const { account, asset, part, delta } of moved) this.#add(account, asset, part, delta);
      if (payer === undefined) continue;
      const held = this.amount(payer, "native", "coin");
      const inStore = fee > held ? fee - held : 0n;
      this.#add(payer, "native", "coin", inStore - fee);
      this.#add(payer, "native", "store", -inStore);
    }
  }

  /** One part of an account's expected balance. */
  amount(account: DemoAccountName, asset: AssetName, part: BalancePart): bigint {
    return this.#amounts.get(`${account}/${asset}/${part}`) ?? 0n;
  }

  /** The balances of every account that ever held something. */
  entries(): ExpectedBalance[] {
    const out = new Map<string, ExpectedBalance>();
    for (const key of this.#amounts.keys()) {
      const [account, asset] = key.split("/") as [DemoAccountName, AssetName];
      const coin = this.amount(account, asset, "coin");
      out.set(`${account}/${asset}`, { account, asset, coin, store: this.amount(account, asset, "store") });
    }
    return [...out.values()];
  }

  /** Sum over all accounts. */
  total(asset: AssetName, part: BalancePart): bigint {
    let sum = 0n;
    for (const entry of this.entries()) if (entry.asset === asset) sum += entry[part];
    return sum;
  }

  #add(account: DemoAccountName, asset: AssetName, part: BalancePart, amount: bigint): void {
    const sum = this.amount(account, asset, part) + amount;
    if (sum < 0n) throw new Error(`${account} would hold ${sum} of ${asset}`);
    this.#amounts.set(`${account}/${asset}/${part}`, sum);
  }
}

/** A local chain with the expected balances after every block it makes. */
export interface TrackedChain extends LocalChain {
  /** Valid only if this object made every block since genesis. */
  readonly expectedBalances: ExpectedBalances;
}

/** The local chain of a seed, with its expected balances. */
export function createTrackedChain(settings: LocalChainSettings): TrackedChain {
  const chain = createLocalChain(settings);
  const expectedBalances = new ExpectedBalances();
  return {
    ...chain,
    expectedBalances,
    genesisBlob: () => {
      expectedBalances.addHoldings(chain.items.demoAccounts);
      return chain.genesisBlob();
    },
    produceBlock: async (base) => {
      const made = await chain.produceBlock(base);
      expectedBalances.applyBlock(chain.items, made.height, made.records);
      return made;
    },
  };
}

/** Reads the supplies in the latest state; undefined for a part without one. */
export async function readSupplies(
  { items }: LocalChain,
  view: LedgerView,
): Promise<(asset: AssetName, part: BalancePart) => bigint | undefined> {
  const state = new WorkingState();
  await state.load(view, items.all);
  const supplies = new Map<string, bigint>();
  for (const asset of Object.keys(items.assets) as AssetName[]) {
    const group = state.get(items.metadata[asset]) ?? [];
    const supply = group.find(([tag]) => tag.name === "ConcurrentSupply")?.[1];
    if (supply !== undefined) supplies.set(`${asset}/store`, decodeWith(concurrentSupplyCodec, supply).value);
    const info = items.coinInfos[asset];
    const { aggregator, integer } = (info && state.get(info)?.supply) ?? {};
    const item = aggregator && tableItem(aggregator.handle, aggregator.key, u128);
    if (item !== undefined) await state.load(view, [item]);
    const value = item === undefined ? integer?.value : state.get(item);
    if (value !== undefined) supplies.set(`${asset}/coin`, value);
  }
  return (asset, part) => supplies.get(`${asset}/${part}`);
}
