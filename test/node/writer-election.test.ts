// One process writes, the others are standbys: take-over, fencing and return, with a real local chain on a store in
// memory.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { Faults } from "../../src/node/faults.ts";
import { LedgerWriter } from "../../src/node/ledger-writer.ts";
import { planStart } from "../../src/node/start-plan.ts";
import { WriterElection } from "../../src/node/writer-election.ts";
import type { Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { LeaseBoard, type Member } from "../support/shared-store.ts";
import { until } from "../support/until.ts";

const TTL_MS = 2000;

async function versionOf(store: Store): Promise<bigint> {
  try {
    const view = await store.openView();
    view.release();
    return view.position.version;
  } catch {
    return -1n;
  }
}

/** A candidate for writing; uses the lease as a node does. */
class Process {
  readonly member: Member;
  readonly faults: Faults;
  readonly election: WriterElection;
  readonly tokens: bigint[] = [];
  begins = 0;
  #writer: LedgerWriter | undefined;

  constructor(member: Member, begin?: () => Promise<void>) {
    this.member = member;
    this.faults = new Faults(silentLogger, (error) => this.election.divert(error));
    this.election = new WriterElection({
      lease: member.lease,
      begin: async () => {
        this.begins++;
        await begin?.();
        await this.#write();
      },
      end: async () => {
        await this.#writer?.stop();
        this.#writer = undefined;
      },
      onFault: (error) => this.faults.report("taking over", error),
      onReach: (error) => {
        if (error === undefined) this.faults.clear("lease");
        else this.faults.report("lease", error);
      },
      logger: silentLogger,
    });
  }

  async #write(): Promise<void> {
    this.tokens.push(this.member.lease.token ?? -1n);
    const localChain = { seed: "election", blockTimeMs: 20 };
    this.#writer = new LedgerWriter({
      store: this.member.store,
      plan: await planStart({ localChain }),
      localChain,
      window: { kind: "off" },
      faults: this.faults,
      onCommit: () => {},
      logger: silentLogger,
    });
    await this.#writer.prepare();
    this.#writer.run();
  }
}

describe("writer election", () => {
  const processes: Process[] = [];
  const ledger = (): { store: Store; board: LeaseBoard } => {
    const store = createMemoryStore();
    return { store, board: new LeaseBoard(store, TTL_MS) };
  };
  const start = async (member: Member, begin?: () => Promise<void>): Promise<Process> => {
    const one = new Process(member, begin);
    processes.push(one);
    await one.election.start();
    return one;
  };
  afterEach(async () => {
    for (const one of processes) one.member.fault = "none";
    await Promise.all(processes.splice(0).map(({ election }) => election.stop()));
  });
  const moves = async (store: Store): Promise<void> => {
    const before = await versionOf(store);
    await until(async () => (await versionOf(store)) > before + 3n);
  };

  it("a standby takes over from a dead writer with a higher token and continues its chain", async () => {
    const { store, board } = ledger();
    const first = await start(board.join("first"));
    const second = await start(board.join("second"));
    expect([first.election.role, second.election.role]).toEqual(["writer", "standby"]);
    await moves(store);
    expect(second.begins).toBe(0);
    first.member.fault = "cut";
    board.lapse();
    await until(() => second.election.role === "writer");
    await moves(store);
    expect(second.election.token).toBeGreaterThan(first.tokens[0] ?? 0n);
    await until(() => first.election.role === "standby");
    expect(first.faults.final).toBeUndefined();
    // Cut off, it reports a fault; reconnected, it is a standby, because the other one writes.
    await until(() => first.faults.reason !== undefined);
    first.member.fault = "none";
    await until(() => first.faults.reason === undefined);
    expect(first.election.role).toBe("standby");
  });

  it("a writer that slept is refused, becomes a standby, and none of its writes is kept", async () => {
    const { store, board } = ledger();
    const first = await start(board.join("first"));
    await moves(store);
    const second = board.join("second");
    // As if the first one's clock had stopped: another took its lease while it believes to hold it.
    board.lapse();
    const taken = await second.lease.acquire();
    expect(taken).toBe(2n);
    const head = await versionOf(store);
    await until(() => first.election.role === "standby");
    expect(await versionOf(store)).toBe(head);
    expect(first.faults.final).toBeUndefined();
    await second.lease.release();
    await until(() => first.election.role === "writer");
    await moves(store);
    expect(first.tokens).toEqual([1n, 3n]);
  });

  it("a renewal without a response loses the lease", async () => {
    const { store, board } = ledger();
    const first = await start(board.join("first"));
    await moves(store);
    first.member.fault = "mute";
    await until(() => first.election.role === "standby");
    const head = await versionOf(store);
    await sleep(100);
    expect(await versionOf(store)).toBe(head);
  });

  it("a writer that stops releases the lease", async () => {
    const { board } = ledger();
    const first = await start(board.join("first"));
    await first.election.stop();
    expect(await board.join("second").lease.acquire()).toBe(2n);
  });

  it("an error at the first start is thrown and releases the lease", async () => {
    const { board } = ledger();
    const refusal = new StoreError("identity", "another chain");
    await expect(start(board.join("first"), () => Promise.reject(refusal))).rejects.toBe(refusal);
    await processes[0]?.election.stop();
    expect(await board.join("second").lease.acquire()).toBe(2n);
  });

  it.each(["before it asks for the lease", "before it can begin"])(
    "asks on if the store is out of reach %s",
    async (when) => {
      const { store, board } = ledger();
      const member = board.join("first");
      let isAway = true;
      if (when === "before it asks for the lease") member.fault = "cut";
      const one = await start(member, async () => {
        if (when === "before it can begin" && isAway) throw new StoreError("unreachable", "not now");
      });
      expect(one.election.role).toBe("standby");
      expect(one.faults.final).toBeUndefined();
      isAway = false;
      member.fault = "none";
      await until(() => one.election.role === "writer");
      await moves(store);
    },
  );

  it("an error at a standby's start is a fault unless transient", async () => {
    const { board } = ledger();
    const holder = board.join("holder");
    await holder.lease.acquire();
    const errors = [
      new StoreError("unreachable", "not now"),
      new StoreError("corrupt", "the head does not fit"),
    ];
    const standby = await start(board.join("standby"), async () => {
      const error = errors[standby.begins - 1];
      if (error !== undefined) throw error;
    });
    await holder.lease.release();
    expect(await standby.faults.stopped).toBe(errors[1]);
    expect(standby.begins).toBe(2);
    await until(() => standby.election.role === "standby");
    expect(await board.join("next").lease.acquire()).toBe(4n);
  });
});
