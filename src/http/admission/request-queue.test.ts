import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { takeTurn } from "../../base/wait.ts";
import { LoopWatch, RequestQueue } from "./request-queue.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function drain<K>(queue: RequestQueue<K, string>): Promise<void> {
  while (queue.isBusy) await takeTurn();
}

describe("requests that wait", () => {
  it("connections take turns, each in its own order", async () => {
    const served: string[] = [];
    const queue = new RequestQueue<string, string>(
      (item) => served.push(item),
      () => {},
    );
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(item.slice(0, 1), item);
    expect([queue.length, queue.countOf("a"), queue.isBusy]).toEqual([6, 3, true]);
    await drain(queue);
    expect(served).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
    expect([queue.length, queue.countOf("a"), queue.isBusy]).toEqual([0, 0, false]);
  });

  it("one connection with many makes others wait for one of them each", () => {
    const queue = new RequestQueue<string, string>(
      () => {},
      () => {},
    );
    for (let i = 0; i < 1000; i++) queue.add("hog", `${i}`);
    expect(queue.expectedWaitMs("other")).toBeLessThan(queue.expectedWaitMs("hog") / 100);
  });

  it("timers run between slices, and the estimate follows the cost", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    let served = 0;
    const queue = new RequestQueue<number, string>(
      () => {
        served++;
        vi.advanceTimersByTime(1);
      },
      () => {},
    );
    const before = queue.backlogMs;
    for (let i = 0; i < 200; i++) queue.add(i, "");
    const first = queue.backlogMs;
    while (served === 0) await sleep(1);
    // A timer came through long before all were served.
    expect(served).toBeLessThan(100);
    for (let i = 0; i < 200; i++) queue.add(1000 + i, "");
    while (queue.isBusy) await sleep(1);
    for (let i = 0; i < 200; i++) queue.add(i, "");
    expect(before).toBe(0);
    expect(queue.backlogMs).toBeGreaterThan(first);
    expect(served).toBe(400);
    await drain(queue);
    expect(served).toBe(600);
  });

  it("those turned away have slices of their own", async () => {
    const order: string[] = [];
    const queue = new RequestQueue<number, string>(
      (item) => order.push(item),
      (item) => order.push(item),
    );
    for (let i = 0; i < 3; i++) queue.refuse(i, "away");
    queue.add(9, "served");
    while (queue.isBusy) await takeTurn();
    expect(order).toEqual(["served", "away", "away", "away"]);
  });
});

describe("the watch over the event loop", () => {
  it("sees how long it was busy, at once and in hindsight", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let nowMs = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const pass = (ms: number): void => {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    };
    const beats: number[] = [];
    const watch = new LoopWatch((at) => beats.push(at));
    watch.start();
    for (let i = 0; i < 4; i++) pass(25);
    expect(beats).toEqual([1025, 1050, 1075, 1100]);
    expect(watch.longestDelayMs).toBe(0);
    // The loop does not come round: time passes, and no timer runs.
    nowMs += 300;
    expect(watch.busyMs(nowMs)).toBe(275);
    expect(watch.longestDelayMs).toBe(275);
    pass(25);
    expect([watch.busyMs(nowMs), watch.longestDelayMs]).toEqual([-25, 300]);
    watch.stop();
    pass(1000);
    expect(beats).toHaveLength(5);
  });
});
