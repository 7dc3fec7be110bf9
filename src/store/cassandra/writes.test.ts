import { expect, it } from "vitest";
import { groupByPartition, WriteWindow } from "./writes.ts";

const row = (name: number, partition?: string, bytes = 10) => ({
  query: "q",
  values: [name, Buffer.alloc(bytes)],
  partition,
});
const names = (groups: ReturnType<typeof groupByPartition>) =>
  groups.map((group) => group.map(({ values }) => values[0]));

it("groups rows of one partition, and small groups of several", () => {
  const rows = [row(1, "a"), row(2, "b", 3000), row(3), row(4, "a"), row(5), row(6, "b", 3000), row(7)];
  expect(names(groupByPartition(rows))).toEqual([
    [1, 4, 3, 5, 7],
    [2, 6],
  ]);
});

it("bounds the rows and bytes of a group, and keeps every row", () => {
  const many = Array.from({ length: 300 }, (_, at) => row(at, "a"));
  expect(groupByPartition(many).map(({ length }) => length)).toEqual([128, 128, 44]);
  const large = [
    row(1, "a", 40_000),
    row(2, "a", 40_000),
    row(3, "a", 9),
    row(4, "a", 200_000),
    row(5, "a", 9),
  ];
  expect(names(groupByPartition(large))).toEqual([[1], [2, 3], [4], [5]]);
  // Nodes warn of more partitions or bytes in one request.
  const small = Array.from({ length: 25 }, (_, at) => row(at));
  expect(groupByPartition(small).map(({ length }) => length)).toEqual([10, 10, 5]);
  const medium = Array.from({ length: 8 }, (_, at) => row(at, undefined, 1000));
  expect(groupByPartition(medium).map(({ length }) => length)).toEqual([4, 4]);
});

it("a window halves when writes fail, once for writes that were sent together, and grows again with successes", async () => {
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

it("a window lets no more writes through than it holds, and all of them in the end", async () => {
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
