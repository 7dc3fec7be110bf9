// Opens and closes nodes of one kind in a separate process and prints how much memory each one left. Run it with
// --expose-gc, so that only uncollectable memory counts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { begun } from "./begun.ts";

const [kind = "", countText = "0"] = process.argv.slice(2);
const count = Number(countText);
/** Warm-up rounds: compiled code and filled caches are a one-time cost, not a leak. */
const WARM_UP = 20;

const folder = mkdtempSync(join(tmpdir(), "sextant-closed-"));
let made = 0;

async function startUpstream(): Promise<Node> {
  const node = await createNode({ localChain: {}, pruneWindow: "off", http: { port: 0 } });
  for (let i = 0; i < 3; i++) await node.produceBlock();
  return node;
}

const upstream = kind === "follower" || kind === "lazy follower" ? await startUpstream() : undefined;
const follow = { upstreams: [upstream?.url ?? ""], upstreamRate: 0, pollTimeMs: 5 };

function optionsOf(): NodeOptions {
  switch (kind) {
    case "local chain in memory":
      return {};
    case "local chain with a port":
      return { http: { port: 0 } };
    case "local chain on disk":
      return { data: join(folder, `${made}`) };
    case "follower":
      return { follow };
    case "lazy follower":
      return { follow: { ...follow, startVersion: "latest" } };
    default:
      throw new Error(`unknown kind ${kind}`);
  }
}

async function openAndClose(): Promise<void> {
  made++;
  const node = await createNode(optionsOf());
  if (upstream === undefined) await node.produceBlock();
  else await (await begun(node)).ledgerInfo();
  await node.close();
}

async function usedBytes(): Promise<number> {
  for (let i = 0; i < 8; i++) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

for (let i = 0; i < WARM_UP; i++) await openAndClose();
const before = await usedBytes();
for (let i = 0; i < count; i++) await openAndClose();
const after = await usedBytes();
await upstream?.close();
rmSync(folder, { recursive: true });
process.send?.((after - before) / count);
