// One bounded pruning step. The oldest version moves first; rows go afterwards, by ranges: for each key that was
// written below the new oldest version, everything before its last write there, in one removal; records, key
// lists and blocks by whole partitions. A step that is cut short is taken up again from where removal stands.
import type { Position } from "../../ledger/position.ts";
import type { PruneStep } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { Blocks } from "./blocks.ts";
import { decodeKeys, type WrittenKey } from "./keys-row.ts";
import type { RowWriter } from "./row-writer.ts";
import type { Request } from "./session.ts";
import { heightBucket, versionBucket } from "./statements.ts";
import type { Terms } from "./terms.ts";
import type { ClusterView } from "./view.ts";

/** What pruning works with. */
export interface PruneSource {
  readonly writer: RowWriter;
  readonly blocks: Blocks;
  readonly openViews: ReadonlySet<ClusterView>;
}

/** The last write of a key in the part that is pruned. */
interface LastWrite extends WrittenKey {
  readonly version: bigint;
}

/** Height buckets before the oldest one that are removed once more: a step may have been cut short there. */
const BLOCK_BUCKETS_AGAIN = 2n;

/** Prunes towards the floor. To be called inside the writer's queue, with a ledger. */
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
  const found = await collect(writer, from, target, maxRows);
  const oldest = await moveOldest(source, position, found.reached);
  // Views that are open keep what they see; the rest of the step is taken up again when they are gone. Those
  // opened from here on know the oldest version that was just set.
  const views = [...source.openViews].map((view) => view.position);
  const below = least(found.reached, ...views.map((view) => view.oldestVersion));
  const height = least(oldest.height, ...views.map((view) => view.oldestBlockHeight));
  const writes = found.writes.filter((write) => write.version < below);
  await writer.remove(planRemovals(writer, writes));
  for (const { key, bucket } of writes) if (bucket > 0) writer.splits.dropBefore(key, bucket);
  const pruned = -least(-from, -below);
  await dropPartitions(writer, { from, pruned }, { from: position.oldestBlockHeight, to: height });
  writer.notePruned(pruned);
  return { oldestVersion: oldest.version, removed: writes.length, done: found.reached === target };
}

async function assertFloor(blocks: Blocks, terms: Terms, position: Position, floor: bigint): Promise<void> {
  if (floor <= position.oldestVersion) return;
  const isKept = floor <= position.version;
  const block = isKept
    ? await blocks.findLast(position, terms, (start) => start.firstVersion <= floor)
    : undefined;
  if (block?.firstVersion === floor) return;
  throw new StoreError(
    "order",
    `pruning floor ${floor} is not the first version of a block up to ${position.version}`,
  );
}

function least(first: bigint, ...others: readonly bigint[]): bigint {
  let lowest = first;
  for (const other of others) if (other < lowest) lowest = other;
  return lowest;
}

/** Writes of the versions from one to another, whole versions at a time; tells how far it came. */
async function collect(
  writer: RowWriter,
  from: bigint,
  target: bigint,
  maxRows: number,
): Promise<{ readonly writes: readonly LastWrite[]; readonly reached: bigint }> {
  const writes: LastWrite[] = [];
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

/** Moves the oldest version to the first block at or after the one reached. */
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

/** One removal for each key: everything before its last write, and that write too where it deleted the item. */
function planRemovals(writer: RowWriter, writes: readonly LastWrite[]): readonly Request[] {
  const { statements, ledger } = writer.tables;
  const last = new Map<string, LastWrite>();
  for (const write of writes) last.set(write.key.toString("latin1"), write);
  const requests: Request[] = [];
  for (const { key, bucket, version, isDeletion } of last.values()) {
    const below = isDeletion ? version + 1n : version;
    requests.push({ query: statements.pruneItems, values: [ledger, key, bucket, below] });
    if (bucket > 0) requests.push(...planOlderBuckets(writer, key, bucket));
  }
  return requests;
}

/** The buckets before one, with their pointers in the first. */
function planOlderBuckets(writer: RowWriter, key: Buffer, bucket: number): readonly Request[] {
  const { statements, ledger } = writer.tables;
  const splits = writer.splits.of(key);
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
  const first = heightBucket(heights.from) - BLOCK_BUCKETS_AGAIN;
  for (let bucket = first < 0n ? 0n : first; bucket < last; bucket++) {
    requests.push({ query: statements.dropBlocks, values: [ledger, bucket] });
  }
  await writer.remove(requests);
}
