// The node that serves the network under a fork. It is asked for items at the fork version, which the base layer then
// keeps, and for anything at older versions, which only a bounded cache keeps.
import { setMaxListeners } from "node:events";
import { equalBytes, toMapKey } from "../../base/bytes.ts";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { mapSome } from "../../base/map-some.ts";
import { RecentMap } from "../../base/recent.ts";
import { sha3 } from "../../base/sha3.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { findNewBlock } from "../../ledger/formats/block-event.ts";
import type { OwnedRow } from "../../ledger/indexes/owned-keys.ts";
import type { Block, LedgerView, OwnedKey, OwnedPage, StoredRecord } from "../../ledger/view.ts";
import type { Address } from "../../move/address.ts";
import type { Store } from "../../store/contract.ts";
import { assertStateValue, BaseFiller } from "../lazy/base-filler.ts";
import type { ForkPin } from "../side-rows.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import { locateBase } from "../upstream/locate-base.ts";
import { UpstreamPool, wrongChain } from "../upstream/pool.ts";
import { readPage } from "../upstream/record-pages.ts";
import type { Upstream, UpstreamAnswer, UpstreamHead, UpstreamQuestion } from "../upstream/upstream.ts";
import { AbsentItems } from "./absent-items.ts";
import { AccountKeys } from "./account-keys.ts";
import { oldBlockStart, oldTransactionKeys } from "./old-transactions.ts";

export interface ForkSourceOptions {
  readonly upstream: Upstream;
  readonly pin: ForkPin;
  readonly chainId: number;
  readonly store: Store;
  /** For one question, however many requests it takes. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** How long the upstream counts as the forked network after it served the pinned record. */
const SAME_NETWORK_MS = 30_000;
const QUESTIONS_AT_ONCE = 16;
/** Records of a page below the fork. */
const MAX_RECORDS = 100;
/** A value or the absence of one, at a version. */
interface OldItem {
  readonly value: Uint8Array | undefined;
}

type AskedUpstream = Upstream & Required<Pick<Upstream, "getAnswer">>;

export class ForkSource {
  readonly filler: BaseFiller;
  readonly #options: ForkSourceOptions;
  readonly #clock: () => number;
  readonly #guarded: AskedUpstream;
  readonly #pool: UpstreamPool;
  readonly #accountKeys = new AccountKeys((question) => this.#askAt(question.version, question));
  readonly #stop = new AbortController();
  readonly #oldItems = new RecentMap<string, OldItem>({
    maxBytes: 8 << 20,
    sizeOf: (name, { value }) => 256 + 2 * name.length + (value?.length ?? 0),
  });
  readonly #oldBlocks = new RecentMap<bigint, Block>({ maxBytes: 1 << 20, sizeOf: () => 256 });
  /** Clock time of the last look at the pinned record. */
  #sameAtMs: number | undefined;
  #looking: Promise<void> | undefined;
  /** The upstream's head in its last answer. */
  #headVersion = 0n;

  constructor(options: ForkSourceOptions) {
    // Every question in flight listens.
    setMaxListeners(0, this.#stop.signal);
    this.#options = options;
    const { upstream, pin, store, timeoutMs, logger, clock = () => performance.now() } = options;
    this.#clock = clock;
    this.#guarded = {
      name: upstream.name,
      get receivedBytes() {
        return upstream.receivedBytes;
      },
      getHead: async (signal) =>
        (await this.#askSame(signal, async () => ({ head: await upstream.getHead(signal) }))).head,
      getRecords: (start, limit, signal) =>
        this.#askSame(signal, () => upstream.getRecords(start, limit, signal)),
      getStateValue: (key, version, signal) =>
        this.#askSame(signal, () => upstream.getStateValue(key, version, signal)),
      getAnswer: (question, signal) =>
        this.#askSame(signal, async () => {
          const answer = await upstream.getAnswer?.(question, signal);
          if (answer === undefined) throw new UpstreamError("refused", "it answers no such question");
          return answer;
        }),
      close: () => upstream.close(),
    };
    const pause = { baseMs: 500, maxMs: 10_000 };
    this.#pool = new UpstreamPool([this.#guarded], {
      retry: pause,
      setAside: pause,
      headAgeMs: SAME_NETWORK_MS,
      logger,
      clock,
      random: Math.random,
    });
    this.filler = new BaseFiller({
      store,
      pool: () => this.#readyPool(),
      timeoutMs,
      pinned: { version: pin.version, absent: new AbsentItems(store) },
      explain: (faults) => this.#unavailableText(faults[0]),
      logger,
      clock,
    });
  }

  /** The upstream's last fault; undefined while it answers. */
  get fault(): string | undefined {
    const [entry] = this.#pool.entries;
    return entry?.state === "set_aside" ? entry.fault : undefined;
  }

  /** An upstream that sent nonsense gets another chance after a pause: every answer is checked for itself. */
  #readyPool(): UpstreamPool {
    const [entry] = this.#pool.entries;
    if (entry?.state === "set_aside" && this.#pool.isReady(entry)) entry.state = "resting";
    return this.#pool;
  }

  #unavailableText(fault: string | undefined): string {
    const { url, version } = this.#options.pin;
    const [entry] = this.#pool.entries;
    const why = fault ?? entry?.fault;
    return `this item of the state at version ${version}, where this ledger forks ${url}, was not read before, and that node gave no answer that can be used${why === undefined ? "" : ` (${why})`}`;
  }

  /**
   * An answer of the forked network, as far as the pin tells: it is looked at again every half a minute, and where a head went
   * back, which may be that of another ledger. Throws UpstreamError for another chain, and for another ledger that is seen.
   */
  async #askSame<T extends { readonly head: UpstreamHead }>(
    signal: AbortSignal,
    ask: () => Promise<T>,
  ): Promise<T> {
    await this.#assertSameNetwork(signal);
    const answer = await ask();
    const { chainId, version } = answer.head;
    if (chainId !== this.#options.chainId) throw wrongChain(this.#options.chainId, chainId);
    if (version < this.#headVersion) {
      // A look that began before this answer says nothing of it.
      await this.#looking?.catch(() => undefined);
      this.#sameAtMs = undefined;
      await this.#assertSameNetwork(signal);
    }
    this.#headVersion = version;
    return answer;
  }

  /** Throws UpstreamError if the URL serves another network than the one that was forked. */
  async #assertSameNetwork(signal: AbortSignal): Promise<void> {
    const now = this.#clock();
    if (this.#sameAtMs !== undefined && now - this.#sameAtMs < SAME_NETWORK_MS) return;
    this.#looking ??= this.#lookAtPin(signal).finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookAtPin(signal: AbortSignal): Promise<void> {
    const { upstream, pin, chainId } = this.#options;
    const { head, records } = await readPage(upstream, pin.version, 1, signal);
    if (head.chainId !== chainId) throw wrongChain(chainId, head.chainId);
    const isSame = records.every(({ bytes }) => equalBytes(sha3(bytes), pin.recordHash));
    if (!isSame) {
      throw new UpstreamError(
        "disagrees",
        `it serves another ledger now: its record of version ${pin.version} is not the one that was forked`,
      );
    }
    this.#sameAtMs = this.#clock();
  }

  #placeOf(version: bigint): string {
    const { pin } = this.#options;
    return version === pin.version
      ? "is the one that was forked"
      : `is below the fork at version ${pin.version}`;
  }

  /** Runs a question about a version up to the fork's. Throws LedgerError. */
  #ask<T>(version: bigint, ask: (upstream: AskedUpstream, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    return this.#explained(version, () =>
      askInTime(timeoutMs, this.#stop.signal, (signal) => ask(this.#guarded, signal)),
    );
  }

  /** Turns a fault of the upstream into an error of the ledger. */
  async #explained<T>(version: bigint, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { pin, logger } = this.#options;
      const about = { version, upstream: pin.url };
      if (error.code === "pruned") {
        throw new LedgerError(
          "version_pruned",
          `version ${version} ${this.#placeOf(version)}, and ${pin.url} does not keep it any more`,
          { details: about, cause: error },
        );
      }
      logger.warn({ ...about, err: errorText(error) }, "cannot read the network under the fork");
      throw new LedgerError(
        "unavailable",
        `version ${version} ${this.#placeOf(version)}, and ${pin.url} gave no answer that can be used (${error.message})`,
        { details: about, cause: error },
      );
    }
  }

  /** State values below the fork version, by the BCS of their keys; undefined where there is none. */
  async itemsAt(
    stateKeys: readonly Uint8Array[],
    version: bigint,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    return mapSome(stateKeys, QUESTIONS_AT_ONCE, async (stateKey) => {
      const name = `${version}/${toMapKey(stateKey)}`;
      const known = this.#oldItems.get(name);
      if (known !== undefined) return known.value;
      const value = await this.#ask(version, async (upstream, signal) => {
        const answer = await upstream.getStateValue(stateKey, version, signal);
        if (answer.value !== undefined) assertStateValue(answer.value);
        return answer.value;
      });
      this.#oldItems.set(name, { value });
      return value;
    });
  }

  /** Which items an account has on the network, at the fork version or below it. */
  async accountRows(view: LedgerView, address: Address, version: bigint): Promise<readonly OwnedRow[]> {
    return this.#explained(version, () => this.#accountKeys.rowsOf(view, address, version));
  }

  /** Asks a question about a version up to the fork's. Throws LedgerError. */
  #askAt(version: bigint, question: UpstreamQuestion): Promise<UpstreamAnswer> {
    return this.#ask(version, ({ getAnswer }, signal) => getAnswer(question, signal));
  }

  readonly #askNow = (question: UpstreamQuestion): Promise<UpstreamAnswer> =>
    this.#askAt(this.#options.pin.version, question);

  /** Index rows of the network's transactions; undefined for an owner of other rows. */
  transactionKeys(owner: Uint8Array, page: OwnedPage): Promise<readonly OwnedKey[] | undefined> {
    const { version } = this.#options.pin;
    return this.#explained(version, () => oldTransactionKeys(this.#askNow, owner, page, version));
  }

  /** The network's block at a height; undefined if it came after the fork. */
  async blockAtHeight(height: bigint): Promise<Block | undefined> {
    const { version } = this.#options.pin;
    const first = await this.#explained(version, () => oldBlockStart(this.#askNow, height));
    return first === undefined || first > version ? undefined : this.blockOf(first);
  }

  /** The last block before a version whose time is at or before the given one; undefined if the network keeps none. */
  async blockAtTime(timestampUsec: bigint, before: bigint): Promise<Block | undefined> {
    const { oldestVersion } = await this.#ask(before, (upstream, signal) => upstream.getHead(signal));
    let found: Block | undefined;
    let [low, high] = [oldestVersion, before - 1n];
    while (low <= high) {
      const block = await this.blockOf((low + high) / 2n);
      if (block.timestampUsec <= timestampUsec) {
        found = block;
        low = block.lastVersion + 1n;
      } else {
        high = block.firstVersion - 1n;
      }
    }
    return found;
  }

  /** Records up to the fork version: at least one, at most `limit`. */
  recordsFrom(start: bigint, limit: number): Promise<readonly StoredRecord[]> {
    const { pin } = this.#options;
    const count = Math.min(limit, MAX_RECORDS, Number(pin.version - start) + 1);
    return this.#ask(start, async (upstream, signal) => {
      const { records } = await readPage(upstream, start, count, signal);
      return records.map(({ version, bytes }) => ({ version, bytes }));
    });
  }

  /** The block of a version below the fork. */
  async blockOf(version: bigint): Promise<Block> {
    const known = this.#oldBlocks.get(version);
    if (known !== undefined) return known;
    const block = await this.#ask(version, (upstream, signal) => this.#findBlock(upstream, version, signal));
    this.#oldBlocks.set(version, block);
    return block;
  }

  async #findBlock(upstream: Upstream, version: bigint, signal: AbortSignal): Promise<Block> {
    const { version: firstVersion } = await locateBase(upstream, version, undefined, signal);
    let event: ReturnType<typeof findNewBlock>;
    for (let next = firstVersion; ; ) {
      const { records } = await readPage(upstream, next, MAX_RECORDS, signal);
      event ??= records[0]?.events.map(findNewBlock).find((found) => found !== undefined);
      const end = records.find(({ info }) => info.stateCheckpointHash !== undefined);
      if (event === undefined) {
        throw new UpstreamError("malformed", `no block starts at version ${firstVersion}`);
      }
      if (end !== undefined) {
        const { height, epoch, timestampUsec } = event;
        const { version: pinned } = this.#options.pin;
        const isCut = end.version > pinned;
        const lastVersion = isCut ? pinned : end.version;
        return { height, firstVersion, lastVersion, timestampUsec, epoch };
      }
      next += BigInt(records.length);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new LedgerError("unavailable", "the node closes"));
    await this.filler.close();
    this.#pool.close();
  }
}
