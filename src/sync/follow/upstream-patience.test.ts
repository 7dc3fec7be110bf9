import { describe, expect, it } from "vitest";
import { UpstreamPatience } from "./upstream-patience.ts";

function createPatience() {
  const now = { ms: 0 };
  const pool = { isUnusable: false, entries: [{ upstream: { name: "one" }, fault: "disagrees: record 7" }] };
  const patience = new UpstreamPatience({ pool, giveUpTimeMs: 1000, clock: () => now.ms });
  return { now, pool, patience };
}

describe("the patience with upstreams", () => {
  it("ends when all of them were unusable for the whole time, and says why", () => {
    const { now, pool, patience } = createPatience();
    pool.isUnusable = true;
    expect(patience.check()).toBeUndefined();
    now.ms = 999;
    expect(patience.check()).toBeUndefined();
    now.ms = 1000;
    expect(patience.check()?.message).toBe("no upstream can be used: one: disagrees: record 7");
  });

  it("counts disputes as unusable until the next commit", () => {
    const { now, patience } = createPatience();
    patience.noteDispute();
    expect(patience.check()).toBeUndefined();
    now.ms = 1000;
    expect(patience.check()).toBeDefined();
    patience.noteCommit();
    expect(patience.disputes).toBe(0);
    expect(patience.check()).toBeUndefined();
  });

  it("begins again when an upstream serves or can be used", () => {
    const { now, pool, patience } = createPatience();
    for (const begin of [
      () => patience.noteUse(),
      () => {
        pool.isUnusable = false;
        patience.check();
      },
    ]) {
      pool.isUnusable = true;
      patience.check();
      now.ms += 600;
      begin();
      pool.isUnusable = true;
      now.ms += 600;
      expect(patience.check()).toBeUndefined();
    }
  });
});
