// Calls of the demo module: prices that are set and removed, orders that are placed, filled and cancelled. And its visitor:
// an account that is created with some native coin, receives gold, then returns everything and is deleted with its stores.
import { text, u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import { ORDER_SLOTS, PRICED_SYMBOLS } from "../chain-items.ts";
import type { DemoAccountName } from "../demo/demo-accounts.ts";
import { type Action, type ActionContext, argument, entryCall, structType } from "./action.ts";
import { pickAmount, STORE_TRADERS } from "./transfer.ts";

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
