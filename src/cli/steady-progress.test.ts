import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startSteadyProgress } from "./steady-progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it("shows a line at once and one every ten seconds, moved or not, with the rate of this run", () => {
  const lines: string[] = [];
  const stream = { isTTY: false, write: (line: string) => lines.push(line) > 0 };
  const progress = startSteadyProgress("versions", 1000, 400, stream);
  expect(lines.splice(0)).toEqual(["versions 400/1000 (40 %), 0.0/s, ? left\n"]);
  vi.advanceTimersByTime(10_000);
  expect(lines.splice(0)).toEqual(["versions 400/1000 (40 %), 0.0/s, ? left\n"]);
  progress.update(600);
  vi.advanceTimersByTime(9_999);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines.splice(0)).toEqual(["versions 600/1000 (60 %), 10/s, 40 s left\n"]);
  progress.update(1000);
  progress.finish();
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual(["versions 1000/1000 (100 %), 30/s, 0 s left\n"]);
});

it("rewrites one line on a terminal", () => {
  vi.stubEnv("TERM", "xterm");
  const texts: string[] = [];
  const stream = { isTTY: true, write: (text: string) => texts.push(text) > 0 };
  const progress = startSteadyProgress("versions", 10, 0, stream);
  vi.advanceTimersByTime(400);
  progress.finish();
  const written = texts.join("");
  expect(written.split("\r")).toHaveLength(5);
  expect(written.split("\n")).toHaveLength(2);
});

it("writes plain lines on a terminal that cannot rewrite one", () => {
  vi.stubEnv("TERM", "dumb");
  const texts: string[] = [];
  const stream = { isTTY: true, write: (text: string) => texts.push(text) > 0 };
  startSteadyProgress("versions", 10, 0, stream).finish();
  expect(texts).toEqual(["versions 0/10 (0 %), 0.0/s, ? left\n", "versions 0/10 (0 %), 0.0/s, ? left\n"]);
});
