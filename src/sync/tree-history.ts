// Earlier nodes of the state tree, as side rows. A row holds a node as it was after a version, and for each child node the
// version that wrote that one, so the whole tree of a block end can be read from its root down. A node that did not
// change since the history began has no row: it is in the table of current nodes until its first change.
import type { TreeNodeReader } from "../ledger/state-tree/update.ts";
import type { SideRow, Store, TreeNodeWrite } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { SIDE_KEYS } from "./base-rows.ts";

/** Bytes of a version in a row: enough for 2^48. */
const VERSION_BYTES = 6;
/** Most nodes whose children are kept in memory between commits. */
const MAX_CACHED = 20_000;
const ROOT = Uint8Array.of(0);

type Rows = Pick<Store, "getSideRows" | "getTreeNodes">;

/** A node as a version wrote it. */
interface NodeVersion {
  readonly version: number;
  /** By slot: the version that wrote the child node. */
  readonly children: readonly (number | undefined)[];
}

/** A node that a block changed, and the version of its row before, if it had been there. */
export interface ChangedNode {
  readonly key: Uint8Array;
  readonly before: bigint | undefined;
  readonly isRemoved: boolean;
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
}

/** Key of a node's row. */
export function nodeRowKey(key: Uint8Array, version: bigint | number): Uint8Array {
  const out = Buffer.alloc(1 + VERSION_BYTES + key.length);
  out[0] = SIDE_KEYS.treeHistory;
  out.writeUIntBE(Number(version), 1, VERSION_BYTES);
  out.set(key, 1 + VERSION_BYTES);
  return out;
}

/** Mask of the slots that hold child nodes, from the head of a node's bytes. */
function innerSlots(node: Uint8Array): number {
  const children = (node[0] ?? 0) | ((node[1] ?? 0) << 8);
  return children & ~((node[2] ?? 0) | ((node[3] ?? 0) << 8));
}

function encodeRow(node: Uint8Array, children: NodeVersion["children"]): Uint8Array {
  const versions = children.filter((version) => version !== undefined);
  const out = Buffer.allocUnsafe(node.length + VERSION_BYTES * versions.length);
  out.set(node);
  let at = node.length;
  for (const version of versions) at = out.writeUIntBE(version, at, VERSION_BYTES);
  return out;
}

/** The bytes of a node, and the versions of its child nodes by slot. */
function decodeRow(row: Uint8Array): { node: Uint8Array; children: (number | undefined)[] } {
  const inner = innerSlots(row);
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  const children: (number | undefined)[] = [];
  let at = bytes.length;
  for (let slot = 15; slot >= 0; slot--) {
    if ((inner & (1 << slot)) === 0) continue;
    at -= VERSION_BYTES;
    children[slot] = bytes.readUIntBE(at, VERSION_BYTES);
  }
  return { node: bytes.subarray(0, at), children };
}

/** All child nodes as one version left them. */
function childrenAt(node: Uint8Array, version: number): (number | undefined)[] {
  const inner = innerSlots(node);
  return Array.from({ length: 16 }, (_, slot) => ((inner & (1 << slot)) === 0 ? undefined : version));
}

/** Slot of a node in its parent. */
function slotOf(key: Uint8Array): number {
  const last = key[key.length - 1] ?? 0;
  return ((key[0] ?? 0) & 1) === 1 ? last >> 4 : last & 15;
}

/** Key of a node's parent. */
function parentOf(key: Uint8Array): Uint8Array {
  const depth = (key[0] ?? 1) - 1;
  const out = key.slice(0, 1 + ((depth + 1) >> 1));
  out[0] = depth;
  if ((depth & 1) === 1) out[out.length - 1] = (out[out.length - 1] ?? 0) & 0xf0;
  return out;
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

/** Makes the rows of blocks, one after the other. Runs ahead of its store until `settle`. */
export class TreeHistory {
  readonly #store: Rows;
  /** The last version of nodes that recent blocks changed. */
  readonly #known = new Map<string, NodeVersion>();

  constructor(store: Rows) {
    this.#store = store;
  }

  /**
   * Rows of the nodes that a block changed. `rootVersion` is the version of the root before, undefined for an empty tree.
   * Nodes without a row are those that the history began with, at the version `base`.
   */
  async rowsOf(
    changes: readonly TreeNodeWrite[],
    {
      version,
      rootVersion,
      base,
      isFirst,
    }: { version: bigint; rootVersion: bigint | undefined; base: bigint; isFirst: boolean },
  ): Promise<{ readonly rows: SideRow[]; readonly changed: ChangedNode[] }> {
    const rows: SideRow[] = [];
    const changed: ChangedNode[] = [];
    const own = new Set(changes.flatMap(({ key, value }) => (value === undefined ? [] : [nameOf(key)])));
    const former: SideRow[] = [];
    const before = await this.#loadBefore(changes, rootVersion, base, former);
    // No block end before the first one of a history is kept.
    if (!isFirst) rows.push(...former);
    for (const { key, value } of changes) {
      const old = before.get(nameOf(key));
      changed.push({
        key,
        before: old === undefined ? undefined : BigInt(old.version),
        isRemoved: value === undefined,
      });
      if (value === undefined) {
        this.#known.delete(nameOf(key));
        continue;
      }
      const children = childrenAt(value, Number(version));
      for (const slot of children.keys()) {
        if (children[slot] === undefined || own.has(nameOf(childKey(key, slot)))) continue;
        const kept = old?.children[slot];
        if (kept === undefined) throw new StoreError("corrupt", "a node of the state tree has no version");
        children[slot] = kept;
      }
      this.#known.set(nameOf(key), { version: Number(version), children });
      rows.push({ key: nodeRowKey(key, version), value: encodeRow(value, children) });
    }
    return { rows, changed };
  }

  /** The nodes before a block, level by level: where a node was written stands in its parent. */
  async #loadBefore(
    changes: readonly TreeNodeWrite[],
    rootVersion: bigint | undefined,
    base: bigint,
    rows: SideRow[],
  ): Promise<ReadonlyMap<string, NodeVersion>> {
    const found = new Map<string, NodeVersion>();
    const levels: Uint8Array[][] = [];
    for (const { key } of changes) {
      const depth = key[0] ?? 0;
      const level = levels[depth] ?? [];
      levels[depth] = level;
      level.push(key);
    }
    for (const level of levels) {
      const missing: { key: Uint8Array; version: number }[] = [];
      for (const key of level ?? []) {
        const version = key[0] === 0 ? rootVersion : found.get(nameOf(parentOf(key)))?.children[slotOf(key)];
        if (version === undefined) continue;
        const known = this.#known.get(nameOf(key));
        if (known !== undefined) found.set(nameOf(key), known);
        else missing.push({ key, version: Number(version) });
      }
      if (missing.length === 0) continue;
      const stored = await this.#store.getSideRows(
        missing.map(({ key, version }) => nodeRowKey(key, version)),
      );
      const first: { key: Uint8Array; version: number }[] = [];
      for (const [i, node] of missing.entries()) {
        const row = stored[i];
        if (row === undefined) first.push(node);
        else found.set(nameOf(node.key), { version: node.version, children: decodeRow(row).children });
      }
      await this.#loadFirst(first, base, found, rows);
    }
    return found;
  }

  /** Nodes that change for the first time since the history began. Adds rows of what they were. */
  async #loadFirst(
    nodes: readonly { key: Uint8Array; version: number }[],
    base: bigint,
    found: Map<string, NodeVersion>,
    rows: SideRow[],
  ): Promise<void> {
    if (nodes.length === 0) return;
    const current = await this.#store.getTreeNodes(nodes.map(({ key }) => key));
    for (const [i, { key, version }] of nodes.entries()) {
      const bytes = current[i];
      if (bytes === undefined || version !== Number(base)) {
        throw new StoreError("corrupt", `the state tree lacks a node of version ${version}`);
      }
      const children = childrenAt(bytes, version);
      rows.push({ key: nodeRowKey(key, version), value: encodeRow(new Uint8Array(bytes), children) });
      found.set(nameOf(key), { version, children });
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
  readonly #versions = new Map<string, number>();
  #usesCurrent = false;

  constructor(store: Rows, rootVersion: bigint | undefined) {
    this.#store = store;
    if (rootVersion !== undefined) this.#versions.set(nameOf(ROOT), Number(rootVersion));
  }

  /** True once it took a node from the table of current ones, where a commit may have replaced it meanwhile. */
  get usesCurrent(): boolean {
    return this.#usesCurrent;
  }

  readonly getNodes: TreeNodeReader = (keys) => Promise.all(keys.map((key) => this.#read(key)));

  async #read(key: Uint8Array): Promise<Uint8Array | undefined> {
    const version = this.#versions.get(nameOf(key));
    if (version === undefined) return undefined;
    const [row] = await this.#store.getSideRows([nodeRowKey(key, version)]);
    if (row !== undefined) {
      const { node, children } = decodeRow(row);
      this.#note(key, children);
      return node;
    }
    this.#usesCurrent = true;
    const [current] = await this.#store.getTreeNodes([key]);
    if (current !== undefined) this.#note(key, childrenAt(current, version));
    return current;
  }

  #note(key: Uint8Array, children: readonly (number | undefined)[]): void {
    children.forEach((version, slot) => {
      if (version !== undefined) this.#versions.set(nameOf(childKey(key, slot)), version);
    });
  }
}

/** Keys of all rows below a root. */
export async function* walkRows(store: Rows, rootVersion: bigint | undefined): AsyncGenerator<Uint8Array> {
  if (rootVersion === undefined) return;
  const open: { key: Uint8Array; version: number }[] = [{ key: ROOT, version: Number(rootVersion) }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, version } = next;
    const rowKey = nodeRowKey(key, version);
    const [row] = await store.getSideRows([rowKey]);
    // Nothing below a node without a row has one: a change would have given it one.
    if (row === undefined) continue;
    const { children } = decodeRow(row);
    children.forEach((child, slot) => {
      if (child !== undefined) open.push({ key: childKey(key, slot), version: child });
    });
    yield rowKey;
  }
}
