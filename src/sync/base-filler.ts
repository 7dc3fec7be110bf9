// Fetches state items that were not written since the base version, on first use, and stores the result, presence
// or absence. Concurrent readers of one item share one fetch.
import { equalBytes } from "../base/bytes.ts";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { mapSome } from "../base/map-some.ts";
import { decodeWith } from "../bcs/codec.ts";
import { LedgerError } from "../ledger/errors.ts";
import { KeyTrace } from "../ledger/key-trace.ts";
import { stateValueCodec } from "../ledger/state-value.ts";
import type { LedgerView } from "../ledger/view.ts";
import type { Store } from "../store/contract.ts";
import { type BaseRow, baseRowKey, decodeBaseRow, encodeBaseRow, rowAt } from "./base-rows.ts";
import { UpstreamError } from "./upstream/errors.ts";
import type { PoolEntry, UpstreamPool } from "./upstream/pool.ts";

/** Options of a filler. */
export interface BaseFillerOptions {
  readonly store: Store;
  readonly pool: () => UpstreamPool | undefined;
  /** How many upstreams must give the same value. */
  readonly needed: number;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/** Counters of a filler. */
export interface FillerStats {
  fills: number;
  failures: number;
}

/** Most items of one call that are fetched at once: a batch must not flood the upstreams with requests. */
const FETCHES_AT_ONCE = 16;

/** How long fetched rows wait to be written in one batch. */
const FLUSH_MS = 20;

const mapKey = (keyHash: Uint8Array): string => Buffer.from(keyHash).toString("latin1");

/** Looks up and fetches rows of the base layer. */
export class BaseFiller {
  readonly stats: FillerStats = { fills: 0, failures: 0 };
  /** Must know the state key of every hash passed to `rows`. */
  readonly keyTrace = new KeyTrace();
  readonly #options: BaseFillerOptions;
  readonly #inFlight = new Map<string, Promise<BaseRow>>();
  /** Rows not yet written, by key hash. */
  #pending = new Map<string, { keyHash: Uint8Array; row: BaseRow }>();
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: BaseFillerOptions) {
    this.#options = options;
  }

  /** Rows visible at the version, in the order of `keyHashes`; fetches missing ones. The view must be open. */
  async rows(
    view: LedgerView,
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly BaseRow[]> {
    const known = await this.#lookUp(keyHashes, version);
    return mapSome(
      keyHashes,
      FETCHES_AT_ONCE,
      (keyHash, i) => known[i] ?? this.#fetchShared(view, keyHash, version),
    );
  }

  /** Cancels fetches and writes pending rows. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the node closes"));
    await Promise.allSettled(this.#inFlight.values());
    clearTimeout(this.#flush);
    this.#write();
    await this.#writing;
  }

  async #lookUp(keyHashes: readonly Uint8Array[], version: bigint): Promise<(BaseRow | undefined)[]> {
    const keys = keyHashes.flatMap((keyHash) => [
      baseRowKey("filled", keyHash),
      baseRowKey("deleted", keyHash),
    ]);
    const stored = await this.#options.store.getSideRows(keys);
    const decoded = stored.map((bytes) => (bytes === undefined ? undefined : decodeBaseRow(bytes)));
    return keyHashes.map((keyHash, i) =>
      rowAt(version, decoded[2 * i], decoded[2 * i + 1], this.#pending.get(mapKey(keyHash))?.row),
    );
  }

  /** Joins a fetch of the same item in flight; fetches again if that row is too new for this version. */
  async #fetchShared(view: LedgerView, keyHash: Uint8Array, version: bigint): Promise<BaseRow> {
    const name = mapKey(keyHash);
    const inFlight = this.#inFlight.get(name);
    if (inFlight !== undefined) {
      const row = rowAt(version, await inFlight);
      if (row !== undefined) return row;
    }
    const fetching = this.#fetch(view, keyHash).finally(() => {
      if (this.#inFlight.get(name) === fetching) this.#inFlight.delete(name);
    });
    this.#inFlight.set(name, fetching);
    return fetching;
  }

  async #fetch(view: LedgerView, keyHash: Uint8Array): Promise<BaseRow> {
    const entries = (this.#options.pool()?.entries ?? []).filter(({ isOtherLedger }) => !isOtherLedger);
    if (entries.length === 0) throw unavailable();
    const stateKey = this.keyTrace.keyOf(keyHash);
    if (stateKey === undefined) throw new Error("a read whose state key is not known");
    const { oldestVersion, version: latest } = view.position;
    const [write] = await view.getHistory(keyHash, { from: oldestVersion, to: latest, limit: 1 });
    // The item has no write before this version, so its value is the same from the oldest version up to here.
    // Upstreams are least likely to have pruned the latest version of that range.
    const readVersion = write === undefined ? latest : write.version - 1n;
    try {
      const value = await this.#ask(entries, stateKey, oldestVersion, readVersion);
      const row: BaseRow = { version: oldestVersion, value };
      this.#keep(keyHash, row);
      this.stats.fills++;
      return row;
    } catch (error) {
      this.stats.failures++;
      throw error;
    }
  }

  async #ask(
    entries: readonly PoolEntry[],
    stateKey: Uint8Array,
    oldest: bigint,
    readVersion: bigint,
  ): Promise<Uint8Array | undefined> {
    const { needed, logger } = this.#options;
    const answers: { value: Uint8Array | undefined }[] = [];
    const faults: string[] = [];
    for (const entry of setAsideLast(entries)) {
      try {
        const value = await this.#askOne(entry, stateKey, oldest, readVersion);
        answers.push({ value });
        if (answers.filter((other) => isSame(other.value, value)).length >= needed) return value;
      } catch (error) {
        if (!(error instanceof UpstreamError) && !this.#isTimeout(error)) throw error;
        faults.push(`${entry.upstream.name}: ${errorText(error)}`);
      }
    }
    logger.warn({ faults, answers: answers.length, needed }, "cannot fetch a state item from any upstream");
    throw unavailable();
  }

  async #askOne(
    entry: PoolEntry,
    stateKey: Uint8Array,
    oldest: bigint,
    readVersion: bigint,
  ): Promise<Uint8Array | undefined> {
    const ask = async (version: bigint): Promise<Uint8Array | undefined> => {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
      const { value } = await entry.upstream.getStateValue(stateKey, version, signal);
      if (value !== undefined) assertStateValue(value);
      return value;
    };
    try {
      return await ask(readVersion);
    } catch (error) {
      // A lagging upstream does not have that version yet; the value at the oldest version is the same.
      if (!(error instanceof UpstreamError) || error.code !== "beyond_head" || oldest === readVersion)
        throw error;
      return await ask(oldest);
    }
  }

  #isTimeout(error: unknown): boolean {
    return error instanceof Error && error.name === "TimeoutError";
  }

  #keep(keyHash: Uint8Array, row: BaseRow): void {
    this.#pending.set(mapKey(keyHash), { keyHash: new Uint8Array(keyHash), row });
    this.#flush ??= setTimeout(() => this.#write(), FLUSH_MS);
  }

  #write(): void {
    this.#flush = undefined;
    const batch = this.#pending;
    if (batch.size === 0) return;
    const rows = [...batch.values()].map(({ keyHash, row }) => ({
      key: baseRowKey("filled", keyHash),
      value: encodeBaseRow(row),
    }));
    const write = async (): Promise<void> => {
      try {
        await this.#options.store.putSideRows(rows);
      } catch (error) {
        // Not fatal: later reads fetch these rows again.
        this.#options.logger.warn({ err: errorText(error) }, "cannot store fetched state items");
      }
      for (const [name, { row }] of batch)
        if (this.#pending.get(name)?.row === row) this.#pending.delete(name);
    };
    this.#writing = this.#writing.then(write);
  }
}

function unavailable(): LedgerError {
  return new LedgerError(
    "unavailable",
    "the item was not written since this node's base version and no upstream gave it",
  );
}

function setAsideLast(entries: readonly PoolEntry[]): readonly PoolEntry[] {
  return [...entries].sort((a, b) => Number(a.state === "set_aside") - Number(b.state === "set_aside"));
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

function assertStateValue(bytes: Uint8Array): void {
  try {
    decodeWith(stateValueCodec, bytes);
  } catch (error) {
    throw new UpstreamError("malformed", "the value is not a state value", { cause: error });
  }
}
