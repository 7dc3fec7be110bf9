// A ledger moves between engines as plain files: from a directory into a cluster and back, with all history that is kept.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { checkClusterData, checkData, createNode, type Node, type NodeOptions } from "../../src/node.ts";
import {
  assertSameAnswers,
  exportFrom,
  growChain,
  openOrigin,
  pruneChain,
  whole,
} from "../support/archive.ts";
import { describeCluster } from "../support/cassandra.ts";
import { infoOf, opened, untilLevel } from "../support/proving.ts";
import { temporaryFolder } from "../support/temporary.ts";

describeCluster("an archive between engines", (cluster) => {
  it("carries a pruned ledger into a cluster and back", async () => {
    const data = temporaryFolder();
    await growChain(data, 59);
    const unpruned = join(temporaryFolder(), "data");
    cpSync(data, unpruned, { recursive: true });
    await growChain(unpruned, 1);
    await pruneChain(data, 120);
    const origin = await openOrigin(unpruned);
    const waypoint = (await infoOf(origin)).genesis_waypoint;

    /** Exports a store, and starts a node from the folder in another one. */
    const move = async (from: NonNullable<NodeOptions["store"]>, to: NodeOptions["store"]): Promise<Node> => {
      const out = temporaryFolder();
      const { stateVersion, lastVersion } = await exportFrom(from, out, { stateAt: "oldest" });
      const { href } = pathToFileURL(out);
      const node = opened(
        await createNode({
          store: to,
          waypoint,
          pruneWindow: "off",
          http: { port: 0 },
          follow: { upstreams: [href], proofs: [href], pollTimeMs: 10, proofPollTimeMs: 10, ...whole },
        }),
      );
      expect(await untilLevel(node, "proven", lastVersion)).toMatchObject({
        weakest_trust_level: "proven",
        oldest_ledger_version: `${Number(stateVersion) + 1}`,
      });
      await assertSameAnswers(origin, node);
      return node;
    };

    const [host = ""] = cluster.hosts;
    const there = { engine: "cassandra", url: `cassandra://${host}/${cluster.keyspace}/archive` } as const;
    const back = { engine: "lmdb", path: temporaryFolder() } as const;
    await (await move({ engine: "lmdb", path: data }, there)).close();
    expect((await checkClusterData(there)).findings).toEqual([]);
    await (await move(there, back)).close();
    expect((await checkData(back.path)).findings).toEqual([]);
  });
});
