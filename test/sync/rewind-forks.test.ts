// A node that committed a fork: a waypoint refutes it, a rewind removes it, and the node goes on with the network's history.
// Everything over HTTP, with real nodes on data directories.
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { checkData, rewindData } from "../../src/node.ts";
import { judge, LiedNode, type LiedOptions } from "../support/lied-node.ts";
import { createLiedWorld } from "../support/lied-world.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const BLOCKS = 20;
/** The last block that the fork shares with the truth. */
const SHARED = 9;
const world = await createLiedWorld(BLOCKS, [SHARED]);
const { truth, genesis, genesisWaypoint } = world;
const fork = world.forks[0]!.chain;
const questions = world.questions.filter((_, i) => i % 5 === 0);
const folder = temporaryFolder();
let stores = 0;

async function start(options: LiedOptions): Promise<LiedNode> {
  const node = await LiedNode.start(options);
  onTestFinished(() => node.close());
  return node;
}

const refutedFrom = (node: LiedNode): Promise<bigint> =>
  until(async () => {
    const { refuted_from: first } = await node.info();
    return first as bigint | undefined;
  });

const rewind = (path: string, to: bigint) =>
  rewindData({ store: { engine: "lmdb", path }, to, onProgress: () => {}, logger: silentLogger });

async function ends(...heights: readonly number[]): Promise<bigint[]> {
  return Promise.all(heights.map((height) => truth.end(height)));
}

/** Follows the truth to its end, and compares the answers with it. */
async function expectTruth(data: string, waypoint: readonly string[]): Promise<void> {
  const last = await truth.show(BLOCKS);
  const node = await start({ data, genesis, waypoint: [...waypoint], follow: { upstreams: [truth.url] } });
  await node.reaches(last);
  const versions = await ends(3, SHARED, SHARED + 1, 12, 16, BLOCKS);
  const { wrong, right } = await judge(node, { world, questions, versions });
  expect({ wrong, some: right > 20 }).toEqual({ wrong: 0, some: true });
  const info = await node.info();
  expect(info).not.toHaveProperty("refuted_from");
  expect(info.trust_ranges).toEqual([
    { first_version: 0n, last_version: await truth.end(16), level: "anchored" },
    { first_version: (await truth.end(16)) + 1n, last_version: last, level: "chained" },
  ]);
  await node.close();
  expect((await checkData(data)).findings).toEqual([]);
}

describe("a fork that a node committed", () => {
  it("before a waypoint is refuted on the way to it, rewound, and replaced by the truth", async () => {
    const data = join(folder, `store-${stores++}`);
    const waypoint = [genesisWaypoint, await world.waypoint(16)];
    await fork.show(13);
    await truth.show(13);
    const node = await start({
      data,
      genesis,
      waypoint,
      follow: { upstreams: [fork.url, truth.url] },
    });
    await node.reaches(await fork.end(13));
    await Promise.all([fork.show(BLOCKS), truth.show(BLOCKS)]);
    const first = await refutedFrom(node);
    expect(first).toBe((await truth.end(SHARED)) + 1n);
    await node.close();

    await expect(rewind(data, await fork.end(SHARED + 1))).rejects.toThrow(
      `expected a version below ${first}`,
    );
    const report = await rewind(data, first - 1n);
    expect(report).toMatchObject({ version: first - 1n, cleared: expect.stringContaining("waypoint") });
    expect((await checkData(data)).findings).toEqual([]);
    await expectTruth(data, waypoint);
  });

  it("after a waypoint that matched keeps everything up to that one", async () => {
    const data = join(folder, `store-${stores++}`);
    await fork.show(BLOCKS);
    const early = [genesisWaypoint, await world.waypoint(5)];
    const lied = await start({ data, genesis, waypoint: early, follow: { upstreams: [fork.url] } });
    await lied.reaches(await fork.end(BLOCKS));
    await lied.close();

    const waypoint = [...early, await world.waypoint(16)];
    const again = await start({ data, genesis, waypoint, follow: { upstreams: [truth.url] } });
    const first = await refutedFrom(again);
    expect(first).toBe((await truth.end(5)) + 1n);
    await again.close();
    // The mark stays, whatever waypoints are given.
    const third = await start({ data, genesis, waypoint, follow: { upstreams: [truth.url] } });
    expect(await refutedFrom(third)).toBe(first);
    await third.close();
    await rewind(data, first - 1n);
    await expectTruth(data, waypoint);
  });

  it("is refuted as a whole without any waypoint that matched: only a fresh directory goes on", async () => {
    const data = join(folder, `store-${stores++}`);
    await fork.show(BLOCKS);
    const lied = await start({ data, follow: { upstreams: [fork.url] } });
    await lied.reaches(await fork.end(BLOCKS));
    await lied.close();
    const waypoint = [await world.waypoint(16)];
    const again = await start({ data, waypoint, follow: { upstreams: [truth.url] } });
    expect(await refutedFrom(again)).toBe(0n);
    await again.close();
    await expect(rewind(data, 0n)).rejects.toThrow("fresh directory");
  });
});
