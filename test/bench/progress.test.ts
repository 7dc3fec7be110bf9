import { expect, it } from "vitest";
import { formatTime, Progress } from "../../bench/progress.ts";

function begin(isTerminal: boolean) {
  const clock = { ms: 0 };
  const written: string[] = [];
  const progress = new Progress({
    expected: new Map([
      ["one", 10],
      ["two", 20],
      ["three", 30],
    ]),
    now: () => clock.ms,
    write: (text) => written.push(text),
    isTerminal,
  });
  return { progress, clock, written };
}

it("tells the time left, corrected by how long the first benchmarks took", () => {
  const { progress, clock, written } = begin(false);
  progress.begin("one");
  clock.ms = 5000;
  expect(progress.secondsLeft()).toBe(55);
  progress.row("  a row: 1.0");
  clock.ms = 20_000;
  // Longer than expected: the rest of it is unknown, not negative.
  expect(progress.secondsLeft()).toBe(50);
  progress.end();
  progress.begin("two");
  // Twice the time that was expected.
  expect(progress.secondsLeft()).toBe(100);
  expect(progress.taken).toEqual(new Map([["one", 20]]));
  expect(written.join("")).toBe(
    "[1 of 3: one] 0 rows, 0 s so far, about 1 min 0 s left\n" +
      "  a row: 1.0\n" +
      "[2 of 3: two] 1 rows, 20 s so far, about 1 min 40 s left\n",
  );
});

it("does not count a benchmark that is left out", () => {
  const { progress, clock } = begin(false);
  progress.begin("one");
  clock.ms = 10_000;
  progress.end();
  expect(progress.secondsLeft()).toBe(50);
  progress.skip("three");
  expect(progress.secondsLeft()).toBe(20);
});

it("keeps one line at the bottom of a terminal", () => {
  const { progress, written } = begin(true);
  progress.begin("one");
  progress.row("a row");
  progress.end();
  const clear = "\r\u001b[2K";
  expect(written).toEqual([
    `${clear}[1 of 3: one] 0 rows, 0 s so far, about 1 min 0 s left`,
    `${clear}a row\n`,
    `${clear}[1 of 3: one] 1 rows, 0 s so far, about 1 min 0 s left`,
    clear,
  ]);
});

it("writes times in minutes and seconds", () => {
  expect([0.4, 59, 60, 125].map(formatTime)).toEqual(["0 s", "59 s", "1 min 0 s", "2 min 5 s"]);
});
