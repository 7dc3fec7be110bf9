// How a node is made in a process. Apart from `node.ts`, so that a program that makes one loads no tools for stores.

import type { Node } from "./api/running-node.ts";
import type { NodeOptions } from "./options/node-options.ts";
import { SextantNode } from "./sextant-node.ts";

/**
 * Starts a node. Checks everything it can before it writes anything. The signal ends the start, which then rejects with the
 * signal's reason; a node that has started is ended by `close`.
 */
export async function createNode(options: NodeOptions = {}, signal?: AbortSignal): Promise<Node> {
  signal?.throwIfAborted();
  const node = new SextantNode(options);
  const stop = (): void => void node.close().catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    await node.start();
    signal?.throwIfAborted();
  } catch (error) {
    await node.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  return node.callable();
}
