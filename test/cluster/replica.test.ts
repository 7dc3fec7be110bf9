// A complete replica in a cluster: the whole state of a chain, proven, and every state root after it.
import { expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { describeCluster } from "../support/cassandra.ts";
import { headOf, infoOf, opened, produce, startSignedChain, untilLevel } from "../support/proving.ts";

describeCluster("a complete replica in a cluster", (cluster) => {
  it("has the answers of the chain", async () => {
    const origin = await startSignedChain("cluster replica", 33);
    const replica = opened(
      await createNode({
        store: {
          engine: "cassandra",
          url: `cassandra://${cluster.hosts.join(",")}/${cluster.keyspace}/replica`,
        },
        waypoint: (await infoOf(origin)).genesis_waypoint,
        http: { port: 0 },
        follow: {
          upstreams: [origin.url ?? ""],
          proofs: [origin.proofUrl ?? ""],
          startVersion: "latest",
          state: "whole",
          pollTimeMs: 10,
          proofPollTimeMs: 10,
          upstreamRate: 0,
        },
      }),
    );
    await untilLevel(replica, "proven", await headOf(origin));
    await produce(origin, 3);
    const { ledger_version: version } = await untilLevel(replica, "proven", await headOf(origin));
    for (const { address } of origin.guide()?.accounts ?? []) {
      for (const path of ["balances", "resources"]) {
        const [mine, theirs] = await Promise.all(
          [replica, origin].map(async ({ url }) =>
            (await fetch(`${url}/accounts/${address}/${path}?ledger_version=${version}`)).text(),
          ),
        );
        expect(mine).toBe(theirs);
      }
    }
  });
});
