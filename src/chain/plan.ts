// Chooses the transactions of a block by weighted random draws.
import { equalBytes } from "../base/bytes.ts";
import { parseAddress } from "../move/address.ts";
import type { Action, ActionContext, ActionMaker } from "./actions/action.ts";
import { advanceVisitor } from "./actions/lifecycle.ts";
import { quotePrice, tradeOrder } from "./actions/market.ts";
import { runScript } from "./actions/script.ts";
import { batchTransfer, failingTransfer, swap, transferAsset, transferCoin } from "./actions/transfer.ts";
import type { Random } from "./random.ts";

const MAX_TRANSACTIONS = 6;
const FRAMEWORK = parseAddress("0x1");

const WEIGHTS: readonly (readonly [weight: number, make: ActionMaker])[] = [
  [8, transferAsset],
  [6, transferCoin],
  [4, tradeOrder],
  [3, quotePrice],
  [3, advanceVisitor],
  [2, swap],
  [1, batchTransfer],
  [1, failingTransfer],
  [1, runScript],
];

const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

/** Random number of user transactions in a block. */
export function pickCount(random: Random): number {
  return 1 + random.below(MAX_TRANSACTIONS);
}

/** True if the framework has the function that the action calls and the kinds of stores that it uses. */
function isPossible({ items }: ActionContext, { call, movements }: Action): boolean {
  const { framework } = items;
  if (!framework.hasFungibleAssets && movements.some(({ part }) => part === "store")) return false;
  if (call.kind !== "entryFunction") return true;
  const { module, function: name } = call.entryFunction;
  return !equalBytes(module.address, FRAMEWORK) || framework.hasFunction(module.name, name);
}

/** Draws one action. Falls back to a coin transfer if the state or the framework does not allow the drawn one. */
export function pickAction(context: ActionContext): Action | undefined {
  let at = context.random.below(TOTAL_WEIGHT);
  for (const [weight, make] of WEIGHTS) {
    if (at < weight) {
      const action = make(context);
      return action !== undefined && isPossible(context, action) ? action : transferCoin(context);
    }
    at -= weight;
  }
  throw new Error("the draw is above the total weight");
}
