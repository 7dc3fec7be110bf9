import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LogFields, silentLogger } from "../base/log.ts";
import type { FollowProgress } from "../node.ts";
import { showCatchingUp } from "./catching-up.ts";

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
      unready: "behind",
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
    tick(20, { unready: undefined });
    tick(21, { unready: undefined });
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
      unready: "no ledger yet",
    });
    expect(written).toEqual(["\rnot ready: no ledger yet\u001b[K"]);
  });

  it("shows a rate of zero when the upstream stalls", () => {
    const { tick, logged } = run(false);
    for (let seconds = 0; seconds <= 40; seconds++) tick(seconds, { version: 1000n });
    expect(logged.at(-1)?.[0]).not.toHaveProperty("secondsLeft");
  });
});
