// Random lives of a store: commits with the indexes switched on and off, builds that stop half-way, pruning that stops
// anywhere, rewinds and restarts. After each step the check calls the store sound, and so it does with a plain copy of it.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { checkData } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { keepAccumulator } from "../../src/sync/maintenance/kept-accumulator.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { loadPosition } from "../../src/sync/reading.ts";
import { RUNS } from "../support/property.ts";
import { HISTORY_KEYS, RandomHistory } from "../support/random-history.ts";
import { temporaryFolder } from "../support/temporary.ts";

const forever = new AbortController().signal;

type Step =
  | {
      readonly kind: "commit";
      readonly versions: number;
      readonly items: boolean;
      readonly transactions: boolean;
    }
  | { readonly kind: "build"; readonly records: number }
  | { readonly kind: "prune"; readonly part: number; readonly rows: number; readonly times: number }
  | { readonly kind: "rewind"; readonly part: number };

const part = fc.integer({ min: 0, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("commit" as const),
    versions: fc.integer({ min: 1, max: 30 }),
    items: fc.boolean(),
    transactions: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("build" as const), records: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    kind: fc.constant("prune" as const),
    part,
    rows: fc.integer({ min: 1, max: 6 }),
    times: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ kind: fc.constant("rewind" as const), part }),
);

const at = (list: readonly bigint[], where: number): bigint | undefined =>
  list[Math.floor(((list.length - 1) * where) / 100)];

/** A store with the history that it should have. */
class Life {
  readonly path = join(temporaryFolder(), "store");
  #history: RandomHistory;
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#history = new RandomHistory(seed);
  }

  async take(one: Step): Promise<void> {
    const store = await openLmdbStore({ path: this.path });
    try {
      await this.#act(store, one);
      await this.#expectStates(store);
    } finally {
      await store.close();
    }
  }

  async #act(store: Store, one: Step): Promise<void> {
    switch (one.kind) {
      case "commit": {
        this.#history.grow(one.versions);
        const { items: index, transactions: transactionIndex } = one;
        const committer = new Committer({ store, logger: silentLogger, index, transactionIndex });
        await committer.append(this.#history.records.slice(Number(await committer.nextVersion())));
        return;
      }
      case "build": {
        await new Committer({ store, logger: silentLogger }).indexMore(one.records);
        return;
      }
      case "prune": {
        const { oldestVersion } = await positionOf(store);
        const starts = this.#history.blockEnds.slice(0, -1).map((end) => end + 1n);
        const floor = at(
          starts.filter((start) => start >= oldestVersion),
          one.part,
        );
        if (floor === undefined) return;
        await keepAccumulator(store, floor, forever);
        for (let times = 0; times < one.times; times++) await store.prune(floor, one.rows);
        return;
      }
      case "rewind": {
        const { oldestVersion } = await positionOf(store);
        const to = at(
          this.#history.blockEnds.filter((end) => end >= oldestVersion),
          one.part,
        );
        if (to === undefined) return;
        await rewindLedger({ store, to, signal: forever, onProgress: () => {}, stepWrites: 20 });
        this.#history = this.#history.fork(to, ++this.#seed);
      }
    }
  }

  async #expectStates(store: Store): Promise<void> {
    const view = await store.openView();
    const { oldestVersion, version } = view.position;
    for (let now = oldestVersion; now <= version; now++) {
      const items = await view.getItems(HISTORY_KEYS, now);
      const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString("hex");
      expect(items.map((item) => text(item?.value))).toEqual(this.#history.states[Number(now)]?.map(text));
    }
    view.release();
  }
}

async function positionOf(store: Store) {
  const position = await loadPosition(store);
  if (position === undefined) throw new Error("expected a ledger");
  return position;
}

describe("a store", () => {
  it("stays sound through its life, and so does a plain copy", async () => {
    const first: Step = { kind: "commit", versions: 30, items: true, transactions: true };
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 3, maxLength: 8 }), async (seed, steps) => {
        const life = new Life(seed);
        for (const one of [first, ...steps]) {
          await life.take(one);
          expect((await checkData(life.path)).findings).toEqual([]);
        }
        const plain = `${life.path}-plain`;
        await cp(life.path, plain, { recursive: true });
        expect((await checkData(plain)).findings).toEqual([]);
      }),
      { numRuns: Math.max(5, Math.ceil(RUNS / 20)) },
    );
  });
});
