// A transaction that runs the smallest script, which returns at once.
import type { Action, ActionContext } from "./action.ts";
import { COIN_TRADERS } from "./transfer.ts";

/** Magic, version 6, one table with the empty signature, no type parameters, no locals, `ret`. */
const EMPTY_SCRIPT: Uint8Array = Buffer.from("a11ceb0b0600000001050001000000000102", "hex");

/** Runs the empty script. */
export function runScript({ random }: ActionContext): Action {
  return {
    sender: random.pick(COIN_TRADERS),
    call: { kind: "script", script: { code: EMPTY_SCRIPT, typeArgs: [], args: [] } },
    movements: [],
  };
}
