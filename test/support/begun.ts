// A follower begins without waiting for its upstreams; most tests ask it once there is something to ask for.
import type { Node } from "../../src/node.ts";
import { until } from "./until.ts";

/** Waits until the node has a ledger, or has tried its upstreams in vain. */
export async function begun<N extends Node>(node: N): Promise<N> {
  await until(async () => {
    const { ledger_version, sync_state } = await node.info();
    return ledger_version !== undefined || sync_state !== "starting";
  });
  return node;
}
