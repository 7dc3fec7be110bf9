// Upgrades a store from format 1 to 2, which adds checksums to its rows. An upgrade takes many bounded writes. Its first
// one sets the new format and the row `upgrade`, which keeps readers and older versions of the program out; each
// moves that row with the rows it rewrites; the last one removes it. So after a crash the next writer goes on where the
// last one stopped, and a row is never rewritten twice.
import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "../../base/log.ts";
import { StoreError } from "../errors.ts";
import { assertDiskSpace } from "./disk-space.ts";
import type { Environment } from "./environment.ts";
import type { StoreFormat } from "./format.ts";
import { getRow, putRow } from "./sealed-rows.ts";
import { FORMAT, META, SEALED_TABLES, type Table, type Tables } from "./tables.ts";
import type { UpgradeProgress } from "./upgrade-backup.ts";

/** Rows of `meta` that get checksums, in the last write; those of SEALED_TABLES get them before. */
const META_ROWS = [META.identity, META.position] as const;

/** Bounds of one write, which holds its pages in memory. */
const WRITE_ROWS = 5000;
const WRITE_BYTES = 16 << 20;
/** Pause between two log lines. */
const LOG_MS = 5000;

/** True for a store whose upgrade has not begun and is possible. */
export function isUpgradable(state: StoreFormat | undefined): boolean {
  return state?.format === FORMAT - 1;
}

/**
 * Writes the format of a new store, or begins the upgrade of an older one. Call inside a write transaction. Throws
 * StoreError `format` for a format that it cannot upgrade.
 */
export function beginUpgrade(tables: Tables, state: StoreFormat | undefined): void {
  if (state === undefined) {
    writeFormat(tables);
    sealFormat(tables);
  } else if (isUpgradable(state)) {
    writeFormat(tables);
    putRow(tables.meta, META.upgrade, encodeMark({ table: 0, after: undefined }));
  } else if (state.format !== FORMAT) {
    const { format } = state;
    throw new StoreError("format", `the store has format ${format}, which this version cannot upgrade`, {
      details: { format, supported: FORMAT },
    });
  }
}

/** Options of `finishUpgrade`. */
export interface UpgradeOptions {
  readonly logger: Logger;
  /** Throws when this process is no longer the writer. Called inside each write. */
  readonly assertWriter: () => void;
  /** Rows of one write. */
  readonly writeRows?: number;
  readonly onProgress?: UpgradeProgress | undefined;
}

/** Rewrites the rows of a store whose upgrade has begun; does nothing for any other. */
export async function finishUpgrade(environment: Environment, options: UpgradeOptions): Promise<void> {
  const { tables, path, transact } = environment;
  const { logger, assertWriter, writeRows = WRITE_ROWS, onProgress } = options;
  if (tables.meta.get(META.upgrade) === undefined) return;
  const pace = new Pace({ total: countRows(tables), done: countDone(tables), path, logger, onProgress });
  for (let isDone = false; !isDone; ) {
    assertDiskSpace(path, writeRows, WRITE_BYTES);
    isDone = transact(() => {
      assertWriter();
      const mark = decodeMark(getRow(tables.meta, META.upgrade));
      const name = SEALED_TABLES[mark.table];
      if (name === undefined) return endUpgrade(tables);
      const { rows, last } = rewriteRows(tables[name], mark.after, writeRows);
      pace.count(rows);
      const next =
        last === undefined ? { table: mark.table + 1, after: undefined } : { ...mark, after: last };
      putRow(tables.meta, META.upgrade, encodeMark(next));
      return false;
    });
    // Timers run: the heartbeat, and the operator's signals.
    await turn();
  }
  pace.end();
}

/** Adds checksums to the rows behind a key; `last` is undefined at the end of the table. */
function rewriteRows(
  table: Table,
  after: Buffer | undefined,
  limit: number,
): { readonly rows: number; readonly last: Buffer | undefined } {
  const range = after === undefined ? { limit } : { limit, start: Buffer.concat([after, Buffer.of(0)]) };
  // Read first, then write: writes invalidate a cursor.
  const found: { readonly key: Buffer; readonly value: Buffer }[] = [];
  let bytes = 0;
  for (const { key, value } of table.getRange(range)) {
    found.push({ key: Buffer.from(key), value });
    bytes += value.length;
    if (bytes >= WRITE_BYTES) break;
  }
  for (const { key, value } of found) putRow(table, key, value);
  return { rows: found.length, last: found.at(-1)?.key };
}

function endUpgrade({ meta }: Tables): true {
  for (const key of META_ROWS) {
    const row = meta.get(key);
    if (row !== undefined) putRow(meta, key, row);
  }
  meta.removeSync(META.upgrade);
  sealFormat({ meta });
  return true;
}

function formatRow(): Buffer {
  const row = Buffer.alloc(4);
  row.writeUInt32BE(FORMAT);
  return row;
}

function writeFormat({ meta }: Pick<Tables, "meta">): void {
  meta.putSync(META.format, formatRow());
}

function sealFormat({ meta }: Pick<Tables, "meta">): void {
  putRow(meta, META.sealedFormat, formatRow());
}

/** Number of the table in work, and the last rewritten key of it. */
interface Mark {
  readonly table: number;
  readonly after: Buffer | undefined;
}

function encodeMark({ table, after }: Mark): Buffer {
  return Buffer.concat([Buffer.of(table), after ?? Buffer.alloc(0)]);
}

function decodeMark(row: Buffer | undefined): Mark {
  const [table] = row ?? [];
  if (row === undefined || table === undefined) throw new StoreError("corrupt", "the upgrade has no mark");
  return { table, after: row.length === 1 ? undefined : row.subarray(1) };
}

function countRows(tables: Tables): number {
  return SEALED_TABLES.reduce((sum, name) => sum + rowsOf(tables[name]), 0);
}

function rowsOf(table: Table): number {
  const count: unknown = Reflect.get(table.getStats(), "entryCount");
  return typeof count === "number" ? count : 0;
}

/** Rows that an earlier process rewrote, without those of the table in work: an estimate for the time left. */
function countDone(tables: Tables): number {
  const { table } = decodeMark(getRow(tables.meta, META.upgrade));
  return SEALED_TABLES.slice(0, table).reduce((sum, name) => sum + rowsOf(tables[name]), 0);
}

interface PaceOptions {
  readonly total: number;
  /** Rows done before. */
  readonly done: number;
  readonly path: string;
  readonly logger: Logger;
  readonly onProgress: UpgradeProgress | undefined;
}

/** Tells how far an upgrade came. */
class Pace {
  readonly #options: PaceOptions;
  readonly #start = performance.now();
  #logged = this.#start;
  #rows = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    const { path, total, logger } = options;
    logger.info({ path, to: FORMAT, total_rows: total }, "upgrading the data format");
  }

  count(rows: number): void {
    this.#rows += rows;
    const { done, total, logger, onProgress } = this.#options;
    onProgress?.("upgrade", Math.min(done + this.#rows, total), total);
    if (performance.now() - this.#logged < LOG_MS) return;
    this.#logged = performance.now();
    logger.info(this.#figures(), "upgrading the data format");
  }

  end(): void {
    this.#options.logger.info(this.#figures(), "data format upgraded");
  }

  #figures(): Readonly<Record<string, unknown>> {
    const { done, total, path } = this.#options;
    const seconds = (performance.now() - this.#start) / 1000;
    const rate = this.#rows / Math.max(seconds, 0.001);
    return {
      path,
      to: FORMAT,
      rows: this.#rows,
      total_rows: total,
      rows_per_second: Math.round(rate),
      seconds_left: Math.ceil(Math.max(total - done - this.#rows, 0) / Math.max(rate, 1)),
    };
  }
}
