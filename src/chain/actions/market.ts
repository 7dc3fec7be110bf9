// The demo market: prices that are set and removed, orders that are created, filled and cancelled.
import { text, u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import { ORDER_SLOTS, type Order, PRICED_SYMBOLS } from "../chain-items.ts";
import type { DemoAccountName } from "../demo-accounts.ts";
import { type Action, type ActionContext, argument, entryCall } from "./action.ts";
import { STORE_TRADERS } from "./transfer.ts";

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
      movements: [],
      change: ({ state }) => state.delete(item),
    };
  }
  const price = random.upTo(1_000_000n);
  return {
    sender,
    call: demoCall(context, "set_price", [argument(text, symbol), argument(u64, price)]),
    movements: [],
    change: ({ state, createdUsec }) => state.set(item, price, createdUsec),
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
  const { demoAccounts, assets } = items;
  if (order === undefined) {
    const asset = random.pick([assets.gold, assets.shell]).metadata;
    const placed: Order = {
      owner: demoAccounts[sender].address,
      asset,
      amount: random.upTo(1_000_000n) + 1n,
      filled: 0n,
    };
    const args = [slotArgument, argument(addressCodec, asset), argument(u64, placed.amount)];
    return {
      sender,
      call: demoCall(context, "place_order", args),
      movements: [],
      change: ({ state, createdUsec }) => state.set(item, placed, createdUsec),
    };
  }
  const open = order.amount - order.filled;
  const part = random.upTo(open);
  if (part < open) {
    return {
      sender,
      call: demoCall(context, "fill_order", [slotArgument, argument(u64, part)]),
      movements: [],
      change: ({ state }) => state.set(item, { ...order, filled: order.filled + part }),
    };
  }
  return {
    sender,
    call: demoCall(context, "cancel_order", [slotArgument]),
    movements: [],
    change: ({ state }) => state.delete(item),
  };
}
