// Records of an unfinished block are held back: they do not count as a commit, also right after a restart.
import { expect, it } from "vitest";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { decodePage } from "../../src/ledger/formats/record.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import type { CommitProgress } from "../../src/sync/follow/checked-commits.ts";
import { UpstreamError } from "../../src/sync/upstream/errors.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { bent, flipped, follow, positionOf, recordChain, recorded, untilVersion } from "../support/follow.ts";
import { BUILT_CHAIN_ID } from "../support/ledger-builder.ts";
import { createRecordedUpstream } from "../support/recorded-upstream.ts";
import { buildSmallChain } from "../support/small-chain.ts";
import { until } from "../support/until.ts";

const chain = await recordChain(20);
const head = BigInt(chain.records.length - 1);

/** Ends of blocks that are followed by a block of several records. */
function endBeforeLongBlock(): bigint {
  const ends = [...chain.waypoints.keys()];
  const end = ends.find((version, i) => version > 0n && (ends[i + 1] ?? version) - version > 2n);
  if (end === undefined) throw new Error("the chain has no block of three records");
  return end;
}

it("a first page after a restart that is only held back is no commit and clears no upstream", async () => {
  const end = endBeforeLongBlock();
  const store = createMemoryStore();
  const before = new Committer({ store, logger: silentLogger });
  await before.append(chain.records.slice(0, Number(end) + 1));
  expect((await positionOf(store))?.version).toBe(end);

  // The restart: a new committer and a new follower on the same store. The upstream serves the first record of the next
  // block honestly and lies about the second.
  let isHonest = false;
  let lies = 0;
  const liar = bent(recorded(chain.records, "liar"), (page) => {
    const [first] = decodePage(page.bytes);
    if (isHonest || first === undefined || first.version <= end + 1n) return page;
    lies++;
    return { ...page, bytes: flipped(page.bytes, (page.bytes.length >> 1) * 8) };
  });
  const commits: CommitProgress[] = [];
  const { follower } = follow({
    upstreams: [liar],
    committer: new Committer({ store, logger: silentLogger }),
    pace: { pageLimit: 1, ahead: 1 },
    onCommit: (progress) => void commits.push(progress),
  });
  try {
    await until(() => lies > 2 && follower.status().upstreams[0]?.state === "set_aside");
    expect(commits.map(({ position }) => position.version)).toEqual([]);
    expect(follower.status().state).not.toBe("catching_up");

    isHonest = true;
    await untilVersion(store, head);
    const versions = commits.map(({ position }) => position.version);
    expect(versions).toEqual([...chain.waypoints.keys()].filter((version) => version > end));
  } finally {
    await follower.close();
  }
});

it("the unfinished block of an upstream that fails blames none of those that are asked next", async () => {
  const amount = (height: number): bigint => BigInt(height);
  const [truth, fork] = [
    await buildSmallChain(8, (_, height) => amount(height)),
    await buildSmallChain(8, (_, height) => amount(height) + (height > 4 ? 1n : 0n)),
  ];
  const end = truth.ends[4]!;
  // The forger serves the first records of its own block 5 and then fails.
  const forger: Upstream = {
    ...bent(
      createRecordedUpstream({ name: "forger", chainId: BUILT_CHAIN_ID, records: fork.records }),
      (page) => page,
    ),
    getRecords: async (start, _, signal) => {
      if (start > end + 2n) throw new UpstreamError("unreachable", "it failed");
      const limit = start <= end ? Number(end - start) + 1 : 2;
      const all = createRecordedUpstream({ name: "forger", chainId: BUILT_CHAIN_ID, records: fork.records });
      return all.getRecords(start, limit, signal);
    },
  };
  const honest = createRecordedUpstream({
    name: "honest",
    chainId: BUILT_CHAIN_ID,
    records: truth.records,
  });
  const blamed: unknown[] = [];
  const note: Logger["warn"] = ({ upstream }, message) => {
    if (message.includes("set aside")) blamed.push(upstream);
  };
  const logger = { ...silentLogger, info: note, warn: note };
  const { store, follower } = follow({ upstreams: [forger, honest], logger });
  await untilVersion(store, truth.ends[8]!);
  expect(blamed).not.toContain("honest");
  await follower.close();
});
