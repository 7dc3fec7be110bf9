// Earlier nodes of the state tree. Each node that changed since the history began has a log in a side row: what its children
// were before each change. A full log becomes a version of an item of the store, which prunes and rewinds it like any other.
// A node without a log has the children that it had when the history began. The store's items give the hashes of leaves.
import { equalBytes } from "../../base/bytes.ts";
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
import { NODE_LOG, type SideRowReader } from "../side-rows.ts";
import {
  appendChanges,
  cutLog,
  decodePart,
  emptyLog,
  encodePart,
  openNode,
  startOf,
  trimLog,
  undoChanges,
} from "./node-log.ts";

/** Most nodes that are kept in memory between commits. */
const MAX_CACHED = 5000;
/** A longer log is finished: with its node it fits into a page of LMDB. */
const LOG_BYTES = 2700;
const SLOTS = 16;

type Rows = Pick<Store, "getSideRows" | "getTreeNodes">;

/** A node after a block, and its log, if it has one. */
interface LoggedNode {
  readonly node: Uint8Array | undefined;
  readonly log: Uint8Array | undefined;
}

/** Where a block stands in the history. */
export interface BlockPlace {
  readonly version: bigint;
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

  constructor(store: Rows, logBytes: number = LOG_BYTES) {
    this.#store = store;
    this.#logBytes = logBytes;
  }

  /** Takes the nodes of the block that a history begins with. */
  begin(changes: readonly TreeNodeWrite[]): void {
    for (const { key, value } of changes) this.#known.set(treeNodeName(key), { node: value, log: undefined });
  }

  /** Logs what a block changed; `takeRows` gives the rows. Returns finished logs. */
  async log(
    changes: readonly TreeNodeWrite[],
    { version, before, base, oldest }: BlockPlace,
  ): Promise<StateWrite[]> {
    const names = changes.map(({ key }) => treeNodeName(key));
    await this.#load(changes, names);
    const writes: StateWrite[] = [];
    const removed = this.#removed;
    this.#removed = new Map();
    for (const [i, { key, value }] of changes.entries()) {
      const name = names[i] ?? "";
      const known = this.#known.get(name);
      removed.delete(name);
      const old = known?.log ?? emptyLog(known?.node === undefined ? before : base);
      let log: Uint8Array | undefined = appendChanges(old, version, known?.node, value);
      const isChanged = log.length > old.length;
      if (log.length > this.#logBytes) log = trimLog(log, oldest);
      if (value === undefined || log.length > this.#logBytes) {
        const keyHash = nodeLogKeyHash(key);
        writes.push({ keyHash, version, value: encodePart(value, log) });
        log = value === undefined ? undefined : emptyLog(version);
        if (log === undefined) this.#removed.set(name, keyHash);
      }
      if (isChanged) this.#rows.set(name, log === undefined ? NODE_LOG.removal(key) : NODE_LOG.row(log, key));
      this.#known.set(name, { node: value, log: isChanged ? log : known?.log });
    }
    for (const keyHash of removed.values()) writes.push({ keyHash, version, value: undefined });
    return writes;
  }

  /** The changed logs since the last call, each once. */
  takeRows(): SideRow[] {
    const rows = [...this.#rows.values()];
    this.#rows.clear();
    return rows;
  }

  async #load(changes: readonly TreeNodeWrite[], names: readonly string[]): Promise<void> {
    const missing = changes.filter((_, i) => !this.#known.has(names[i] ?? ""));
    if (missing.length === 0) return;
    const nodes = await this.#store.getTreeNodes(missing.map(({ key }) => key));
    const logs = await this.#store.getSideRows(missing.map(({ key }) => NODE_LOG.key(key)));
    for (const [i, { key }] of missing.entries()) {
      const log = logs[i];
      this.#known.set(treeNodeName(key), { node: nodes[i], log: log && new Uint8Array(log) });
    }
  }

  /** Call when the rows are stored. */
  settle(): void {
    if (this.#known.size > MAX_CACHED) this.#known.clear();
  }

  /** Call when the rows were not stored. */
  forget(): void {
    this.#known.clear();
    this.#removed.clear();
    this.#rows.clear();
  }
}

/** Reads the tree as it was after a block end of the history. */
export class TreeAt {
  readonly #store: Rows & Pick<Store, "openRawView">;
  readonly #version: bigint;
  /** The root and the nodes below it: the ways of several keys begin alike. */
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #decoded = new WeakMap<Uint8Array, TreeNode>();
  #usesCurrent = false;

  constructor(store: Rows & Pick<Store, "openRawView">, version: bigint) {
    this.#store = store;
    this.#version = version;
  }

  /** True once it took a node from the table of current ones, which a commit may have removed meanwhile with its log. */
  get usesCurrent(): boolean {
    return this.#usesCurrent;
  }

  readonly getNodes: TreeNodeReader = (keys) => Promise.all(keys.map((key) => this.#read(key)));

  /** Decodes bytes that `getNodes` gave. */
  readonly decode = (bytes: Uint8Array): TreeNode => this.#decoded.get(bytes) ?? decodeTreeNode(bytes);

  async #read(key: Uint8Array): Promise<Uint8Array | undefined> {
    const name = treeNodeName(key);
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = await withView(this.#store.openRawView(), (view) => this.#find(view, key));
    if (node === undefined || isEmptyNode(node)) return undefined;
    const bytes = encodeTreeNode(node);
    this.#decoded.set(bytes, node);
    if ((key[0] ?? 0) <= 1) this.#nodes.set(name, bytes);
    return bytes;
  }

  async #find(view: StoreView, key: Uint8Array): Promise<TreeNode | undefined> {
    const version = this.#version;
    // The node first: a log that is newer than its node gives the same.
    const [bytes] = await this.#store.getTreeNodes([key]);
    const current = openNode(bytes && new Uint8Array(bytes));
    this.#usesCurrent = true;
    if (version === view.position.version) return current;
    const log = await NODE_LOG.load(this.#store, key);
    if (log === undefined ? bytes !== undefined : startOf(log) <= version) {
      if (log !== undefined) undoChanges(current, log, version);
      return withLeaves(view, current, version);
    }
    const part = await firstPart(view, key, version);
    if (part?.value === undefined) return undefined;
    const { node, log: earlier } = decodePart(new Uint8Array(part.value));
    if (startOf(earlier) > version) return undefined;
    undoChanges(node, earlier, version);
    return withLeaves(view, node, version);
  }
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
  let open = keyHashes;
  for (let depth = 0; open.length > 0; depth++) {
    const keys = new Map(open.map((keyHash) => [treeNodeName(treeNodeKey(keyHash, depth)), keyHash]));
    const logged = new Set<string>();
    for (const [name, keyHash] of keys) {
      const key = treeNodeKey(keyHash, depth);
      const log = await NODE_LOG.load(store, key);
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
