// What proofs of earlier block ends need, as side rows written and removed in the commits themselves: for each block end
// inside the window its place in the accumulator, its signed ledger info if it has one, and its state tree; and
// subtrees of the accumulator, which lead from a version to a later signed one.
import { append } from "../base/append.ts";
import { decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { byteString, hash, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import type { Position } from "../ledger/position.ts";
import type { SignedLedgerInfo } from "../proof/ledger-info.ts";
import type { SideRow, Store, TreeNodeWrite } from "../store/contract.ts";
import { cutoffUsec, type PruneWindow } from "./prune-window.ts";
import { encodeSigned, signedKey } from "./signed-rows.ts";
import {
  type ChangedNode,
  nodeRowKey,
  TreeHistory,
  VERSION_BYTES,
  walkRows,
  writeVersion,
} from "./tree-history.ts";
import type { VerifiedBlock } from "./verifier.ts";

/** How far back proofs can be made. `off`: no history is kept. */
export type ProofWindow = PruneWindow;

/** A block and the nodes that it changed. */
export interface KeptBlock extends Pick<VerifiedBlock, "start" | "leftOfLast" | "subtrees"> {
  readonly position: Pick<Position, "version" | "timestampUsec" | "blockHeight">;
  readonly changes: readonly TreeNodeWrite[];
}

const blockEndCodec = struct({
  version: u64,
  timestampUsec: u64,
  /** Roots of the full subtrees before this version. */
  left: vector(hash),
  signed: option(byteString),
  /** The version that wrote the root of the state tree; undefined while the tree is empty. */
  rootVersion: option(u64),
  /** The version at which the history began: nodes of it may have no row. */
  base: u64,
});
export type BlockEnd = ValueOf<typeof blockEndCodec>;

/** First byte of a changed node: the length of its key and two flags. */
const [KEY_LENGTH, HAS_BEFORE, IS_REMOVED] = [0x3f, 0x40, 0x80];

/** Written by hand: a block changes hundreds of nodes. */
function encodeChanged(changed: readonly ChangedNode[]): Uint8Array {
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

function decodeChanged(bytes: Uint8Array): ChangedNode[] {
  const buffer = Buffer.from(bytes);
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

const REACH_KEY = signedKey("reach");
/** Heights of the oldest and the newest block end that is kept, and the newest one's version. */
const reachCodec = struct({ oldest: u64, newest: u64, version: u64 });
type Reach = ValueOf<typeof reachCodec>;

/** Block ends leave by this many at once: neighbours share pages, so one commit then changes fewer. */
const REMOVED_AT_ONCE = 16;
/** Most block ends that one commit removes for each that it adds, beyond those. */
const REMOVALS = 2;
/** Rows removed in one write when a whole history goes. */
const CLEARED_AT_ONCE = 1000;

type Reader = Pick<Store, "getSideRows">;

async function loadReach(store: Reader): Promise<Reach | undefined> {
  const [bytes] = await store.getSideRows([REACH_KEY]);
  return bytes && decodeWith(reachCodec, new Uint8Array(bytes));
}

/** The kept end of a block. */
export async function loadBlockEnd(store: Reader, height: bigint): Promise<BlockEnd | undefined> {
  const [bytes] = await store.getSideRows([signedKey("blockEnd", height)]);
  return bytes && decodeWith(blockEndCodec, new Uint8Array(bytes));
}

async function loadChanged(store: Reader, height: bigint): Promise<readonly ChangedNode[]> {
  const [bytes] = await store.getSideRows([signedKey("changed", height)]);
  return bytes === undefined ? [] : decodeChanged(bytes);
}

/** Key of a full subtree of the accumulator, by its level above the leaves and its number at that level. */
export function subtreeKey(level: number, index: bigint): Uint8Array {
  return Buffer.concat([signedKey("subtree", index), Uint8Array.of(level)]);
}

/** Keeps the history of one store, which has no other writer. Runs ahead of the store during a commit. */
export class ProofHistory {
  readonly #store: Store;
  readonly #window: ProofWindow;
  readonly #tree: TreeHistory;
  #newest: (BlockEnd & Reach) | undefined;
  #pending: (BlockEnd & Reach) | undefined;
  #asked: ({ readonly height: bigint } & Pick<BlockEnd, "version" | "timestampUsec">) | undefined;

  constructor(store: Store, window: ProofWindow) {
    this.#store = store;
    this.#window = window;
    this.#tree = new TreeHistory(store);
  }

  /** Rows to write with the commit of blocks on a head. `signed` is what validators signed about the last one. */
  async rowsOf(
    head: Position | undefined,
    blocks: readonly KeptBlock[],
    signed: SignedLedgerInfo | undefined,
  ): Promise<SideRow[]> {
    const rows: SideRow[] = [];
    let last = await this.#begin(head);
    for (const [i, block] of blocks.entries()) {
      const { version, timestampUsec, blockHeight } = block.position;
      const base = last?.base ?? head?.version ?? version;
      const rootBefore = last === undefined ? head && base : last.rootVersion;
      const isFirst = last === undefined;
      const tree = await this.#tree.rowsOf(block.changes, {
        version,
        rootVersion: rootBefore,
        base,
        isFirst,
      });
      const root = block.changes.find(({ key }) => key[0] === 0);
      last = {
        version,
        timestampUsec,
        left: [...block.leftOfLast],
        signed: signed !== undefined && i === blocks.length - 1 ? encodeSigned(signed) : undefined,
        rootVersion: root === undefined ? rootBefore : root.value && version,
        base,
        oldest: last?.oldest ?? blockHeight,
        newest: blockHeight,
      };
      append(rows, tree.rows);
      append(rows, block.subtrees.map(subtreeRow));
      rows.push(
        { key: signedKey("blockEnd", blockHeight), value: encodeWith(blockEndCodec, last) },
        { key: signedKey("changed", blockHeight), value: encodeChanged(tree.changed) },
      );
    }
    if (last === undefined) return rows;
    const pruned = await this.#prune(last, blocks.length);
    append(rows, pruned.rows);
    this.#pending = { ...last, oldest: pruned.oldest };
    rows.push({ key: REACH_KEY, value: encodeWith(reachCodec, this.#pending) });
    return rows;
  }

  /** Call when the rows are stored. */
  settle(): void {
    this.#newest = this.#pending;
    this.#tree.settle();
  }

  /** Call when a commit failed. */
  forget(): void {
    this.#newest = undefined;
    this.#asked = undefined;
    this.#tree.forget();
  }

  /** The newest block end. A history that does not reach the head, because others wrote blocks, begins again. */
  async #begin(head: Position | undefined): Promise<(BlockEnd & Reach) | undefined> {
    if (this.#newest !== undefined && this.#newest.version === head?.version) return this.#newest;
    this.#tree.forget();
    const reach = await loadReach(this.#store);
    if (reach === undefined) return undefined;
    const end = await loadBlockEnd(this.#store, reach.newest);
    if (end !== undefined && reach.version === head?.version) return { ...end, ...reach };
    await clearProofHistory(this.#store);
    return undefined;
  }

  /** Removes block ends outside of the window, and the nodes that only they needed. The newest always stays. */
  async #prune(
    newest: BlockEnd & Reach,
    added: number,
  ): Promise<{ readonly rows: SideRow[]; readonly oldest: bigint }> {
    const rows: SideRow[] = [];
    let { oldest } = newest;
    // Those of this commit are not stored yet; they leave in a later one.
    const stored = this.#newest?.newest ?? (await loadReach(this.#store))?.newest ?? -1n;
    const next = oldest + BigInt(REMOVED_AT_ONCE) - 1n;
    if (next >= stored || (await this.#staysAt(next, newest))) return { rows, oldest };
    const most = REMOVED_AT_ONCE + REMOVALS * added;
    for (let i = 0; i < most && oldest < stored; i++) {
      if (i >= REMOVED_AT_ONCE && (await this.#staysAt(oldest, newest))) break;
      rows.push({ key: signedKey("blockEnd", oldest), value: undefined });
      rows.push({ key: signedKey("changed", oldest), value: undefined });
      oldest += 1n;
      // What the next block replaced, nobody can ask for any more.
      append(rows, replacedRows(await loadChanged(this.#store, oldest)));
    }
    return { rows, oldest };
  }

  async #staysAt(height: bigint, newest: BlockEnd): Promise<boolean> {
    // Asked for the same one by many commits.
    if (this.#asked?.height !== height) {
      const end = await loadBlockEnd(this.#store, height);
      if (end === undefined) return false;
      this.#asked = { height, version: end.version, timestampUsec: end.timestampUsec };
    }
    return this.#isInside(this.#asked, newest);
  }

  #isInside(end: Pick<BlockEnd, "version" | "timestampUsec">, newest: BlockEnd): boolean {
    const window = this.#window;
    if (window.kind === "count") return newest.version - end.version < window.versions;
    return window.kind === "off" || end.timestampUsec >= cutoffUsec(window, newest.timestampUsec);
  }
}

function subtreeRow({ level, index, hash: value }: VerifiedBlock["subtrees"][number]): SideRow {
  return { key: subtreeKey(level, index), value };
}

function replacedRows(changed: readonly ChangedNode[]): SideRow[] {
  return changed.flatMap(({ key, before }) =>
    before === undefined ? [] : [{ key: nodeRowKey(key, before), value: undefined }],
  );
}

/** Removes a history, in several writes. One that is interrupted is finished by the next. */
export async function clearProofHistory(store: Store): Promise<void> {
  const reach = await loadReach(store);
  if (reach === undefined) return;
  let rows: SideRow[] = [];
  const write = async (): Promise<void> => {
    await store.putSideRows(rows);
    rows = [];
  };
  const newest = await loadBlockEnd(store, reach.newest);
  // From the oldest on: the root of the newest leads to all that is left.
  for (let height = reach.oldest; height < reach.newest; height++) {
    rows.push(
      { key: signedKey("blockEnd", height), value: undefined },
      { key: signedKey("changed", height), value: undefined },
      ...replacedRows(await loadChanged(store, height + 1n)),
      { key: REACH_KEY, value: encodeWith(reachCodec, { ...reach, oldest: height + 1n }) },
    );
    if (rows.length > CLEARED_AT_ONCE) await write();
  }
  const left: Uint8Array[] = [];
  for await (const key of walkRows(store, newest?.rootVersion)) left.push(key);
  // From the leaves up, so that an interrupted clearing finds the rest again.
  for (const key of left.reverse()) {
    rows.push({ key, value: undefined });
    if (rows.length > CLEARED_AT_ONCE) await write();
  }
  rows.push(
    { key: signedKey("blockEnd", reach.newest), value: undefined },
    { key: signedKey("changed", reach.newest), value: undefined },
    { key: REACH_KEY, value: undefined },
  );
  await write();
}

/** Removals of the rows of blocks above a height, when a ledger is rewound to it. */
export async function rewoundProofRows(store: Store, height: bigint): Promise<SideRow[]> {
  const reach = await loadReach(store);
  if (reach === undefined || reach.newest <= height) return [];
  const rows: SideRow[] = [];
  const isWhole = height < reach.oldest;
  for (let gone = reach.newest; gone > height && gone >= reach.oldest; gone--) {
    const end = await loadBlockEnd(store, gone);
    if (end === undefined) continue;
    const changed = await loadChanged(store, gone);
    for (const { key, isRemoved } of changed) {
      if (!isRemoved) rows.push({ key: nodeRowKey(key, Number(end.version)), value: undefined });
    }
    // Otherwise the nodes before are those of a block that stays.
    if (isWhole) append(rows, replacedRows(changed));
    rows.push({ key: signedKey("blockEnd", gone), value: undefined });
    rows.push({ key: signedKey("changed", gone), value: undefined });
  }
  const end = isWhole ? undefined : await loadBlockEnd(store, height);
  const value = end && encodeWith(reachCodec, { ...reach, newest: height, version: end.version });
  rows.push({ key: REACH_KEY, value });
  return rows;
}
