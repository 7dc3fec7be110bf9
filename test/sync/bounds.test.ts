// Nobody can make a follower wait or grow: slow heads, slow pages, endless blocks, and claims that get old.
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { bent, follow, positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { BUILT_CHAIN_ID, LedgerBuilder, newBlock } from "../support/ledger-builder.ts";
import { createRecordedUpstream } from "../support/recorded-upstream.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
const head = BigInt(chain.records.length - 1);

/** Does not answer. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("an upstream that does not tell its head", () => {
  it.each([0, 1])("stops nobody, at place %i", async (place) => {
    const growing = chain.records.slice(0, 50);
    const mute: Upstream = { ...bent(recorded(growing, "mute"), (page) => page), getHead: hang };
    const upstreams = [recorded(growing, "good"), recorded(growing, "other")];
    upstreams.splice(place, 0, mute);
    const { store, follower } = follow({ upstreams, pace: { headDeadlineMs: 60_000, pageLimit: 10 } });
    await until(() => follower.status().state === "at_head");
    for (const record of chain.records.slice(50)) growing.push(record);
    await untilVersion(store, head);
    await until(() => follower.status().state === "at_head");
  });

  it("stops nobody when others make the quorum, and rests after the deadline", async () => {
    const mute: Upstream = { ...bent(recorded(chain.records, "mute"), (page) => page), getHead: hang };
    const { store, follower } = follow({
      upstreams: [mute, recorded(chain.records, "a"), recorded(chain.records, "b")],
      agree: { needed: 2, of: 3 },
      pace: { headDeadlineMs: 20 },
    });
    await untilVersion(store, head);
    await until(() => /no complete answer within \d+ ms/.test(follower.status().upstreams[0]?.fault ?? ""));
  });
});

describe("an upstream that does not send its pages", () => {
  it("is left for another one, which then serves", async () => {
    const hanging: Upstream = {
      ...bent(recorded(chain.records, "hanging"), (page) => page),
      getRecords: (_, __, signal) => hang(signal),
    };
    const { store, follower } = follow({
      upstreams: [hanging, recorded(chain.records, "good")],
      pace: { slowPageMs: 20 },
    });
    await untilVersion(store, head);
    expect(follower.status().upstreams[0]?.fault).toMatch(/no complete answer within \d+ ms/);
  });
});

describe("the claim to be at the head", () => {
  it("ends when no upstream confirmed it within the last seconds", async () => {
    let nowMs = 0;
    let isSilent = false;
    const upstream = recorded(chain.records);
    const falling: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: (from, limit, signal) =>
        isSilent ? hang(signal) : upstream.getRecords(from, limit, signal),
      getHead: (signal) => (isSilent ? hang(signal) : upstream.getHead(signal)),
    };
    const { follower } = follow({ upstreams: [falling], clock: () => nowMs });
    await until(() => follower.status().state === "at_head");
    nowMs += 4_000;
    expect(follower.status().state).toBe("at_head");
    isSilent = true;
    // Answers that were on their way have come.
    await new Promise((resolve) => setTimeout(resolve, 50));
    nowMs += 60_000;
    expect(follower.status()).toMatchObject({
      state: "catching_up",
      reason: "too few upstreams told their head within the last seconds",
    });
    isSilent = false;
  });
});

describe("a block without an end", () => {
  /** A ledger whose block after genesis never ends. */
  function endless(
    records: number,
    valueBytes: number,
    kind: "creation" | "modification" = "creation",
  ): Uint8Array[] {
    const builder = new LedgerBuilder();
    builder.genesis();
    for (let i = 0; i < records; i++) {
      builder.add({
        events: i === 0 ? [newBlock(1n, 1n, 1n)] : [],
        changes: {
          kind: "v0",
          writes: [
            [
              { kind: "raw", key: Buffer.from(`${i}`) },
              { kind, data: new Uint8Array(valueBytes) },
            ],
          ],
        },
        checkpoint: false,
      });
    }
    return builder.records;
  }

  it.each([
    ["records", { openBlockRecords: 30 }, endless(40, 1)],
    ["bytes", { openBlockBytes: 1024 * 1024 }, endless(40, 64 * 1024)],
    // Half a mebibyte, but each value is in memory twice: in its record, and as the store keeps it.
    ["bytes", { openBlockBytes: 1024 * 1024 }, endless(9, 64 * 1024, "modification")],
  ])("is refused by its %s, and the upstream is set aside", async (what, bounds, records) => {
    const store = createMemoryStore();
    const upstream = createRecordedUpstream({ name: "endless", chainId: BUILT_CHAIN_ID, records });
    const { follower } = follow({
      upstreams: [upstream],
      committer: new Committer({ store, logger: silentLogger, bounds }),
      ledger: store,
      pace: { pageLimit: 7 },
    });
    await until(() => follower.status().upstreams[0]?.state === "set_aside");
    expect(follower.status().upstreams[0]?.fault).toContain(`${what} without a checkpoint must be at most`);
    expect((await positionOf(store))?.version).toBe(0n);
  });
});
