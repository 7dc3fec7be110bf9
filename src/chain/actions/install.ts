// The first transactions on top of another network's genesis: they publish the demo module and create the accounts,
// assets and tables. The network's own modules stay unchanged.
import { byteString, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import type { ChainItems } from "../chain-items.ts";
import { demoModuleCode } from "../modules.ts";
import { createDemoState, initialMovements } from "../setup.ts";
import { type Action, argument, entryCall } from "./action.ts";

function publishDemo(items: ChainItems): Action {
  const bytes = demoModuleCode(items.demoAddress, items.framework);
  return {
    sender: "demo",
    call: entryCall(
      { module: "code", function: "publish_package_txn" },
      [],
      [argument(byteString, new Uint8Array(0)), argument(vector(byteString), [bytes])],
    ),
    movements: [],
    change: ({ state, createdUsec }) => state.set(items.demoModule, bytes, createdUsec),
  };
}

function setUpDemo(items: ChainItems): Action {
  return {
    sender: "demo",
    call: entryCall(
      { address: items.demoAddress, module: "demo", function: "setup" },
      [],
      [argument(u64, BigInt(Object.keys(items.demoAccounts).length))],
    ),
    movements: initialMovements(items),
    change: createDemoState,
  };
}

/** The transactions that install the demo on a ledger without it. */
export function installActions(items: ChainItems): Action[] {
  return [publishDemo(items), setUpDemo(items)];
}
