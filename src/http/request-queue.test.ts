import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LoopWatch } from "./loop-watch.ts";
import { RequestQueue } from "./request-queue.ts";

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function drain(queue: RequestQueue<string, string>): Promise<void> {
  while (queue.isBusy) await nextTurn();
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
    let served = 0;
    const queue = new RequestQueue<number, string>(
      () => {
        served++;
        block(1);
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
  });

  it("those turned away have slices of their own", async () => {
    const order: string[] = [];
    const queue = new RequestQueue<number, string>(
      (item) => order.push(item),
      (item) => order.push(item),
    );
    for (let i = 0; i < 3; i++) queue.refuse(i, "away");
    queue.add(9, "served");
    while (queue.isBusy) await nextTurn();
    expect(order).toEqual(["served", "away", "away", "away"]);
  });
});

describe("the watch over the event loop", () => {
  it("sees how long it was busy, at once and in hindsight", async () => {
    let beats = 0;
    const watch = new LoopWatch(() => beats++);
    watch.start();
    await sleep(100);
    expect(beats).toBeGreaterThan(0);
    block(300);
    expect(watch.busyMs(performance.now())).toBeGreaterThan(200);
    await sleep(50);
    expect(watch.longestDelayMs).toBeGreaterThan(200);
    watch.stop();
  });
});
