// The tables and their format. Creates missing tables and refuses newer formats.
import { createHash } from "node:crypto";
import { StoreError } from "../errors.ts";
import type { CassandraSettings } from "./options.ts";
import type { Session } from "./session.ts";

/** Format of the tables that this version creates and reads. */
const FORMAT = 3;

/** Everything waits for the head row, so a coordinator asks a further replica after this time. */
const HEAD_SPECULATE_MS = 150;

/** The members of a cluster must stay the same for this long before a keyspace is created: three rounds of gossip. */
const MEMBERS_STEADY_MS = 3000;

const LEVELED = "compaction = {'class': 'LeveledCompactionStrategy'}";

/** How long the index keeps its removals. A row that comes back does no harm there: readers look up every item. */
const OWNED_GRACE_SECS = 3600;

/** A table: its name, its columns and its properties. */
type Table = readonly [name: string, columns: string, ...properties: string[]];

/**
 * `heads`: one row for each ledger, changed only by lightweight transactions; its `birth` is part of the ledger's name in
 * all other tables, so that rows of a ledger that took the place of another are not found under the other's. `items`: state by key and bucket, newest
 * first. `versions`: records, and the keys that each version wrote. `blocks`: by height. `tree` and `side`: by write
 * number. `splits`: keys with more than one bucket. `format` comes last, so that it exists only if all other tables do.
 */
const TABLES: readonly Table[] = [
  [
    "heads",
    `ledger text PRIMARY KEY, term int, mark int, owner text, beat int, terms blob,
      version bigint, seq bigint, position blob, identity blob, pruned bigint, birth text`,
    `speculative_retry = '${HEAD_SPECULATE_MS}ms'`,
  ],
  [
    "items",
    `ledger text, key blob, bucket int, version bigint, term int, value blob, next int,
      PRIMARY KEY ((ledger, key, bucket), version, term)`,
    "CLUSTERING ORDER BY (version DESC, term DESC)",
    LEVELED,
  ],
  [
    "versions",
    `ledger text, bucket bigint, version bigint, term int, part int, bytes blob, keys blob, height bigint,
      PRIMARY KEY ((ledger, bucket), version, term, part)`,
  ],
  [
    "blocks",
    `ledger text, bucket bigint, height bigint, term int, first_version bigint, time bigint, epoch bigint,
      PRIMARY KEY ((ledger, bucket), height, term)`,
  ],
  [
    "tree",
    `ledger text, node blob, seq bigint, term int, value blob,
      PRIMARY KEY ((ledger, node), seq, term)`,
    "CLUSTERING ORDER BY (seq DESC, term DESC)",
    LEVELED,
  ],
  [
    "side",
    `ledger text, key blob, seq bigint, term int, value blob,
      PRIMARY KEY ((ledger, key), seq, term)`,
    "CLUSTERING ORDER BY (seq DESC, term DESC)",
    LEVELED,
  ],
  [
    "owned",
    "ledger text, owner blob, place blob, data blob, PRIMARY KEY ((ledger, owner), place)",
    LEVELED,
    `gc_grace_seconds = ${OWNED_GRACE_SECS}`,
  ],
  [
    "splits",
    `ledger text, key blob, bucket int, term int, start bigint,
      PRIMARY KEY ((ledger), key, bucket, term)`,
  ],
  ["format", "name text PRIMARY KEY, format int"],
];

/**
 * A fixed id for a table. By default nodes choose random ids and treat tables with different ids as different tables,
 * which breaks when several processes create a table on different nodes at once.
 */
function idOf(keyspace: string, table: string): string {
  const digits = createHash("sha256").update(`sextant ${keyspace}.${table}`).digest("hex");
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(12, 15)}`];
  return [...parts, `8${digits.slice(15, 18)}`, digits.slice(18, 30)].join("-");
}

async function createTable(session: Session, keyspace: string, table: Table): Promise<void> {
  const [name, columns, ...properties] = table;
  const create = `CREATE TABLE IF NOT EXISTS ${keyspace}.${name} (${columns})`;
  const toStatement = (options: readonly string[]): string =>
    options.length === 0 ? create : `${create} WITH ${options.join(" AND ")}`;
  try {
    await session.changeSchema(toStatement([...properties, `id = ${idOf(keyspace, name)}`]));
  } catch (error) {
    // Services compatible with Cassandra may not accept a table id.
    if (!(error instanceof StoreError) || error.code !== "unwritable") throw error;
    await session.changeSchema(toStatement(properties));
  }
}

/**
 * Creates the tables if they are missing. In a read-only store they must exist. Throws StoreError `absent` for missing
 * tables, `format` for another format.
 */
export async function ensureSchema(session: Session, settings: CassandraSettings): Promise<void> {
  const { keyspace, readOnly } = settings;
  const found = await loadFormat(session, keyspace);
  if (found === FORMAT) return;
  if (found !== undefined) {
    throw new StoreError(
      "format",
      `the tables of ${session.where} have format ${found}, this version reads ${FORMAT}`,
      {
        details: { format: found, supported: FORMAT },
      },
    );
  }
  if (readOnly) throw new StoreError("absent", `there is no store in ${session.where}`);
  const copies = settings.replication ?? (await copiesFor(session, settings));
  await session.changeSchema(
    `CREATE KEYSPACE IF NOT EXISTS ${keyspace}
     WITH replication = {'class': 'NetworkTopologyStrategy', '${session.dataCentre.replaceAll("'", "''")}': ${copies}}`,
  );
  for (const table of TABLES) await createTable(session, keyspace, table);
  // The driver waits for this only if it knows several nodes, and goes on without it after a while.
  await session.agree(0, "schema");
  await session.changeSchema(`INSERT INTO ${keyspace}.format (name, format) VALUES ('sextant', ${FORMAT})`);
}

/**
 * Copies of a new keyspace. A cluster that comes up for the first time knows only the nodes that were up at some time. A
 * keyspace that is created then would keep too few copies, and a row would be missing once another node owns its place.
 */
async function copiesFor(session: Session, { hosts }: CassandraSettings): Promise<number> {
  const { members, local } = await session.agree(MEMBERS_STEADY_MS);
  if (members >= hosts.length) return Math.min(3, local);
  throw new StoreError(
    "unreachable",
    `the cluster of ${session.where} knows ${members} of the ${hosts.length} hosts: a new keyspace waits for all of them, or needs store-replication`,
    { details: { knownNodes: members } },
  );
}

async function loadFormat(session: Session, keyspace: string): Promise<number | undefined> {
  const known = await session.querySchema(
    `SELECT table_name FROM system_schema.tables WHERE keyspace_name = '${keyspace}' AND table_name = 'format'`,
  );
  if (known.length === 0) return undefined;
  const [row] = await session.querySchema(`SELECT format FROM ${keyspace}.format WHERE name = 'sextant'`);
  const format = row?.format;
  return typeof format === "number" ? format : undefined;
}
