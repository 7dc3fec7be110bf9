// The actions of the demo accounts: transfers of coins and fungible assets, calls of the demo module, and its visitor: an
// account that is created with some native coin, receives gold, then returns everything and is deleted with its stores.
import { U64_MAX } from "../../base/numbers.ts";
import { type Codec, decodeWith, encodeWith } from "../../bcs/codec.ts";
import { text, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import {
  concurrentBalanceCodec,
  fungibleStoreCodec,
  type ResourceGroup,
} from "../../ledger/items/resources.ts";
import { type Address, FRAMEWORK } from "../../move/address.ts";
import type { StructTag, TypeTag } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import type { EntryFunction, Script } from "../../transaction/executable.ts";
import { type ChainItems, ORDER_SLOTS, PRICED_SYMBOLS } from "../chain-items.ts";
import { tagOf } from "../item.ts";
import type { Random } from "../random.ts";
import type { WorkingState } from "../working-state.ts";
import type { AssetName } from "./assets.ts";
import type { BalancePart, DemoAccountName } from "./demo-accounts.ts";

/** Everything that the choice of an action depends on. */
export interface ActionContext {
  readonly state: WorkingState;
  readonly items: ChainItems;
  readonly random: Random;
}

/** The payload of an action. */
export type Call =
  | { readonly kind: "entryFunction"; readonly entryFunction: EntryFunction }
  | { readonly kind: "script"; readonly script: Script };

/** An unsigned transaction. */
export interface Action {
  readonly sender: DemoAccountName;
  /** Second signer of a multi-agent transaction. */
  readonly cosigner?: DemoAccountName;
  /** Pays for the gas in the place of the sender, who then uses a nonce. */
  readonly feePayer?: DemoAccountName;
  readonly call: Call;
}

/** Makes an action; undefined if the current state does not allow it. */
export type ActionMaker = (context: ActionContext) => Action | undefined;

/** A struct type as a type argument. */
function structType(struct: StructTag): TypeTag {
  return { kind: "struct", struct };
}

/** BCS of an argument. */
function argument<T>(codec: Codec<T>, value: T): Uint8Array {
  return encodeWith(codec, value);
}

/** Call of an entry function, at `0x1` unless the target has an address. */
function entryCall(
  target: { readonly address?: Address; readonly module: string; readonly function: string },
  typeArgs: readonly TypeTag[],
  args: readonly Uint8Array[],
): Call {
  const address = target.address ?? FRAMEWORK;
  const module = { address, name: target.module };
  return { kind: "entryFunction", entryFunction: { module, function: target.function, typeArgs, args } };
}

function demoCall({ items }: ActionContext, name: string, args: readonly Uint8Array[]) {
  return entryCall({ address: items.demoAddress, module: "demo", function: name }, [], args);
}

/** Sets a price. Removes the price of the last symbol if it has one. */
export function quotePrice(context: ActionContext): Action | undefined {
  const { random, items, state } = context;
  const index = random.below(PRICED_SYMBOLS.length);
  const symbol = PRICED_SYMBOLS[index];
  const item = items.prices[index];
  if (symbol === undefined || item === undefined) return undefined;
  const sender: DemoAccountName = "demo";
  const isRemovable = index === PRICED_SYMBOLS.length - 1;
  if (isRemovable && state.has(item)) {
    return {
      sender,
      call: demoCall(context, "remove_price", [argument(text, symbol)]),
    };
  }
  const price = random.upTo(1_000_000n);
  return {
    sender,
    call: demoCall(context, "set_price", [argument(text, symbol), argument(u64, price)]),
  };
}

/** Creates an order in a free slot; partly fills or cancels the order in a taken slot. */
export function tradeOrder(context: ActionContext): Action | undefined {
  const { random, items, state } = context;
  const slot = random.below(ORDER_SLOTS);
  const item = items.orders[slot];
  if (item === undefined) return undefined;
  const slotArgument = argument(u64, BigInt(slot));
  const order = state.get(item);
  const sender = random.pick(STORE_TRADERS);
  const { assets } = items;
  if (order === undefined) {
    const asset = random.pick([assets.gold, assets.shell]).metadata;
    const amount = argument(u64, random.upTo(1_000_000n) + 1n);
    const args = [slotArgument, argument(addressCodec, asset), amount];
    return {
      sender,
      call: demoCall(context, "place_order", args),
    };
  }
  const open = order.amount - order.filled;
  const part = random.upTo(open);
  if (part < open) {
    return {
      sender,
      call: demoCall(context, "fill_order", [slotArgument, argument(u64, part)]),
    };
  }
  return {
    sender,
    call: demoCall(context, "cancel_order", [slotArgument]),
  };
}

const VISITOR: DemoAccountName = "hana";
/** Largest initial balance of the visitor. */
const ALLOWANCE = 500_000_000n;

/** The next step of the visitor's cycle. */
export function advanceVisitor(context: ActionContext): Action | undefined {
  const { state, items } = context;
  const { account, stores } = items.accounts[VISITOR];
  if (!state.has(account)) return arrive(context);
  return state.has(stores.gold) ? leave(context) : receiveGold(context);
}

function arrive({ items, random }: ActionContext): Action {
  const amount = ALLOWANCE / 2n + random.upTo(ALLOWANCE / 2n);
  const args = [argument(addressCodec, items.demoAccounts[VISITOR].address), argument(u64, amount)];
  return { sender: "basil", call: entryCall({ module: "aptos_account", function: "transfer" }, [], args) };
}

function receiveGold(context: ActionContext): Action | undefined {
  const { items } = context;
  const sender: DemoAccountName = "anna";
  const amount = pickAmount(context, "gold", "coin", [sender, VISITOR]);
  const { coinType } = items.assets.gold;
  if (amount === undefined || coinType === undefined) return undefined;
  const args = [argument(addressCodec, items.demoAccounts[VISITOR].address), argument(u64, amount)];
  const target = { module: "aptos_account", function: "transfer_coins" };
  return { sender, call: entryCall(target, [structType(coinType)], args) };
}

/** The visitor has nothing left to pay with, so the receiver of its coins does. */
function leave(context: ActionContext): Action | undefined {
  const { items, state } = context;
  // An account that a client used stays: its sequence numbers must not begin again.
  if (state.get(items.accounts[VISITOR].account)?.sequenceNumber !== 0n) return undefined;
  const { basil, anna } = items.demoAccounts;
  const args = [basil, anna].map(({ address }) => argument(addressCodec, address));
  return { sender: VISITOR, feePayer: "basil", call: demoCall(context, "close_account", args) };
}

/** A transfer moves at most one part in this many of the sender's balance, */
const LARGEST_SHARE = 50n;
/** and at most this amount, so that large holders stay large. */
const LARGEST_AMOUNT: Readonly<Record<AssetName, bigint>> = {
  native: 10_000_000_000n,
  gold: 100_000n,
  shell: 10_000_000n,
};
/** Native coin that a sender keeps to pay later fees. */
const RESERVE = 1_000_000_000n;

const METADATA_TYPE = structType(tagOf("0x1::fungible_asset::Metadata"));

/** Accounts that hold coins in coin stores. */
export const COIN_TRADERS: readonly DemoAccountName[] = ["anna", "clio"];
/** Accounts that trade fungible assets. */
const STORE_TRADERS: readonly DemoAccountName[] = ["basil", "clio", "dora", "gus"];

/** A random amount that the sender can pay and the recipient can hold; undefined if there is none. */
function pickAmount(
  context: ActionContext,
  asset: AssetName,
  part: BalancePart,
  [from, to]: readonly [DemoAccountName, DemoAccountName],
): bigint | undefined {
  const reserve = asset === "native" ? RESERVE : 0n;
  const spare = balanceOf(context, from, asset, part) - reserve;
  // The balance operation adds both parts, and the sum must stay within u64.
  const held = balanceOf(context, to, asset, "coin") + balanceOf(context, to, asset, "store");
  const share = spare / LARGEST_SHARE;
  if (share <= 0n) return undefined;
  let most = LARGEST_AMOUNT[asset];
  if (share < most) most = share;
  const amount = context.random.upTo(most);
  return held + amount > U64_MAX ? undefined : amount;
}

/** A member of a resource group. */
function memberOf<T>(group: ResourceGroup | undefined, name: string, codec: Codec<T>): T | undefined {
  const found = group?.find(([tag]) => tag.name === name);
  return found === undefined ? undefined : decodeWith(codec, found[1]);
}

/** One part of an account's balance; 0 if there is no store. */
function balanceOf(
  { state, items }: ActionContext,
  name: DemoAccountName,
  asset: AssetName,
  part: BalancePart,
): bigint {
  const { coinStores, stores } = items.accounts[name];
  if (part === "coin") {
    const store = coinStores[asset];
    return store === undefined ? 0n : (state.get(store)?.value ?? 0n);
  }
  const group = state.get(stores[asset]);
  const concurrent = memberOf(group, "ConcurrentFungibleBalance", concurrentBalanceCodec)?.value;
  return concurrent ?? memberOf(group, "FungibleStore", fungibleStoreCodec)?.balance ?? 0n;
}

function pickPair(
  context: ActionContext,
  names: readonly DemoAccountName[],
): [DemoAccountName, DemoAccountName] {
  const from = context.random.pick(names);
  return [from, context.random.pick(names.filter((name) => name !== from))];
}

/** Transfers a coin between coin stores. */
export function transferCoin(context: ActionContext): Action | undefined {
  const { items, random } = context;
  const asset: AssetName = random.oneIn(2) ? "gold" : "native";
  const [from, to] = pickPair(context, COIN_TRADERS);
  const amount = pickAmount(context, asset, "coin", [from, to]);
  const { coinType } = items.assets[asset];
  if (amount === undefined || coinType === undefined) return undefined;
  const isPlain = random.oneIn(2);
  const target = isPlain
    ? { module: "coin", function: "transfer" }
    : { module: "aptos_account", function: "transfer_coins" };
  const args = [argument(addressCodec, items.demoAccounts[to].address), argument(u64, amount)];
  return {
    sender: from,
    call: entryCall(target, [structType(coinType)], args),
  };
}

/** Transfers a fungible asset between primary stores; creates the recipient's if it is missing. */
export function transferAsset(context: ActionContext): Action | undefined {
  const { items, random } = context;
  const asset = random.pick<AssetName>(["native", "native", "shell", "shell", "gold"]);
  const [from, to] = pickPair(context, STORE_TRADERS);
  const amount = pickAmount(context, asset, "store", [from, to]);
  if (amount === undefined) return undefined;
  const recipient = argument(addressCodec, items.demoAccounts[to].address);
  const metadata = argument(addressCodec, items.assets[asset].metadata);
  if (asset === "native" && random.oneIn(2)) {
    const target = { module: "aptos_account", function: "transfer" };
    return { sender: from, call: entryCall(target, [], [recipient, argument(u64, amount)]) };
  }
  const args = [metadata, recipient, argument(u64, amount)];
  const call = random.oneIn(2)
    ? entryCall({ module: "primary_fungible_store", function: "transfer" }, [METADATA_TYPE], args)
    : entryCall({ module: "aptos_account", function: "transfer_fungible_assets" }, [], args);
  return { sender: from, call };
}

/** Transfers shells from the largest holder to several accounts at once. */
export function batchTransfer(context: ActionContext): Action | undefined {
  const { items } = context;
  const from: DemoAccountName = "gus";
  const shares: { readonly to: Address; readonly amount: bigint }[] = [];
  for (const to of STORE_TRADERS.filter((name) => name !== from)) {
    const amount = pickAmount(context, "shell", "store", [from, to]);
    if (amount !== undefined) shares.push({ to: items.demoAccounts[to].address, amount });
  }
  if (shares.length === 0) return undefined;
  const call = entryCall(
    { module: "aptos_account", function: "batch_transfer_fungible_assets" },
    [],
    [
      argument(addressCodec, items.assets.shell.metadata),
      argument(
        vector(addressCodec),
        shares.map(({ to }) => to),
      ),
      argument(
        vector(u64),
        shares.map(({ amount }) => amount),
      ),
    ],
  );
  return { sender: from, call };
}

/** Swaps gold for shells between two accounts, which both sign. */
export function swap(context: ActionContext): Action | undefined {
  const { items } = context;
  const [from, to]: [DemoAccountName, DemoAccountName] = context.random.oneIn(2)
    ? ["clio", "basil"]
    : ["clio", "dora"];
  const gold = pickAmount(context, "gold", "store", [from, to]);
  const shell = pickAmount(context, "shell", "store", [to, from]);
  if (gold === undefined || shell === undefined) return undefined;
  return {
    sender: from,
    cosigner: to,
    call: entryCall(
      { address: items.demoAddress, module: "demo", function: "swap" },
      [],
      [argument(u64, gold), argument(u64, shell)],
    ),
  };
}

/** A transfer of more than the sender has. It fails, and the sender pays only the fee. */
export function failingTransfer({ items, random }: ActionContext): Action | undefined {
  const { coinType } = items.assets.gold;
  if (coinType === undefined) return undefined;
  const sender = random.pick(COIN_TRADERS);
  const args = [argument(addressCodec, items.demoAccounts.fay.address), argument(u64, U64_MAX)];
  return {
    sender,
    call: entryCall({ module: "coin", function: "transfer" }, [structType(coinType)], args),
  };
}
