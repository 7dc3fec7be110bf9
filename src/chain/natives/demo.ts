// The demo module's functions: prices that are set and removed, orders that are placed, filled and cancelled, a swap of two
// accounts, and the end of an account that exists for a while.
import { equalBytes } from "../../base/bytes.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { text, u64 } from "../../bcs/scalars.ts";
import { primaryStoreAddress } from "../../ledger/balances/asset.ts";
import type { AbiStructType } from "../../move/abi.ts";
import { type Address, addressFromBytes } from "../../move/address.ts";
import { aborted } from "../../vm/errors.ts";
import type { Native } from "../../vm/natives.ts";
import { structType } from "../../vm/types.ts";
import { asBig, asBytes, asStruct, Struct, type Value } from "../../vm/values.ts";
import { marketCodec, type Order, orderCodec } from "../chain-items.ts";
import { createAssets } from "../demo/assets.ts";
import { addressOf, hexOf, option } from "./functions.ts";
import {
  ACCOUNT,
  coinType as abiOf,
  CONCURRENT_BALANCE,
  coinBalance,
  coinStore,
  OBJECT_CORE,
  STORE,
  storeBalance,
  transferAsset,
  transferCoin,
} from "./money.ts";
import { CallState } from "./state.ts";

/** Codes of the module's aborts. */
const NOT_THE_PUBLISHER = 0x50001;
const NO_ORDER = 0x60002;
const SLOT_TAKEN = 0x80003;
const OVERFILLED = 0x10004;
const USED_ACCOUNT = 0x30005;

/** The market of the module at an address. */
class Market {
  readonly #call: CallState;
  readonly #demo: string;

  constructor(call: CallState, demo: Address) {
    this.#call = call;
    this.#demo = hexOf(demo);
  }

  #type(name: string): AbiStructType {
    return structType(this.#demo, "demo", name);
  }

  get #tables() {
    const type = this.#type("Market");
    return this.#call.require(addressFromBytes(Buffer.from(this.#demo, "hex")), { type, codec: marketCodec });
  }

  price(symbol: Value | undefined): bigint | undefined {
    return this.#call.readItem(this.#tables.prices, symbolKey(symbol), { kind: "u64" }, u64);
  }

  setPrice(symbol: Value | undefined, price: bigint | undefined): void {
    this.#call.writeItem(this.#tables.prices, symbolKey(symbol), { kind: "u64" }, u64, price);
  }

  order(slot: Value | undefined): Order | undefined {
    const key = encodeWith(u64, asBig(slot));
    return this.#call.readItem(this.#tables.orders, key, this.#type("Order"), orderCodec);
  }

  setOrder(slot: Value | undefined, order: Order | undefined): void {
    const key = encodeWith(u64, asBig(slot));
    this.#call.writeItem(this.#tables.orders, key, this.#type("Order"), orderCodec, order);
  }
}

function symbolKey(symbol: Value | undefined): Uint8Array {
  return encodeWith(text, Buffer.from(asBytes(asStruct(symbol).fields[0])).toString());
}

function assertPublisher(sender: Value | undefined, demo: Address): void {
  if (!equalBytes(addressOf(sender), demo)) throw aborted(NOT_THE_PUBLISHER);
}

function requireOrder(market: Market, slot: Value | undefined): Order {
  const order = market.order(slot);
  if (order === undefined) throw aborted(NO_ORDER);
  return order;
}

/** Returns what an account holds, gold to one account and the rest to another, and deletes the account with its stores. */
function closeAccount(call: CallState, demo: Address, [sender, toRest, toGold]: readonly Value[]): void {
  const from = addressOf(sender);
  // An account that was used stays: its sequence numbers must not begin again.
  if (call.read(from, ACCOUNT)?.sequenceNumber !== 0n) throw aborted(USED_ACCOUNT);
  for (const { name, coinType, metadata } of Object.values(createAssets(demo))) {
    const to = addressOf(name === "gold" ? toGold : toRest);
    const store = primaryStoreAddress(from, metadata);
    if (coinType === undefined) {
      if (call.has(store, STORE))
        transferAsset(call, metadata, { from, to, amount: storeBalance(call, store) });
    } else {
      const coin = abiOf(coinType);
      transferCoin(call, coin, { from, to, amount: coinBalance(call, from, coin) });
      call.remove(from, coinStore(coin));
    }
    for (const resource of [OBJECT_CORE, STORE, CONCURRENT_BALANCE]) call.remove(store, resource);
  }
  call.remove(from, ACCOUNT);
}

type Effect = (call: CallState, demo: Address, args: readonly Value[]) => void;
type View = (...given: Parameters<Effect>) => Value;

const EFFECTS: Readonly<Record<string, Effect | undefined>> = {
  set_price: (call, demo, [sender, symbol, price]) => {
    assertPublisher(sender, demo);
    new Market(call, demo).setPrice(symbol, asBig(price));
  },
  remove_price: (call, demo, [sender, symbol]) => {
    assertPublisher(sender, demo);
    new Market(call, demo).setPrice(symbol, undefined);
  },
  place_order: (call, demo, [sender, slot, asset, amount]) => {
    const market = new Market(call, demo);
    if (market.order(slot) !== undefined) throw aborted(SLOT_TAKEN);
    const order = { owner: addressOf(sender), asset: addressOf(asset), amount: asBig(amount), filled: 0n };
    market.setOrder(slot, order);
  },
  fill_order: (call, demo, [, slot, amount]) => {
    const market = new Market(call, demo);
    const order = requireOrder(market, slot);
    const filled = order.filled + asBig(amount);
    if (filled > order.amount) throw aborted(OVERFILLED);
    market.setOrder(slot, { ...order, filled });
  },
  cancel_order: (call, demo, [, slot]) => {
    const market = new Market(call, demo);
    requireOrder(market, slot);
    market.setOrder(slot, undefined);
  },
  swap: (call, demo, [one, other, gold, shell]) => {
    const [from, to] = [addressOf(one), addressOf(other)];
    const assets = createAssets(demo);
    transferAsset(call, assets.gold.metadata, { from, to, amount: asBig(gold) });
    transferAsset(call, assets.shell.metadata, { from: to, to: from, amount: asBig(shell) });
  },
  close_account: (call, demo, args) => {
    closeAccount(call, demo, args);
  },
};

const VIEWS: Readonly<Record<string, View | undefined>> = {
  price: (call, demo, [symbol]) => option("u64", new Market(call, demo).price(symbol)),
  order: (call, demo, [slot]) => {
    const found = new Market(call, demo).order(slot);
    return option(
      "other",
      found && new Struct([hexOf(found.owner), hexOf(found.asset), found.amount, found.filled]),
    );
  },
};

/** A function of the demo module, which every chain has at an address of its own. */
export function findDemoNative(name: string): Native | undefined {
  const [effect, view] = [EFFECTS[name], VIEWS[name]];
  if (effect === undefined && view === undefined) return undefined;
  return (context, args) => {
    const demo = addressFromBytes(Buffer.from(context.self.module.address, "hex"));
    const call = new CallState(context);
    effect?.(call, demo, args);
    return view === undefined ? [] : [view(call, demo, args)];
  };
}
