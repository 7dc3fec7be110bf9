// Which transactions a block holds: drawn by weight until the wanted number is reached.
import type { Action, ActionContext, ActionMaker } from "./actions/action.ts";
import { advanceVisitor } from "./actions/lifecycle.ts";
import { quotePrice, tradeOrder } from "./actions/market.ts";
import { runScript } from "./actions/script.ts";
import { batchTransfer, failingTransfer, swap, transferAsset, transferCoin } from "./actions/transfer.ts";
import type { Random } from "./random.ts";

const MAX_TRANSACTIONS = 6;

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

/** How many transactions a block gets. */
export function pickCount(random: Random): number {
  return 1 + random.below(MAX_TRANSACTIONS);
}

/** Draws one action; what the state does not allow now becomes a transfer, which it always allows. */
export function pickAction(context: ActionContext): Action | undefined {
  let at = context.random.below(TOTAL_WEIGHT);
  for (const [weight, make] of WEIGHTS) {
    if (at < weight) return make(context) ?? transferCoin(context);
    at -= weight;
  }
  throw new Error("weights do not add up");
}
