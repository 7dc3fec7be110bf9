// Every kind of side row: its key, the codec of its value, and its fate. Rewind and check walk SIDE_ROW_KINDS and know
// no kind by name: a new kind is one entry here. The pruner of a store removes no side row; a comment says who does.
import { concatBytes, equalBytes, numberKey, readNumber } from "../base/bytes.ts";
import { type Codec, converted, decodeWith, type ValueOf } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { bool, byteString, hash, text, u8, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { BcsWriter } from "../bcs/writer.ts";
import type { AccumulatorState, Position } from "../ledger/position.ts";
import { trustLevelCodec } from "../ledger/trust.ts";
import type { IndexName } from "../ledger/view.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "../proof/ledger-info.ts";
import type { SideRow, Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { INDEX_REACH_KEYS } from "../store/index-reach.ts";
import { assertBlockChanges, assertLog } from "./proofs/node-log.ts";

export type SideRowReader = Pick<Store, "getSideRows">;

/** A step of a rewind: the positions before and after it, and the items that were written between them. */
export interface RewindStep {
  readonly store: SideRowReader;
  readonly head: Pick<Position, "blockHeight">;
  readonly position: Position;
  readonly keyHashes: readonly Uint8Array[];
}

interface RowCodec<Value> {
  readonly encode: (value: Value) => Uint8Array;
  /** The value may refer to the bytes. */
  readonly decode: (bytes: Uint8Array) => Value;
}

interface KindDefinition<Value, Key extends readonly unknown[]> {
  /** First bytes of the keys, which no other kind has. */
  readonly prefix: Uint8Array;
  /** The rest of a key; not given for a kind with one row. */
  readonly suffix?: (...key: Key) => Uint8Array;
  readonly codec: RowCodec<Value>;
  /**
   * The value after a rewind to a position: the same object if the row stays, undefined if it goes. `removed`: the rows with
   * the keys below go. Not given: a rewind changes nothing.
   */
  readonly rewound?: "removed" | ((value: Value, to: Position) => Value | undefined);
  /** Keys of the rows that a rewind may change; the only one unless given. */
  readonly rewoundKeys?: (step: RewindStep) => Promise<readonly Key[]> | readonly Key[];
}

/** One kind of side row. */
export class SideRowKind<Value, Key extends readonly unknown[] = []> {
  readonly #definition: KindDefinition<Value, Key>;

  constructor(definition: KindDefinition<Value, Key>) {
    this.#definition = definition;
  }

  key(...key: Key): Uint8Array {
    const { prefix, suffix } = this.#definition;
    return suffix === undefined ? prefix : concatBytes(prefix, suffix(...key));
  }

  /** First bytes of its keys. */
  get prefix(): Uint8Array {
    return this.#definition.prefix;
  }

  owns(key: Uint8Array): boolean {
    const { prefix, suffix } = this.#definition;
    const isOfKind = equalBytes(key.subarray(0, prefix.length), prefix);
    return isOfKind && (suffix === undefined) === (key.length === prefix.length);
  }

  row(value: Value, ...key: Key): SideRow {
    return { key: this.key(...key), value: this.#definition.codec.encode(value) };
  }

  removal(...key: Key): SideRow {
    return { key: this.key(...key), value: undefined };
  }

  /** The value may refer to the bytes. */
  decode(bytes: Uint8Array): Value {
    return this.#definition.codec.decode(bytes);
  }

  async load(store: SideRowReader, ...key: Key): Promise<Value | undefined> {
    const [bytes] = await store.getSideRows([this.key(...key)]);
    // Copied: stored bytes are valid only until the next read.
    return bytes === undefined ? undefined : this.decode(new Uint8Array(bytes));
  }

  /** The rows to write in a step of a rewind. */
  async rewoundRows(step: RewindStep): Promise<readonly SideRow[]> {
    const { rewound, rewoundKeys, codec, prefix } = this.#definition;
    if (rewound === undefined) return [];
    const keys =
      rewoundKeys === undefined ? [prefix] : (await rewoundKeys(step)).map((key) => this.key(...key));
    if (rewound === "removed") return keys.map((key) => ({ key, value: undefined }));
    const stored = await step.store.getSideRows(keys);
    return keys.flatMap((key, i) => {
      const bytes = stored[i];
      if (bytes === undefined) return [];
      const before = this.decode(new Uint8Array(bytes));
      const after = rewound(before, step.position);
      return after === before ? [] : [{ key, value: after === undefined ? undefined : codec.encode(after) }];
    });
  }
}

/** Rows are written here first: buffers that grow from a few bytes cost more than all the rest. */
const scratch = new Uint8Array(16_384);

const bcs = <Value>(codec: Codec<Value>): RowCodec<Value> => ({
  encode: (value) => {
    const writer = new BcsWriter(scratch);
    codec.write(writer, value);
    return Buffer.from(writer.take());
  },
  decode: (bytes) => decodeWith(codec, bytes),
});

const ofItem = (keyHash: Uint8Array): Uint8Array => keyHash;

/** Waypoints that matched. They prove the history also when the records that they were computed from are pruned. */
export const MATCHED_WAYPOINTS = new SideRowKind<readonly Waypoint[]>({
  prefix: Uint8Array.of(2),
  codec: bcs(vector(struct({ version: u64, hash }))),
  rewound: (all, { version }) => {
    const kept = all.filter((waypoint) => waypoint.version <= version);
    return kept.length === all.length ? all : kept.length === 0 ? undefined : kept;
  },
});

const baseRowCodec = struct({
  version: u64,
  /** BCS of the StateValue; undefined if the item did not exist. */
  value: option(byteString),
  /** What a fetched value rests on; undefined for a deletion, which has the level of its version. */
  fetched: option(
    struct({
      /** The version whose state it was read from: the history has no write of the item up to there. */
      at: u64,
      /** Of the value at that version alone. */
      level: trustLevelCodec,
      /** How often the ledger had been rewound. */
      rewinds: u64,
    }),
  ),
});

/** The value of an item at a version, for a ledger whose state is only partly known. */
export type BaseRow = ValueOf<typeof baseRowCodec>;
export type FetchedFrom = NonNullable<BaseRow["fetched"]>;

/** The first deletion of an item: no fetched value holds after it, also when the deletion itself is pruned. */
export const DELETED_ITEM = new SideRowKind<BaseRow, [keyHash: Uint8Array]>({
  prefix: Uint8Array.of(3),
  suffix: ofItem,
  codec: bcs(baseRowCodec),
  rewound: (row, { version }) => (row.version > version ? undefined : row),
  rewoundKeys: ({ keyHashes }) => keyHashes.map((keyHash) => [keyHash]),
});

/** A fetched item. It stays at a rewind: REWINDS tells whether the history that it rests on is still there. */
export const FETCHED_ITEM = new SideRowKind<BaseRow, [keyHash: Uint8Array]>({
  prefix: Uint8Array.of(9),
  suffix: ofItem,
  codec: bcs(baseRowCodec),
});

/** The versions that a ledger with a partly known state was rewound to, oldest first. */
export const REWINDS = new SideRowKind<readonly bigint[]>({
  prefix: Uint8Array.of(10),
  codec: bcs(vector(u64)),
});

const stateFetchCodec = struct({
  /** Whose state it is. */
  version: u64,
  /** Items that are stored. */
  count: u64,
  /** The key hash of the last one. */
  lastKey: option(hash),
  /** Once its item is stored. */
  chainId: option(u8),
});

/** How much of a state was fetched into a store that has no ledger yet; the first commit removes it. */
export const STATE_FETCH = new SideRowKind<ValueOf<typeof stateFetchCodec>>({
  prefix: Uint8Array.of(12),
  codec: bcs(stateFetchCodec),
});

/** The target of an unfinished rewind, whose last step removes it: it bars every other writer. */
export const REWIND_MARK = new SideRowKind<bigint>({
  prefix: Uint8Array.of(5),
  codec: bcs(u64),
  rewound: (to, { version }) => (to === version ? undefined : to),
});

/** The accumulator of the versions below the pruning floor. The pruner replaces it before it removes records. */
export const KEPT_ACCUMULATOR = new SideRowKind<AccumulatorState>({
  prefix: Uint8Array.of(6),
  codec: bcs(struct({ leafCount: u64, frozen: vector(hash) })),
  rewound: (kept, { accumulator }) => (kept.leafCount <= accumulator.leafCount ? kept : accumulator),
});

/** First bytes of the rows for proofs. */
const ofProofs = (kind: number): Uint8Array => Uint8Array.of(7, kind);

/** After the variant: epoch, round, block id and accumulator root. */
const [EPOCH_AT, VERSION_AT] = [1, 1 + 8 + 8 + 32 + 32];

/** Epoch and version of BCS of a signed ledger info, without decoding the rest. */
export function readSignedHead(bytes: Uint8Array): { readonly epoch: bigint; readonly version: bigint } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { epoch: buffer.readBigUInt64LE(EPOCH_AT), version: buffer.readBigUInt64LE(VERSION_AT) };
}

const newestSignedCodec = struct({
  /** True if our own validators signed it. */
  isOwn: bool,
  /** BCS of the signed ledger info. */
  signed: byteString,
});

/**
 * The newest signed ledger info. A rewind removes what our own validators signed, because they will sign other blocks. What
 * others signed stays: it is true whatever this store holds.
 */
export const NEWEST_SIGNED = new SideRowKind<ValueOf<typeof newestSignedCodec>>({
  prefix: ofProofs(5),
  codec: bcs(newestSignedCodec),
  rewound: (newest, { version }) =>
    newest.isOwn && readSignedHead(newest.signed).version > version ? undefined : newest,
});

/** The signed end of an epoch; a rewind as for NEWEST_SIGNED. */
export const EPOCH_END = new SideRowKind<SignedLedgerInfo, [epoch: bigint]>({
  prefix: ofProofs(0),
  suffix: numberKey,
  codec: bcs(signedLedgerInfoCodec),
  rewound: (end, { version }) => (end.ledgerInfo.version > version ? undefined : end),
  rewoundKeys: async ({ store, position }) => {
    const newest = await NEWEST_SIGNED.load(store);
    if (newest?.isOwn !== true) return [];
    return range(position.epoch, readSignedHead(newest.signed).epoch);
  },
});

/** The first epoch of the signed chain that a follower got. */
export const FIRST_EPOCH = new SideRowKind<bigint>({ prefix: ofProofs(8), codec: bcs(u64) });

/** A full subtree of the accumulator, by its level above the leaves and its number there. A commit writes it again. */
export const SUBTREE = new SideRowKind<Uint8Array, [level: number, index: bigint]>({
  prefix: ofProofs(1),
  suffix: (level, index) => concatBytes(numberKey(index), Uint8Array.of(level)),
  codec: bcs(hash),
});

/** The height of the oldest block end that can be proven. The newest is that of the head, unless others wrote blocks. */
export const OLDEST_END = new SideRowKind<bigint>({
  prefix: ofProofs(10),
  codec: bcs(u64),
  rewound: (oldest, { blockHeight }) => (blockHeight < oldest ? undefined : oldest),
});

const blockEndCodec = struct({
  version: u64,
  timestampUsec: u64,
  /** Roots of the full subtrees before this version. */
  left: vector(hash),
  signed: option(byteString),
});
export type BlockEnd = ValueOf<typeof blockEndCodec>;
export const { encode: encodeBlockEnd, decode: decodeBlockEnd } = bcs(blockEndCodec);

/** Blocks whose changes are written to the logs of the nodes together. A prime: regular changes meet the last one too. */
export const GROUP_BLOCKS = 17n;

/** True if the commit of a block brings the logs of the nodes up to date. */
export function endsGroup(height: bigint): boolean {
  return height % GROUP_BLOCKS === GROUP_BLOCKS - 1n;
}

const blockEndsCodec = struct({ first: u64, ends: vector(byteString) });

/** Encoded block ends of a finished group, from a height on. Commits remove groups that leave the proof window. */
export const BLOCK_ENDS = new SideRowKind<ValueOf<typeof blockEndsCodec>, [height: bigint]>({
  prefix: ofProofs(7),
  suffix: (height) => numberKey(height / GROUP_BLOCKS),
  codec: bcs(blockEndsCodec),
  rewound: ({ first, ends }, { blockHeight }) =>
    blockHeight < first ? undefined : { first, ends: ends.slice(0, Number(blockHeight - first) + 1) },
  rewoundKeys: ({ head, position }) =>
    range(position.blockHeight / GROUP_BLOCKS, head.blockHeight / GROUP_BLOCKS).map(([group]) => [
      group * GROUP_BLOCKS,
    ]),
});

/** How a node of the state tree changed since its last finished log. `rewoundLogs` has its fate in a rewind. */
export const NODE_LOG = new SideRowKind<Uint8Array, [key: Uint8Array]>({
  prefix: Uint8Array.of(11),
  suffix: (key) => key,
  codec: { encode: (log) => log, decode: assertLog },
});

const recentBlockCodec = struct({
  height: u64,
  end: byteString,
  /** How it changed the nodes of the state tree; see proofs/node-log.ts. */
  changes: converted(byteString, assertBlockChanges),
});

/** A block since the last end of a group. */
export type RecentBlock = ValueOf<typeof recentBlockCodec>;

/**
 * All that a recent block adds in one row: writing the logs themselves in every commit would cost a page for each. The block
 * of the next group with the same place takes its row, so that nothing has to be removed.
 */
export const RECENT_BLOCK = new SideRowKind<RecentBlock, [height: bigint]>({
  prefix: ofProofs(11),
  suffix: (height) => Uint8Array.of(Number(height % GROUP_BLOCKS)),
  codec: bcs(recentBlockCodec),
  rewound: "removed",
  // Of a group that has ended the logs have all, and its ends are kept together.
  rewoundKeys: ({ head, position: { blockHeight } }) =>
    blockHeight / GROUP_BLOCKS === head.blockHeight / GROUP_BLOCKS && !endsGroup(head.blockHeight)
      ? range(blockHeight + 1n, head.blockHeight)
      : range(1n, GROUP_BLOCKS),
});

/** The blocks up to a height since the last end of a group that the store has rows of, oldest first. */
export async function recentBlocks(store: SideRowReader, height: bigint): Promise<RecentBlock[]> {
  const heights = endsGroup(height) ? [] : range(height - (height % GROUP_BLOCKS), height);
  const rows = await store.getSideRows(heights.map(([one]) => RECENT_BLOCK.key(one)));
  return heights.flatMap(([one], i) => {
    const row = rows[i];
    const block = row && RECENT_BLOCK.decode(new Uint8Array(row));
    return block?.height === one ? [block] : [];
  });
}

/** The kept end of a block. */
export async function loadBlockEnd(store: SideRowReader, height: bigint): Promise<BlockEnd | undefined> {
  const [row, recent] = await store.getSideRows([BLOCK_ENDS.key(height), RECENT_BLOCK.key(height)]);
  // Copied: stored bytes are valid only until the next read.
  const group = row && BLOCK_ENDS.decode(new Uint8Array(row));
  let end = group?.ends[Number(height - group.first)];
  if (end === undefined && recent !== undefined) {
    const block = RECENT_BLOCK.decode(new Uint8Array(recent));
    if (block.height === height) end = block.end;
  }
  return end && decodeBlockEnd(end);
}

function range(first: bigint, last: bigint): [number: bigint][] {
  return Array.from({ length: Math.max(0, Number(last - first) + 1) }, (_, i) => [first + BigInt(i)]);
}

const forkPinCodec = struct({
  url: text,
  version: u64,
  /** Hash of the network's record of that version: tells whether the URL still serves the same network. */
  recordHash: hash,
});

/** Which network a fork forks, and at which version. Written with the first commit and never changed. */
export type ForkPin = ValueOf<typeof forkPinCodec>;
export const FORK_PIN = new SideRowKind<ForkPin>({ prefix: Uint8Array.of(32), codec: bcs(forkPinCodec) });

/** Key hashes of items that the network of a fork does not have, by slot, oldest first. A full slot drops its oldest. */
export const ABSENT_ITEMS = new SideRowKind<readonly Uint8Array[], [slot: number]>({
  prefix: Uint8Array.of(33),
  suffix: (slot) => Uint8Array.of(slot >> 8, slot & 0xff),
  codec: bcs(vector(hash)),
});

const indexReach = (index: IndexName): SideRowKind<bigint> =>
  new SideRowKind<bigint>({
    prefix: INDEX_REACH_KEYS[index],
    codec: { encode: numberKey, decode: (row) => readNumber(row, 0) },
    rewound: (reach, { version }) => {
      const isAbove = reach > version;
      return isAbove ? version : reach;
    },
    // Each store has its own indexes.
  });

/** How far each index reaches. The engines read these rows too. */
export const INDEX_REACH: Readonly<Record<IndexName, SideRowKind<bigint>>> = {
  items: indexReach("items"),
  transactions: indexReach("transactions"),
};

/** The window of the last pruning, as the option spells it. */
export const PRUNE_WINDOW = new SideRowKind<string>({
  prefix: Buffer.from("pruner/window"),
  codec: bcs(text),
});

/** A kind as rewind and check see it. */
type AnyKind = Pick<SideRowKind<unknown>, "owns" | "decode" | "rewoundRows">;

const SIDE_ROW_KINDS: readonly AnyKind[] = [
  MATCHED_WAYPOINTS,
  DELETED_ITEM,
  FETCHED_ITEM,
  REWINDS,
  STATE_FETCH,
  REWIND_MARK,
  KEPT_ACCUMULATOR,
  NEWEST_SIGNED,
  EPOCH_END,
  FIRST_EPOCH,
  SUBTREE,
  OLDEST_END,
  BLOCK_ENDS,
  NODE_LOG,
  RECENT_BLOCK,
  FORK_PIN,
  ABSENT_ITEMS,
  ...Object.values(INDEX_REACH),
  PRUNE_WINDOW,
];

/** The kind of a stored row; undefined for a row that nothing here writes. */
export function kindOfRow(key: Uint8Array): AnyKind | undefined {
  return SIDE_ROW_KINDS.find((kind) => kind.owns(key));
}

/** The side rows to write in a step of a rewind. */
export async function rewoundSideRows(step: RewindStep): Promise<SideRow[]> {
  const rows: SideRow[] = [];
  for (const kind of SIDE_ROW_KINDS) for (const row of await kind.rewoundRows(step)) rows.push(row);
  return rows;
}

/** Throws StoreError `format` for a store that has a part of a state and no ledger. */
export async function assertNotHalfFetched(store: SideRowReader): Promise<void> {
  const fetch = await STATE_FETCH.load(store);
  if (fetch === undefined) return;
  throw new StoreError(
    "format",
    `the store has a part of the state at version ${fetch.version}: start with --state whole to fetch the rest, or use another directory`,
  );
}

/** Throws StoreError `format` for a store whose rewind is not finished. */
export async function assertNotHalfRewound(store: SideRowReader): Promise<void> {
  const target = await REWIND_MARK.load(store);
  if (target === undefined) return;
  throw new StoreError(
    "format",
    `a rewind of the store to version ${target} is not finished: run sextant rewind --to ${target} again to finish it`,
  );
}
