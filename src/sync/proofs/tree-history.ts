// Earlier nodes of the state tree. Each node that changed since the history began has a log in a side row: what its children
// were before each change. A full log becomes a version of an item of the store, which prunes and rewinds it like any other.
// A block writes its end and its changes in one row; the last of a group adds the changes to the logs, and writes its ends.
// A node without a log has the children that it had when the history began. The store's items give the hashes of leaves.
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import type { Position } from "../../ledger/position.ts";
import {
  isEmptyNode,
  leafHashOf,
  nodeLogKeyHash,
  setChild,
  type TreeNode,
  treeNodeKey,
  treeNodeName,
  withNibble,
} from "../../ledger/state-tree/tree-node.ts";
import { withView } from "../../ledger/view.ts";
import type { SideRow, StateWrite, Store, StoreView } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import {
  BLOCK_ENDS,
  endsGroup,
  NODE_LOG,
  RECENT_BLOCK,
  type RecentBlock,
  recentBlocks,
  type SideRowReader,
} from "../side-rows.ts";
import type { RootedBlock } from "../verify/verified-page.ts";
import {
  cutLog,
  decodePart,
  emptyLog,
  encodePart,
  hasRemoved,
  type NodeChanges,
  nodesOf,
  openNode,
  startOf,
  trimLog,
  undoChanges,
  withBlocks,
  withChanges,
} from "./node-log.ts";

/** A longer log is finished: with its node it fits into a page of LMDB, unless a group of blocks adds much. */
const LOG_BYTES = 2700;
/** Logs that are remembered: a few megabytes. */
const MAX_LOGS = 2048;
const SLOTS = 16;

type Rows = Pick<Store, "getSideRows" | "getTreeNodes">;
type LoggedBlock = Pick<RootedBlock, "position" | "changes" | "nodes">;

/** Makes the logs of blocks, one after the other. Runs ahead of its store until the rows are stored. */
export class TreeHistory {
  readonly #store: SideRowReader;
  readonly #logBytes: number;
  /** Blocks since the last end of a group, oldest first; undefined until read. */
  #recent: RecentBlock[] | undefined;
  /** How many of them have rows. */
  #stored = 0;
  /** Logs up to the last end of a group, by the names of their nodes. */
  readonly #logs = new Map<string, Uint8Array | undefined>();
  /** Rows that the next commit writes: logs by the names of their nodes, and the ends of groups. */
  readonly #rows = new Map<string, SideRow>();
  /**
   * Items of nodes that the last block removed, by the names of the nodes. Their deletion in the next block lets the store
   * prune them; not that of a node which is back there, because readers of that block would take it for the end.
   */
  #removed: ReadonlyMap<string, Uint8Array> = new Map();

  constructor(store: SideRowReader, logBytes: number = LOG_BYTES) {
    this.#store = store;
    this.#logBytes = logBytes;
  }

  /** Logs what a block with an end changed; `takeRows` gives the rows. Returns finished logs. Nobody asks for versions before `oldest`. */
  async log(
    { position, changes, nodes }: LoggedBlock,
    end: Uint8Array,
    oldest: bigint,
  ): Promise<StateWrite[]> {
    const { version, blockHeight: height } = position;
    this.#recent ??= await this.#resume(height - 1n);
    const deleted = new Map(this.#removed);
    if (deleted.size > 0) for (const { key } of nodesOf(changes)) deleted.delete(treeNodeName(key));
    const removed = hasRemoved(changes) ? await this.#endRemoved(changes, this.#recent) : [];
    this.#recent.push({ height, end, changes });
    const full = endsGroup(height) ? await this.#endGroup({ position, nodes }, oldest) : [];
    const writes = [...removed, ...full].map(({ keyHash, value }) => ({ keyHash, version, value }));
    this.#removed = new Map(removed.map(({ name, keyHash }) => [name, keyHash]));
    return [...[...deleted.values()].map((keyHash) => ({ keyHash, version, value: undefined })), ...writes];
  }

  /** Finishes the logs of nodes that a block removed. */
  async #endRemoved(
    changes: Uint8Array,
    before: readonly RecentBlock[],
  ): Promise<(FinishedLog & NamedNode)[]> {
    const removed = nodesOf(changes).filter(({ isRemoved }) => isRemoved);
    const named = removed.map((node) => ({ name: treeNodeName(node.key), key: node.key, node }));
    const logs = await this.#logsOf(named);
    const blocks = before.map((block) => block.changes);
    return named.map(({ name, key, node }, i) => {
      this.#logs.set(name, undefined);
      this.#rows.set(name, NODE_LOG.removal(key));
      const log = withChanges(withBlocks(logs[i], blocks, key), [node]);
      return { name, key, keyHash: nodeLogKeyHash(key), value: encodePart(undefined, log) };
    });
  }

  /**
   * Adds the changes of a group of blocks to the logs. Returns those that it finished: of nodes that the last block changed,
   * so that the rewind of this block finds them.
   */
  async #endGroup({ position, nodes }: Omit<LoggedBlock, "changes">, oldest: bigint): Promise<FinishedLog[]> {
    const { version, blockHeight } = position;
    const recent = this.#recent ?? [];
    const changed = changedIn(recent);
    // A rewind into the group left the first ones there.
    const { ends = [] } = (await BLOCK_ENDS.load(this.#store, blockHeight)) ?? {};
    const all = [...ends, ...recent.map(({ end }) => end)];
    const row = { first: blockHeight + 1n - BigInt(all.length), ends: all };
    this.#rows.set(`${blockHeight}`, BLOCK_ENDS.row(row, blockHeight));
    this.#recent = [];
    this.#stored = 0;
    // The log of an earlier node with the key ended with it.
    for (const { name, blocks } of changed) if (blocks[0]?.isNew === true) this.#logs.set(name, undefined);
    const logs = await this.#logsOf(changed);
    const full: FinishedLog[] = [];
    const nodeOf = new Map(nodes.map((node) => [treeNodeName(node.key), node]));
    for (const [i, { name, key, blocks }] of changed.entries()) {
      let log = withChanges(logs[i], blocks);
      if (log.length > this.#logBytes) log = trimLog(log, oldest);
      const isFull = log.length > this.#logBytes && blocks.at(-1)?.version === version;
      if (isFull) {
        full.push({ keyHash: nodeLogKeyHash(key), value: encodePart(nodeOf.get(name)?.value, log) });
        log = emptyLog(version);
      }
      this.#logs.set(name, log);
      this.#rows.set(name, NODE_LOG.row(log, key));
    }
    return full;
  }

  /** The rows to write since the last call, each once. */
  takeRows(): SideRow[] {
    const recent = this.#recent ?? [];
    const rows = [...this.#rows.values()];
    for (const block of recent.slice(this.#stored)) rows.push(RECENT_BLOCK.row(block, block.height));
    this.#stored = recent.length;
    this.#rows.clear();
    if (this.#logs.size > MAX_LOGS) this.#logs.clear();
    return rows;
  }

  async #resume(height: bigint): Promise<RecentBlock[]> {
    const blocks = await recentBlocks(this.#store, height);
    this.#stored = blocks.length;
    return blocks;
  }

  /** The logs of nodes up to the last end of a group. */
  async #logsOf(nodes: readonly NamedNode[]): Promise<(Uint8Array | undefined)[]> {
    const unknown = nodes.filter(({ name }) => !this.#logs.has(name));
    const stored = await this.#store.getSideRows(unknown.map(({ key }) => NODE_LOG.key(key)));
    for (const [i, { name }] of unknown.entries())
      this.#logs.set(name, stored[i] && new Uint8Array(stored[i]));
    return nodes.map(({ name }) => this.#logs.get(name));
  }

  /** Call when the rows were not stored. */
  forget(): void {
    this.#recent = undefined;
    this.#stored = 0;
    this.#logs.clear();
    this.#rows.clear();
    this.#removed = new Map();
  }
}

interface NamedNode {
  readonly name: string;
  readonly key: Uint8Array;
}

/** A log that is finished, as an item. */
interface FinishedLog {
  readonly keyHash: Uint8Array;
  readonly value: Uint8Array;
}

interface ChangedNode extends NamedNode {
  readonly blocks: NodeChanges[];
}

/** The nodes that blocks changed. The log of a node that one removed is finished, so that the next begins after it. */
function changedIn(blocks: readonly RecentBlock[]): ChangedNode[] {
  const nodes = new Map<string, ChangedNode>();
  for (const node of blocks.flatMap(({ changes }) => nodesOf(changes))) {
    const name = treeNodeName(node.key);
    const known = nodes.get(name);
    if (node.isRemoved) nodes.delete(name);
    else if (known === undefined) nodes.set(name, { name, key: node.key, blocks: [node] });
    else known.blocks.push(node);
  }
  return [...nodes.values()];
}

/** Reads the tree as it was after a block end of the history. */
export class TreeAt {
  readonly #store: Rows & Pick<Store, "openRawView">;
  readonly #version: bigint;
  /** The root and the nodes below it: the ways of several keys begin alike. */
  readonly #nodes = new Map<string, TreeNode>();

  constructor(store: Rows & Pick<Store, "openRawView">, version: bigint) {
    this.#store = store;
    this.#version = version;
  }

  readonly getNodes = (keys: readonly Uint8Array[]): Promise<readonly (TreeNode | undefined)[]> =>
    withView(this.#store.openRawView(), (view) => this.nodesIn(view)(keys));

  /** Reads by a view that somebody else opened, of the ledger as it is. */
  nodesIn(view: StoreView) {
    return (keys: readonly Uint8Array[]): Promise<readonly (TreeNode | undefined)[]> =>
      Promise.all(keys.map((key) => this.#read(view, key)));
  }

  async #read(view: StoreView, key: Uint8Array): Promise<TreeNode | undefined> {
    const isNearRoot = (key[0] ?? 0) <= 1;
    const known = isNearRoot ? this.#nodes.get(treeNodeName(key)) : undefined;
    if (known !== undefined) return known;
    const node = await this.#find(view, key);
    if (node === undefined || isEmptyNode(node)) return undefined;
    if (isNearRoot) this.#nodes.set(treeNodeName(key), node);
    return node;
  }

  async #find(view: StoreView, key: Uint8Array): Promise<TreeNode | undefined> {
    const version = this.#version;
    // A commit may move nodes and logs meanwhile: the reader of a way checks that it leads to the root.
    const isHead = version === view.position.version;
    const part = isHead ? undefined : await firstPart(view, key, version);
    if (part !== undefined) {
      if (part.value === undefined) return undefined;
      const { node, log } = decodePart(new Uint8Array(part.value));
      if (startOf(log) > version) return undefined;
      undoChanges(node, log, version);
      return withLeaves(view, node, version);
    }
    // The node before the log: a log that is newer than its node gives the same.
    const [bytes] = await this.#store.getTreeNodes([key]);
    const current = openNode(bytes && new Uint8Array(bytes));
    if (isHead) return current;
    const [stored] = await this.#store.getSideRows([NODE_LOG.key(key)]);
    const log = withBlocks(stored && new Uint8Array(stored), await changesBelow(this.#store, view), key);
    if (log === undefined) return bytes === undefined ? undefined : withLeaves(view, current, version);
    if (startOf(log) > version) return undefined;
    undoChanges(current, log, version);
    return withLeaves(view, current, version);
  }
}

/** What the recent blocks of a head changed: its earlier versions share it. */
const recentChanges = new WeakMap<Position, readonly Uint8Array[]>();

async function changesBelow(store: SideRowReader, { position }: StoreView): Promise<readonly Uint8Array[]> {
  const known = recentChanges.get(position);
  if (known !== undefined) return known;
  const changes = (await recentBlocks(store, position.blockHeight)).map((block) => block.changes);
  recentChanges.set(position, changes);
  return changes;
}

/** Gives the leaves of a node the hashes that their items have at a version. Takes one that was stored later. */
async function withLeaves(view: StoreView, node: TreeNode, version: bigint): Promise<TreeNode> {
  const leaves = leavesOf(node);
  if (leaves.length === 0) return node;
  const latest = await itemsOf(view, leaves, view.position.version);
  // An item that was not written since has the hash that was stored; a log has the key in its place.
  const written = leaves.filter(({ keyHash, hash }, i) => {
    const item = latest[i];
    return keyHash === hash || item === undefined || item.version > version;
  });
  const items = written.length === 0 ? [] : await itemsOf(view, written, version);
  for (const [i, { slot, keyHash }] of written.entries()) {
    const value = items[i]?.value;
    if (value === undefined)
      throw new StoreError("corrupt", "the state tree has an item that the store lacks");
    setChild(node, slot, { keyHash, hash: leafHashOf(keyHash, stateValueHash(value)) });
  }
  return node;
}

interface NodeLeaf {
  readonly slot: number;
  readonly keyHash: Uint8Array;
  readonly hash: Uint8Array;
}

function leavesOf({ slots, leaves }: TreeNode): NodeLeaf[] {
  const found: NodeLeaf[] = [];
  for (let rest = leaves; rest !== 0; rest &= rest - 1) {
    const slot = 31 - Math.clz32(rest & -rest);
    const child = slots[slot];
    if (child?.keyHash !== undefined) found.push({ slot, keyHash: child.keyHash, hash: child.hash });
  }
  return found;
}

function itemsOf(view: StoreView, leaves: readonly NodeLeaf[], version: bigint) {
  return view.getItems(
    leaves.map(({ keyHash }) => keyHash),
    version,
  );
}

/** The first finished log of a node at or after a version, or the deletion that follows the last one. */
async function firstPart(
  view: StoreView,
  key: Uint8Array,
  from: bigint,
): Promise<Pick<StateWrite, "value"> | undefined> {
  const to = view.position.version;
  const [part] = await view.getHistory(nodeLogKeyHash(key), { from, to, limit: 1 });
  return part;
}

/** What a rewind to a version changes: the logs of all nodes above some items, and the keys of finished logs. */
export async function rewoundLogs(
  store: Rows,
  view: StoreView,
  keyHashes: readonly Uint8Array[],
  version: bigint,
): Promise<{ readonly rows: readonly SideRow[]; readonly keyHashes: readonly Uint8Array[] }> {
  const rows: SideRow[] = [];
  const parts: Uint8Array[] = [];
  const recent = (await recentBlocks(store, view.position.blockHeight)).map(({ changes }) => changes);
  let open = keyHashes;
  for (let depth = 0; open.length > 0; depth++) {
    const keys = new Map(open.map((keyHash) => [treeNodeName(treeNodeKey(keyHash, depth)), keyHash]));
    const logged = new Set<string>();
    for (const [name, keyHash] of keys) {
      const key = treeNodeKey(keyHash, depth);
      const stored = await NODE_LOG.load(store, key);
      const log = withBlocks(stored, recent, key);
      const part = await firstPart(view, key, version + 1n);
      if (log === undefined && part === undefined) continue;
      // A node changes with its children, so no node below one without a log has one.
      logged.add(name);
      if (part !== undefined) parts.push(nodeLogKeyHash(key));
      const [bytes] = await store.getTreeNodes([key]);
      const earlier = part?.value && decodePart(new Uint8Array(part.value));
      const kept = [log && { node: openNode(bytes && new Uint8Array(bytes)), log }, earlier].find(
        (one) => one !== undefined && startOf(one.log) <= version,
      );
      if (kept !== undefined) undoChanges(kept.node, kept.log, version);
      const after = kept && !isEmptyNode(kept.node) ? cutLog(kept.log, version) : undefined;
      // A node that is not there has no open log.
      rows.push(after === undefined ? NODE_LOG.removal(key) : NODE_LOG.row(after, key));
    }
    open = open.filter((keyHash) => logged.has(treeNodeName(treeNodeKey(keyHash, depth))));
  }
  return { rows, keyHashes: parts };
}

/** Keys of all nodes with a log, from the root down. */
export async function* loggedNodes(store: SideRowReader): AsyncGenerator<Uint8Array> {
  let level: { readonly path: Uint8Array; readonly depth: number }[] = [
    { path: new Uint8Array(SLOTS * 2), depth: 0 },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { path, depth } of level) {
      const key = treeNodeKey(path, depth);
      if ((await NODE_LOG.load(store, key)) === undefined) continue;
      yield key;
      for (let slot = 0; slot < SLOTS; slot++) {
        next.push({ path: withNibble(path, depth, slot), depth: depth + 1 });
      }
    }
    level = next;
  }
}
