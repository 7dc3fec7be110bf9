// Which version a read is about: one that is named, the last one of a time, or the latest; and the blocks of versions.
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { formatTime } from "../base/texts/time-text.ts";
import { LedgerError } from "./errors.ts";
import type { Block, LedgerView } from "./view.ts";

/** What a read asks for: a version or a time, never both; the latest where neither is given. */
export interface ReadAt {
  readonly version?: bigint | undefined;
  /** Microseconds since 1970. */
  readonly timestampUsec?: bigint | undefined;
}

/** The version that a read is about. */
export interface ReadPoint {
  readonly version: bigint;
  /** Time of its block; undefined where nobody asked for it. */
  readonly timestampUsec: bigint | undefined;
}

/**
 * The version to read at. A time means the last version whose block is not after it. Throws LedgerError
 * `version_not_found` for a time after the latest block and `version_pruned` for one before the oldest kept. A version that
 * is named is not checked: reading at it does that.
 */
export function resolveReadPoint(
  view: LedgerView,
  { version, timestampUsec }: ReadAt,
): MaybePromise<ReadPoint> {
  if (timestampUsec !== undefined) return pointAtTime(view, timestampUsec);
  return { version: version ?? view.position.version, timestampUsec: undefined };
}

async function pointAtTime(view: LedgerView, timestampUsec: bigint): Promise<ReadPoint> {
  const { position } = view;
  if (timestampUsec > position.timestampUsec) {
    throw new LedgerError(
      "version_not_found",
      `${formatTime(timestampUsec)} is after the latest block, of ${formatTime(position.timestampUsec)}`,
    );
  }
  const block = await view.getBlockAtTime(timestampUsec);
  if (block === undefined) throw beforeOldest(view, timestampUsec);
  return { version: block.lastVersion, timestampUsec: block.timestampUsec };
}

/** Why there is no block at or before a time. */
function beforeOldest({ position }: LedgerView, timestampUsec: bigint): LedgerError {
  const time = formatTime(timestampUsec);
  return position.oldestVersion === 0n
    ? new LedgerError("version_not_found", `${time} is before the first block`)
    : new LedgerError(
        "version_pruned",
        `${time} is before the oldest block that is kept, which begins with version ${position.oldestVersion}`,
      );
}

/** The first version whose block is not before a time. Throws as `resolveReadPoint`. */
export async function firstVersionFrom(view: LedgerView, timestampUsec: bigint): Promise<bigint> {
  const { position } = view;
  if (timestampUsec > position.timestampUsec) return (await pointAtTime(view, timestampUsec)).version;
  const before = timestampUsec === 0n ? undefined : await view.getBlockAtTime(timestampUsec - 1n);
  if (before !== undefined) return before.lastVersion + 1n;
  // Blocks that were removed may have been at or after that time too.
  if (position.oldestVersion > 0n) throw beforeOldest(view, timestampUsec);
  return 0n;
}

/** The block of a version that was read. */
export async function blockOf(view: LedgerView, version: bigint): Promise<Block> {
  const block = await view.getBlockByVersion(version);
  if (block === undefined) throw new LedgerError("corrupt", `no block holds version ${version}`);
  return block;
}

/** Time of the block of a version that was read. */
export function timeOf(view: LedgerView, { version, timestampUsec }: ReadPoint): MaybePromise<bigint> {
  if (timestampUsec !== undefined) return timestampUsec;
  if (version === view.position.version) return view.position.timestampUsec;
  return andThen(blockOf(view, version), (block) => block.timestampUsec);
}

/** Guesses before halving does it. */
const MAX_GUESSES = 6;

/**
 * Finds the blocks of many versions of one view; cheapest for versions that rise. A ledger makes blocks at a steady pace,
 * so a guess by proportion from a known block is nearly always right or next to it, where halving takes a read for each
 * doubling of the ledger.
 */
export class BlockFinder {
  readonly #view: LedgerView;
  #last: Block | undefined;

  constructor(view: LedgerView) {
    this.#view = view;
  }

  /** The block of a version that the view has. */
  async find(version: bigint): Promise<Block> {
    const block = (await this.#guess(version)) ?? (await blockOf(this.#view, version));
    this.#last = block;
    return block;
  }

  async #guess(version: bigint): Promise<Block | undefined> {
    const { position } = this.#view;
    let below = this.#last;
    if (below === undefined || version < below.firstVersion) return undefined;
    if (version <= below.lastVersion) return below;
    let above = { height: position.blockHeight + 1n, firstVersion: position.version + 1n };
    for (let guesses = 0; guesses < MAX_GUESSES; guesses++) {
      const [blocks, versions] = [
        above.height - below.height - 1n,
        above.firstVersion - below.lastVersion - 1n,
      ];
      if (blocks < 1n || versions < 1n) return undefined;
      const height: bigint = below.height + 1n + ((version - below.lastVersion - 1n) * blocks) / versions;
      const block = await this.#view.getBlockByHeight(height);
      if (block === undefined) return undefined;
      if (version > block.lastVersion) below = block;
      else if (version < block.firstVersion) above = block;
      else return block;
    }
    return undefined;
  }
}
