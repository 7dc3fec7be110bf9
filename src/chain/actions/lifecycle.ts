// The account that comes and goes: it is created with some of the native coin, given gold where a coin can be sent to
// an account without a store for it, and then gives everything back and is deleted, stores and all.
import { u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import type { DemoAccountName, Part } from "../demo-accounts.ts";
import type { Movement } from "../wallet.ts";
import { balanceOf, createAccount } from "../wallet.ts";
import { type Action, type ActionContext, argument, entryCall, structType } from "./action.ts";
import { pickAmount } from "./transfer.ts";

const VISITOR: DemoAccountName = "hana";
/** What the visitor starts with, at most; enough for its one fee. */
const ALLOWANCE = 500_000_000n;

/** The next step in the visitor's life. */
export function advanceVisitor(context: ActionContext): Action | undefined {
  const { workingState, chainItems } = context.blockState;
  if (!workingState.has(chainItems.accounts[VISITOR].account)) return arrive(context);
  const mayReceive = chainItems.framework.hasFunction("aptos_account", "transfer_coins");
  return !mayReceive || hasGold(context.blockState) ? leave(context) : receiveGold(context);
}

function hasGold({ workingState, chainItems }: ActionContext["blockState"]): boolean {
  const { gold } = chainItems.accounts[VISITOR].coinStores;
  return gold !== undefined && workingState.has(gold);
}

/** Where the visitor keeps the native coin. */
function nativePart({ chainItems }: ActionContext["blockState"]): Part {
  return chainItems.framework.hasFungibleAssets ? "store" : "coin";
}

function arrive({ blockState, random }: ActionContext): Action {
  const from: DemoAccountName = "basil";
  const amount = ALLOWANCE / 2n + random.upTo(ALLOWANCE / 2n);
  const recipient = argument(addressCodec, blockState.chainItems.demoAccounts[VISITOR].address);
  return {
    sender: from,
    call: entryCall(
      { module: "aptos_account", function: "transfer" },
      [],
      [recipient, argument(u64, amount)],
    ),
    movements: [{ asset: "native", part: nativePart(blockState), from, to: VISITOR, amount }],
    change: (effects) => createAccount(effects, VISITOR),
  };
}

function receiveGold(context: ActionContext): Action | undefined {
  const { chainItems } = context.blockState;
  const from: DemoAccountName = "ada";
  const amount = pickAmount(context, "gold", "coin", [from, VISITOR]);
  const { coinType } = chainItems.assets.gold;
  if (amount === undefined || coinType === undefined) return undefined;
  const args = [argument(addressCodec, chainItems.demoAccounts[VISITOR].address), argument(u64, amount)];
  return {
    sender: from,
    call: entryCall({ module: "aptos_account", function: "transfer_coins" }, [structType(coinType)], args),
    movements: [{ asset: "gold", part: "coin", from, to: VISITOR, amount }],
  };
}

function leave({ blockState, fee }: ActionContext): Action | undefined {
  const { chainItems } = blockState;
  const part = nativePart(blockState);
  const native = balanceOf(blockState, VISITOR, "native", part) - fee;
  const gold = balanceOf(blockState, VISITOR, "gold", "coin");
  if (native <= 0n) return undefined;
  const movements: Movement[] = [{ asset: "native", part, from: VISITOR, to: "basil", amount: native }];
  if (hasGold(blockState))
    movements.push({ asset: "gold", part: "coin", from: VISITOR, to: "ada", amount: gold });
  const recipients = [chainItems.demoAccounts.basil.address, chainItems.demoAccounts.ada.address];
  return {
    sender: VISITOR,
    call: entryCall(
      { address: chainItems.demo, module: "demo", function: "close_account" },
      [],
      recipients.map((address) => argument(addressCodec, address)),
    ),
    movements,
    close: ({ workingState }) => {
      const { account, coinStores, stores } = chainItems.accounts[VISITOR];
      for (const item of [account, ...Object.values(coinStores), ...Object.values(stores)]) {
        if (workingState.has(item)) workingState.delete(item);
      }
    },
  };
}
