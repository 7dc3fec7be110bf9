import { expect, it } from "vitest";
import { groupByPartition } from "./partition-batches.ts";

const row = (name: number, partition?: string, bytes = 10) => ({
  query: "q",
  values: [name, Buffer.alloc(bytes)],
  partition,
});
const names = (groups: ReturnType<typeof groupByPartition>) =>
  groups.map((group) => group.map(({ values }) => values[0]));

it("groups rows of one partition and leaves the others alone", () => {
  const rows = [row(1, "a"), row(2, "b"), row(3), row(4, "a"), row(5), row(6, "b")];
  expect(names(groupByPartition(rows))).toEqual([[1, 4], [2, 6], [3], [5]]);
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
});
