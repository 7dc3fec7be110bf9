import { describe, expect, it } from "vitest";
import { keepSome, RecentMap, RecentTexts } from "./recent.ts";

describe("RecentMap", () => {
  const holding = (limit: number) => new RecentMap<number, string>({ maxBytes: 2 * limit, sizeOf: () => 1 });

  it("keeps the most recent values and never more than its budget", () => {
    const map = holding(10);
    for (let i = 0; i < 1000; i++) {
      map.set(i, `v${i}`);
      expect(map.stats().bytes).toBeLessThanOrEqual(20);
      expect(map.stats().entries).toBe(map.stats().bytes);
      for (let j = Math.max(0, i - 9); j <= i; j++) expect(map.get(j)).toBe(`v${j}`);
    }
    expect(map.get(0)).toBeUndefined();
  });

  it("keeps a value that is read again and again", () => {
    const map = holding(10);
    map.set(-1, "asked");
    for (let i = 0; i < 1000; i++) {
      map.set(i, "x");
      expect(map.get(-1)).toBe("asked");
    }
  });

  it("counts values by size, and keeps none larger than half the budget", () => {
    const map = new RecentMap<string, string>({
      maxBytes: 100,
      sizeOf: (key, value) => key.length + value.length,
    });
    for (let i = 0; i < 200; i++) {
      map.set(`${i}`, "x".repeat(i % 60));
      expect(map.stats().bytes).toBeLessThanOrEqual(100);
    }
    map.set("large", "x".repeat(46));
    expect(map.get("large")).toBeUndefined();
    map.set("a", "x".repeat(40));
    const { bytes } = map.stats();
    map.set("a", "x");
    expect(map.stats().bytes).toBe(bytes - 39);
  });

  it("overwrites, and drops the old value when the new one is too large", () => {
    const map = holding(2);
    map.set(1, "a");
    map.set(1, "b");
    expect(map.get(1)).toBe("b");
    expect(map.get(2)).toBeUndefined();
    expect(map.stats()).toMatchObject({ entries: 1, bytes: 1 });
    const sized = new RecentMap<number, string>({ maxBytes: 10, sizeOf: (_, value) => value.length });
    sized.set(1, "old");
    sized.set(1, "much too large");
    expect(sized.get(1)).toBeUndefined();
    expect(sized.stats().bytes).toBe(0);
  });

  it("counts hits, misses and evictions", () => {
    const map = holding(2);
    for (let i = 0; i < 6; i++) map.set(i, "x");
    for (const key of [5, 4, 0, 99]) map.get(key);
    expect(map.stats()).toEqual({ entries: 4, bytes: 4, maxBytes: 4, hits: 2, misses: 2, evictions: 2 });
  });
});

describe("RecentTexts", () => {
  it("parses a text once, and keeps no long one and none that fails", () => {
    const parsed: string[] = [];
    const texts = new RecentTexts(
      (text) => {
        parsed.push(text);
        if (text === "bad") throw new Error("bad");
        return { text };
      },
      { maxBytes: 1000, sizeOf: () => 1 },
    );
    const long = "x".repeat(257);
    expect(texts.parse("a")).toBe(texts.parse("a"));
    expect(texts.parse(long)).toEqual(texts.parse(long));
    for (let i = 0; i < 2; i++) expect(() => texts.parse("bad")).toThrow("bad");
    expect(parsed).toEqual(["a", long, long, "bad", "bad"]);
    expect(texts.stats().entries).toBe(1);
  });
});

describe("keepSome", () => {
  it("makes a value once while it is among the last, and one that failed again", async () => {
    const kept = new Map<string, Promise<string>>();
    const made: string[] = [];
    const get = (key: string) =>
      keepSome(kept, key, 2, async () => {
        made.push(key);
        if (key === "bad") throw new Error("bad");
        return key;
      });
    expect(await Promise.all(["a", "a", "b", "c", "a"].map(get))).toEqual(["a", "a", "b", "c", "a"]);
    expect(made).toEqual(["a", "b", "c", "a"]);
    for (let i = 0; i < 2; i++) await expect(get("bad")).rejects.toThrow("bad");
    expect(made.slice(4)).toEqual(["bad", "bad"]);
  });
});
