import { describe, expect, it } from "vitest";
import { createRecordedUpstream } from "../../test/support/recorded-upstream.ts";
import { PageQueue } from "./page-queue.ts";
import { UpstreamError } from "./upstream/errors.ts";
import type { Upstream } from "./upstream/upstream.ts";

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
});
