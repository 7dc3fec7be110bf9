// The demo market: prices that are quoted, changed and dropped, orders that are placed, filled and removed.
import { text, u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import { ORDER_SLOTS, type Order, PRICED_SYMBOLS } from "../chain-items.ts";
import type { DemoAccountName } from "../demo-accounts.ts";
import { type Action, type ActionContext, argument, entryCall } from "./action.ts";
import { STORE_TRADERS } from "./transfer.ts";

function demoCall({ blockState }: ActionContext, name: string, args: readonly Uint8Array[]) {
  return entryCall({ address: blockState.chainItems.demo, module: "demo", function: name }, [], args);
}

/** Quotes a price; the last symbol is dropped as often as it is quoted. */
export function quotePrice(context: ActionContext): Action | undefined {
  const { random, blockState } = context;
  const index = random.below(PRICED_SYMBOLS.length);
  const symbol = PRICED_SYMBOLS[index];
  const item = blockState.chainItems.prices[index];
  if (symbol === undefined || item === undefined) return undefined;
  const sender: DemoAccountName = "demo";
  const comesAndGoes = index === PRICED_SYMBOLS.length - 1;
  if (comesAndGoes && blockState.workingState.has(item)) {
    return {
      sender,
      call: demoCall(context, "remove_price", [argument(text, symbol)]),
      movements: [],
      change: ({ workingState }) => workingState.delete(item),
    };
  }
  const price = random.upTo(1_000_000n);
  return {
    sender,
    call: demoCall(context, "set_price", [argument(text, symbol), argument(u64, price)]),
    movements: [],
    change: ({ workingState, createdUsec }) => workingState.set(item, price, createdUsec),
  };
}

/** Places an order in a free slot; fills or removes the one in a slot that is taken. */
export function tradeOrder(context: ActionContext): Action | undefined {
  const { random, blockState } = context;
  const slot = random.below(ORDER_SLOTS);
  const item = blockState.chainItems.orders[slot];
  if (item === undefined) return undefined;
  const slotArgument = argument(u64, BigInt(slot));
  const order = blockState.workingState.get(item);
  const sender = random.pick(STORE_TRADERS);
  const { demoAccounts, assets } = blockState.chainItems;
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
      change: ({ workingState, createdUsec }) => workingState.set(item, placed, createdUsec),
    };
  }
  const open = order.amount - order.filled;
  const part = random.upTo(open);
  if (part < open) {
    return {
      sender,
      call: demoCall(context, "fill_order", [slotArgument, argument(u64, part)]),
      movements: [],
      change: ({ workingState }) => workingState.set(item, { ...order, filled: order.filled + part }),
    };
  }
  return {
    sender,
    call: demoCall(context, "cancel_order", [slotArgument]),
    movements: [],
    change: ({ workingState }) => workingState.delete(item),
  };
}
