// Opens and closes nodes of one kind in a separate process and tells what each one left. Run it with
// --expose-gc, so that only uncollectable memory counts. The nodes are those of the build, which loads faster.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { queryObjects } from "node:v8";
import type { createNode as CreateNode, Node, NodeOptions } from "../../src/node.ts";
import { begun } from "./begun.ts";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { createNode } = (await import(built)) as { createNode: typeof CreateNode };
const [kind = "", countText = "0"] = process.argv.slice(2);
const count = Number(countText);
/** Warm-up rounds: compiled code and filled caches are a one-time cost, not a leak. */
const WARM_UP = 16;

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
    case "local chain on disk with a port":
      return { data: join(folder, `${made}`), http: { port: 0 } };
    case "follower":
      return { follow };
    case "lazy follower":
      return { follow: { ...follow, startVersion: "latest" } };
    default:
      throw new Error(`unknown kind ${kind}`);
  }
}

/** Opens and closes a node; returns its handle, which a caller may keep. */
async function openAndClose(): Promise<Node> {
  made++;
  const node = await createNode(optionsOf());
  if (upstream === undefined) await node.produceBlock();
  else await (await begun(node)).ledgerInfo();
  await node.info();
  await node.close();
  return node;
}

/** What every ledger, server and follower is made of. Plain objects and functions also come and go with compiled code. */
const CLASSES = { Map, Set, Promise, Uint8Array, AbortController };
type ClassName = keyof typeof CLASSES;
const ALL = Object.keys(CLASSES) as ClassName[];

export interface Held {
  /** On the heap and in buffers. */
  readonly bytes: number;
  /** Live instances by class. */
  readonly instances: Readonly<Partial<Record<ClassName, number>>>;
}

/** Counts the instances of some classes: each count collects garbage and walks the heap, for some 0.4 s. */
async function measure(names: readonly ClassName[]): Promise<Held> {
  for (let i = 0; i < 8; i++) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  const instances = names.map((name) => [name, queryObjects(CLASSES[name], { format: "count" })]);
  return { bytes: heapUsed + external, instances: Object.fromEntries(instances) };
}

/** What one node of several left. */
function perNode(before: Held, after: Held): Held {
  const instances = Object.entries(after.instances).map(([name, left]) => [
    name,
    (left - (before.instances[name as ClassName] ?? Number.NaN)) / count,
  ]);
  return { bytes: (after.bytes - before.bytes) / count, instances: Object.fromEntries(instances) };
}

for (let i = 0; i < WARM_UP; i++) await openAndClose();
const before = await measure(ALL);
for (let i = 0; i < count; i++) await openAndClose();
const dropped = await measure(ALL);
const handles: Node[] = [];
for (let i = 0; i < count; i++) handles.push(await openAndClose());
const kept = await measure(["Uint8Array"]);
await upstream?.close();
rmSync(folder, { recursive: true });
process.send?.({ dropped: perNode(before, dropped), kept: perNode(dropped, kept), handles: handles.length });
