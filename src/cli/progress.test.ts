import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { progressLine, startProgress } from "./progress.ts";

describe("progress line", () => {
  it("shows share, rate and time left", () => {
    expect(progressLine("blocks", 2500, 10_000, 5000)).toBe("blocks 2500/10000 (25 %), 500/s, 15 s left");
    expect(progressLine("blocks", 1, 10, 2000)).toBe("blocks 1/10 (10 %), 0.5/s, 18 s left");
    expect(progressLine("blocks", 10, 100_000, 1000)).toContain("167 min left");
  });

  it("does not divide by nothing", () => {
    expect(progressLine("x", 0, 10, 0)).toBe("x 0/10 (0 %), 0.0/s, ? left");
    expect(progressLine("x", 0, 0, 0)).toContain("(100 %)");
  });
});

describe("steady progress", () => {
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
    const progress = startProgress("versions", 1000, { from: 400, isSteady: true, stream });
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
    const progress = startProgress("versions", 10, { isSteady: true, stream });
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
    startProgress("versions", 10, { isSteady: true, stream }).finish();
    expect(texts).toEqual(["versions 0/10 (0 %), 0.0/s, ? left\n", "versions 0/10 (0 %), 0.0/s, ? left\n"]);
  });
});
