// What the first transactions on top of another network's genesis do: publish the demo module and create the
// accounts, assets and tables. The network's own modules stay as they are.
import { byteString, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { demoModuleCode } from "../modules.ts";
import type { Places } from "../places.ts";
import { initialMovements, setUp } from "../setup.ts";
import { type Action, argument, entryCall } from "./action.ts";

function publishDemo(places: Places): Action {
  const bytes = demoModuleCode(places.demo, places.framework);
  return {
    sender: "demo",
    call: entryCall(
      { module: "code", function: "publish_package_txn" },
      [],
      [argument(byteString, new Uint8Array(0)), argument(vector(byteString), [bytes])],
    ),
    movements: [],
    change: ({ world, createdUsec }) => world.set(places.demoModule, bytes, createdUsec),
  };
}

function setUpDemo(places: Places): Action {
  return {
    sender: "demo",
    call: entryCall(
      { address: places.demo, module: "demo", function: "setup" },
      [],
      [argument(u64, BigInt(Object.keys(places.cast).length))],
    ),
    movements: initialMovements(places),
    change: setUp,
  };
}

/** The transactions that bring the demo to a ledger without it. */
export function installActions(places: Places): Action[] {
  return [publishDemo(places), setUpDemo(places)];
}
