// Helpers for tests of following: a recorded local chain, misbehaving upstreams, a follower on a memory store.
import { onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import type { Position } from "../../src/ledger/position.ts";
import type { Waypoint } from "../../src/ledger/waypoint.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { FollowerOptions } from "../../src/sync/follow/follower.ts";
import { Follower } from "../../src/sync/follow/follower.ts";
import type { RecordsPage, Upstream } from "../../src/sync/upstream/upstream.ts";
import { waypointOfBlock } from "../../src/sync/waypoints.ts";
import { ChainRun } from "./chain-run.ts";
import { createRecordedUpstream } from "./recorded-upstream.ts";
import { until } from "./until.ts";

/** A ledger as records, with its genesis waypoint and those of its blocks' last versions. */
export interface RecordedChain {
  readonly run: ChainRun;
  readonly records: Uint8Array[];
  readonly genesisWaypoint: Waypoint;
  /** By version. */
  readonly waypoints: ReadonlyMap<bigint, Waypoint>;
}

/** Runs a local chain for some blocks; a fork has other blocks from `forkAt` on. */
export async function recordChain(blocks: number, seed = "follow", forkAt = blocks): Promise<RecordedChain> {
  const chain = createLocalChain({ seed });
  const blob = chain.genesisBlob();
  const run = await new ChainRun(chain, createMemoryStore()).start(blob);
  await run.steps(forkAt);
  run.lateUsec = 1n;
  await run.steps(blocks - forkAt);
  const records = await readRecords(run.store);
  const waypoints = new Map<bigint, Waypoint>();
  await new Committer({ store: createMemoryStore(), logger: silentLogger }).append(
    records,
    async (verified) => {
      for (const block of verified) waypoints.set(block.position.version, waypointOfBlock(block));
    },
  );
  return { run, records, genesisWaypoint: checkGenesis(blob).waypoint, waypoints };
}

/** All records of a store. */
export async function readRecords(store: Store): Promise<Uint8Array[]> {
  const view = await store.openView();
  try {
    const records: Uint8Array[] = [];
    for (let next = 0n; next <= view.position.version; next = BigInt(records.length)) {
      for (const { bytes } of await view.getRecords(next, 1000, 2 ** 30)) records.push(new Uint8Array(bytes));
    }
    return records;
  } finally {
    view.release();
  }
}

/** An upstream over the records. */
export function recorded(records: readonly Uint8Array[], name = "recorded"): Upstream {
  return createRecordedUpstream({ name, chainId: 4, records });
}

/** The same upstream with modified pages. */
export function bent(
  upstream: Upstream,
  bend: (page: RecordsPage, start: bigint) => RecordsPage | Promise<RecordsPage>,
): Upstream {
  return {
    name: upstream.name,
    receivedBytes: 0,
    getHead: (signal) => upstream.getHead(signal),
    getRecords: async (start, limit, signal) => bend(await upstream.getRecords(start, limit, signal), start),
    getStateValue: (key, version, signal) => upstream.getStateValue(key, version, signal),
    close: () => upstream.close(),
  };
}

/** Flips one bit of a copy. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  const at = bit >> 3;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** Short pauses for tests. */
const QUICK = {
  pollTimeMs: 5,
  retry: { baseMs: 2, maxMs: 10 },
  setAside: { baseMs: 2, maxMs: 10 },
} as const;

/** A follower on an empty store. */
export interface FollowRun {
  readonly store: Store;
  readonly committer: Committer;
  readonly follower: Follower;
}

/** Starts a follower on an empty memory store; it closes with the test. */
export function follow(options: Partial<FollowerOptions> & Pick<FollowerOptions, "upstreams">): FollowRun {
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  const follower = new Follower({
    committer,
    ledger: store,
    logger: silentLogger,
    ...options,
    pace: { ...QUICK, ...options.pace },
  });
  onTestFinished(() => follower.close());
  return { store, committer, follower };
}

/** Position of a store; undefined while it is empty. */
export async function positionOf(store: Store): Promise<Position | undefined> {
  if (store.identity === undefined) return undefined;
  const view = await store.openView();
  view.release();
  return view.position;
}

/** Waits until the store has the version. */
export async function untilVersion(store: Store, version: bigint): Promise<Position> {
  return until(async () => {
    const position = await positionOf(store);
    return position !== undefined && position.version >= version ? position : undefined;
  });
}
