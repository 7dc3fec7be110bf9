// The block timer: how it handles failures, and that it yields to other work.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startBlockTimer } from "./block-timer.ts";

const transient = new Error("no room");

describe("block timer", () => {
  it("tries again after a transient failure, without counting it", async () => {
    let calls = 0;
    const made: number[] = [];
    await new Promise<void>((resolve, reject) => {
      startBlockTimer({
        produce: async () => {
          if (++calls <= 3) throw transient;
        },
        blockTimeMs: 0,
        blocks: 2,
        retryMs: 1,
        mayPass: (error) => error === transient,
        onBlock: (count) => {
          made.push(count);
          if (count === 2) resolve();
        },
        onFault: reject,
      });
    });
    expect([calls, made]).toEqual([5, [1, 2]]);
  });

  it("makes the given number of blocks and no more, also without a listener", async () => {
    let calls = 0;
    const timer = startBlockTimer({
      produce: async () => {
        calls++;
      },
      blockTimeMs: 0,
      blocks: 3,
      onFault: () => {},
    });
    while (timer.isMoving && calls < 1000) await sleep(1);
    await timer.stop();
    expect(calls).toBe(3);
  });

  it("stops at any other failure and reports it once", async () => {
    const fault = new Error("a hash does not match");
    let calls = 0;
    const faults: unknown[] = [];
    const timer = startBlockTimer({
      produce: async () => {
        calls++;
        throw fault;
      },
      blockTimeMs: 0,
      retryMs: 1,
      mayPass: (error) => error === transient,
      onFault: (error) => faults.push(error),
    });
    await sleep(20);
    await timer.stop();
    expect([calls, faults]).toEqual([1, [fault]]);
  });

  it("stops at once while it waits to retry", async () => {
    const faults: unknown[] = [];
    const timer = startBlockTimer({
      produce: () => Promise.reject(transient),
      blockTimeMs: 0,
      retryMs: 60_000,
      mayPass: () => true,
      onFault: (error) => faults.push(error),
    });
    await sleep(5);
    await timer.stop();
    expect(faults).toEqual([]);
  });

  it("leaves a turn to others between blocks that never wait", async () => {
    let [made, turns] = [0, 0];
    const faults: unknown[] = [];
    const timer = startBlockTimer({
      produce: async () => {
        // Without a turn for others nothing would end this.
        if (++made > 100_000) throw new Error("no other timer had its turn");
      },
      blockTimeMs: 0,
      mayPass: () => false,
      onFault: (error) => faults.push(error),
    });
    while (turns < 3 && faults.length === 0) {
      await sleep(1);
      turns++;
    }
    await timer.stop();
    expect(faults).toEqual([]);
    expect(made).toBeGreaterThan(1);
  });
});
