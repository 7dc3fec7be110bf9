import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RUNS } from "../../../test/support/property.ts";
import { levelOfRule, parseAgreement } from "../agreement.ts";
import { backoffMs, parseRetryAfter, pause, RateCap } from "./backoff.ts";

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

describe("agreement rules", () => {
  it("parse NEEDED/OF and nothing else", () => {
    expect(parseAgreement("2/3")).toEqual({ needed: 2, of: 3 });
    expect(parseAgreement("1/1")).toEqual({ needed: 1, of: 1 });
    for (const text of ["", "2", "3/2", "0/3", "2/3/4", "a/b", "-1/2", "2/ 3", "1000/1000"]) {
      expect(parseAgreement(text), text).toBeUndefined();
    }
  });

  it("earn a level only if they need more than one upstream's word", () => {
    expect(levelOfRule({ needed: 2, of: 3 })).toEqual({ kind: "agreed", needed: 2, of: 3 });
    expect(levelOfRule({ needed: 1, of: 3 })).toBeUndefined();
    expect(levelOfRule(undefined)).toBeUndefined();
  });
});
