// What the first transactions on top of another network's genesis do: publish the demo module and create the
// accounts, assets and tables. The network's own modules stay as they are.
import { byteString, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import type { ChainItems } from "../chain-items.ts";
import { demoModuleCode } from "../modules.ts";
import { initialMovements, setUp } from "../setup.ts";
import { type Action, argument, entryCall } from "./action.ts";

function publishDemo(chainItems: ChainItems): Action {
  const bytes = demoModuleCode(chainItems.demo);
  return {
    sender: "demo",
    call: entryCall(
      { module: "code", function: "publish_package_txn" },
      [],
      [argument(byteString, new Uint8Array(0)), argument(vector(byteString), [bytes])],
    ),
    movements: [],
    change: ({ workingState, createdUsec }) => workingState.set(chainItems.demoModule, bytes, createdUsec),
  };
}

function setUpDemo(chainItems: ChainItems): Action {
  return {
    sender: "demo",
    call: entryCall(
      { address: chainItems.demo, module: "demo", function: "setup" },
      [],
      [argument(u64, BigInt(Object.keys(chainItems.demoAccounts).length))],
    ),
    movements: initialMovements(chainItems),
    change: setUp,
  };
}

/** The transactions that bring the demo to a ledger without it. */
export function installActions(chainItems: ChainItems): Action[] {
  return [publishDemo(chainItems), setUpDemo(chainItems)];
}
