// The demo market: prices that are quoted, changed and dropped, orders that are placed, filled and removed.
import { text, u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import type { ActorName } from "../cast.ts";
import { ORDER_SLOTS, type Order, PRICED_SYMBOLS } from "../places.ts";
import { type Action, argument, entryCall, type Scene } from "./action.ts";
import { STORE_TRADERS } from "./transfer.ts";

function demoCall({ ground }: Scene, name: string, args: readonly Uint8Array[]) {
  return entryCall({ address: ground.places.demo, module: "demo", function: name }, [], args);
}

/** Quotes a price; the last symbol is dropped as often as it is quoted. */
export function quotePrice(scene: Scene): Action | undefined {
  const { random, ground } = scene;
  const index = random.below(PRICED_SYMBOLS.length);
  const symbol = PRICED_SYMBOLS[index];
  const item = ground.places.prices[index];
  if (symbol === undefined || item === undefined) return undefined;
  const sender: ActorName = "demo";
  const comesAndGoes = index === PRICED_SYMBOLS.length - 1;
  if (comesAndGoes && ground.world.has(item)) {
    return {
      sender,
      call: demoCall(scene, "remove_price", [argument(text, symbol)]),
      movements: [],
      change: ({ world }) => world.delete(item),
    };
  }
  const price = random.upTo(1_000_000n);
  return {
    sender,
    call: demoCall(scene, "set_price", [argument(text, symbol), argument(u64, price)]),
    movements: [],
    change: ({ world, createdUsec }) => world.set(item, price, createdUsec),
  };
}

/** Places an order in a free slot; fills or removes the one in a slot that is taken. */
export function tradeOrder(scene: Scene): Action | undefined {
  const { random, ground } = scene;
  const slot = random.below(ORDER_SLOTS);
  const item = ground.places.orders[slot];
  if (item === undefined) return undefined;
  const slotArgument = argument(u64, BigInt(slot));
  const order = ground.world.get(item);
  const sender = random.pick(STORE_TRADERS);
  const { cast, assets } = ground.places;
  if (order === undefined) {
    const asset = random.pick([assets.gold, assets.shell]).metadata;
    const placed: Order = {
      owner: cast[sender].address,
      asset,
      amount: random.upTo(1_000_000n) + 1n,
      filled: 0n,
    };
    const args = [slotArgument, argument(addressCodec, asset), argument(u64, placed.amount)];
    return {
      sender,
      call: demoCall(scene, "place_order", args),
      movements: [],
      change: ({ world, createdUsec }) => world.set(item, placed, createdUsec),
    };
  }
  const open = order.amount - order.filled;
  const part = random.upTo(open);
  if (part < open) {
    return {
      sender,
      call: demoCall(scene, "fill_order", [slotArgument, argument(u64, part)]),
      movements: [],
      change: ({ world }) => world.set(item, { ...order, filled: order.filled + part }),
    };
  }
  return {
    sender,
    call: demoCall(scene, "cancel_order", [slotArgument]),
    movements: [],
    change: ({ world }) => world.delete(item),
  };
}
