// The tables, and the format they are in. Made where they are missing, refused where they are newer.
import { StoreError } from "../errors.ts";
import type { CassandraSettings } from "./options.ts";
import type { Session } from "./session.ts";

/** Format of the tables that this code makes and reads. */
export const FORMAT = 1;

/** All wait for the head row: nodes ask a third one when the second is this slow, and not only when it is known to be dead. */
const HEAD_SPECULATE_MS = 150;

const LEVELED = "compaction = {'class': 'LeveledCompactionStrategy'}";

/**
 * `heads`: one row for each ledger, moved by lightweight transactions alone. `items`: state by key and bucket,
 * newest first. `versions`: records, and which keys each version wrote. `blocks`: by height. `tree` and `side`:
 * by number of the write that left them. `splits`: keys with more than one bucket.
 */
function tables(keyspace: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${keyspace}.heads (
      ledger text PRIMARY KEY, term int, owner text, beat int, terms blob,
      version bigint, seq bigint, position blob, identity blob, pruned bigint)
      WITH speculative_retry = '${HEAD_SPECULATE_MS}ms'`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.items (
      ledger text, key blob, bucket int, version bigint, term int, value blob, next int,
      PRIMARY KEY ((ledger, key, bucket), version, term))
      WITH CLUSTERING ORDER BY (version DESC, term DESC) AND ${LEVELED}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.versions (
      ledger text, bucket bigint, version bigint, term int, part int, bytes blob, keys blob,
      PRIMARY KEY ((ledger, bucket), version, term, part))`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.blocks (
      ledger text, bucket bigint, height bigint, term int, first_version bigint, time bigint, epoch bigint,
      PRIMARY KEY ((ledger, bucket), height, term))`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.tree (
      ledger text, node blob, seq bigint, term int, value blob,
      PRIMARY KEY ((ledger, node), seq, term))
      WITH CLUSTERING ORDER BY (seq DESC, term DESC) AND ${LEVELED}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.side (
      ledger text, key blob, seq bigint, term int, value blob,
      PRIMARY KEY ((ledger, key), seq, term))
      WITH CLUSTERING ORDER BY (seq DESC, term DESC) AND ${LEVELED}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.splits (
      ledger text, key blob, bucket int, term int, start bigint,
      PRIMARY KEY ((ledger), key, bucket, term))`,
  ];
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
  for (const table of tables(keyspace)) await session.define(table);
  // Last, so that a format without tables is never seen.
  await session.define(`CREATE TABLE IF NOT EXISTS ${keyspace}.format (name text PRIMARY KEY, format int)`);
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
