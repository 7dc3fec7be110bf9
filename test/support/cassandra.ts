// Tests against a real cluster: the one named by SEXTANT_CASSANDRA (hosts separated by commas), or else the one that
// scripts/cassandra.sh starts. If neither responds, the tests are skipped with that reason. One keyspace serves a whole
// run: creating and dropping tables takes ten seconds, and ledgers inside a keyspace are independent.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { describe, inject, it } from "vitest";
import type { CassandraStoreOptions } from "../../src/store/cassandra/options.ts";
import { type CassandraStore, openCassandraStore } from "../../src/store/cassandra/store.ts";

const HOSTS = (process.env.SEXTANT_CASSANDRA ?? "127.0.0.1").split(",");
const PORT = 9042;
/** Thousands of sequential requests, each slow on a busy machine. */
const TEST_MS = 600_000;

/** A cluster to test with. */
export interface TestCluster {
  readonly hosts: readonly string[];
  /** Of the run; test/support/cassandra-setup.ts drops it. A ledger that is named in one file must not be named in another. */
  readonly keyspace: string;
  /** Opens a ledger: a new one unless named. */
  open(options?: Partial<CassandraStoreOptions>): Promise<CassandraStore>;
  /** Opens a ledger and acquires its lease. */
  openWriter(options?: Partial<CassandraStoreOptions>): Promise<CassandraStore>;
}

/** Declares tests that need a cluster. */
export function describeCluster(name: string, declare: (cluster: TestCluster) => void): void {
  if (!isThere) {
    const reason = `no Cassandra answers on ${HOSTS.join(",")} (scripts/cassandra.sh up starts one)`;
    it(`${name}: all of it`, (context) => context.skip(reason));
    return;
  }
  describe(name, { timeout: TEST_MS }, () => {
    const keyspace = inject("keyspace");
    const file = randomBytes(4).toString("hex");
    let ledgers = 0;
    const open = (options: Partial<CassandraStoreOptions> = {}): Promise<CassandraStore> =>
      openCassandraStore({ hosts: HOSTS, keyspace, ledger: `ledger_${file}_${++ledgers}`, ...options });
    const openWriter = async (options: Partial<CassandraStoreOptions> = {}): Promise<CassandraStore> => {
      const store = await open(options);
      if ((await store.lease.acquire()) === undefined) throw new Error("another test writes this ledger");
      return store;
    };
    declare({ hosts: HOSTS, keyspace, open, openWriter });
  });
}

const isThere = await answers(HOSTS[0] ?? "");

/** True when the host accepts connections. */
export async function answers(host: string): Promise<boolean> {
  const [name = "", port = String(PORT)] = host.split(":");
  return new Promise((resolve) => {
    const socket = connect({ host: name, port: Number(port), timeout: 10_000 });
    const end = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.on("connect", end(true)).on("error", end(false)).on("timeout", end(false));
  });
}
