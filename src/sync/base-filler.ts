// Fetches state items that were not written since the base, on first use, and keeps what it learns: presence
// and absence alike. One request per item, however many ask. Nothing is guessed.
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

/** What a filler works with. */
export interface BaseFillerOptions {
  readonly store: Store;
  readonly pool: () => UpstreamPool | undefined;
  /** How many upstreams must give the same answer. */
  readonly needed: number;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/** What a filler did. */
export interface FillerStats {
  fills: number;
  failures: number;
}

/** Items of one call that are fetched at once: a batch must not become a flood of requests to the upstreams. */
const FETCHES_AT_ONCE = 16;

/** How long learned rows wait to be written together. */
const FLUSH_MS = 20;

const nameOf = (keyHash: Uint8Array): string => Buffer.from(keyHash).toString("latin1");

/** Looks up and fetches rows of the base layer. */
export class BaseFiller {
  readonly stats: FillerStats = { fills: 0, failures: 0 };
  /** Must hold the keys of the hashes that are asked for. */
  readonly keyTrace = new KeyTrace();
  readonly #options: BaseFillerOptions;
  readonly #flights = new Map<string, Promise<BaseRow>>();
  /** Rows not yet written, by key hash. */
  #pending = new Map<string, { keyHash: Uint8Array; row: BaseRow }>();
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: BaseFillerOptions) {
    this.#options = options;
  }

  /** Rows that the version sees, in the order asked; fetched where there is none. The view must be open. */
  async rows(
    view: LedgerView,
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly BaseRow[]> {
    const known = await this.#look(keyHashes, version);
    return mapSome(
      keyHashes,
      FETCHES_AT_ONCE,
      (keyHash, i) => known[i] ?? this.#join(view, keyHash, version),
    );
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the node closes"));
    await Promise.allSettled(this.#flights.values());
    clearTimeout(this.#flush);
    this.#write();
    await this.#writing;
  }

  async #look(keyHashes: readonly Uint8Array[], version: bigint): Promise<(BaseRow | undefined)[]> {
    const keys = keyHashes.flatMap((keyHash) => [
      baseRowKey("filled", keyHash),
      baseRowKey("deleted", keyHash),
    ]);
    const stored = await this.#options.store.getSideRows(keys);
    const decoded = stored.map((bytes) => (bytes === undefined ? undefined : decodeBaseRow(bytes)));
    return keyHashes.map((keyHash, i) =>
      rowAt(version, decoded[2 * i], decoded[2 * i + 1], this.#pending.get(nameOf(keyHash))?.row),
    );
  }

  /** Waits for a fetch of the same item that is under way; its answer may be too young for this version. */
  async #join(view: LedgerView, keyHash: Uint8Array, version: bigint): Promise<BaseRow> {
    const name = nameOf(keyHash);
    const underWay = this.#flights.get(name);
    if (underWay !== undefined) {
      const row = rowAt(version, await underWay);
      if (row !== undefined) return row;
    }
    const flight = this.#fetch(view, keyHash).finally(() => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
    });
    this.#flights.set(name, flight);
    return flight;
  }

  async #fetch(view: LedgerView, keyHash: Uint8Array): Promise<BaseRow> {
    const entries = this.#options.pool()?.entries ?? [];
    if (entries.length === 0) throw unavailable();
    const stateKey = this.keyTrace.keyOf(keyHash);
    if (stateKey === undefined) throw new Error("a read whose state key is not known");
    const { oldestVersion, version: latest } = view.position;
    const [write] = await view.getHistory(keyHash, { from: oldestVersion, to: latest, limit: 1 });
    // No write in between, so the value is one and the same from the oldest version up to here; the latest
    // end is the least likely to be pruned elsewhere.
    const until = write === undefined ? latest : write.version - 1n;
    try {
      const value = await this.#ask(entries, stateKey, oldestVersion, until);
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
    until: bigint,
  ): Promise<Uint8Array | undefined> {
    const { needed, logger } = this.#options;
    const answers: { value: Uint8Array | undefined }[] = [];
    const faults: string[] = [];
    for (const entry of inOrder(entries)) {
      try {
        const value = await this.#askOne(entry, stateKey, oldest, until);
        answers.push({ value });
        if (answers.filter((other) => isSame(other.value, value)).length >= needed) return value;
      } catch (error) {
        if (!(error instanceof UpstreamError) && !this.#isTimeout(error)) throw error;
        faults.push(`${entry.upstream.name}: ${errorText(error)}`);
      }
    }
    logger.warn({ faults, answers: answers.length, needed }, "an item could not be fetched");
    throw unavailable();
  }

  async #askOne(
    entry: PoolEntry,
    stateKey: Uint8Array,
    oldest: bigint,
    until: bigint,
  ): Promise<Uint8Array | undefined> {
    const ask = async (version: bigint): Promise<Uint8Array | undefined> => {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
      const { value } = await entry.upstream.getStateValue(stateKey, version, signal);
      if (value !== undefined) assertStateValue(value);
      return value;
    };
    try {
      return await ask(until);
    } catch (error) {
      // One that lags has not seen that version yet; the oldest one does as well.
      if (!(error instanceof UpstreamError) || error.code !== "beyond_head" || oldest === until) throw error;
      return await ask(oldest);
    }
  }

  #isTimeout(error: unknown): boolean {
    return error instanceof Error && error.name === "TimeoutError";
  }

  #keep(keyHash: Uint8Array, row: BaseRow): void {
    this.#pending.set(nameOf(keyHash), { keyHash: new Uint8Array(keyHash), row });
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
        // What is not kept is fetched again; reads do not depend on it.
        this.#options.logger.warn({ err: errorText(error) }, "fetched items could not be kept");
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
    "the item was not written since this node's base version and no upstream could be asked for it",
  );
}

function inOrder(entries: readonly PoolEntry[]): readonly PoolEntry[] {
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
