// Bytes of the rows that keep earlier nodes of the state tree, written by hand: a block changes hundreds of nodes.

/** Bytes of a version in a row: enough for 2^48. */
const VERSION_BYTES = 6;
const SLOTS = 16;

/** By slot: the version that wrote the child node; undefined where there is none. */
export type ChildVersions = readonly (number | undefined)[];

/** A node as it was after a version, and the versions of its child nodes. */
export interface KeptNode {
  readonly node: Uint8Array;
  readonly children: ChildVersions;
}

/** A node that a block changed, and the version of its row before, if it had been there. */
export interface ChangedNode {
  readonly key: Uint8Array;
  readonly before: number | undefined;
  readonly isRemoved: boolean;
}

/** Writes a version; returns where it ends. */
function writeVersion(out: Buffer, version: number, at: number): number {
  out.writeUInt16BE(Math.floor(version / 2 ** 32), at);
  return out.writeUInt32BE(version % 2 ** 32, at + 2);
}

/** A version and a node's key. Rows of one version lie together, because they are written together. */
export function encodeNodeKey(key: Uint8Array, version: number): Uint8Array {
  const out = Buffer.allocUnsafe(VERSION_BYTES + key.length);
  out.set(key, writeVersion(out, version, 0));
  return out;
}

/** Mask of the slots that hold child nodes, from the head of a node's bytes. */
export function innerSlots(node: Uint8Array): number {
  const children = (node[0] ?? 0) | ((node[1] ?? 0) << 8);
  return children & ~((node[2] ?? 0) | ((node[3] ?? 0) << 8));
}

export function encodeKeptNode({ node, children }: KeptNode): Uint8Array {
  let count = 0;
  for (const version of children) if (version !== undefined) count++;
  const out = Buffer.allocUnsafe(node.length + VERSION_BYTES * count);
  out.set(node);
  let at = node.length;
  for (const version of children) if (version !== undefined) at = writeVersion(out, version, at);
  return out;
}

/** Decodes without a copy. */
export function decodeKeptNode(row: Uint8Array): KeptNode {
  const inner = innerSlots(row);
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  const children: (number | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);
  let at = bytes.length;
  for (let slot = SLOTS - 1; slot >= 0; slot--) {
    if ((inner & (1 << slot)) === 0) continue;
    at -= VERSION_BYTES;
    children[slot] = bytes.readUIntBE(at, VERSION_BYTES);
  }
  // Parts of a plain array cost less than parts of a Buffer.
  return { node: new Uint8Array(row.buffer, row.byteOffset, at), children };
}

/** First byte of a changed node: the length of its key and two flags. */
const [KEY_LENGTH, HAS_BEFORE, IS_REMOVED] = [0x3f, 0x40, 0x80];

export function encodeChanged(changed: readonly ChangedNode[]): Uint8Array {
  const out = Buffer.allocUnsafe(changed.reduce((sum, { key }) => sum + key.length + 9, 0));
  let at = 0;
  for (const { key, before, isRemoved } of changed) {
    out[at++] = key.length | (before === undefined ? 0 : HAS_BEFORE) | (isRemoved ? IS_REMOVED : 0);
    out.set(key, at);
    at += key.length;
    if (before !== undefined) at = writeVersion(out, before, at);
  }
  return out.subarray(0, at);
}

export function decodeChanged(bytes: Uint8Array): readonly ChangedNode[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const changed: ChangedNode[] = [];
  for (let at = 0; at < buffer.length; ) {
    const head = buffer[at++] ?? 0;
    const end = at + (head & KEY_LENGTH);
    const key = buffer.subarray(at, end);
    const before = (head & HAS_BEFORE) === 0 ? undefined : buffer.readUIntBE(end, VERSION_BYTES);
    changed.push({ key, before, isRemoved: (head & IS_REMOVED) !== 0 });
    at = before === undefined ? end : end + VERSION_BYTES;
  }
  return changed;
}
