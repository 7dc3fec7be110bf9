// Watching a ledger: each watcher is told every change once and in order, whenever it comes, pauses and goes on, and what
// nobody watches costs nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAsset } from "../src/ledger/balances/asset.ts";
import { ANCHORED, CHAINED, compareTrust, PROVEN, TRUSTED, trustAt } from "../src/ledger/trust.ts";
import { HeadWatch } from "../src/ledger/watch/head-watch.ts";
import { watchChanges } from "../src/ledger/watch/watch-changes.ts";
import { heldTo } from "../src/ledger/watch/watched.ts";
import { type BalanceEvent, watchedBalance } from "../src/ledger/watch/watched-balance.ts";
import { watchedBlocks } from "../src/ledger/watch/watched-blocks.ts";
import { parseAddress } from "../src/move/address.ts";
import { COIN } from "./support/http-ledger.ts";
import { CountingLedger } from "./support/long-history.ts";
import { type BalanceWrite, SmallLedger } from "./support/small-ledger.ts";
import { until } from "./support/until.ts";

const OWNERS = ["0x10", "0x11", "0x12"] as const;

function balanceOf(owner: string) {
  return watchedBalance({ owner: parseAddress(owner), asset: parseAsset(COIN) });
}

function pointAt(version: bigint | undefined) {
  return version === undefined ? undefined : { version, mark: undefined };
}

const writes = fc.array(
  fc.record({ owner: fc.constantFrom(...OWNERS), amount: fc.bigInt(0n, 5n) }) as fc.Arbitrary<BalanceWrite>,
  { minLength: 1, maxLength: 4 },
);

type Step =
  | { readonly kind: "commit"; readonly writes: readonly BalanceWrite[] }
  | { readonly kind: "watch"; readonly owner: string; readonly after: number | undefined }
  | { readonly kind: "take"; readonly watcher: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("commit" as const), writes }),
  fc.record({
    kind: fc.constant("watch" as const),
    owner: fc.constantFrom(...OWNERS),
    after: fc.option(fc.nat(12), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("take" as const), watcher: fc.nat(5) }),
);

/** Property cases; each waits for real pauses between rounds. */
const CASES = 30;

describe("watchers", () => {
  it("are told every change once, in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const ledger = new SmallLedger();
        const watch = new HeadWatch({ ledger: ledger.store, isTold: () => true });
        const stop = new AbortController();
        const commit = async (some: readonly BalanceWrite[]): Promise<void> => {
          watch.committed(await ledger.commit(some));
        };
        await commit([{ owner: "0x99", amount: 1n }]);
        const watchers: {
          owner: string;
          after: bigint | undefined;
          head: bigint;
          events: BalanceEvent[];
          source: AsyncGenerator<BalanceEvent>;
          pending: Promise<void> | undefined;
        }[] = [];
        /** Asks for the next event; it may come much later. */
        const take = (one: (typeof watchers)[number]): void => {
          one.pending ??= one.source.next().then(({ value, done }) => {
            one.pending = undefined;
            if (done !== true) one.events.push(value);
          });
        };
        for (const one of steps) {
          if (one.kind === "commit") await commit(one.writes);
          else if (one.kind === "watch") {
            // A version to come is not believed: the watcher is told the state.
            const isKnown = one.after !== undefined && one.after < ledger.writes.length;
            const asked = one.after === undefined ? undefined : BigInt(one.after);
            const after = isKnown ? asked : undefined;
            const source = watchChanges(ledger.store, watch, balanceOf(one.owner), {
              after: pointAt(asked),
              signal: stop.signal,
            });
            const watcher = { owner: one.owner, after, head: 0n, events: [], source, pending: undefined };
            watchers.push(watcher);
            take(watcher);
            if (after === undefined) {
              await until(() => watcher.events.length === 1);
              watcher.head = (watcher.events as BalanceEvent[])[0]?.version ?? 0n;
            }
          } else if (watchers.length > 0) {
            const watcher = watchers[one.watcher % watchers.length];
            if (watcher !== undefined) take(watcher);
          }
        }
        for (const { owner, after, head, events, ...watcher } of watchers) {
          const since = after ?? head;
          const expected = ledger.changesAfter(owner, since);
          const count = expected.length + (after === undefined ? 1 : 0);
          const one = watchers.find(({ source }) => source === watcher.source);
          await until(() => {
            if (one !== undefined && events.length < count) take(one);
            return events.length >= count;
          });
          const changes = after === undefined ? events.slice(1) : events;
          expect(changes.map(({ version, balance }) => ({ version, balance }))).toEqual(expected);
          if (after === undefined) expect(events[0]).toMatchObject({ version: head });
        }
        stop.abort();
        await Promise.all(watchers.map(({ pending }) => pending));
        expect(watch.feed.isWatched).toBe(false);
        watch.close();
      }),
      { numRuns: CASES },
    );
  });

  it("that claim to know versions to come are told the state, and do not keep others from being told", async () => {
    const ledger = new SmallLedger();
    const watch = new HeadWatch({ ledger: ledger.store, isTold: () => true });
    watch.committed(await ledger.commit([{ owner: "0x10", amount: 1n }]));
    const stop = new AbortController();
    const start = (owner: string, after: bigint | undefined) =>
      watchChanges(ledger.store, watch, balanceOf(owner), { after: pointAt(after), signal: stop.signal });
    const ahead = start("0x11", 1_000_000n).next();
    expect((await ahead).value).toMatchObject({ version: 0n, balance: 0n });
    const source = start("0x10", 0n);
    const next = source.next();
    watch.committed(await ledger.commit([{ owner: "0x10", amount: 2n }]));
    expect((await next).value).toMatchObject({ version: 1n, before: 1n, balance: 2n });
    stop.abort();
    watch.close();
  });

  it("with a least level are told each change once it has that level, and never before", async () => {
    const LEVELS = [TRUSTED, CHAINED, ANCHORED, PROVEN];
    const action = fc.oneof(
      fc.record({ kind: fc.constant("commit" as const), writes }),
      fc.record({ kind: fc.constant("raise" as const), part: fc.nat(100), level: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 10 }), fc.nat(3), async (actions, least) => {
        const ledger = new SmallLedger();
        await ledger.commit([{ owner: "0x10", amount: 1n }]);
        await ledger.raise(0n, PROVEN);
        const level = LEVELS[least] ?? PROVEN;
        const watch = new HeadWatch({ ledger: ledger.store, isTold: () => false, least: level });
        const stop = new AbortController();
        const told: BalanceEvent[] = [];
        const wanted = heldTo(balanceOf("0x10"), level);
        const watching = (async () => {
          const start = { after: undefined, signal: stop.signal };
          for await (const event of watchChanges(ledger.store, watch, wanted, start)) told.push(event);
        })();
        await until(() => told.length === 1);
        for (const one of actions) {
          if (one.kind === "commit") await ledger.commit(one.writes);
          else {
            const upTo = Math.floor(((ledger.writes.length - 1) * one.part) / 100);
            await ledger.raise(BigInt(upTo), LEVELS[one.level] ?? PROVEN);
          }
          const view = await ledger.store.openView();
          view.release();
          const { position } = view;
          const expected = ledger
            .changesAfter("0x10", 0n)
            .filter(({ version }) => compareTrust(trustAt(position.trust, version), level) >= 0);
          await until(() => told.length > expected.length);
          expect(told.slice(1).map(({ version, balance }) => ({ version, balance }))).toEqual(expected);
          for (const { trust } of told) expect(compareTrust(trust, level)).toBeGreaterThanOrEqual(0);
        }
        stop.abort();
        await watching;
        watch.close();
      }),
      { numRuns: CASES },
    );
  });

  it("of one balance share the reading, and others are not read at all", async () => {
    const ledger = new SmallLedger();
    const counting = new CountingLedger(ledger.store);
    const watch = new HeadWatch({ ledger: counting, isTold: () => true });
    watch.committed(await ledger.commit([{ owner: "0x99", amount: 1n }]));
    const told: bigint[] = [];
    const join = async (owner: string, after: bigint, mark: bigint): Promise<void> => {
      const subscriber = { after, take: () => void told.push(mark), end: () => {} };
      const point = { version: after, mark: undefined };
      expect(await watch.feed.join(balanceOf(owner), subscriber, point)).toBe("joined");
    };
    const roundOf = async (owner: string): Promise<number> => {
      const before = counting.reads;
      const { version, ...commit } = await ledger.commit([
        { owner, amount: BigInt(ledger.writes.length + 1) },
      ]);
      watch.committed({ version, ...commit });
      await until(() => watch.feed.told?.version === version);
      return counting.reads - before;
    };
    await join("0x10", 0n, 0n);
    const reads = await roundOf("0x10");
    expect([reads > 0, told.length]).toEqual([true, 1]);
    // Later subscribers know the state by then.
    for (let i = 0; i < 99; i++) await join("0x10", 1n, 1n);
    for (let i = 0; i < 1000; i++) await join(`0x${(4096 + i).toString(16)}`, 1n, -1n);
    told.length = 0;
    expect(await roundOf("0x10")).toBe(reads);
    expect(told).toEqual([0n, ...Array.from({ length: 99 }, () => 1n)]);
    // The marks of the history that was told, and of the one now.
    expect(await roundOf("0x99")).toBe(2);
    expect(told).toHaveLength(100);
    watch.close();
  });

  it("are woken although the history before their idle time is pruned", async () => {
    const ledger = new SmallLedger();
    const watch = new HeadWatch({ ledger: ledger.store, isTold: () => true });
    watch.committed(await ledger.commit([{ owner: "0x10", amount: 1n }]));
    const stop = new AbortController();
    const source = watchChanges(ledger.store, watch, balanceOf("0x10"), {
      after: undefined,
      signal: stop.signal,
    });
    expect((await source.next()).value).toMatchObject({ version: 0n, balance: 1n });
    const next = source.next();
    await until(() => watch.feed.isWatched);
    const quiet = Array.from({ length: 8 }, () => ({ owner: "0x11", amount: 7n }));
    watch.committed(await ledger.commit(quiet));
    await until(() => watch.feed.told?.version === 8n);
    await ledger.store.prune(6n, 1000);
    watch.committed(await ledger.commit([{ owner: "0x10", amount: 2n }]));
    expect((await next).value).toMatchObject({ version: 9n, before: 1n, balance: 2n });
    stop.abort();
    expect((await source.next()).done).toBe(true);
    const late = watchChanges(ledger.store, watch, watchedBlocks, {
      after: pointAt(2n),
      signal: new AbortController().signal,
    });
    await expect(late.next()).rejects.toMatchObject({ code: "version_pruned" });
    watch.close();
  });
});
