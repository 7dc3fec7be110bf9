// A waypoint that contradicts the stored history: the store is marked, following stops, and who told the truth is not
// blamed.
import { describe, expect, it, onTestFinished } from "vitest";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { trustAt } from "../../src/ledger/trust.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { Following, planFollowing } from "../../src/node/following/following.ts";
import type { Store } from "../../src/store/contract.ts";
import { isPassingFault } from "../../src/store/errors.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { Follower } from "../../src/sync/follow/follower.ts";
import { FOLLOWER_NUMBERS } from "../../src/sync/follow/follower-parts.ts";
import { follow, positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(40);
/** The same genesis and blocks up to block 20, then others. */
const fork = await recordChain(60, "follow", 20);
const ends = [...chain.waypoints.keys()];
const forkEnds = [...fork.waypoints.keys()];
/** The last version that both have. */
const shared = BigInt(
  chain.records.findIndex((bytes, i) => Buffer.compare(bytes, fork.records[i]!) !== 0) - 1,
);
const waypoint = chain.waypoints.get(ends[35]!)!;

const stateOf = (follower: Follower, name: string): string | undefined =>
  follower.status().upstreams.find((one) => one.name === name)?.state;

async function expectRefuted(store: Store, follower: Follower): Promise<void> {
  await until(() => follower.status().state === "refuted");
  const { refuted } = (await positionOf(store))!;
  expect(refuted?.firstVersion).toBe(shared + 1n);
  expect(refuted?.reason).toContain(formatWaypoint(waypoint));
  expect(follower.status().reason).toBe(refuted?.reason);
  expect(stateOf(follower, "honest")).not.toBe("set_aside");
}

it("the chains share their first blocks and no others", () => {
  expect(ends).toContain(shared);
  expect(shared).toBeGreaterThan(ends[10]!);
  expect(shared).toBeLessThan(ends[25]!);
});

describe("a fork that was committed before the waypoint", () => {
  it.each([
    ["goes on past it", fork.records],
    ["ends before it", fork.records.slice(0, Number(waypoint.version) - 20)],
  ])("is refuted when the fork %s", async (_, records) => {
    const { store, follower } = follow({
      upstreams: [recorded(records, "fork"), recorded(chain.records, "honest")],
      waypoints: [chain.genesisWaypoint, waypoint],
      pace: { pageLimit: 10 },
    });
    await expectRefuted(store, follower);
    const before = (await positionOf(store))!;
    expect(before.version).toBeLessThan(waypoint.version);
    // Nothing is committed any more.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await positionOf(store))!.version).toBe(before.version);
  });

  it("is refuted when the honest upstream lags, and only then: nobody is blamed before", async () => {
    const late = chain.records.slice(0, Number(ends[25]));
    const { store, follower } = follow({
      upstreams: [recorded(fork.records, "fork"), recorded(late, "honest")],
      waypoints: [chain.genesisWaypoint, waypoint],
      pace: { pageLimit: 10 },
    });
    await until(() => stateOf(follower, "fork") === "set_aside");
    await until(() => follower.status().upstreams[1]?.fault !== undefined);
    expect(follower.status().upstreams[1]).toMatchObject({
      state: "resting",
      fault: expect.stringContaining("other_history"),
    });
    expect((await positionOf(store))?.refuted).toBeUndefined();
    for (const record of chain.records.slice(late.length)) late.push(record);
    await expectRefuted(store, follower);
  });

  it("is refuted after a restart with an honest upstream alone", async () => {
    const first = follow({
      upstreams: [recorded(fork.records.slice(0, Number(forkEnds[30]) + 1), "fork")],
      waypoints: [chain.genesisWaypoint],
    });
    await untilVersion(first.store, forkEnds[30]!);
    await first.follower.close();
    const { follower } = follow({
      upstreams: [recorded(chain.records, "honest")],
      waypoints: [waypoint],
      committer: new Committer({ store: first.store, logger: silentLogger }),
      ledger: first.store,
    });
    await expectRefuted(first.store, follower);
  });

  it("is refuted although a quorum had agreed on it", async () => {
    const { store, follower } = follow({
      upstreams: [
        recorded(fork.records, "a"),
        recorded(fork.records, "b"),
        recorded(chain.records, "honest"),
      ],
      agree: { needed: 2, of: 3 },
      waypoints: [chain.genesisWaypoint, waypoint],
      pace: { pageLimit: 10 },
    });
    await until(() => follower.status().state === "refuted");
    expect((await positionOf(store))?.refuted?.firstVersion).toBe(shared + 1n);
  });

  it("stays when the upstream with another history does not lead to the waypoint: that one is set aside", async () => {
    const { store, follower } = follow({
      upstreams: [
        recorded(chain.records.slice(0, Number(ends[30]) + 1), "honest"),
        recorded(fork.records, "fork"),
      ],
      waypoints: [chain.genesisWaypoint, waypoint],
      pace: { pageLimit: 10 },
    });
    await untilVersion(store, ends[30]!);
    // Between two audits its fault is that its history is another one.
    await until(() => follower.status().upstreams[1]?.fault?.includes("does not lead to waypoint"));
    expect(stateOf(follower, "fork")).toBe("set_aside");
    expect((await positionOf(store))?.refuted).toBeUndefined();
    expect(stateOf(follower, "honest")).toBe("ok");
  });
});

describe("waypoints at the start", () => {
  function startFollowing(store: Store, waypoints: readonly (typeof waypoint)[], logged: string[] = []) {
    const note = (_: object, message: string): void => void logged.push(message);
    const logger: Logger = { ...silentLogger, warn: note, error: note };
    const plan = planFollowing({ upstreams: ["http://127.0.0.1:1"], ...pace }, waypoints);
    const following = new Following(plan, {
      store,
      committer: new Committer({ store, logger }),
      logger,
      onCommit: () => {},
      onRest: () => {},
      onFault: () => {},
      mayPass: isPassingFault,
    });
    onTestFinished(() => following.close());
    return following;
  }
  const pace = { pollTimeMs: FOLLOWER_NUMBERS.pollTimeMs.max };

  async function stored(records: readonly Uint8Array[]): Promise<Store> {
    const store = createMemoryStore();
    await new Committer({ store, logger: silentLogger }).append(records);
    return store;
  }

  it("one that contradicts the stored history refutes it above what is confirmed, and the mark stays", async () => {
    const store = await stored(fork.records);
    const logged: string[] = [];
    const first = startFollowing(store, [waypoint, chain.genesisWaypoint], logged);
    await first.start(undefined);
    expect((await positionOf(store))?.refuted?.firstVersion).toBe(1n);
    expect(logged.join()).toContain("not the network's");
    expect(first.status()).toMatchObject({
      state: "refuted",
      reason: expect.stringContaining("contradicts"),
    });
    const second = startFollowing(store, []);
    await second.start(undefined);
    expect(second.status()?.state).toBe("refuted");
    expect(second.unreadyReason()).toContain("contradicts");

    const nearer = await stored(fork.records);
    await startFollowing(nearer, [waypoint, chain.waypoints.get(shared)!]).start(undefined);
    expect((await positionOf(nearer))?.refuted?.firstVersion).toBe(shared + 1n);
    const bare = await stored(fork.records);
    await startFollowing(bare, [waypoint]).start(undefined);
    expect((await positionOf(bare))?.refuted?.firstVersion).toBe(0n);
  });

  it("one that contradicts a waypoint that matched is an error and marks nothing", async () => {
    const store = await stored(chain.records);
    await startFollowing(store, [waypoint]).start(undefined);
    expect(trustAt((await positionOf(store))!.trust, waypoint.version).kind).toBe("anchored");
    const wrong = { version: ends[10]!, hash: new Uint8Array(32) };
    await expect(startFollowing(store, [wrong]).start(undefined)).rejects.toThrow("contradicts");
    expect((await positionOf(store))?.refuted).toBeUndefined();
  });

  it("are not compared with a ledger that started in the middle: it says so, raises nothing and goes on", async () => {
    for (const given of [chain.waypoints.get(ends[15]!)!, waypoint]) {
      const store = createMemoryStore();
      const committer = new Committer({ store, logger: silentLogger });
      committer.startAt({ chainId: 4, version: ends[10]! + 1n });
      await committer.append(chain.records.slice(Number(ends[10]) + 1, Number(ends[20]) + 1));
      const logged: string[] = [];
      const following = startFollowing(store, [given], logged);
      await following.start(undefined);
      expect(logged.filter((line) => line.includes("waypoints are not compared"))).toHaveLength(1);
      const position = (await positionOf(store))!;
      expect(position.refuted).toBeUndefined();
      expect(trustAt(position.trust, position.version).kind).toBe("trusted");
      expect(following.status()?.state).not.toBe("refuted");
    }
  });
});
