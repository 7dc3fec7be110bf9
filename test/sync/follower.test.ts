// The follower on recorded ledgers: what it commits and claims, and how it handles upstreams that fail, lag or lie.
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { silentLogger } from "../../src/base/log.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { ANCHORED, CHAINED, formatTrust, trustAt } from "../../src/ledger/trust.ts";
import { parseWaypoint } from "../../src/ledger/waypoint.ts";
import type { Store } from "../../src/store/contract.ts";
import { isPassingFault, StoreError } from "../../src/store/errors.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import {
  bent,
  flipped,
  follow,
  positionOf,
  readRecords,
  recordChain,
  recorded,
  untilVersion,
} from "../support/follow.ts";
import { createRecordedUpstream, encodePage } from "../support/recorded-upstream.ts";
import { hasShared, sharedBytes, sharedJson } from "../support/shared.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(80);
const head = BigInt(chain.records.length - 1);

/** The level of the latest version. */
async function levelOf(store: Store): Promise<string> {
  const position = await positionOf(store);
  if (position === undefined) throw new Error("the store is empty");
  return formatTrust(trustAt(position.trust, position.version));
}

async function expectWhole(store: Store): Promise<void> {
  const stored = await readRecords(store);
  expect(stored.length).toBe(chain.records.length);
  const differing = stored.findIndex(
    (bytes, version) => Buffer.compare(bytes, chain.records[version]!) !== 0,
  );
  expect(differing).toBe(-1);
  const [ours, theirs] = [await positionOf(store), await positionOf(chain.run.store)];
  // The recorded chain is local; what a follower's levels are, other tests say.
  const toPlain = (position: typeof ours) => ({
    ...position,
    trust: undefined,
    stateRoot: position?.stateRoot && toHex(position.stateRoot),
  });
  expect(toPlain(ours)).toEqual(toPlain(theirs));
}

describe("a follower", () => {
  it("waits for a store that is out of reach, for reads and for writes, and continues", async () => {
    const store = createMemoryStore();
    let isGone = true;
    const reach = (error: Error): void => {
      if (isGone) throw error;
    };
    const openView = async () => {
      reach(new LedgerError("unavailable", "out of reach"));
      return store.openView();
    };
    const commit = async (...args: Parameters<Store["commit"]>) => {
      reach(new StoreError("unreachable", "out of reach"));
      await store.commit(...args);
    };
    const distant = new Proxy(store, {
      get: (_, name) => {
        if (name === "openView") return openView;
        if (name === "commit") return commit;
        const value: unknown = Reflect.get(store, name, store);
        return typeof value === "function" ? value.bind(store) : value;
      },
    });
    const committer = new Committer({ store: distant, logger: silentLogger });
    let waits = 0;
    const mayPass = (error: unknown): boolean => {
      waits++;
      return isPassingFault(error);
    };
    const pace = { pageLimit: 7 };
    const options = { upstreams: [recorded(chain.records)], committer, ledger: distant, mayPass, pace };
    const { follower } = follow(options);
    await until(() => waits > 1 && follower.status().state === "waiting");
    isGone = false;
    await untilVersion(store, 30n);
    isGone = true;
    const before = waits;
    await until(() => waits > before + 1 || follower.status().state === "at_head");
    isGone = false;
    await untilVersion(store, head);
    await expectWhole(store);
    expect(follower.status().state).not.toBe("faulted");
  });

  it("commits a whole ledger in pages, in order, and polls at the head", async () => {
    const asked: bigint[] = [];
    let underWay = 0;
    let most = 0;
    const upstream = recorded(chain.records);
    const watched: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: async (from, limit, signal) => {
        asked.push(from);
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        underWay--;
        return upstream.getRecords(from, limit, signal);
      },
    };
    const { store, follower } = follow({ upstreams: [watched], pace: { pageLimit: 7, ahead: 4 } });
    await untilVersion(store, head);
    await until(() => (follower.status().state === "at_head" ? true : undefined));
    await expectWhole(store);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    expect(await levelOf(store)).toBe("trusted");
    expect(follower.status().headVersion).toBe(head);
  });

  it("continues at the head as the upstream grows, and adapts to its page size", async () => {
    const growing = chain.records.slice(0, 40);
    const upstream = recorded(growing);
    const small: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: (from, limit, signal) => upstream.getRecords(from, Math.min(limit, 5), signal),
    };
    const { store, follower } = follow({ upstreams: [small] });
    await until(() => (follower.status().state === "at_head" ? true : undefined));
    for (let i = 40; i < chain.records.length; i++) {
      growing.push(chain.records[i]!);
      if (i % 30 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await untilVersion(store, head);
    await expectWhole(store);
  });

  it("joins pages that are there into one commit, but commits all before a false one", async () => {
    const records: number[] = [];
    // In the fourth of the pages that are there together.
    const falseAt = 7n * 19n + 3n;
    let lies = 0;
    const liar = bent(recorded(chain.records), (page, start) => {
      if (start > falseAt || falseAt >= start + 7n) return page;
      lies++;
      return { ...page, bytes: flipped(page.bytes, 8 * page.bytes.length - 1) };
    });
    const { store } = follow({
      upstreams: [liar],
      pace: { pageLimit: 7, ahead: 4 },
      onCommit: (progress) => records.push(progress.records),
    });
    await until(() => (lies >= 3 ? true : undefined));
    expect(Math.max(...records)).toBe(4 * 7);
    const end = [...chain.waypoints.keys()].findLast((version) => version < 7n * 19n);
    expect((await positionOf(store))?.version).toBe(end);
  });

  it("asks for fewer records when a page is too large", async () => {
    const upstream = recorded(chain.records);
    const limits: number[] = [];
    const heavy: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: async (from, limit, signal) => {
        limits.push(limit);
        if (limit > 10) throw new UpstreamError("too_large", "more than agreed");
        return upstream.getRecords(from, limit, signal);
      },
    };
    const { store } = follow({ upstreams: [heavy] });
    await untilVersion(store, head);
    expect(limits.slice(0, 5)).toEqual([100, 50, 25, 13, 7]);
    await expectWhole(store);
  });

  it("claims to be chained after a matching genesis, and anchored after a later matching waypoint", async () => {
    const versions = [...chain.waypoints.keys()].filter((version) => version > 0n);
    const anchor = chain.waypoints.get(versions[10]!)!;
    const { store } = follow({
      upstreams: [recorded(chain.records)],
      waypoints: [chain.genesisWaypoint, anchor],
      pace: { pageLimit: 9 },
    });
    const { trust } = await until(async () => {
      const position = await untilVersion(store, head);
      return position.trust.length > 1 ? position : undefined;
    });
    expect(trust).toEqual([
      { first: 0n, level: ANCHORED },
      { first: anchor.version + 1n, level: CHAINED },
    ]);
  });

  it("refuses a history that leads to another waypoint, before it is committed", async () => {
    const versions = [...chain.waypoints.keys()];
    const anchor = { ...chain.waypoints.get(versions[20]!)!, hash: new Uint8Array(32) };
    const { store, follower } = follow({
      upstreams: [recorded(chain.records)],
      waypoints: [chain.genesisWaypoint, anchor],
      pace: { pageLimit: 10, giveUpTimeMs: 50 },
    });
    const error = await follower.faulted;
    expect(error.message).toContain(`${anchor.version}:00000000`);
    expect((await positionOf(store))!.version).toBeLessThan(anchor.version);
    expect(await levelOf(store)).toBe("chained");
    expect(follower.status().state).toBe("faulted");

    const other = await recordChain(1, "another chain");
    const wrong = follow({
      upstreams: [recorded(chain.records)],
      waypoints: [other.genesisWaypoint],
      pace: { giveUpTimeMs: 20 },
    });
    expect((await wrong.follower.faulted).message).toContain("0:");
    expect(await positionOf(wrong.store)).toBeUndefined();
  });
});

describe("an upstream that fails", () => {
  it("rests and is asked again; a long outage is not a fault", async () => {
    let calls = 0;
    const upstream = recorded(chain.records);
    const flaky: Upstream = {
      ...bent(upstream, (page) => page),
      getRecords: async (from, limit, signal) => {
        if (++calls % 3 !== 0) throw new UpstreamError("unreachable", "cut");
        return upstream.getRecords(from, limit, signal);
      },
    };
    const { store } = follow({ upstreams: [flaky], pace: { pageLimit: 50, ahead: 1, giveUpTimeMs: 0 } });
    await untilVersion(store, head);
    await expectWhole(store);
    expect(calls).toBeGreaterThan(6);
  });

  it("is left alone for its Retry-After, while others are asked", async () => {
    const asked: string[] = [];
    const busy = (name: string, retryAfterMs: number): Upstream => ({
      ...bent(recorded(chain.records, name), (page) => page),
      getRecords: async () => {
        asked.push(name);
        throw new UpstreamError("busy", "later", { retryAfterMs });
      },
    });
    const { store, follower } = follow({
      // The date of the second one is over: it rests as after any failure.
      upstreams: [busy("busy", 60_000), busy("late", 0), recorded(chain.records, "free")],
      pace: { retry: { baseMs: 60_000, maxMs: 60_000 } },
    });
    await untilVersion(store, head);
    expect(asked).toEqual(["busy", "late"]);
    expect(follower.status().upstreams).toMatchObject([
      { name: "busy", state: "resting", fault: expect.stringContaining("busy") },
      { name: "late", state: "resting" },
      { name: "free", state: "ok" },
    ]);
  });

  it("of another chain is set aside, and so is one that has pruned what is needed", async () => {
    const other = createRecordedUpstream({ name: "other", chainId: 99, records: chain.records });
    const late = createRecordedUpstream({
      name: "late",
      chainId: 4,
      records: chain.records.slice(20),
      first: 20n,
    });
    const { store, follower } = follow({
      upstreams: [other, late, recorded(chain.records, "good")],
      chainId: 4,
    });
    await untilVersion(store, head);
    expect(follower.status().upstreams.map(({ state, fault }) => [state, fault?.split(":")[0]])).toEqual([
      ["set_aside", "wrong_chain"],
      ["set_aside", "pruned"],
      ["ok", undefined],
    ]);
  });

  it("of another chain is also set aside when asked for its head alone", async () => {
    const other = createRecordedUpstream({ name: "other", chainId: 99, records: chain.records });
    const { store, follower } = follow({ upstreams: [recorded(chain.records, "good"), other], chainId: 4 });
    await untilVersion(store, head);
    const { fault } = await until(() =>
      follower.status().upstreams.find(({ name, state }) => name === "other" && state === "set_aside"),
    );
    expect(fault).toMatch(/^wrong_chain/);
  });

  it("of another chain comes first: its start is not used", async () => {
    const other = await recordChain(5, "another chain");
    const { store, follower } = follow({
      upstreams: [
        createRecordedUpstream({ name: "other", chainId: 77, records: other.records }),
        recorded(chain.records, "good"),
      ],
      waypoints: [chain.genesisWaypoint],
    });
    await untilVersion(store, head);
    await expectWhole(store);
    expect(follower.status().upstreams[0]?.state).toBe("set_aside");
    expect(await levelOf(store)).toBe("chained");
  });

  it("lags or jumps back: the follower follows others and undoes nothing", async () => {
    const lagging = recorded(chain.records.slice(0, 30), "lagging");
    const { store, follower } = follow({
      upstreams: [lagging, recorded(chain.records, "ahead")],
      pace: { pageLimit: 10 },
    });
    await untilVersion(store, head);
    await expectWhole(store);
    const shrinking = chain.records.slice();
    const alone = follow({ upstreams: [recorded(shrinking)], pace: { pageLimit: 10 } });
    await untilVersion(alone.store, head);
    shrinking.length = 20;
    await until(() => alone.follower.status().state === "ahead_of_upstreams");
    expect((await positionOf(alone.store))?.version).toBe(head);
    expect(alone.follower.status().upstreams[0]?.state).toBe("ok");
    expect(follower.status().upstreams[0]?.state).not.toBe("set_aside");
  });

  it("lies in any bit: found before the commit, reported, and used again once honest", async () => {
    let flips = 0;
    let isHonest = false;
    let seed = 12345;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const liar = bent(recorded(chain.records, "liar"), (page) => {
      if (isHonest) return page;
      flips++;
      return { ...page, bytes: flipped(page.bytes, random(page.bytes.length * 8)) };
    });
    const { store, follower } = follow({
      upstreams: [liar],
      waypoints: [chain.genesisWaypoint],
      pace: { pageLimit: 6, ahead: 1, setAside: { baseMs: 0.1, maxMs: 0.2 } },
    });
    await until(() => (flips >= 200 ? true : undefined));
    const before = await positionOf(store);
    expect(before).toBeUndefined();
    expect(follower.status().upstreams[0]).toMatchObject({ state: "set_aside" });
    isHonest = true;
    await untilVersion(store, head);
    await expectWhole(store);
    expect(follower.status().upstreams[0]?.state).toBe("ok");
    expect(await levelOf(store)).toBe("chained");
  });

  it("translates events: reported as unverifiable, not forged, and not committed", async () => {
    const translating = bent(recorded(chain.records), (page) => {
      const records = decodePage(page.bytes).map((record) => {
        const last = record.events.at(-1);
        if (record.version === 0n || last === undefined) return record.bytes;
        const at = last.byteOffset - record.bytes.byteOffset + last.length - 1;
        return flipped(record.bytes, at * 8);
      });
      return { ...page, bytes: encodePage(records) };
    });
    const { store, follower } = follow({
      upstreams: [translating],
      pace: { pageLimit: 1, giveUpTimeMs: 30 },
    });
    expect((await follower.faulted).message).toContain("translated events");
    expect((await positionOf(store))?.version).toBe(0n);
  });

  it("is the last one: the node keeps its ledger and gives up after the configured time", async () => {
    const until20 = bent(recorded(chain.records, "liar"), (page, from) =>
      from < 20n ? page : { ...page, bytes: flipped(page.bytes, 700) },
    );
    const started = performance.now();
    const { store, follower } = follow({
      upstreams: [until20],
      pace: { pageLimit: 5, ahead: 1, giveUpTimeMs: 150 },
    });
    const error = await follower.faulted;
    expect(performance.now() - started).toBeGreaterThan(150);
    expect(error.message).toContain("liar: unverified");
    expect((await positionOf(store))!.version).toBeGreaterThan(10n);
  });
});

describe("agreement", () => {
  const lie = (name: string, from = 60n) =>
    bent(recorded(chain.records, name), (page, at) => {
      if (at < from && decodePage(page.bytes).every(({ version }) => version < from)) return page;
      // The last byte of the first accumulator root: only agreement reveals that this record is wrong.
      return { ...page, bytes: flipped(page.bytes, (page.bytes.length >> 1) * 8) };
    });
  const rule = { needed: 2, of: 3 };

  it.each([0, 1, 2])("of 2 in 3 continues with one liar at place %i and reports it", async (place) => {
    const upstreams = [0, 1, 2].map((i) =>
      i === place ? lie("liar") : recorded(chain.records, `honest ${i}`),
    );
    const { store, follower } = follow({ upstreams, agree: rule, pace: { pageLimit: 20 } });
    await untilVersion(store, head);
    await expectWhole(store);
    const status = await until(() => {
      const now = follower.status();
      return now.upstreams.some(({ name, fault }) => name === "liar" && fault !== undefined)
        ? now
        : undefined;
    });
    expect(status.upstreams.filter(({ fault }) => fault !== undefined).map(({ name }) => name)).toEqual([
      "liar",
    ]);
    expect(await levelOf(store)).toBe("agreed 2/3");
  });

  it("of 2 in 3 stops with two liars, and continues when one of them stops lying", async () => {
    let isHonest = false;
    const [first, second] = [lie("liar 1"), lie("liar 2")];
    const honest = recorded(chain.records, "late honest");
    const turning: Upstream = {
      ...first,
      getRecords: (from, limit, signal) => (isHonest ? honest : first).getRecords(from, limit, signal),
    };
    const { store, follower } = follow({
      upstreams: [turning, recorded(chain.records, "honest"), second],
      agree: rule,
      pace: { pageLimit: 20 },
    });
    await untilVersion(store, 30n);
    await until(() => (follower.status().state === "waiting" ? true : undefined));
    const before = (await positionOf(store))!.version;
    expect(before).toBeLessThan(60n);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await positionOf(store))!.version).toBe(before);
    isHonest = true;
    await untilVersion(store, head);
    await expectWhole(store);
  });

  it("that upstreams dispute for longer than the configured time is given up, with the reason", async () => {
    const { follower } = follow({
      upstreams: [recorded(chain.records, "honest"), lie("liar")],
      agree: { needed: 2, of: 2 },
      pace: { pageLimit: 20, giveUpTimeMs: 50 },
    });
    expect((await follower.faulted).message).toMatch(/^no upstream can be used: honest: /);
  });

  it("waits for lagging upstreams", async () => {
    const behind = chain.records.slice(0, 50);
    const { store } = follow({
      upstreams: [recorded(chain.records, "ahead"), recorded(behind, "behind")],
      agree: { needed: 2, of: 2 },
      pace: { pageLimit: 25 },
    });
    await untilVersion(store, 40n);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await positionOf(store))!.version).toBeLessThan(50n);
    for (const record of chain.records.slice(50)) behind.push(record);
    await untilVersion(store, head);
    await expectWhole(store);
  });
});

describe.skipIf(!hasShared)("the recorded start of a public network", () => {
  it("replays: every hash, root and waypoint is the recorded one", async () => {
    interface Recorded {
      readonly version: string;
      readonly transaction_hash: string;
      readonly event_root_hash: string;
      readonly state_change_hash: string;
      readonly state_checkpoint_hash: string | null;
      readonly accumulator_root_hash: string;
    }
    const expected = sharedJson<Recorded[]>("vectors/testnet-pages/testnet-first-four.json");
    const page = sharedBytes("vectors/testnet-pages/testnet-start0-limit4.page.bcs");
    const records = decodePage(page).map((record) => record.bytes);
    const upstream = createRecordedUpstream({ name: "testnet", chainId: 2, records });
    const roots: (string | undefined)[] = [];
    const { store } = follow({
      upstreams: [upstream],
      chainId: 2,
      waypoints: [parseWaypoint("1:e40c6162456b27dd0ecf5ee5856bb48e702cff25718f570e07c4e392f84bd9ce")],
      pace: { pageLimit: 1 },
      onCommit: ({ position }) => {
        roots[Number(position.version)] = position.stateRoot && toHex(position.stateRoot);
      },
    });
    await untilVersion(store, 3n);
    const { trust } = await until(async () => {
      const position = await positionOf(store);
      return position?.trust[0]?.level.kind === "anchored" ? position : undefined;
    });
    expect(trust).toEqual([
      { first: 0n, level: ANCHORED },
      { first: 2n, level: CHAINED },
    ]);
    const stored = decodePage(encodePage(await readRecords(store)));
    expect(expected).toMatchObject(
      stored.map(({ version, info, accumulatorRoot }) => ({
        version: `${version}`,
        transaction_hash: toHex(info.transactionHash),
        event_root_hash: toHex(info.eventRootHash),
        state_change_hash: toHex(info.stateChangeHash),
        state_checkpoint_hash:
          info.stateCheckpointHash === undefined ? null : toHex(info.stateCheckpointHash),
        accumulator_root_hash: toHex(accumulatorRoot),
      })),
    );
    expect([roots[0], roots[1], roots[3]]).toEqual(
      [0, 1, 3].map((version) => expected[version]?.state_checkpoint_hash),
    );
    expect(await positionOf(store)).toMatchObject({ chainId: 2, version: 3n, epoch: 2n, blockHeight: 2n });
  });
});
