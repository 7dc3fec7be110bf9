// Transient faults of a writer: they clear once the store responds again, or another process writes.
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { Faults } from "../../src/node/faults.ts";
import { LedgerWriter } from "../../src/node/ledger-writer.ts";
import type { NodeOptions } from "../../src/node/options/node-options.ts";
import { planStart } from "../../src/node/start-plan.ts";
import { WriterElection } from "../../src/node/writer-election.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { LeaseBoard, type Member } from "../support/shared-store.ts";
import { until } from "../support/until.ts";

const TTL_MS = 2000;

async function startUpstream(): Promise<Node & { url: string }> {
  const node = await createNode({
    localChain: { seed: "writer faults" },
    pruneWindow: "off",
    http: { port: 0 },
  });
  onTestFinished(() => node.close());
  await node.produceBlock();
  return node as Node & { url: string };
}

const following = (upstream: { url: string }): NodeOptions => ({
  follow: { upstreams: [upstream.url], upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 5 },
});

async function createWriter(member: Member, faults: Faults, options: NodeOptions): Promise<LedgerWriter> {
  return new LedgerWriter({
    store: member.store,
    plan: await planStart(options),
    localChain: options.localChain,
    window: { kind: "off" },
    faults,
    onCommit: () => {},
    logger: silentLogger,
  });
}

/** Uses the lease as a node does. */
async function startProcess(
  member: Member,
  options: NodeOptions,
): Promise<{ readonly faults: Faults; readonly election: WriterElection }> {
  const faults: Faults = new Faults(silentLogger, (error) => election.divert(error));
  let writer: LedgerWriter | undefined;
  const election: WriterElection = new WriterElection({
    lease: member.lease,
    begin: async () => {
      writer = await createWriter(member, faults, options);
      await writer.prepare();
      writer.run();
    },
    end: async () => {
      await writer?.stop();
    },
    onFault: (error) => faults.report("taking over", error),
    onReach: (error) => {
      if (error === undefined) faults.clear("lease");
      else faults.report("lease", error);
    },
    logger: silentLogger,
  });
  onTestFinished(async () => {
    member.fault = "none";
    await election.stop();
  });
  await election.start();
  return { faults, election };
}

describe("a writer that lost its lease in an outage", () => {
  it.each(["a follower", "a local chain"])(
    "is a standby without a fault after the outage: %s",
    async (kind) => {
      const upstream = await startUpstream();
      const options =
        kind === "a follower" ? following(upstream) : { localChain: { seed: "mine", blockTimeMs: 5 } };
      const board = new LeaseBoard(createMemoryStore(), TTL_MS);
      const member = board.join("first");
      const { faults, election } = await startProcess(member, options);
      expect(election.role).toBe("writer");
      member.fault = "cut";
      await upstream.produceBlock();
      await until(() => faults.reason !== undefined);
      board.lapse();
      expect(await board.join("second").lease.acquire()).toBe(2n);
      await until(() => election.role === "standby");
      member.fault = "none";
      await until(() => faults.reason === undefined);
      expect(election.role).toBe("standby");
      expect(faults.final).toBeUndefined();
    },
  );
});

describe("a follower whose store was out of reach", () => {
  it("has no fault once the store responds, even with nothing new to write", async () => {
    const upstream = await startUpstream();
    const member = new LeaseBoard(createMemoryStore(), TTL_MS).join("only");
    await member.lease.acquire();
    const faults = new Faults(silentLogger);
    const writer = await createWriter(member, faults, following(upstream));
    onTestFinished(() => writer.stop());
    await writer.prepare();
    await until(() => writer.following?.status()?.state === "at_head");
    member.fault = "cut";
    await until(() => faults.reason !== undefined);
    member.fault = "none";
    await until(() => faults.reason === undefined);
    await until(() => writer.following?.status()?.state === "at_head");
  });
});
