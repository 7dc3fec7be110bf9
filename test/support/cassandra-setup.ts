// Names the keyspace of all cluster tests of a run, and drops it after them.
import { randomBytes } from "node:crypto";
import { Client } from "cassandra-driver";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The first test that opens a ledger creates it. */
    keyspace: string;
  }
}

/** Dropping first snapshots all tables, which is slow on a busy disk. */
const DROP_MS = 120_000;

export default function setup({ provide, vitest }: TestProject): (() => Promise<void>) | undefined {
  const keyspace = `test_${randomBytes(6).toString("hex")}`;
  provide("keyspace", keyspace);
  if (!vitest.state.getPaths().some((path) => path.includes("/test/cluster/"))) return undefined;
  return async () => {
    const client = new Client({
      contactPoints: (process.env.SEXTANT_CASSANDRA ?? "127.0.0.1").split(","),
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
      socketOptions: { connectTimeout: DROP_MS },
    });
    // A keyspace that stays disturbs no other run, so that a cluster too slow to drop it, or none, fails nothing.
    await client.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`, [], { readTimeout: DROP_MS }).catch(() => {});
    await client.shutdown();
  };
}
