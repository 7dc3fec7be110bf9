// A follower that is a day behind upstreams with rate limits, by a simulated clock. All numbers are a hundredth of those of a
// public network: a day there has 82,000 pages, and an anonymous caller 5,000 requests in five minutes.
import { expect, it, onTestFinished, vi } from "vitest";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { follow, positionOf, recordChain, recorded } from "../support/follow.ts";

const PAGES = 820;
const WINDOW_MS = 300_000;
const REQUESTS_PER_WINDOW = 50;
const LATENCY_MS = 20;
const HOUR_MS = 3_600_000;

/** Allows some requests in each window, and says when the next one begins. */
class Limited {
  allowed = 0;
  refused = 0;
  #window = -1;
  #left = 0;

  readonly upstream: Upstream;

  constructor(inner: Upstream) {
    const limited = async <T>(ask: () => Promise<T>): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
      const window = Math.floor(performance.now() / WINDOW_MS);
      if (window !== this.#window) [this.#window, this.#left] = [window, REQUESTS_PER_WINDOW];
      if (this.#left-- > 0) {
        this.allowed++;
        return ask();
      }
      this.refused++;
      const retryAfterMs = (window + 1) * WINDOW_MS - performance.now();
      throw new UpstreamError("busy", "too many requests", { retryAfterMs });
    };
    this.upstream = {
      name: inner.name,
      receivedBytes: 0,
      getHead: (signal) => limited(() => inner.getHead(signal)),
      getRecords: (start, limit, signal) => limited(() => inner.getRecords(start, limit, signal)),
      getStateValue: (key, version, signal) => limited(() => inner.getStateValue(key, version, signal)),
      close: () => inner.close(),
    };
  }
}

it("two upstreams, or one with two keys: a day behind is an hour, and little is asked twice", async () => {
  const chain = await recordChain(170);
  const records = chain.records.slice(0, PAGES);
  expect(records.length).toBe(PAGES);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const limited = ["first", "second"].map((name) => new Limited(recorded(records, name)));
  const startMs = performance.now();
  const { store, follower } = follow({
    upstreams: limited.map(({ upstream }) => upstream),
    pace: { pageLimit: 1, pollTimeMs: 500, retry: { baseMs: 250, maxMs: 30_000 }, giveUpTimeMs: HOUR_MS },
  });
  // The last records may be those of an unfinished block.
  const isThere = async (): Promise<boolean> =>
    ((await positionOf(store))?.version ?? 0n) >= BigInt(PAGES - 20);
  while (!(await isThere()) && performance.now() - startMs < 2 * HOUR_MS) {
    await vi.advanceTimersByTimeAsync(LATENCY_MS);
    // Commits take turns of the real event loop.
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  const windows = (performance.now() - startMs) / WINDOW_MS;
  let isClosed = false;
  void follower.close().then(() => {
    isClosed = true;
  });
  for (let i = 0; i < 2000 && !isClosed; i++) await vi.advanceTimersByTimeAsync(LATENCY_MS);
  expect(isClosed).toBe(true);
  expect(windows * WINDOW_MS).toBeLessThan(HOUR_MS);
  const allowed = limited.reduce((sum, one) => sum + one.allowed, 0);
  const refused = limited.reduce((sum, one) => sum + one.refused, 0);
  // An upstream that takes over asks for the unfinished block again.
  expect(allowed).toBeLessThan(PAGES * 1.1);
  // Requests in flight when the limit is reached, once in a window.
  expect(refused).toBeLessThanOrEqual(Math.ceil(windows + 1) * 2 * 5);
});
