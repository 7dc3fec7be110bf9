// The tables, and the format they are in. Made where they are missing, refused where they are newer.
import { createHash } from "node:crypto";
import { StoreError } from "../errors.ts";
import type { CassandraSettings } from "./options.ts";
import type { Session } from "./session.ts";

/** Format of the tables that this code makes and reads. */
const FORMAT = 1;

/** All wait for the head row: nodes ask a third one when the second is this slow, and not only when it is known to be dead. */
const HEAD_SPECULATE_MS = 150;

const LEVELED = "compaction = {'class': 'LeveledCompactionStrategy'}";

/** A table: its name, its columns, and what else is said about it. */
type Table = readonly [name: string, columns: string, ...properties: string[]];

/**
 * `heads`: one row for each ledger, moved by lightweight transactions alone. `items`: state by key and bucket,
 * newest first. `versions`: records, and which keys each version wrote. `blocks`: by height. `tree` and `side`:
 * by number of the write that left them. `splits`: keys with more than one bucket. `format` comes last, so that a
 * format without tables is never seen.
 */
const TABLES: readonly Table[] = [
  [
    "heads",
    `ledger text PRIMARY KEY, term int, owner text, beat int, terms blob,
      version bigint, seq bigint, position blob, identity blob, pruned bigint`,
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
    `ledger text, bucket bigint, version bigint, term int, part int, bytes blob, keys blob,
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
    "splits",
    `ledger text, key blob, bucket int, term int, start bigint,
      PRIMARY KEY ((ledger), key, bucket, term)`,
  ],
  ["format", "name text PRIMARY KEY, format int"],
];

/**
 * Nodes take a table for another one when its id differs, and give it a random one. The same id from everybody makes
 * it the same table, however many processes make it at once on different nodes.
 */
function idOf(keyspace: string, table: string): string {
  const digits = createHash("sha256").update(`sextant ${keyspace}.${table}`).digest("hex");
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(12, 15)}`];
  return [...parts, `8${digits.slice(15, 18)}`, digits.slice(18, 30)].join("-");
}

async function createTable(session: Session, keyspace: string, table: Table): Promise<void> {
  const [name, columns, ...properties] = table;
  const create = `CREATE TABLE IF NOT EXISTS ${keyspace}.${name} (${columns})`;
  const toStatement = (said: readonly string[]): string =>
    said.length === 0 ? create : `${create} WITH ${said.join(" AND ")}`;
  try {
    await session.define(toStatement([...properties, `id = ${idOf(keyspace, name)}`]));
  } catch (error) {
    // Services that are like Cassandra may choose their own.
    if (!(error instanceof StoreError) || error.code !== "unwritable") throw error;
    await session.define(toStatement(properties));
  }
}

/**
 * Brings the tables to this code's format. For reading only, they must be there already. Throws StoreError
 * `absent` for tables that are missing, `format` for such that are newer or not a store's.
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
  const { name, nodes } = session.dataCentre;
  const copies = settings.replication ?? Math.min(3, nodes);
  await session.define(
    `CREATE KEYSPACE IF NOT EXISTS ${keyspace}
     WITH replication = {'class': 'NetworkTopologyStrategy', '${name.replaceAll("'", "''")}': ${copies}}`,
  );
  for (const table of TABLES) await createTable(session, keyspace, table);
  await session.define(`INSERT INTO ${keyspace}.format (name, format) VALUES ('sextant', ${FORMAT})`);
}

async function loadFormat(session: Session, keyspace: string): Promise<number | undefined> {
  const known = await session.ask(
    `SELECT table_name FROM system_schema.tables WHERE keyspace_name = '${keyspace}' AND table_name = 'format'`,
  );
  if (known.length === 0) return undefined;
  const [row] = await session.ask(`SELECT format FROM ${keyspace}.format WHERE name = 'sextant'`);
  const format = row?.format;
  return typeof format === "number" ? format : undefined;
}
