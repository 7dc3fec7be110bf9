// Readers that compare every result with the model, throughout all faults of the cluster.
import { setTimeout as sleep } from "node:timers/promises";
import { LedgerError } from "../../src/ledger/errors.ts";
import type { StateItem } from "../../src/ledger/view.ts";
import { type CassandraStore, openCassandraStore } from "../../src/store/cassandra/store.ts";
import type { StoreView } from "../../src/store/contract.ts";
import type { SyntheticLedger } from "../../test/support/synthetic-ledger.ts";

/** Counts of the readers. */
export interface ReaderFigures {
  /** Items, histories, records and blocks compared. */
  reads: number;
  differences: string[];
  /** Reads that failed because the storage was unreachable. */
  refused: number;
  /** Longest time without a result, in milliseconds. */
  longestPauseMs: number;
  head: bigint;
}

/** Runs readers. */
export class Readers {
  readonly store: CassandraStore;
  readonly #model: SyntheticLedger;
  readonly #random: () => number;
  /** The last version that a writer reported as committed. */
  acknowledged = -1n;
  #figures: ReaderFigures = empty(-1n);
  #lastResult = performance.now();
  #isRunning = true;
  #ended: Promise<unknown> | undefined;

  private constructor(store: CassandraStore, model: SyntheticLedger, random: () => number) {
    this.store = store;
    this.#model = model;
    this.#random = random;
  }

  static async open(
    options: Parameters<typeof openCassandraStore>[0],
    model: SyntheticLedger,
    random: () => number,
  ): Promise<Readers> {
    const store = await openCassandraStore({ ...options, readOnly: true, headMaxAgeMs: 0 });
    return new Readers(store, model, random);
  }

  start(count: number): void {
    this.#lastResult = performance.now();
    this.#ended = Promise.all(Array.from({ length: count }, () => this.#run()));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#ended;
    await this.store.close();
  }

  /** The figures since the last `take`. */
  get figures(): Readonly<ReaderFigures> {
    return this.#figures;
  }

  /** The figures since the last call, and resets them. */
  take(): ReaderFigures {
    this.#onResult(false);
    const figures = this.#figures;
    this.#figures = empty(figures.head);
    return figures;
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      try {
        await this.#round();
      } catch (error) {
        if (!(error instanceof LedgerError) || (error.code !== "unavailable" && error.code !== "no_ledger")) {
          this.#figures.differences.push(
            `unexpected: ${error instanceof Error ? error.stack : String(error)}`,
          );
        }
        this.#figures.refused++;
        await sleep(20);
      }
    }
  }

  async #round(): Promise<void> {
    const acknowledged = this.acknowledged;
    const seen = this.#figures.head;
    const view = await this.store.openView();
    try {
      const { version: head } = view.position;
      this.#expect(head >= acknowledged, `position ${head} is behind the acknowledged ${acknowledged}`);
      this.#expect(head >= seen, `position went back from ${seen} to ${head}`);
      if (head > this.#figures.head) this.#figures.head = head;
      const version = this.#random() % 3 === 0 ? head : BigInt(this.#random() % (Number(head) + 1));
      const keys = this.#model.keys.map((_, index) => index).filter(() => this.#random() % 4 === 0);
      const items = await view.getItems(
        keys.map((index) => this.#model.keys[index]!),
        version,
      );
      for (const [at, index] of keys.entries()) {
        const expected = plain(this.#model.itemAt(index, version));
        this.#expect(
          plain(items[at]) === expected,
          `key ${index} at ${version}: ${plain(items[at])}, not ${expected}`,
        );
      }
      const [record] = await view.getRecords(version, 1, 1);
      this.#expect(
        record !== undefined && Buffer.from(record.bytes).equals(this.#model.record(version)),
        `record ${version}`,
      );
      const block = await view.getBlockByVersion(version);
      const expected = this.#model.blockAt(version, head);
      this.#expect(
        block?.height === expected.height && block.lastVersion === expected.lastVersion,
        `block of ${version}`,
      );
      this.#onResult(true);
    } finally {
      view.release();
    }
  }

  #expect(holds: boolean, what: string): void {
    this.#figures.reads++;
    if (!holds) this.#figures.differences.push(what);
  }

  #onResult(isAnswer: boolean): void {
    const now = performance.now();
    this.#figures.longestPauseMs = Math.max(this.#figures.longestPauseMs, now - this.#lastResult);
    if (isAnswer) this.#lastResult = now;
  }
}

function empty(head: bigint): ReaderFigures {
  return { reads: 0, differences: [], refused: 0, longestPauseMs: 0, head };
}

function plain(item: StateItem | undefined): string {
  if (item === undefined) return "absent";
  return `${item.version} ${item.value === undefined ? "deleted" : Buffer.from(item.value).toString("hex")}`;
}

/** Compares all that a view of an unpruned ledger says: records, blocks and histories whole, items at every version. */
export async function compareAll(
  view: StoreView,
  model: SyntheticLedger,
): Promise<{ readonly compared: number; readonly differences: readonly string[] }> {
  const { version: head } = view.position;
  const differences: string[] = [];
  let compared = 0;
  const expect = (holds: boolean, what: string): void => {
    compared++;
    if (!holds) differences.push(what);
  };
  for (let version = 0n; version <= head; ) {
    const records = await view.getRecords(version, 500, 10_000_000);
    for (const record of records) {
      expect(Buffer.from(record.bytes).equals(model.record(record.version)), `record ${record.version}`);
    }
    expect(records.length > 0, `no record ${version}`);
    if (records.length === 0) break;
    version += BigInt(records.length);
  }
  for (const [index, key] of model.keys.entries()) {
    const found = await view.getHistory(key, { from: 0n, to: head, limit: 1_000_000 });
    const expected = model.history(index, 0n, head);
    expect(found.map(plain).join() === expected.map(plain).join(), `history of key ${index}`);
  }
  for (let version = 0n; version <= head; version++) {
    const some = model.keys.map((_, index) => index).filter((index) => (index + Number(version)) % 5 === 0);
    const items = await view.getItems(
      some.map((index) => model.keys[index]!),
      version,
    );
    for (const [at, index] of some.entries()) {
      const expected = plain(model.itemAt(index, version));
      expect(
        plain(items[at]) === expected,
        `key ${index} at ${version}: ${plain(items[at])}, not ${expected}`,
      );
    }
  }
  for (const { height, firstVersion, epoch } of model.blocksOf(0n, head)) {
    const block = await view.getBlockByHeight(height);
    expect(block?.firstVersion === firstVersion && block.epoch === epoch, `block ${height}`);
  }
  return { compared, differences };
}
