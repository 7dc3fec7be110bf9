import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RUNS } from "../../test/support/property.ts";
import { backoffMs, LATE, nextTurn, parseRetryAfter, pause, RateCap, withDeadline, within } from "./wait.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("pauses", () => {
  it("double up to their bound, with a random upper half", () => {
    const options = { baseMs: 100, maxMs: 1000 };
    expect([1, 2, 3, 4, 5, 60].map((failures) => backoffMs(failures, options, () => 1))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(backoffMs(3, options, () => 0)).toBe(200);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, chance) => {
          const waitMs = backoffMs(failures, options, () => chance);
          return waitMs >= 50 && waitMs <= 1000;
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("accept Retry-After in seconds or as a date, and nothing else", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(parseRetryAfter("7", now)).toBe(7000);
    expect(parseRetryAfter(" 0 ", now)).toBe(0);
    expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:10 GMT", now)).toBe(10_000);
    expect(parseRetryAfter("Thu, 01 Jan 1970 00:00:00 GMT", now)).toBe(0);
    expect(parseRetryAfter("999999999", now)).toBe(600_000);
    for (const text of [undefined, "", "soon", "x".repeat(1000)])
      expect(parseRetryAfter(text, now)).toBeUndefined();
  });

  it("end at once when aborted", async () => {
    const stop = new AbortController();
    const pausing = pause(60_000, stop.signal);
    expect(vi.getTimerCount()).toBe(1);
    stop.abort();
    await pausing;
    expect(vi.getTimerCount()).toBe(0);
    await pause(60_000, stop.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("rate cap", () => {
  const { signal } = new AbortController();

  /** Milliseconds, relative to the first, at which `count` turns in a row were granted. */
  async function turnsAt(cap: RateCap, count: number): Promise<number[]> {
    const at: number[] = [];
    const asking = (async () => {
      for (let i = 0; i < count; i++) {
        await cap.turn(signal);
        at.push(performance.now());
      }
    })();
    await vi.runAllTimersAsync();
    await asking;
    return at.map((ms) => ms - (at[0] ?? 0));
  }

  it("takes half of its turns when it is slowed, and all of them after a while", async () => {
    for (const [perSecond, halfMs, quarterMs] of [
      [20, 100, 200],
      [0, 20, 40],
    ] as const) {
      const cap = new RateCap(perSecond);
      cap.slow();
      // Questions under way are refused together.
      cap.slow();
      const between = async (): Promise<number> => {
        const at = await turnsAt(cap, 8);
        return Math.round((at[7] ?? 0) - (at[6] ?? 0));
      };
      expect(await between()).toBeCloseTo(halfMs, -1);
      vi.advanceTimersByTime(1000);
      cap.slow();
      expect(await between()).toBeCloseTo(quarterMs, -1);
      await turnsAt(cap, 5000);
      expect(await between()).toBe(perSecond === 0 ? 0 : 50);
    }
  });

  it("allows a burst after a quiet time, then one turn per interval", async () => {
    vi.advanceTimersByTime(60_000);
    expect(await turnsAt(new RateCap(20), 8)).toEqual([0, 0, 0, 0, 0, 50, 100, 150]);
  });

  it("never waits when the cap is zero", async () => {
    expect(await turnsAt(new RateCap(0), 1000)).toEqual(new Array(1000).fill(0));
  });

  it("rejects an aborted turn", async () => {
    const cap = new RateCap(1);
    vi.advanceTimersByTime(60_000);
    for (let i = 0; i < 5; i++) await cap.turn(signal);
    const stop = new AbortController();
    const turn = cap.turn(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(turn).rejects.toThrow("stopped");
  });
});

it("a line lets one work on in each turn of the event loop, and others in between", async () => {
  vi.useRealTimers();
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const work = async (): Promise<void> => {
    for (let piece = 0; piece < 5; piece++) {
      await nextTurn();
      turns.push(turn);
    }
  };
  await Promise.all([work(), work(), work()]);
  isCounting = false;
  expect(turns).toHaveLength(15);
  expect(new Set(turns).size).toBe(15);
});

describe("bounds of a time", () => {
  it("give the work's result or its error, and LATE when it takes too long or the signal ends it", async () => {
    const stop = new AbortController();
    expect(await within(1000, Promise.resolve(7))).toBe(7);
    await expect(within(1000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    const late = within(1000, new Promise(() => {}));
    const ended = within(1000, new Promise(() => {}), stop.signal);
    stop.abort();
    expect(await ended).toBe(LATE);
    expect(await within(1000, new Promise(() => {}), stop.signal)).toBe(LATE);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await late).toBe(LATE);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("end work by its signal: with the error of the deadline, the outer reason, or its own error", async () => {
    const stop = new AbortController();
    const deadline = { ms: 1000, signal: stop.signal, late: () => new Error("late") };
    let given: AbortSignal | undefined;
    const hangs = (signal: AbortSignal): Promise<never> => {
      given = signal;
      return new Promise(() => {});
    };
    const late = expect(withDeadline(deadline, hangs)).rejects.toThrow("late");
    await vi.advanceTimersByTimeAsync(1000);
    await late;
    expect(given?.aborted).toBe(true);
    const broken = withDeadline(deadline, (signal) => {
      given = signal;
      throw new Error("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    expect(given?.aborted).toBe(true);
    const stopped = expect(withDeadline(deadline, hangs)).rejects.toThrow("stopped");
    stop.abort(new Error("stopped"));
    await stopped;
    await expect(withDeadline(deadline, hangs)).rejects.toThrow("stopped");
    expect(vi.getTimerCount()).toBe(0);
  });
});
