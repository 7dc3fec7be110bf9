// Finds blocks with few requests: committed rows never change, so they are cached with their term, which tells whether a
// rewind removed them; a request reads a run of them; and a search guesses by proportion, because a ledger makes blocks at a
// steady pace.
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
/** Rows of one request: some hundred bytes. */
const RUN = 16n;
/** Every so manieth guess halves, so that a ledger of an uneven pace is searched in time too. */
const HALVE_EVERY = 3;

/** What a search looks at: blocks are in the order of their first versions, and of their times. */
export interface BlockSearch {
  readonly of: "version" | "time";
  readonly atMost: bigint;
}

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
    return this.#known(height, terms) ?? (await this.#readRun(height, terms))[0];
  }

  /** Block of a height inside the kept range. */
  async findByHeight(position: LedgerPosition, terms: Terms, height: bigint): Promise<Block | undefined> {
    if (height < position.oldestBlockHeight || height > position.blockHeight) return undefined;
    const start = await this.read(height, terms);
    if (start === undefined) return undefined;
    if (height === position.blockHeight) return { ...start, lastVersion: position.version };
    // Nearly always in the same run.
    const next = await this.read(height + 1n, terms);
    return next === undefined ? undefined : { ...start, lastVersion: next.firstVersion - 1n };
  }

  /** The last kept block that begins at or before a version or a time. Undefined if there is none, or rows are pruned. */
  async findLast(position: LedgerPosition, terms: Terms, search: BlockSearch): Promise<Block | undefined> {
    const orderOf = (start: BlockStart): bigint =>
      search.of === "version" ? start.firstVersion : start.timestampUsec;
    let low = position.oldestBlockHeight;
    let high = position.blockHeight;
    /** The last block that holds, and the first known one that does not. */
    let found: { readonly height: bigint; readonly value: bigint } | undefined;
    let above = {
      height: high + 1n,
      value: search.of === "version" ? position.version + 1n : position.timestampUsec,
    };
    for (let guesses = 0; low <= high; guesses++) {
      const guess = guessOf(low, high, { found, above, atMost: search.atMost, guesses });
      const run = await this.#run(guess, high, terms);
      if (run.length === 0) return undefined;
      for (const start of run) {
        if (orderOf(start) > search.atMost) {
          above = { height: start.height, value: orderOf(start) };
          high = start.height - 1n;
          break;
        }
        found = { height: start.height, value: orderOf(start) };
        low = start.height + 1n;
      }
    }
    return found === undefined ? undefined : this.findByHeight(position, terms, found.height);
  }

  /** The first kept block that starts at or after a version. Throws StoreError `corrupt` if there is none. */
  async findStart(position: LedgerPosition, terms: Terms, version: bigint): Promise<BlockStart> {
    const holder = await this.findLast(position, terms, { of: "version", atMost: version - 1n });
    const height = holder === undefined ? position.oldestBlockHeight : holder.height + 1n;
    const start = await this.read(height, terms);
    if (start === undefined) throw new StoreError("corrupt", `no block row at or after version ${version}`);
    return start;
  }

  #known(height: bigint, terms: Terms): BlockStart | undefined {
    const known = this.#cache.get(height);
    return known !== undefined && terms.ownsVersion(known.term, known.firstVersion)
      ? toStart(known)
      : undefined;
  }

  /** Consecutive rows from a height on, as many as are known or one request gives. */
  async #run(from: bigint, to: bigint, terms: Terms): Promise<readonly BlockStart[]> {
    const run: BlockStart[] = [];
    for (let height = from; height <= to; height++) {
      const known = this.#known(height, terms);
      if (known === undefined) break;
      run.push(known);
    }
    if (run.length > 0) return run;
    return (await this.#readRun(from, terms)).filter(({ height }) => height <= to);
  }

  async #readRun(from: bigint, terms: Terms): Promise<readonly BlockStart[]> {
    const rows = await this.#tables.listBlocks(from, RUN, terms);
    for (const row of rows) this.#cache.set(row.height, row);
    // Rows above the head may be there too, of a commit under way or of a later head.
    const run: BlockStart[] = [];
    for (const row of rows) if (row.height === from + BigInt(run.length)) run.push(toStart(row));
    return run;
  }
}

interface Guess {
  readonly found: { readonly height: bigint; readonly value: bigint } | undefined;
  readonly above: { readonly height: bigint; readonly value: bigint };
  readonly atMost: bigint;
  readonly guesses: number;
}

/** Where a run that holds the block probably begins. */
function guessOf(low: bigint, high: bigint, { found, above, atMost, guesses }: Guess): bigint {
  if (found === undefined && guesses === 0) return low;
  let guess = (low + high) / 2n;
  const span = found === undefined ? 0n : above.value - found.value;
  if (found !== undefined && span > 0n && guesses % HALVE_EVERY !== 0) {
    guess = found.height + ((atMost - found.value) * (above.height - found.height)) / span - RUN / 2n;
  }
  if (guess < low) return low;
  return guess > high ? high : guess;
}

function toStart({ height, firstVersion, timestampUsec, epoch }: BlockRow): BlockStart {
  return { height, firstVersion, timestampUsec, epoch };
}
