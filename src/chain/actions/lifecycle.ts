// The account that comes and goes: it is created with some of the native coin, given gold where a coin can be sent to
// an account without a store for it, and then gives everything back and is deleted, stores and all.
import { u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import type { ActorName, Part } from "../cast.ts";
import type { Movement } from "../wallet.ts";
import { balanceOf, createAccount } from "../wallet.ts";
import { type Action, argument, entryCall, type Scene, structType } from "./action.ts";
import { pickAmount } from "./transfer.ts";

const VISITOR: ActorName = "hana";
/** What the visitor starts with, at most; enough for its one fee. */
const ALLOWANCE = 500_000_000n;

/** The next step in the visitor's life. */
export function advanceVisitor(scene: Scene): Action | undefined {
  const { world, places } = scene.ground;
  if (!world.has(places.accounts[VISITOR].account)) return arrive(scene);
  const mayReceive = places.framework.hasFunction("aptos_account", "transfer_coins");
  return !mayReceive || hasGold(scene.ground) ? leave(scene) : receiveGold(scene);
}

function hasGold({ world, places }: Scene["ground"]): boolean {
  const { gold } = places.accounts[VISITOR].coinStores;
  return gold !== undefined && world.has(gold);
}

/** Where the visitor keeps the native coin. */
function nativePart({ places }: Scene["ground"]): Part {
  return places.framework.hasFungibleAssets ? "store" : "coin";
}

function arrive({ ground, random }: Scene): Action {
  const from: ActorName = "basil";
  const amount = ALLOWANCE / 2n + random.upTo(ALLOWANCE / 2n);
  const recipient = argument(addressCodec, ground.places.cast[VISITOR].address);
  return {
    sender: from,
    call: entryCall(
      { module: "aptos_account", function: "transfer" },
      [],
      [recipient, argument(u64, amount)],
    ),
    movements: [{ asset: "native", part: nativePart(ground), from, to: VISITOR, amount }],
    change: (effects) => createAccount(effects, VISITOR),
  };
}

function receiveGold(scene: Scene): Action | undefined {
  const { places } = scene.ground;
  const from: ActorName = "ada";
  const amount = pickAmount(scene, "gold", "coin", [from, VISITOR]);
  const { coinType } = places.assets.gold;
  if (amount === undefined || coinType === undefined) return undefined;
  const args = [argument(addressCodec, places.cast[VISITOR].address), argument(u64, amount)];
  return {
    sender: from,
    call: entryCall({ module: "aptos_account", function: "transfer_coins" }, [structType(coinType)], args),
    movements: [{ asset: "gold", part: "coin", from, to: VISITOR, amount }],
  };
}

function leave({ ground, fee }: Scene): Action | undefined {
  const { places } = ground;
  const part = nativePart(ground);
  const native = balanceOf(ground, VISITOR, "native", part) - fee;
  const gold = balanceOf(ground, VISITOR, "gold", "coin");
  if (native <= 0n) return undefined;
  const movements: Movement[] = [{ asset: "native", part, from: VISITOR, to: "basil", amount: native }];
  if (hasGold(ground))
    movements.push({ asset: "gold", part: "coin", from: VISITOR, to: "ada", amount: gold });
  const recipients = [places.cast.basil.address, places.cast.ada.address];
  return {
    sender: VISITOR,
    call: entryCall(
      { address: places.demo, module: "demo", function: "close_account" },
      [],
      recipients.map((address) => argument(addressCodec, address)),
    ),
    movements,
    close: ({ world }) => {
      const { account, coinStores, stores } = places.accounts[VISITOR];
      for (const item of [account, ...Object.values(coinStores), ...Object.values(stores)]) {
        if (world.has(item)) world.delete(item);
      }
    },
  };
}
