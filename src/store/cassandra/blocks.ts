// Finds blocks with few round trips: committed rows never change, so they are cached with their term, which tells
// whether a rewind removed them, and a search reads many rows in parallel instead of halving.
import type { CacheStats } from "../../base/cache-stats.ts";
import { RecentMap } from "../../base/recent.ts";
import type { Block, LedgerPosition } from "../../ledger/view.ts";
import type { BlockStart } from "../contract.ts";
import { StoreError } from "../errors.ts";
import type { BlockRow, Tables } from "./tables.ts";
import type { Terms } from "./terms.ts";

const CACHE_BYTES = 4 * 2 ** 20;
/** Approximate size of a row and its map entry. */
const ROW_BYTES = 256;
/** Rows read in parallel in one round of a search. */
const SEARCH_WIDTH = 15n;

/** Reads blocks of one ledger. */
export class Blocks {
  readonly #tables: Tables;
  readonly #cache = new RecentMap<bigint, BlockRow>({ maxBytes: CACHE_BYTES, sizeOf: () => ROW_BYTES });

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  cacheStats(): CacheStats {
    return this.#cache.stats();
  }

  /** The row of a committed height. */
  async read(height: bigint, terms: Terms): Promise<BlockStart | undefined> {
    const known = this.#cache.get(height);
    if (known !== undefined && terms.ownsVersion(known.term, known.firstVersion)) return toStart(known);
    const found = await this.#tables.findBlock(height, terms);
    if (found === undefined) return undefined;
    this.#cache.set(height, found);
    return toStart(found);
  }

  /** Block of a height inside the kept range. */
  async findByHeight(position: LedgerPosition, terms: Terms, height: bigint): Promise<Block | undefined> {
    if (height < position.oldestBlockHeight || height > position.blockHeight) return undefined;
    const isLast = height === position.blockHeight;
    const [start, next] = await Promise.all([
      this.read(height, terms),
      isLast ? undefined : this.read(height + 1n, terms),
    ]);
    if (start === undefined || (next === undefined && !isLast)) return undefined;
    return { ...start, lastVersion: next === undefined ? position.version : next.firstVersion - 1n };
  }

  /**
   * The last kept block that satisfies `holds`, which all earlier blocks must satisfy too. Undefined if rows are
   * pruned.
   */
  async findLast(
    position: LedgerPosition,
    terms: Terms,
    holds: (start: BlockStart) => boolean,
  ): Promise<Block | undefined> {
    let low = position.oldestBlockHeight;
    let high = position.blockHeight;
    let found: bigint | undefined;
    while (low <= high) {
      const step = (high - low) / (SEARCH_WIDTH + 1n) + 1n;
      const heights: bigint[] = [];
      for (let height = low + step - 1n; height <= high; height += step) heights.push(height);
      const starts = await Promise.all(heights.map((height) => this.read(height, terms)));
      let ceiling = high + 1n;
      for (const [index, height] of heights.entries()) {
        const start = starts[index];
        if (start === undefined) return undefined;
        if (!holds(start)) {
          ceiling = height;
          break;
        }
        found = height;
        low = height + 1n;
      }
      high = ceiling - 1n;
    }
    return found === undefined ? undefined : this.findByHeight(position, terms, found);
  }

  /** The first kept block that starts at or after a version. Throws StoreError `corrupt` if there is none. */
  async findStart(position: LedgerPosition, terms: Terms, version: bigint): Promise<BlockStart> {
    const holder = await this.findLast(position, terms, (start) => start.firstVersion < version);
    const height = holder === undefined ? position.oldestBlockHeight : holder.height + 1n;
    const start = await this.read(height, terms);
    if (start === undefined) throw new StoreError("corrupt", `no block row at or after version ${version}`);
    return start;
  }
}

function toStart({ height, firstVersion, timestampUsec, epoch }: BlockRow): BlockStart {
  return { height, firstVersion, timestampUsec, epoch };
}
