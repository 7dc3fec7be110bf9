import { describe, expect, it } from "vitest";
import { createRecordedUpstream } from "../../../test/support/recorded-upstream.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { PageQueue } from "./page-queue.ts";

const RECORDS = 6000;

/** An upstream that serves at most `cap` records per request and notes every requested limit. */
function upstreamWith(
  cap: (start: bigint, limit: number) => number,
): Upstream & { readonly asked: number[] } {
  const records = Array.from({ length: RECORDS }, () => Uint8Array.of(0));
  const recorded = createRecordedUpstream({ name: "capped", chainId: 4, records });
  const asked: number[] = [];
  return Object.assign(recorded, {
    asked,
    getRecords: async (start: bigint, limit: number) => {
      asked.push(limit);
      const given = cap(start, limit);
      if (given === 0) throw new UpstreamError("too_large", "too large");
      return createRecordedUpstream({ name: "page", chainId: 4, records }).getRecords(
        start,
        Math.min(limit, given),
        new AbortController().signal,
      );
    },
  });
}

/** Takes all pages and returns their counts. */
async function drain(upstream: Upstream): Promise<number[]> {
  const queue = new PageQueue(upstream, 0n, { ahead: 4, limit: 100 }, new AbortController().signal);
  const counts: number[] = [];
  while (!queue.isAtHead) {
    const { start, count } = await queue.next();
    expect(start).toBe(BigInt(counts.reduce((sum, one) => sum + one, 0)));
    counts.push(count);
  }
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(RECORDS);
  return counts;
}

describe("page queue", () => {
  it("returns to full pages after one short page", async () => {
    let isShort = true;
    const counts = await drain(
      upstreamWith((start, limit) => {
        if (start !== 1000n || !isShort) return limit;
        isShort = false;
        return 1;
      }),
    );
    expect(counts).toContain(1);
    expect(counts.slice(-20, -1)).toEqual(Array.from({ length: 19 }, () => 100));
  });

  it("returns to full pages after one that was too large", async () => {
    // Version 1000 is so large that a page with it fits at most two more records.
    const isNear = (start: bigint, limit: number): boolean =>
      limit > 3 && start <= 1000n && start + BigInt(limit) > 1000n;
    const counts = await drain(upstreamWith((start, limit) => (isNear(start, limit) ? 0 : limit)));
    expect(Math.min(...counts)).toBeLessThanOrEqual(3);
    expect(counts.slice(-20, -1)).toEqual(Array.from({ length: 19 }, () => 100));
  });

  it("seldom asks an upstream for more than its page limit", async () => {
    const upstream = upstreamWith(() => 25);
    const counts = await drain(upstream);
    expect(new Set(counts)).toEqual(new Set([25]));
    const wasted = upstream.asked.length - counts.length;
    expect(wasted).toBeLessThan(counts.length / 4);
  });

  it("fetches fewer pages ahead while they are large, and as many as before when they are small again", async () => {
    // Versions 2000 to 2999 are so large that three pages of them would be too much.
    const isLarge = (version: number): boolean => version >= 2000 && version < 3000;
    const small = Uint8Array.of(0);
    const large = new Uint8Array(60_000);
    const records = Array.from({ length: RECORDS }, (_, version) => (isLarge(version) ? large : small));
    const recorded = createRecordedUpstream({ name: "sizes", chainId: 4, records });
    let inFlight = 0;
    const getRecords: Upstream["getRecords"] = (start, limit, signal) => {
      inFlight += 1;
      return recorded.getRecords(start, limit, signal);
    };
    const upstream = Object.assign(Object.create(recorded) as Upstream, { getRecords });
    const queue = new PageQueue(upstream, 0n, { ahead: 4, limit: 100 }, new AbortController().signal);
    const most = new Map<string, number>();
    while (!queue.isAtHead) {
      const { start } = await queue.next();
      inFlight -= 1;
      // Those requested before the first large page came are still on their way.
      const part = start < 2000n ? "before" : start < 2400n ? "between" : start < 3000n ? "large" : "after";
      most.set(part, Math.max(most.get(part) ?? 0, inFlight));
    }
    expect(Object.fromEntries(most)).toMatchObject({ before: 3, large: 1, after: 3 });
  });
});
