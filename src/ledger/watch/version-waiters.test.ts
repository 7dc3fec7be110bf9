import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { VersionWaiters } from "./head-watch.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A wait that notes when it is over. */
function start(waiters: VersionWaiters, version: bigint, waitMs: number) {
  const wait = waiters.wait(version, waitMs);
  const note = { version, waitMs, isOver: false, end: wait.end };
  void wait.done.then(() => {
    note.isOver = true;
  });
  return note;
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe("waits for a version", () => {
  it("are over when it is there, when their time is, or when they are ended; no sooner", async () => {
    type Step = readonly ["wait" | "reach" | "pass" | "end", number];
    const steps = fc.array(
      fc.tuple(fc.constantFrom("wait", "reach", "pass", "end") as fc.Arbitrary<Step[0]>, fc.nat(20)),
    );
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const waiters = new VersionWaiters();
        const all: (ReturnType<typeof start> & { untilMs: number; isEnded: boolean })[] = [];
        let head = -1n;
        let nowMs = 0;
        for (const [kind, number] of plan) {
          if (kind === "wait") {
            const note = start(waiters, BigInt(number), 10 + number);
            all.push(Object.assign(note, { untilMs: nowMs + note.waitMs, isEnded: false }));
          } else if (kind === "reach") {
            waiters.reach(BigInt(number));
            if (BigInt(number) > head) head = BigInt(number);
            // A version that was there when the wait began, or came before its time was over.
            for (const one of all) one.isEnded ||= one.version <= head;
          } else if (kind === "pass") {
            await vi.advanceTimersByTimeAsync(number);
            nowMs += number;
          } else {
            const one = all[number % Math.max(1, all.length)];
            one?.end();
            if (one !== undefined) one.isEnded = true;
          }
          await settle();
          const isOver = (one: (typeof all)[number]): boolean =>
            one.isEnded || one.version <= head || one.untilMs <= nowMs;
          expect(all.map((one) => one.isOver)).toEqual(all.map(isOver));
          expect(waiters.count).toBe(all.filter((one) => !isOver(one)).length);
          expect(vi.getTimerCount()).toBe(waiters.count);
        }
        waiters.close();
        await settle();
        expect(all.every((one) => one.isOver)).toBe(true);
        expect([waiters.count, vi.getTimerCount()]).toEqual([0, 0]);
      }),
    );
  });

  it("do not begin after closing", async () => {
    const waiters = new VersionWaiters();
    waiters.close();
    const late = start(waiters, 5n, 1000);
    await settle();
    expect([late.isOver, waiters.count]).toEqual([true, 0]);
  });

  it("are over when another ledger takes the place of this one and has it; others wait on", async () => {
    const waiters = new VersionWaiters();
    waiters.reach(5n);
    const [near, far] = [start(waiters, 7n, 1000), start(waiters, 9n, 1000)];
    waiters.goBack(8n);
    await settle();
    expect([near.isOver, far.isOver]).toEqual([true, false]);
    waiters.goBack(2n);
    waiters.reach(3n);
    await settle();
    expect(far.isOver).toBe(false);
    waiters.reach(9n);
    await settle();
    expect(far.isOver).toBe(true);
  });
});
