import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LogFields, silentLogger } from "../base/log.ts";
import type { FollowProgress } from "../node.ts";
import { progressLine, showCatchingUp, startParts } from "./progress.ts";

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

describe("progress of long work", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it.each([
    ["rewrites one line on a terminal", true, "xterm", 3, 2],
    ["writes plain lines elsewhere, at a slower pace", false, "xterm", 1, 2],
    ["writes plain lines on a terminal that cannot rewrite one", true, "dumb", 1, 2],
  ])("%s", (_, isTTY, terminal, returns, lines) => {
    vi.stubEnv("TERM", terminal);
    const texts: string[] = [];
    const progress = startParts({ isTTY, write: (text: string) => texts.push(text) > 0 });
    progress.update("versions", 0, 10);
    vi.advanceTimersByTime(200);
    progress.update("versions", 5, 10);
    progress.finish();
    const written = texts.join("");
    expect(written.split("\r")).toHaveLength(returns);
    expect(written.split("\n")).toHaveLength(lines);
    expect(written).toContain("versions 5/10 (50 %), 25/s, 1 s left");
  });
});

describe("catching up", () => {
  beforeEach(() => {
    vi.stubEnv("TERM", "xterm");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** What is shown of a run that commits 500 versions of 10,000 each second from version 1000 on. */
  function run(isTTY: boolean) {
    const written: string[] = [];
    const logged: [LogFields, string][] = [];
    let nowMs = 0;
    const show = showCatchingUp({
      logger: { ...silentLogger, info: (fields, message) => logged.push([fields, message]) },
      stream: {
        isTTY,
        write: (text: string) => {
          written.push(text);
          return true;
        },
      },
      clock: () => nowMs,
    });
    const tick = (seconds: number, more: Partial<FollowProgress> = {}): void => {
      nowMs = 1000 * seconds;
      show({
        firstVersion: 1000n,
        version: 1000n + BigInt(500 * seconds),
        headVersion: 11_000n,
        receivedBytes: 100_000 * seconds,
        unreadyReason: "behind",
        ...more,
      });
    };
    return { tick, written, logged };
  }

  describe("a follower that catches up", () => {
    it("writes one log line every ten seconds where there is no terminal", () => {
      const { tick, written, logged } = run(false);
      for (let seconds = 0; seconds < 25; seconds++) tick(seconds);
      expect(written).toEqual([]);
      expect(logged).toEqual(
        [10, 20].map((seconds) => [
          {
            version: 1000n + BigInt(500 * seconds),
            upstreamVersion: 11_000n,
            versionsPerSecond: 500,
            secondsLeft: 20 - seconds,
            receivedBytes: 100_000 * seconds,
            reason: "behind",
          },
          "catching up",
        ]),
      );
    });

    it("rewrites one line on a terminal, and ends it when the node is ready", () => {
      const { tick, written, logged } = run(true);
      tick(0);
      tick(0.1);
      tick(10);
      tick(20, { unreadyReason: undefined });
      tick(21, { unreadyReason: undefined });
      expect(logged).toEqual([]);
      expect(written).toEqual([
        "\rcatching up: versions 5000/10000 (50 %), 500/s, 10 s left, 1.0 MB\u001b[K",
        "\r\u001b[K",
      ]);
    });

    it("says why it is not ready while no upstream tells its head", () => {
      const { tick, written } = run(true);
      tick(1, {
        headVersion: undefined,
        version: undefined,
        firstVersion: undefined,
        unreadyReason: "no ledger yet",
      });
      expect(written).toEqual(["\rnot ready: no ledger yet\u001b[K"]);
    });

    it("shows a rate of zero when the upstream stalls", () => {
      const { tick, logged } = run(false);
      for (let seconds = 0; seconds <= 40; seconds++) tick(seconds, { version: 1000n });
      expect(logged.at(-1)?.[0]).not.toHaveProperty("secondsLeft");
    });
  });
});
