import { describe, expect, it } from "vitest";
import { type LogFields, silentLogger } from "../../base/log.ts";
import { type FollowFacts, Readiness } from "./readiness.ts";

const NOW_MS = 1_700_000_000_000;

/** A readiness with a clock, and its log. */
function start(readyLagMs = 30_000) {
  const lines: [string, LogFields][] = [];
  const note = (fields: LogFields, message: string): void => {
    lines.push([message, fields]);
  };
  const clock = { ms: NOW_MS };
  const readiness = new Readiness({
    readyLagMs,
    clock: () => clock.ms,
    logger: { ...silentLogger, info: note, warn: note },
  });
  const look = (ageMs: number, facts: Partial<FollowFacts> = {}): string | undefined =>
    readiness.look({
      state: "catching_up",
      reason: undefined,
      levelAgeMs: undefined,
      headVersion: 1000n,
      latest: { version: 400n, timestampUsec: BigInt(clock.ms - ageMs) * 1000n },
      ...facts,
    });
  return { look, lines, clock };
}

describe("a follower's readiness", () => {
  it("comes at the head, however old the latest block is", () => {
    const { look } = start();
    expect(look(3 * 3_600_000)).toBe(
      "the node is 600 versions behind; its ledger may be 3h old, more than the ready-lag of 30s",
    );
    expect(look(3 * 3_600_000, { state: "at_head", levelAgeMs: 0 })).toBeUndefined();
  });

  it("comes within the lag, by the time of the own latest block, whatever the upstreams claim", () => {
    const { look } = start();
    expect(look(30_001)).toContain("31s old, more than the ready-lag of 30s");
    expect(look(30_000)).toBeUndefined();
    expect(
      look(29_000, { headVersion: undefined, state: "waiting", reason: "nobody answers" }),
    ).toBeUndefined();
  });

  it("does not come from a block of the future", () => {
    const { look } = start();
    expect(look(-3_600_000)).toContain("behind");
    expect(look(-1_000)).toBeUndefined();
  });

  it("does not come without a ledger, nor while the head is unknown and the ledger is old", () => {
    const { look } = start();
    expect(look(0, { latest: undefined, reason: "nobody answers" })).toBe("no ledger yet: nobody answers");
    expect(look(60_000, { headVersion: undefined, reason: "nobody answers" })).toBe(
      "the node does not know the head; its ledger may be 1m old, more than the ready-lag of 30s; nobody answers",
    );
  });

  it("never comes to a node that is ahead of its upstreams or refuted", () => {
    const { look } = start();
    expect(look(0, { state: "ahead_of_upstreams", reason: "ahead" })).toBe("ahead");
    expect(look(0, { state: "refuted", reason: "a fork" })).toBe("a fork");
  });

  it("stays for the lag after the head was confirmed last, and goes when it ends", () => {
    const { look } = start();
    const old = 3_600_000;
    expect(look(old, { state: "at_head", levelAgeMs: 0 })).toBeUndefined();
    expect(look(old, { levelAgeMs: 30_000 })).toBeUndefined();
    expect(look(old, { levelAgeMs: 30_001 })).toContain("behind");
  });

  it("is only at the head with a lag of 0", () => {
    const { look } = start(0);
    expect(look(1)).toContain("more than the ready-lag of 0");
    expect(look(1, { state: "at_head" })).toBeUndefined();
  });

  it("does not change with every block of a node that hovers about the limit", () => {
    const { look, lines } = start();
    for (const ageMs of [60_000, 29_000, 31_000, 29_000, 31_000, 16_000, 31_000, 14_000, 16_000]) look(ageMs);
    expect(lines.map(([message]) => message)).toEqual([
      "the node is ready",
      "the node is not ready any more",
      "the node is ready",
    ]);
    expect(lines[1]?.[1].reason).toContain("31s old");
  });
});
