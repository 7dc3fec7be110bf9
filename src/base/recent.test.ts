import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent.ts";

describe("RecentMap", () => {
  it("keeps the most recent values and never more than twice the limit", () => {
    const map = new RecentMap<number, string>(10);
    for (let i = 0; i < 1000; i++) {
      map.set(i, `v${i}`);
      expect(map.size).toBeLessThanOrEqual(20);
      for (let j = Math.max(0, i - 9); j <= i; j++) expect(map.get(j)).toBe(`v${j}`);
    }
    expect(map.get(0)).toBeUndefined();
  });

  it("keeps what is asked for again and again", () => {
    const map = new RecentMap<number, string>(10);
    map.set(-1, "asked");
    for (let i = 0; i < 1000; i++) {
      map.set(i, "x");
      expect(map.get(-1)).toBe("asked");
    }
  });

  it("overwrites", () => {
    const map = new RecentMap<string, number>(2);
    map.set("a", 1);
    map.set("a", 2);
    expect(map.get("a")).toBe(2);
    expect(map.get("b")).toBeUndefined();
  });
});
