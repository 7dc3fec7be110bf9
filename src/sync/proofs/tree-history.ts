// Earlier nodes of the state tree, as side rows. A row holds a node as it was after a version, and for each child node the
// version that wrote that one, so the whole tree of a block end can be read from its root down. A node that did not
// change since the history began has no row: it is in the table of current nodes until its first change.
import { decodeTreeNode, type TreeNode, treeNodeName } from "../../ledger/state-tree/tree-node.ts";
import type { TreeNodeReader } from "../../ledger/state-tree/update.ts";
import type { SideRow, Store, TreeNodeWrite } from "../../store/contract.ts";
import { StoreError } from "../../store/errors.ts";
import { KEPT_NODE } from "../side-rows.ts";
import { type ChangedNode, type ChildVersions, innerSlots } from "./tree-rows.ts";

/** Most nodes whose children are kept in memory between commits. */
const MAX_CACHED = 20_000;
const ROOT = Uint8Array.of(0);
const SLOTS = 16;
const ALL_SLOTS = 0xffff;

type Rows = Pick<Store, "getSideRows" | "getTreeNodes">;

/** A node as a version wrote it. */
interface NodeVersion {
  readonly version: number;
  readonly children: ChildVersions;
}

/** Name of a node's parent. */
function parentName(name: string): string {
  const depth = name.charCodeAt(0);
  const whole = name.slice(1, 1 + (depth >> 1));
  const head = String.fromCharCode(depth - 1);
  if ((depth & 1) === 1) return head + whole;
  return head + whole.slice(0, -1) + String.fromCharCode(whole.charCodeAt(whole.length - 1) & 0xf0);
}

/** Slot of a node in its parent. */
function slotOf(name: string): number {
  const last = name.charCodeAt(name.length - 1);
  return (name.charCodeAt(0) & 1) === 1 ? last >> 4 : last & 15;
}

/** Versions of child nodes: `version` for those of a mask, and what they were before for the rest. */
function childVersions(
  node: Uint8Array,
  version: number,
  written: number,
  before: ChildVersions | undefined,
): ChildVersions {
  const inner = innerSlots(node);
  const children: (number | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);
  for (let slot = 0; slot < SLOTS; slot++) {
    const bit = 1 << slot;
    if ((inner & bit) === 0) continue;
    children[slot] = (written & bit) === 0 ? before?.[slot] : version;
    if (children[slot] === undefined)
      throw new StoreError("corrupt", "a node of the state tree has no version");
  }
  return children;
}

/** Key of a child node. */
function childKey(key: Uint8Array, slot: number): Uint8Array {
  const depth = key[0] ?? 0;
  const isEven = (depth & 1) === 0;
  const out = new Uint8Array(isEven ? key.length + 1 : key.length);
  out.set(key);
  out[0] = depth + 1;
  const last = out.length - 1;
  out[last] = isEven ? slot << 4 : (out[last] ?? 0) | slot;
  return out;
}

interface Wanted {
  readonly key: Uint8Array;
  readonly name: string;
  readonly version: number;
}

/** Where a block stands in the history. */
export interface BlockPlace {
  readonly version: bigint;
  /** The version of the root before; undefined for an empty tree. */
  readonly rootVersion: bigint | undefined;
  /** The version that the history began at: nodes without a row are as they were then. */
  readonly base: bigint;
  /** True for the first block of a history. */
  readonly isFirst: boolean;
}

/** Makes the rows of blocks, one after the other. Runs ahead of its store until `settle`. */
export class TreeHistory {
  readonly #store: Rows;
  /** The last version of nodes that recent blocks changed. */
  readonly #known = new Map<string, NodeVersion>();

  constructor(store: Rows) {
    this.#store = store;
  }

  /** Rows of the nodes that a block changed. */
  async rowsOf(
    changes: readonly TreeNodeWrite[],
    place: BlockPlace,
  ): Promise<{ readonly rows: SideRow[]; readonly changed: ChangedNode[] }> {
    const rows: SideRow[] = [];
    const changed: ChangedNode[] = [];
    const version = Number(place.version);
    const names = changes.map(({ key }) => treeNodeName(key));
    const before = await this.#loadBefore(changes, names, place, rows);
    /** By parent: the slots of the nodes that this block wrote. */
    const written = new Map<string, number>();
    for (const [i, { key, value }] of changes.entries()) {
      const name = names[i] ?? "";
      if (value === undefined || key[0] === 0) continue;
      const parent = parentName(name);
      written.set(parent, (written.get(parent) ?? 0) | (1 << slotOf(name)));
    }
    for (const [i, { key, value }] of changes.entries()) {
      const name = names[i] ?? "";
      const old = before.get(name);
      changed.push({
        key,
        before: old?.version,
        isRemoved: value === undefined,
      });
      if (value === undefined) {
        this.#known.delete(name);
        continue;
      }
      const children = childVersions(value, version, written.get(name) ?? 0, old?.children);
      this.#known.set(name, { version, children });
      rows.push(KEPT_NODE.row({ node: value, children }, key, version));
    }
    return { rows, changed };
  }

  /** The nodes before a block. Where one was written stands in its parent, so unknown ones are read from the top down. */
  async #loadBefore(
    changes: readonly TreeNodeWrite[],
    names: readonly string[],
    { rootVersion, base, isFirst }: BlockPlace,
    rows: SideRow[],
  ): Promise<ReadonlyMap<string, NodeVersion>> {
    const found = new Map<string, NodeVersion>();
    const levels: { key: Uint8Array; name: string }[][] = [];
    for (const [i, { key }] of changes.entries()) {
      const name = names[i] ?? "";
      const known = this.#known.get(name);
      if (known !== undefined) {
        found.set(name, known);
        continue;
      }
      const depth = key[0] ?? 0;
      levels[depth] ??= [];
      levels[depth].push({ key, name });
    }
    for (const level of levels) {
      const missing: Wanted[] = [];
      for (const { key, name } of level ?? []) {
        const version = key[0] === 0 ? rootVersion : found.get(parentName(name))?.children[slotOf(name)];
        if (version !== undefined) missing.push({ key, name, version: Number(version) });
      }
      if (missing.length === 0) continue;
      const stored = await this.#store.getSideRows(
        missing.map(({ key, version }) => KEPT_NODE.key(key, version)),
      );
      const unchanged: Wanted[] = [];
      for (const [i, node] of missing.entries()) {
        const row = stored[i];
        if (row === undefined) unchanged.push(node);
        else found.set(node.name, { version: node.version, children: KEPT_NODE.decode(row).children });
      }
      // No block end before the first one of a history is kept.
      await this.#loadFirst(unchanged, base, found, isFirst ? undefined : rows);
    }
    return found;
  }

  /** Nodes that change for the first time since the history began. Adds rows of what they were. */
  async #loadFirst(
    nodes: readonly Wanted[],
    base: bigint,
    found: Map<string, NodeVersion>,
    rows: SideRow[] | undefined,
  ): Promise<void> {
    if (nodes.length === 0) return;
    const current = await this.#store.getTreeNodes(nodes.map(({ key }) => key));
    for (const [i, { key, name, version }] of nodes.entries()) {
      const bytes = current[i];
      if (bytes === undefined || version !== Number(base)) {
        throw new StoreError("corrupt", `the state tree lacks a node of version ${version}`);
      }
      const children = childVersions(bytes, version, ALL_SLOTS, undefined);
      rows?.push(KEPT_NODE.row({ node: bytes, children }, key, version));
      found.set(name, { version, children });
    }
  }

  /** Call when the rows are stored. */
  settle(): void {
    if (this.#known.size > MAX_CACHED) this.#known.clear();
  }

  /** Call when the rows were not stored. */
  forget(): void {
    this.#known.clear();
  }
}

/** Reads the tree of one version. Knows where each node was written once it has read its parent. */
export class TreeAt {
  readonly #store: Rows;
  readonly #rootVersion: number | undefined;
  readonly #children = new Map<string, ChildVersions>();
  /** The root and the nodes below it: the ways of several keys begin alike. */
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #decoded = new Map<Uint8Array, TreeNode>();
  #usesCurrent = false;

  constructor(store: Rows, rootVersion: bigint | undefined) {
    this.#store = store;
    this.#rootVersion = rootVersion === undefined ? undefined : Number(rootVersion);
  }

  /** True once it took a node from the table of current ones, where a commit may have replaced it meanwhile. */
  get usesCurrent(): boolean {
    return this.#usesCurrent;
  }

  readonly getNodes: TreeNodeReader = (keys) => Promise.all(keys.map((key) => this.#read(key)));

  /** Decodes bytes that `getNodes` gave: those of the remembered nodes once, which have the most hashes. */
  readonly decode = (bytes: Uint8Array): TreeNode => this.#decoded.get(bytes) ?? decodeTreeNode(bytes);

  async #read(key: Uint8Array): Promise<Uint8Array | undefined> {
    const name = treeNodeName(key);
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const version = key[0] === 0 ? this.#rootVersion : this.#children.get(parentName(name))?.[slotOf(name)];
    if (version === undefined) return undefined;
    const [row] = await this.#store.getSideRows([KEPT_NODE.key(key, version)]);
    if (row !== undefined) {
      const { node, children } = KEPT_NODE.decode(row);
      this.#children.set(name, children);
      if ((key[0] ?? 0) <= 1) {
        this.#nodes.set(name, node);
        this.#decoded.set(node, decodeTreeNode(node));
      }
      return node;
    }
    this.#usesCurrent = true;
    const [current] = await this.#store.getTreeNodes([key]);
    if (current !== undefined) {
      this.#children.set(name, childVersions(current, version, ALL_SLOTS, undefined));
    }
    return current;
  }
}

/** Keys of all rows below a root. */
export async function* walkRows(store: Rows, rootVersion: bigint | undefined): AsyncGenerator<Uint8Array> {
  if (rootVersion === undefined) return;
  const open: { key: Uint8Array; version: number }[] = [{ key: ROOT, version: Number(rootVersion) }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, version } = next;
    const rowKey = KEPT_NODE.key(key, version);
    const [row] = await store.getSideRows([rowKey]);
    // Nothing below a node without a row has one: a change would have given it one.
    if (row === undefined) continue;
    const { children } = KEPT_NODE.decode(row);
    children.forEach((child, slot) => {
      if (child !== undefined) open.push({ key: childKey(key, slot), version: child });
    });
    yield rowKey;
  }
}
