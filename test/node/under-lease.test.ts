// A command under the lease: a store out of reach for longer than the lease does not end it, another process does.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { underLease } from "../../src/node/tools/rewinding.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { LeaseBoard } from "../support/shared-store.ts";

const TTL_MS = 300;
const options = { logger: silentLogger };

describe("a command under the lease", () => {
  it("goes on if the lease could not be renewed in time and nobody took it", async () => {
    const board = new LeaseBoard(createMemoryStore(), TTL_MS);
    const member = board.join("command");
    const isEnded = await underLease(member, options, async (signal) => {
      member.fault = "cut";
      await sleep(3 * TTL_MS);
      member.fault = "none";
      return signal.aborted;
    });
    expect(isEnded).toBe(false);
    expect(await board.join("next").lease.acquire()).toBe(2n);
  });

  it("waits for the lease of a writer that crashed to expire", async () => {
    const board = new LeaseBoard(createMemoryStore(), TTL_MS);
    await board.join("crashed").lease.acquire();
    const working = underLease(board.join("command"), options, async () => "done");
    await sleep(TTL_MS / 2);
    board.lapse();
    expect(await working).toBe("done");
  });

  it("ends when another process took over", async () => {
    const board = new LeaseBoard(createMemoryStore(), TTL_MS);
    const working = underLease(board.join("command"), options, async (signal) => {
      board.lapse();
      await board.join("other").lease.acquire();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      signal.throwIfAborted();
    });
    await expect(working).rejects.toMatchObject({ code: "locked" });
  });

  it("does not start while another process holds the lease", async () => {
    const board = new LeaseBoard(createMemoryStore(), TTL_MS);
    await board.join("other").lease.acquire();
    const working = underLease(board.join("command"), options, async () => "done");
    await expect(working).rejects.toThrow("another process writes the store");
  });
});
