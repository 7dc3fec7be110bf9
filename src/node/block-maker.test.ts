// Blocks at a steady pace: how failures are handled, and that other work has its turns.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { nextTurn } from "../base/wait.ts";
import { createLocalChain } from "../chain/local-chain.ts";
import { checkGenesis } from "../ledger/formats/genesis.ts";
import { StoreError } from "../store/errors.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import { Committer } from "../sync/committer.ts";
import { bootstrapGenesis } from "../sync/genesis.ts";
import { BlockMaker } from "./block-maker.ts";
import { Faults } from "./faults.ts";
import type { LocalChainOptions } from "./options/local-chain-options.ts";

const transient = new StoreError("unreachable", "the store is away");
const seed = "steady";

/** A maker whose blocks fail where the test says. */
async function startMaker(settings: LocalChainOptions, beforeBlock: (call: number) => void) {
  const chain = createLocalChain({ seed });
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  await bootstrapGenesis({ store, committer, check: checkGenesis(chain.genesisBlob()) });
  const faults = new Faults(silentLogger);
  const seen = { calls: 0, commits: 0 };
  const maker = new BlockMaker({
    store,
    chain: {
      ...chain,
      produceBlock: async (base) => {
        beforeBlock(++seen.calls);
        return chain.produceBlock(base);
      },
    },
    committer,
    faults,
    onCommit: () => seen.commits++,
    settings: { seed, traffic: false, blockTimeMs: 0, ...settings },
    logger: silentLogger,
  });
  maker.start();
  return { maker, faults, seen };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("blocks at a steady pace", () => {
  it("are as many as were asked for; one is tried again after a passing fault, which does not count", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const made: number[] = [];
    const { maker, faults, seen } = await startMaker(
      { blocks: 2, onBlock: (count) => void made.push(count) },
      (call) => {
        if (call <= 3) throw transient;
      },
    );
    while (maker.isMoving) await vi.advanceTimersByTimeAsync(1000);
    expect([seen.calls, made]).toEqual([5, [1, 2]]);
    expect([faults.final, faults.reason]).toEqual([undefined, undefined]);
    await maker.stop();
  });

  it("end at any other fault", async () => {
    const fault = new Error("a hash does not match");
    const { maker, faults, seen } = await startMaker({}, () => {
      throw fault;
    });
    while (maker.isMoving) await sleep(1);
    expect([seen.calls, faults.final]).toEqual([1, fault]);
    await maker.stop();
  });

  it("end at once while the next attempt waits", async () => {
    // Nobody lets the time of the next attempt come.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { maker, faults } = await startMaker({}, () => {
      throw transient;
    });
    while (faults.reason === undefined) await nextTurn();
    await maker.stop();
    expect([maker.isMoving, faults.final]).toEqual([false, undefined]);
  });

  it("leave a turn to others where they never wait", async () => {
    const { maker, faults, seen } = await startMaker({}, (call) => {
      // Without a turn for others nothing would end this.
      if (call > 1000) throw new Error("no other timer had its turn");
    });
    while (seen.commits < 2 && maker.isMoving) await sleep(1);
    await maker.stop();
    expect(faults.final).toBeUndefined();
  });
});
