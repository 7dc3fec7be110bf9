import { describe, expect, it } from "vitest";
import { progressLine } from "./progress.ts";

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
