// The account that comes and goes: it is created with some of the native coin, given gold, and then gives
// everything back and is deleted, stores and all.
import { u64 } from "../../bcs/scalars.ts";
import { addressCodec } from "../../move/wire.ts";
import type { DemoAccountName } from "../demo-accounts.ts";
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
  const { account, coinStores } = chainItems.accounts[VISITOR];
  if (!workingState.has(account)) return arrive(context);
  const gold = coinStores.gold;
  return gold !== undefined && workingState.has(gold) ? leave(context) : receiveGold(context);
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
    movements: [{ asset: "native", part: "store", from, to: VISITOR, amount }],
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
  const native = balanceOf(blockState, VISITOR, "native", "store") - fee;
  const gold = balanceOf(blockState, VISITOR, "gold", "coin");
  if (native <= 0n) return undefined;
  const movements: Movement[] = [
    { asset: "native", part: "store", from: VISITOR, to: "basil", amount: native },
    { asset: "gold", part: "coin", from: VISITOR, to: "ada", amount: gold },
  ];
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
