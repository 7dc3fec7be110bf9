import { expect, it } from "vitest";
import { WriteWindow } from "./write-window.ts";

it("halves when writes fail, once for writes that were sent together, and grows again with successes", async () => {
  let nowMs = 0;
  const window = new WriteWindow(64, () => nowMs);
  expect([window.limit, window.isReduced]).toEqual([64, false]);
  window.shrink();
  window.shrink();
  expect([window.limit, window.isReduced]).toEqual([32, true]);
  for (let turn = 0; turn < 10; turn++) {
    nowMs += 2000;
    window.shrink();
  }
  expect(window.limit).toBe(4);
  for (let turn = 0; turn < 4000; turn++) await window.run(async () => {});
  expect([window.limit, window.isReduced]).toEqual([64, false]);
});

it("lets no more writes through than it holds, and all of them in the end", async () => {
  const window = new WriteWindow(8);
  window.shrink();
  let [inFlight, most, done] = [0, 0, 0];
  const write = async (): Promise<void> => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    done++;
    if (done % 10 === 0) throw new Error("refused");
  };
  const ends = await Promise.allSettled(Array.from({ length: 100 }, () => window.run(write)));
  expect(done).toBe(100);
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(8);
});
