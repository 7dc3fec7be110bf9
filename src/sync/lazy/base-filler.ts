// Fetches state items that were not written since the base version, on first use, and stores the result, presence
// or absence, with the level at which it was fetched. Concurrent readers of one item share one fetch.
import { setMaxListeners } from "node:events";
import { equalBytes, toMapKey } from "../../base/bytes.ts";
import { errorText } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import type { Logger } from "../../base/log.ts";
import { mapSome } from "../../base/map-some.ts";
import { RecentMap } from "../../base/recent.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { stateValueCodec } from "../../ledger/formats/state-value.ts";
import { KeyTrace } from "../../ledger/key-trace.ts";
import {
  compareTrust,
  confirmedVersion,
  formatTrust,
  PROVEN,
  TRUSTED,
  type TrustLevel,
} from "../../ledger/trust.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Store } from "../../store/contract.ts";
import { type AgreementRule, levelOfRule, Quorum, type QuorumVote } from "../follow/agreement.ts";
import type { AbsentItems } from "../fork/absent-items.ts";
import type { ProvenItemValue, ProvenState } from "../proofs/proven-state.ts";
import { type BaseRow, DELETED_ITEM, FETCHED_ITEM, REWINDS } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import { askInTime, UpstreamError, type UpstreamErrorCode } from "../upstream/errors.ts";
import { type PoolEntry, type UpstreamPool, wrongChain } from "../upstream/pool.ts";
import { lastSoundVersion, restsOnHistory, rowAt, rowTrust } from "./base-rows.ts";

/** Options of a filler. */
export interface BaseFillerOptions {
  readonly store: Store;
  readonly pool: () => UpstreamPool | undefined;
  /** How many upstreams must give the same value; one upstream's word is enough without a rule. */
  readonly agree?: AgreementRule | undefined;
  /** Proves items instead of asking upstreams. */
  readonly proven?: Pick<ProvenState, "value"> | undefined;
  readonly timeoutMs: number;
  /** Asks at this version alone, as a fork must: the upstream goes on, the state under the fork does not. */
  readonly pinned?: { readonly version: bigint; readonly absent: AbsentItems } | undefined;
  /** Message for an item that no upstream gave. */
  readonly explain?: (faults: readonly string[]) => string;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** Counters of a filler. */
export interface FillerStats {
  fills: number;
  /** The fills by the level that they were given at. */
  readonly byLevel: Map<string, number>;
  failures: number;
}

/** Most items that are fetched at once: a batch must not flood the upstreams with requests. */
const FETCHES_AT_ONCE = 16;

/** How long fetched rows wait to be written in one batch. */
const FLUSH_MS = 20;

/** How long an item that upstreams did not confirm is served at its weaker level before they are asked again. */
const REASK_PAUSE_MS = 10_000;

/** Faults in the answer to a question for an item that set the upstream aside; others are no sign of a lie. */
const LIES: ReadonlySet<UpstreamErrorCode> = new Set(["malformed", "wrong_chain", "too_large"]);

const NOT_GIVEN = "the item was not written since this node's base version and no upstream gave it";

/** A row of the base layer as a view sees it. */
export interface LeveledRow extends Pick<BaseRow, "version" | "value"> {
  /** Undefined for a deletion, which has the level of its version. */
  readonly level: TrustLevel | undefined;
}

/** A question for the value of an item, which is the same at both versions. */
interface Question {
  readonly chainId: number;
  readonly stateKey: Uint8Array;
  readonly oldest: bigint;
  readonly latest: bigint;
}

/** An item in a view, and the versions that the ledger was rewound to before. */
interface Place {
  readonly view: LedgerView;
  readonly keyHash: Uint8Array;
  readonly version: bigint;
  readonly rewoundTo: readonly bigint[];
}

interface Vote extends QuorumVote {
  readonly value: Uint8Array | undefined;
}

/** Looks up and fetches rows of the base layer. */
export class BaseFiller {
  readonly stats: FillerStats = { fills: 0, byLevel: new Map(), failures: 0 };
  /** Must know the state key of every hash passed to `rows`. */
  readonly keyTrace = new KeyTrace();
  readonly #options: BaseFillerOptions;
  readonly #writer: StoreWriter;
  /** The level of items that are fetched now. */
  readonly #level: TrustLevel;
  readonly #clock: () => number;
  readonly #inFlight = new Map<string, Promise<BaseRow>>();
  /** Clock time from which an item that was not confirmed may be asked for again. */
  readonly #reaskMs = new RecentMap<string, number>({ maxBytes: 1 << 20, sizeOf: () => 128 });
  #asking = 0;
  readonly #turns: (() => void)[] = [];
  /** Rows not yet written, by key hash. */
  #pending = new Map<string, { keyHash: Uint8Array; row: BaseRow }>();
  #flush: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: BaseFillerOptions) {
    // Every fetch in flight listens.
    setMaxListeners(0, this.#stop.signal);
    this.#options = options;
    this.#writer = new StoreWriter(options.store);
    this.#level = options.proven === undefined ? (levelOfRule(options.agree) ?? TRUSTED) : PROVEN;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Names of the upstreams that are asked; undefined while there are none. */
  get origin(): string | undefined {
    return this.#options
      .pool()
      ?.entries.map(({ upstream }) => upstream.name)
      .join(" or ");
  }

  /** Rows visible at the version, in the order of `keyHashes`; fetches missing ones. The view must be open. */
  async rows(
    view: LedgerView,
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly LeveledRow[]> {
    const { known, rewoundTo } = await this.#lookUp(view, keyHashes, version);
    const rows = await mapSome(keyHashes, FETCHES_AT_ONCE, (keyHash, i) => {
      const row = known[i];
      const place: Place = { view, keyHash, version, rewoundTo };
      if (row === undefined) return this.#fetchShared(place);
      return this.#isWeak(row, keyHash) ? this.#fetchAgain(place, row) : row;
    });
    const { trust } = view.position;
    return rows.map((row) => ({
      version: row.version,
      value: row.value,
      level: rowTrust(row, version, trust),
    }));
  }

  /** Cancels fetches and writes pending rows. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the node closes"));
    await Promise.allSettled(this.#inFlight.values());
    clearTimeout(this.#flush);
    this.#write();
    await this.#writing;
  }

  /** Rows whose history is still the view's, and the versions that the ledger was rewound to. */
  async #lookUp(
    view: LedgerView,
    keyHashes: readonly Uint8Array[],
    version: bigint,
  ): Promise<{ readonly known: (BaseRow | undefined)[]; readonly rewoundTo: readonly bigint[] }> {
    const keys = keyHashes.flatMap((keyHash) => [FETCHED_ITEM.key(keyHash), DELETED_ITEM.key(keyHash)]);
    const [rewinds, ...stored] = await this.#options.store.getSideRows([REWINDS.key(), ...keys]);
    const rewoundTo = rewinds === undefined ? [] : REWINDS.decode(rewinds);
    const absent = await this.#lookUpAbsent(keyHashes, rewoundTo);
    const decode = (at: number): BaseRow | undefined => {
      const bytes = stored[at];
      return bytes === undefined ? undefined : FETCHED_ITEM.decode(bytes);
    };
    const holds = (row: BaseRow | undefined): BaseRow | undefined =>
      row?.fetched === undefined || restsOnHistory(row.fetched, view.position, rewoundTo) ? row : undefined;
    const known = keyHashes.map((keyHash, i) => {
      const recent = this.#pending.get(toMapKey(keyHash))?.row ?? absent?.[i];
      return rowAt(version, holds(recent), holds(decode(2 * i)), decode(2 * i + 1));
    });
    return { known, rewoundTo };
  }

  async #lookUpAbsent(
    keyHashes: readonly Uint8Array[],
    rewoundTo: readonly bigint[],
  ): Promise<readonly (BaseRow | undefined)[] | undefined> {
    const { pinned } = this.#options;
    if (pinned === undefined) return undefined;
    const { version } = pinned;
    const found = await pinned.absent.find(keyHashes);
    const fetched = { at: version, level: this.#level, rewinds: BigInt(rewoundTo.length) };
    return found.map((isAbsent) => (isAbsent ? { version, value: undefined, fetched } : undefined));
  }

  /** True if upstreams can be asked for an item at a higher level than it was fetched at. */
  #isWeak({ fetched }: BaseRow, keyHash: Uint8Array): boolean {
    if (fetched === undefined || compareTrust(fetched.level, this.#level) >= 0) return false;
    return (this.#reaskMs.get(toMapKey(keyHash)) ?? 0) <= this.#clock();
  }

  /** Asks for an item again; the old row stays, at its own level, if too few upstreams answer alike. */
  async #fetchAgain(place: Place, old: BaseRow): Promise<BaseRow> {
    const { keyHash } = place;
    const pause = (): unknown => this.#reaskMs.set(toMapKey(keyHash), this.#clock() + REASK_PAUSE_MS);
    const was = old.fetched?.level ?? TRUSTED;
    try {
      const row = await this.#fetchShared(place);
      const is = row.fetched?.level ?? TRUSTED;
      if (compareTrust(is, was) <= 0) pause();
      if (!isSame(row.value, old.value)) {
        this.#options.logger.warn(
          { keyHash: toHex(keyHash), was: formatTrust(was), is: formatTrust(is) },
          "replaced a state item that was fetched wrong",
        );
      }
      return row;
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== "unavailable") throw error;
      pause();
      return old;
    }
  }

  /** Joins a fetch of the same item in flight; fetches again if that row does not hold in this view. */
  async #fetchShared(place: Place): Promise<BaseRow> {
    const { view, keyHash, version, rewoundTo } = place;
    const name = toMapKey(keyHash);
    const inFlight = this.#inFlight.get(name);
    if (inFlight !== undefined) {
      const row = rowAt(version, await inFlight);
      if (row?.fetched && restsOnHistory(row.fetched, view.position, rewoundTo)) return row;
    }
    const fetching = this.#fetch(place).finally(() => {
      if (this.#inFlight.get(name) === fetching) this.#inFlight.delete(name);
    });
    this.#inFlight.set(name, fetching);
    return fetching;
  }

  async #fetch({ view, keyHash, rewoundTo }: Place): Promise<BaseRow> {
    try {
      const { oldest, latest } = await this.#versionsOf(view, keyHash);
      const { value, at, level } = await this.#inTurn(() => this.#value(view, keyHash, oldest, latest));
      const fetched = { at, level, rewinds: BigInt(rewoundTo.length) };
      const row: BaseRow = { version: oldest, value, fetched };
      this.#keep(keyHash, row);
      this.#count(level);
      return row;
    } catch (error) {
      this.stats.failures++;
      throw error;
    }
  }

  /** The value of an item that the history does not write from `oldest` to `latest`. */
  async #value(
    view: LedgerView,
    keyHash: Uint8Array,
    oldest: bigint,
    latest: bigint,
  ): Promise<ProvenItemValue> {
    const { proven } = this.#options;
    const { position } = view;
    if (proven === undefined) {
      const stateKey = this.keyTrace.keyOf(keyHash);
      if (stateKey === undefined) throw new Error("a read whose state key is not known");
      const value = await this.#ask({ chainId: position.chainId, stateKey, oldest, latest });
      return { value, at: latest, level: this.#level };
    }
    // Above what is confirmed, the history that does not write the item is only the upstreams' word. From where this
    // ledger begins, every write is known, also those of pruned versions.
    const confirmed = confirmedVersion(position) ?? -1n;
    const first = position.trust[0]?.first ?? oldest;
    return proven.value(keyHash, first, confirmed < latest ? confirmed : latest, this.#stop.signal);
  }

  /** The oldest and the latest version at which the item has the value that is asked for. */
  async #versionsOf(view: LedgerView, keyHash: Uint8Array): Promise<Pick<Question, "oldest" | "latest">> {
    const { pinned } = this.#options;
    if (pinned !== undefined) return { oldest: pinned.version, latest: pinned.version };
    const { oldestVersion: oldest } = view.position;
    const version = lastSoundVersion(view.position);
    const [write] = await view.getHistory(keyHash, { from: oldest, to: version, limit: 1 });
    // The item has no write before this version, so its value is the same from the oldest version up to here.
    // Upstreams are least likely to have pruned the latest version of that range.
    return { oldest, latest: write === undefined ? version : write.version - 1n };
  }

  #count(level: TrustLevel): void {
    const { stats } = this;
    stats.fills++;
    const name = formatTrust(level);
    stats.byLevel.set(name, (stats.byLevel.get(name) ?? 0) + 1);
  }

  /** Bounds the answers in flight, which many readers may wait for at once. */
  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    while (this.#asking >= FETCHES_AT_ONCE) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#asking++;
    try {
      return await ask();
    } finally {
      this.#asking--;
      this.#turns.shift()?.();
    }
  }

  /** Asks one upstream after the other, or all at once if several must agree. */
  async #ask(question: Question): Promise<Uint8Array | undefined> {
    const pool = this.#options.pool();
    const { needed = 1, of = 1 } = this.#options.agree ?? {};
    const entries = pool?.sound ?? [];
    const faults: string[] = [];
    if (pool === undefined || entries.length < needed) throw this.#unavailable(faults);
    const quorum = new Quorum<Vote>({
      needed,
      isSame: (a, b) => isSame(a.value, b.value),
      // Also by an answer that comes later.
      judge: ({ entry, value }, winner) => {
        if (!isSame(value, winner.value)) this.#setAside(pool, entry, question, winner.value);
      },
    });
    for (let asked = 0; asked < entries.length; ) {
      const next = entries.slice(asked, asked + (needed === 1 ? 1 : entries.length));
      asked += next.length;
      await quorum.ask(next, (entry) => this.#vote(pool, entry, question, faults));
      if (quorum.winner !== undefined) return quorum.winner.value;
    }
    const answers = quorum.votes.map(({ entry }) => entry.upstream.name);
    this.#options.logger.warn({ faults, answers, needed, of }, "cannot fetch a state item from upstreams");
    throw this.#unavailable(faults);
  }

  #unavailable(faults: readonly string[]): LedgerError {
    const { explain = () => NOT_GIVEN } = this.#options;
    return new LedgerError("unavailable", explain(faults));
  }

  /** What an upstream gives; undefined, after noting its fault, if it gives nothing. */
  async #vote(
    pool: UpstreamPool,
    entry: PoolEntry,
    question: Question,
    faults: string[],
  ): Promise<Vote | undefined> {
    try {
      return { entry, value: await this.#askOne(entry, question, this.#stop.signal) };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (LIES.has(error.code)) pool.fail(entry, error, this.#recheckOf(entry, question));
      faults.push(`${entry.upstream.name}: ${errorText(error)}`);
      return undefined;
    }
  }

  #setAside(pool: UpstreamPool, entry: PoolEntry, question: Question, agreed: Uint8Array | undefined): void {
    const { needed, of } = this.#options.agree ?? { needed: 1, of: 1 };
    const fault = new UpstreamError(
      "disagrees",
      `at version ${question.latest}: it gave a state item differently from ${needed} of ${of} upstreams`,
    );
    pool.fail(entry, fault, async (signal) => {
      if (!isSame(await this.#askOne(entry, question, signal), agreed)) throw fault;
    });
  }

  /** Asks again for an item that came malformed. */
  #recheckOf(entry: PoolEntry, question: Question): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      await this.#askOne(entry, question, signal);
    };
  }

  async #askOne(entry: PoolEntry, question: Question, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { chainId, stateKey, oldest, latest } = question;
    const ask = async (version: bigint): Promise<Uint8Array | undefined> => {
      const { head, value } = await askInTime(this.#options.timeoutMs, signal, (limits) =>
        entry.upstream.getStateValue(stateKey, version, limits),
      );
      if (head.chainId !== chainId) throw wrongChain(chainId, head.chainId);
      if (value !== undefined) assertStateValue(value);
      return value;
    };
    try {
      return await ask(latest);
    } catch (error) {
      // A lagging upstream does not have that version yet; the value at the oldest version is the same.
      if (!(error instanceof UpstreamError) || error.code !== "beyond_head" || oldest === latest) throw error;
      return await ask(oldest);
    }
  }

  #keep(keyHash: Uint8Array, row: BaseRow): void {
    const { pinned } = this.#options;
    if (pinned !== undefined && row.value === undefined) pinned.absent.add(keyHash);
    else this.#pending.set(toMapKey(keyHash), { keyHash: new Uint8Array(keyHash), row });
    this.#flush ??= setTimeout(() => this.#write(), FLUSH_MS);
  }

  #write(): void {
    this.#flush = undefined;
    const batch = this.#pending;
    const absent = this.#options.pinned?.absent.takeRows() ?? [];
    if (batch.size + absent.length === 0) return;
    const filled = [...batch.values()].map(({ keyHash, row }) => FETCHED_ITEM.row(row, keyHash));
    const rows = [...filled, ...absent];
    const write = async (): Promise<void> => {
      try {
        await this.#writer.write({ sideRows: rows });
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

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

/** Throws UpstreamError for bytes that are not a state value. */
export function assertStateValue(bytes: Uint8Array): void {
  try {
    decodeWith(stateValueCodec, bytes);
  } catch (error) {
    throw new UpstreamError("malformed", "the value is not a state value", { cause: error });
  }
}
