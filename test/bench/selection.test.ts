import { expect, it } from "vitest";
import { select } from "../../bench/selection.ts";

const listed = {
  http: { run: async () => [], seconds: 1, rows: ["balance, latest, 32 connections", "raw item, BCS"] },
  growth: { run: async () => [], seconds: 1, rows: ["balance, latest, 10,000,000 items over 10,000"] },
  start: { run: async () => [], seconds: 1, rows: ["start to the first 200"] },
};

const namesOf = (...only: string[]): string[] => select(listed, only).map(({ name }) => name);

it("takes all benchmarks without a text, and a named one with all of its rows", () => {
  expect(namesOf()).toEqual(["http", "growth", "start"]);
  expect(namesOf("http")).toEqual(["http"]);
  expect(select(listed, ["http"])[0]?.isWanted("a row that the list does not have")).toBe(true);
});

it("takes rows by a part of their names, whatever their numbers are", () => {
  expect(namesOf("Balance, latest")).toEqual(["http", "growth"]);
  expect(namesOf("1,000 items")).toEqual(["growth"]);
  expect(namesOf("latest, 7")).toEqual(["http", "growth"]);
  expect(namesOf("latest, 32")).toEqual(["http"]);
  expect(namesOf("nothing like it")).toEqual([]);
  const [growth] = select(listed, ["10,000,000 items over"]);
  expect(growth?.isWanted("balance, latest, 100,000 items over 10,000")).toBe(true);
  expect(growth?.isWanted("balance, latest, 32 connections")).toBe(false);
});

it("takes a benchmark and rows of others together", () => {
  expect(namesOf("start", "raw item")).toEqual(["http", "start"]);
});
