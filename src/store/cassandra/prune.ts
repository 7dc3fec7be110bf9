// One bounded pruning step. It moves the oldest version first and removes rows afterwards: for each key written
// below the new oldest version, one range removal of everything before its last write there; records, key lists and
// blocks by whole partitions. An interrupted step continues from `pruned`.
import { storedTransactionRows } from "../../ledger/indexes/transaction-rows.ts";
import type { Position } from "../../ledger/position.ts";
import type { PruneStep } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { INDEX_REACH_KEYS, readIndexReach } from "../index-reach.ts";
import type { Blocks } from "./blocks.ts";
import { decodeKeys, type WrittenKey } from "./keys-row.ts";
import { type OwnedRemoval, planGaps, planOwnedRemovals, planOwnedUpTo } from "./owned-rows.ts";
import type { RowWriter } from "./row-writer.ts";
import { heightBucket, versionBucket } from "./statements.ts";
import { asBuffer } from "./tables.ts";
import type { Terms } from "./terms.ts";
import type { ClusterView } from "./view.ts";
import type { Request } from "./writes.ts";

/** The parts of a store that pruning uses. */
export interface PruneSource {
  readonly writer: RowWriter;
  readonly blocks: Blocks;
  readonly openViews: ReadonlySet<ClusterView>;
}

/** A write of a key below the new oldest version. */
interface PrunedWrite extends WrittenKey {
  readonly version: bigint;
}

/** Height buckets before the oldest one that are removed again, in case an earlier step was interrupted. */
const REPEATED_BLOCK_BUCKETS = 2n;

/** Prunes towards the floor. Call it inside the writer's queue. */
export async function pruneStep(
  source: PruneSource,
  position: Position,
  floor: bigint,
  maxRows: number,
): Promise<PruneStep> {
  const { writer, blocks } = source;
  const { terms } = writer;
  await assertFloor(blocks, terms, position, floor);
  const target = floor > position.oldestVersion ? floor : position.oldestVersion;
  const from = writer.head.pruned;
  const found = await collectWrites(writer, from, target, maxRows);
  const oldest = await moveOldest(source, position, found.reached);
  // Keep the rows that open views can see; a later step removes them. Views opened from here on see the new oldest
  // version.
  const views = [...source.openViews].map((view) => view.position);
  const below = minimum(found.reached, ...views.map((view) => view.oldestVersion));
  const height = minimum(oldest.height, ...views.map((view) => view.oldestBlockHeight));
  const writes = found.writes.filter((write) => write.version < below);
  const last = lastWrites(writes);
  await writer.remove(planRemovals(writer, last));
  await removeOwned(writer, last);
  await removeTransactionRows(writer, from, below);
  for (const { key, bucket } of writes) if (bucket > 0) writer.splits.dropBefore(key, bucket);
  let pruned = from;
  if (below > from) pruned = below;
  await dropPartitions(writer, { from, pruned }, { from: position.oldestBlockHeight, to: height });
  writer.setPruned(pruned);
  return { oldestVersion: oldest.version, removed: writes.length, done: found.reached === target };
}

async function assertFloor(blocks: Blocks, terms: Terms, position: Position, floor: bigint): Promise<void> {
  if (floor <= position.oldestVersion) return;
  const isKept = floor <= position.version;
  const block = isKept ? await blocks.findLast(position, terms, { of: "version", atMost: floor }) : undefined;
  if (block?.firstVersion === floor) return;
  throw new StoreError(
    "order",
    `pruning floor ${floor} is not the first version of a block up to ${position.version}`,
  );
}

function minimum(first: bigint, ...others: readonly bigint[]): bigint {
  let lowest = first;
  for (const other of others) if (other < lowest) lowest = other;
  return lowest;
}

/**
 * Collects the writes of whole versions from `from` up to `target`, until there are `maxRows`; `reached` is the
 * end.
 */
async function collectWrites(
  writer: RowWriter,
  from: bigint,
  target: bigint,
  maxRows: number,
): Promise<{ readonly writes: readonly PrunedWrite[]; readonly reached: bigint }> {
  const writes: PrunedWrite[] = [];
  if (from >= target) return { writes, reached: target };
  let last: bigint | undefined;
  for await (const { version, keys } of writer.tables.listKeys(from, target, writer.terms)) {
    if (version !== last && writes.length >= maxRows && last !== undefined) {
      return { writes, reached: last + 1n };
    }
    last = version;
    for (const written of decodeKeys(keys)) writes.push({ ...written, version });
  }
  return { writes, reached: target };
}

/** Moves the oldest version to the first block at or after `reached`. */
async function moveOldest(
  { writer, blocks }: PruneSource,
  position: Position,
  reached: bigint,
): Promise<{ readonly version: bigint; readonly height: bigint }> {
  if (reached <= position.oldestVersion) {
    return { version: position.oldestVersion, height: position.oldestBlockHeight };
  }
  const start = await blocks.findStart(position, writer.terms, reached);
  const moved = { ...position, oldestVersion: start.firstVersion, oldestBlockHeight: start.height };
  await writer.moveOldest(moved, writer.head.pruned);
  return { version: start.firstVersion, height: start.height };
}

/** Records that are read at once, and their bytes. */
const RUN = 200n;
const RUN_BYTES = 4 << 20;

/** Removes the rows of pruned records in the index of transactions, which only the records tell. */
async function removeTransactionRows(writer: RowWriter, from: bigint, below: bigint): Promise<void> {
  const { tables, terms } = writer;
  for (let next = from; next < below; ) {
    const to = (next + RUN < below ? next + RUN : below) - 1n;
    const range = { from: next, to, maxBytes: RUN_BYTES };
    const records = await tables.listRecords(range, terms);
    const last = records.at(-1);
    if (last === undefined) return;
    const removals = records.flatMap(({ version, bytes }) =>
      storedTransactionRows(version, bytes).map(({ owner, place }) => ({
        owner: asBuffer(owner),
        place: asBuffer(place),
        version,
      })),
    );
    await writer.remove(planOwnedUpTo(tables, removals));
    next = last.version + 1n;
  }
}

/** The last write of each key. */
function lastWrites(writes: readonly PrunedWrite[]): readonly PrunedWrite[] {
  const last = new Map<string, PrunedWrite>();
  for (const write of writes) last.set(write.key.toString("latin1"), write);
  return [...last.values()];
}

/** Removes the index rows of items whose deletion is pruned. */
async function removeOwned(writer: RowWriter, last: readonly PrunedWrite[]): Promise<void> {
  const { tables, terms } = writer;
  const removals: OwnedRemoval[] = last.flatMap(({ owned, version }) =>
    owned.map((place) => ({ ...place, version })),
  );
  if (removals.length === 0) return;
  await writer.remove(planOwnedRemovals(tables, removals));
  const reach = readIndexReach(
    await tables.findSide(asBuffer(INDEX_REACH_KEYS.items), writer.head.seq, terms),
  );
  if (reach === undefined || removals.some(({ version }) => version > reach)) return;
  await writer.remove(await planGaps(tables, removals));
}

/** One removal for each key: everything before its last write, and that write too if it is a deletion. */
function planRemovals(writer: RowWriter, last: readonly PrunedWrite[]): readonly Request[] {
  const { statements, ledger } = writer.tables;
  const requests: Request[] = [];
  for (const { key, bucket, version, isDeletion } of last) {
    const below = isDeletion ? version + 1n : version;
    requests.push({ query: statements.pruneItems, values: [ledger, key, bucket, below] });
    if (bucket > 0) requests.push(...planOlderBuckets(writer, key, bucket));
  }
  return requests;
}

/** Removals of all earlier buckets of a key, and of their pointers in the first bucket. */
function planOlderBuckets(writer: RowWriter, key: Buffer, bucket: number): readonly Request[] {
  const { statements, ledger } = writer.tables;
  const splits = writer.splits.bucketsOf(key);
  const own = splits.find((split) => split.bucket === bucket);
  if (own === undefined) return [];
  const requests: Request[] = [{ query: statements.pruneItems, values: [ledger, key, 0, own.start] }];
  for (const split of splits) {
    if (split.bucket >= bucket) continue;
    requests.push({ query: statements.dropItems, values: [ledger, key, split.bucket] });
    requests.push({ query: statements.dropSplit, values: [ledger, key, split.bucket] });
  }
  return requests;
}

async function dropPartitions(
  writer: RowWriter,
  versions: { readonly from: bigint; readonly pruned: bigint },
  heights: { readonly from: bigint; readonly to: bigint },
): Promise<void> {
  const { statements, ledger } = writer.tables;
  const requests: Request[] = [];
  for (let bucket = versionBucket(versions.from); bucket < versionBucket(versions.pruned); bucket++) {
    requests.push({ query: statements.dropVersions, values: [ledger, bucket] });
  }
  const last = heightBucket(heights.to);
  const first = heightBucket(heights.from) - REPEATED_BLOCK_BUCKETS;
  for (let bucket = first < 0n ? 0n : first; bucket < last; bucket++) {
    requests.push({ query: statements.dropBlocks, values: [ledger, bucket] });
  }
  await writer.remove(requests);
}
