// How a node is made in a process. Apart from `node.ts`, so that a program that makes one loads no tools for stores.

import type { Node } from "./api/running-node.ts";
import type { NodeOptions } from "./options/node-options.ts";
import { SextantNode } from "./sextant-node.ts";

/** Starts a node. Checks everything it can before it writes anything. */
export async function createNode(options: NodeOptions = {}): Promise<Node> {
  const node = new SextantNode(options);
  try {
    await node.start();
  } catch (error) {
    await node.close();
    throw error;
  }
  return node.callable();
}
