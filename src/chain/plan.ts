// Chooses the transactions of a block by weighted random draws.
import { U64_MAX } from "../base/numbers.ts";
import type { Action, ActionContext, ActionMaker } from "./actions/action.ts";
import { advanceVisitor } from "./actions/lifecycle.ts";
import { quotePrice, tradeOrder } from "./actions/market.ts";
import {
  batchTransfer,
  COIN_TRADERS,
  failingTransfer,
  swap,
  transferAsset,
  transferCoin,
} from "./actions/transfer.ts";
import type { AssetName } from "./assets.ts";
import type { BalancePart, DemoAccountName } from "./demo-accounts.ts";
import type { Random } from "./random.ts";
import { balanceOf, type Movement } from "./wallet.ts";

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

/** Random number of user transactions in a block. */
export function pickCount(random: Random): number {
  return 1 + random.below(MAX_TRANSACTIONS);
}

/**
 * True if every account has what it moves, the sender also has the fee, and no balance gets above u64. Anyone may spend
 * what a demo account has, so this is not a matter of course.
 */
function isAffordable(context: ActionContext, { sender, movements, failure }: Action): boolean {
  const changes = new Map<string, bigint>();
  const held = (name: DemoAccountName, asset: AssetName, part: BalancePart): bigint =>
    balanceOf(context, name, asset, part) + (changes.get(`${name} ${asset} ${part}`) ?? 0n);
  const add = (name: DemoAccountName, { asset, part }: Movement, delta: bigint): void => {
    changes.set(`${name} ${asset} ${part}`, (changes.get(`${name} ${asset} ${part}`) ?? 0n) + delta);
  };
  for (const movement of failure === undefined ? movements : []) {
    const { asset, part, from, to, amount } = movement;
    if (from !== undefined) {
      if (held(from, asset, part) < amount) return false;
      add(from, movement, -amount);
    }
    if (to === undefined) continue;
    add(to, movement, amount);
    if (held(to, asset, "coin") + held(to, asset, "store") > U64_MAX) return false;
  }
  return (["coin", "store"] as const).some((part) => held(sender, "native", part) >= context.fee);
}

/** Draws one action. Falls back to a coin transfer if the state or the framework does not allow the drawn one, or to none. */
export function pickAction(context: ActionContext): Action | undefined {
  let at = context.random.below(TOTAL_WEIGHT);
  for (const [weight, make] of WEIGHTS) {
    if (at < weight) {
      const isFit = (action: Action | undefined): action is Action =>
        action !== undefined && isAffordable(context, action);
      const action = make(context);
      if (isFit(action)) return action;
      const fallback = transferCoin(context);
      return isFit(fallback) ? fallback : undefined;
    }
    at -= weight;
  }
  throw new Error("the draw is above the total weight");
}

/** Magic, version 6, one table with the empty signature, no type parameters, no locals, `ret`. */
const EMPTY_SCRIPT: Uint8Array = Buffer.from("a11ceb0b0600000001050001000000000102", "hex");

/** A transaction that runs the smallest script, which returns at once. */
function runScript({ random }: ActionContext): Action {
  return {
    sender: random.pick(COIN_TRADERS),
    call: { kind: "script", script: { code: EMPTY_SCRIPT, typeArgs: [], args: [] } },
    movements: [],
  };
}
