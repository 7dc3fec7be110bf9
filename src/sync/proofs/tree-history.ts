// Earlier nodes of the state tree. Each node that changed since the history began has a log in a side row: what its children
// were before each change. A full log becomes a version of an item of the store, which prunes and rewinds it like any other.
// Recent blocks have their changes in a row each; blocks whose height ends a group of 16 bring the logs up to date.
// A node without a log has the children that it had when the history began. The store's items give the hashes of leaves.
import { concatBytes, equalBytes } from "../../base/bytes.ts";
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import {
  decodeTreeNode,
  encodeTreeNode,
  isEmptyNode,
  leafHashOf,
  nodeLogKeyHash,
  setChild,
  type TreeNode,
  treeNodeKey,
  treeNodeName,
} from "../../ledger/state-tree/tree-node.ts";
import type { TreeNodeReader } from "../../ledger/state-tree/update.ts";
import { withView } from "../../ledger/view.ts";
import type { SideRow, StateWrite, Store, StoreView, TreeNodeWrite } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import {
  BLOCK_CHANGES,
  endsRecent,
  NODE_LOG,
  type RecentBlock,
  recentBlocks,
  type SideRowReader,
} from "../side-rows.ts";
import {
  changesBetween,
  cutLog,
  decodePart,
  emptyLog,
  encodePart,
  openNode,
  startOf,
  trimLog,
  undoChanges,
  withChanges,
} from "./node-log.ts";

/** Most nodes that are kept in memory between commits. */
const MAX_CACHED = 5000;
/** A longer log is finished: with its node it fits into a page of LMDB. */
const LOG_BYTES = 2700;
const SLOTS = 16;

type Rows = Pick<Store, "getSideRows" | "getTreeNodes">;

/** A node after a block. */
interface LoggedNode {
  readonly key: Uint8Array;
  readonly name: string;
  value: Uint8Array | undefined;
  /** Its log in pieces, empty if it has none: joining them for every change would cost more than the change. */
  log: Uint8Array[];
  /** Bytes of the log. */
  length: number;
}

/** Where a block stands in the history. */
export interface BlockPlace {
  readonly version: bigint;
  readonly height: bigint;
  /** The block end before. */
  readonly before: bigint;
  /** The version that the history began at. */
  readonly base: bigint;
  /** Nobody asks for versions before this one. */
  readonly oldest: bigint;
}

/** Makes the logs of blocks, one after the other. Runs ahead of its store until `settle`. */
export class TreeHistory {
  readonly #store: Rows;
  readonly #logBytes: number;
  /** Nodes that recent blocks changed. */
  readonly #known = new Map<string, LoggedNode>();
  /** Items of nodes that the last block removed. Their deletion in the next block lets the store prune them. */
  #removed = new Map<string, Uint8Array>();
  readonly #rows = new Map<string, SideRow>();
  /** Nodes whose logs in the store lack changes of recent blocks. */
  readonly #behind = new Set<LoggedNode>();
  /** Heights of the blocks whose changes have rows; undefined until read. */
  #recent: bigint[] | undefined;
  /** Blocks that the next commit adds. */
  #added: RecentBlock[] = [];

  constructor(store: Rows, logBytes: number = LOG_BYTES) {
    this.#store = store;
    this.#logBytes = logBytes;
  }

  /** Takes the nodes of the block that a history begins with. */
  begin(changes: readonly TreeNodeWrite[]): void {
    for (const { key, value } of changes) this.#add(key, value);
  }

  /** Logs what a block changed; `takeRows` gives the rows. Returns finished logs. */
  async log(
    changes: readonly TreeNodeWrite[],
    { version, height, before, base, oldest }: BlockPlace,
  ): Promise<StateWrite[]> {
    if (this.#recent === undefined) await this.#resume(height - 1n);
    const nodes = await this.#load(changes.map(({ key }) => key));
    const writes: StateWrite[] = [];
    const recent: RecentBlock["nodes"][number][] = [];
    const removed = this.#removed;
    this.#removed = new Map();
    for (const [i, known] of nodes.entries()) {
      const value = changes[i]?.value;
      const { key, name } = known;
      removed.delete(name);
      const added = changesBetween(version, known.value, value);
      const isNew = known.value === undefined;
      known.value = value;
      if (added.length === 0) continue;
      const isFirst = known.log.length === 0;
      if (isFirst) setLog(known, emptyLog(isNew ? before : base));
      known.log.push(added);
      known.length += added.length;
      if (known.length > this.#logBytes) setLog(known, trimLog(concatBytes(...known.log), oldest));
      const isFull = known.length > this.#logBytes;
      if (value === undefined || isFull) {
        const keyHash = nodeLogKeyHash(key);
        writes.push({ keyHash, version, value: encodePart(value, concatBytes(...known.log)) });
        if (value === undefined) this.#removed.set(name, keyHash);
        setLog(known, value === undefined ? undefined : emptyLog(version));
      }
      // A log that begins or ends has its own row at once.
      if (isFirst || value === undefined || isFull) {
        this.#rows.set(name, rowOf(known));
        this.#behind.delete(known);
      } else {
        recent.push({ key, changes: added });
        this.#behind.add(known);
      }
    }
    this.#added.push({ height, nodes: recent });
    for (const keyHash of removed.values()) writes.push({ keyHash, version, value: undefined });
    return writes;
  }

  /** The rows to write since the last call, each once. */
  takeRows(): SideRow[] {
    const stored = this.#recent ?? [];
    const added = this.#added;
    this.#added = [];
    const isFull = added.some(({ height }) => endsRecent(height));
    const kept = isFull ? [] : added.filter(({ nodes }) => nodes.length > 0);
    if (isFull) {
      for (const node of this.#behind) this.#rows.set(node.name, rowOf(node));
      this.#behind.clear();
    }
    this.#recent = [...(isFull ? [] : stored), ...kept.map(({ height }) => height)];
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    if (isFull) for (const height of stored) rows.push(BLOCK_CHANGES.removal(height));
    for (const { height, nodes } of kept) rows.push(BLOCK_CHANGES.row(nodes, height));
    return rows;
  }

  /** Loads the logs that changed in the recent blocks up to a height. */
  async #resume(height: bigint): Promise<void> {
    const blocks = await recentBlocks(this.#store, height);
    const recent = blocks.flatMap((block) => block.nodes);
    const nodes = await this.#load(recent.map(({ key }) => key));
    for (const [i, node] of nodes.entries()) {
      const [log] = node.log;
      if (log === undefined) continue;
      setLog(node, withChanges(log, recent[i]?.changes));
      this.#behind.add(node);
    }
    this.#recent = blocks.map((block) => block.height);
  }

  async #load(keys: readonly Uint8Array[]): Promise<LoggedNode[]> {
    const nodes = keys.map((key) => this.#known.get(treeNodeName(key)));
    const missing = keys.filter((_, i) => nodes[i] === undefined);
    if (missing.length > 0) {
      const values = await this.#store.getTreeNodes(missing);
      const logs = await this.#store.getSideRows(missing.map((key) => NODE_LOG.key(key)));
      for (const [i, key] of missing.entries()) this.#add(key, values[i], logs[i]);
    }
    return keys.flatMap((key, i) => nodes[i] ?? this.#known.get(treeNodeName(key)) ?? []);
  }

  #add(key: Uint8Array, value: Uint8Array | undefined, log?: Uint8Array): void {
    const name = treeNodeName(key);
    const node: LoggedNode = { key, name, value, log: [], length: 0 };
    setLog(node, log && new Uint8Array(log));
    this.#known.set(name, node);
  }

  /** Call when the rows are stored. */
  settle(): void {
    if (this.#behind.size === 0 && this.#known.size > MAX_CACHED) this.#known.clear();
  }

  /** Call when the rows were not stored. */
  forget(): void {
    this.#known.clear();
    this.#removed.clear();
    this.#rows.clear();
    this.#behind.clear();
    this.#recent = undefined;
    this.#added = [];
  }
}

function setLog(node: LoggedNode, log: Uint8Array | undefined): void {
  node.log = log === undefined ? [] : [log];
  node.length = log?.length ?? 0;
}

function rowOf({ key, log }: LoggedNode): SideRow {
  return log.length === 0 ? NODE_LOG.removal(key) : NODE_LOG.row(concatBytes(...log), key);
}

/** Reads the tree as it was after a block end of the history. */
export class TreeAt {
  readonly #store: Rows & Pick<Store, "openRawView">;
  readonly #version: bigint;
  /** The root and the nodes below it: the ways of several keys begin alike. */
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #decoded = new WeakMap<Uint8Array, TreeNode>();
  /** The recent blocks of a head. */
  #recent: { readonly head: bigint; readonly blocks: readonly RecentBlock[] } | undefined;

  constructor(store: Rows & Pick<Store, "openRawView">, version: bigint) {
    this.#store = store;
    this.#version = version;
  }

  readonly getNodes: TreeNodeReader = (keys) =>
    withView(this.#store.openRawView(), (view) => this.nodesIn(view)(keys));

  /** Reads by a view that somebody else opened, of the ledger as it is. */
  nodesIn(view: StoreView): TreeNodeReader {
    return (keys) => Promise.all(keys.map((key) => this.#read(view, key)));
  }

  /** Decodes bytes that `getNodes` gave. */
  readonly decode = (bytes: Uint8Array): TreeNode => this.#decoded.get(bytes) ?? decodeTreeNode(bytes);

  async #read(view: StoreView, key: Uint8Array): Promise<Uint8Array | undefined> {
    const name = treeNodeName(key);
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = await this.#find(view, key);
    if (node === undefined || isEmptyNode(node)) return undefined;
    const bytes = encodeTreeNode(node);
    this.#decoded.set(bytes, node);
    if ((key[0] ?? 0) <= 1) this.#nodes.set(name, bytes);
    return bytes;
  }

  async #find(view: StoreView, key: Uint8Array): Promise<TreeNode | undefined> {
    const version = this.#version;
    // A commit may move nodes and logs meanwhile: the reader of a way checks that it leads to the root.
    const isHead = version === view.position.version;
    const [first] = isHead ? [] : await this.#store.getSideRows([NODE_LOG.key(key)]);
    if (first === undefined || startOf(first) <= version) {
      // The node before the log: a log that is newer than its node gives the same.
      const [bytes] = await this.#store.getTreeNodes([key]);
      const current = openNode(bytes && new Uint8Array(bytes));
      if (isHead) return current;
      const [log] = await this.#store.getSideRows([NODE_LOG.key(key)]);
      if (log === undefined ? bytes !== undefined : startOf(log) <= version) {
        if (log !== undefined) {
          const recent = await this.#recentBlocks(view);
          undoChanges(current, withRecent(new Uint8Array(log), recent, key), version);
        }
        return withLeaves(view, current, version);
      }
    }
    const part = await firstPart(view, key, version);
    if (part?.value === undefined) return undefined;
    const { node, log: earlier } = decodePart(new Uint8Array(part.value));
    if (startOf(earlier) > version) return undefined;
    undoChanges(node, earlier, version);
    return withLeaves(view, node, version);
  }

  async #recentBlocks({ position }: StoreView): Promise<readonly RecentBlock[]> {
    if (this.#recent?.head !== position.version) {
      const blocks = await recentBlocks(this.#store, position.blockHeight);
      this.#recent = { head: position.version, blocks };
    }
    return this.#recent.blocks;
  }
}

/** The log of a node with the changes of recent blocks. */
function withRecent(log: Uint8Array, recent: readonly RecentBlock[], key: Uint8Array): Uint8Array {
  return recent.reduce((all, { nodes }) => {
    return withChanges(all, nodes.find((node) => equalBytes(node.key, key))?.changes);
  }, log);
}

/** Gives the leaves of a node the hashes that their items have at a version. */
async function withLeaves(view: StoreView, node: TreeNode, version: bigint): Promise<TreeNode> {
  const keyHashes = node.slots.flatMap((child) => child?.keyHash ?? []);
  if (keyHashes.length === 0) return node;
  const items = await view.getItems(keyHashes, version);
  let next = 0;
  for (const [slot, child] of node.slots.entries()) {
    const keyHash = child?.keyHash;
    if (keyHash === undefined) continue;
    const value = items[next++]?.value;
    if (value === undefined)
      throw new StoreError("corrupt", "the state tree has an item that the store lacks");
    setChild(node, slot, { keyHash, hash: leafHashOf(keyHash, stateValueHash(value)) });
  }
  return node;
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
  const recent = await recentBlocks(store, view.position.blockHeight);
  let open = keyHashes;
  for (let depth = 0; open.length > 0; depth++) {
    const keys = new Map(open.map((keyHash) => [treeNodeName(treeNodeKey(keyHash, depth)), keyHash]));
    const logged = new Set<string>();
    for (const [name, keyHash] of keys) {
      const key = treeNodeKey(keyHash, depth);
      const stored = await NODE_LOG.load(store, key);
      const log = stored && withRecent(stored, recent, key);
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
      if (after === undefined) rows.push(NODE_LOG.removal(key));
      else if (log === undefined || !equalBytes(after, log)) rows.push(NODE_LOG.row(after, key));
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
        const below = path.slice();
        below[depth >> 1] = (path[depth >> 1] ?? 0) | ((depth & 1) === 0 ? slot << 4 : slot);
        next.push({ path: below, depth: depth + 1 });
      }
    }
    level = next;
  }
}
