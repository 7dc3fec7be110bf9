// The CQL statements, and the partitions of versions and heights.

/** Each partition of records holds 2^8 versions. */
const VERSION_BITS = 8n;
/** Each partition of blocks holds 2^10 heights. */
const HEIGHT_BITS = 10n;

/** Bucket of a version's record and keys. */
export function versionBucket(version: bigint): bigint {
  return version >> VERSION_BITS;
}

/** Bucket of a block. */
export function heightBucket(height: bigint): bigint {
  return height >> HEIGHT_BITS;
}

/** All statements of a keyspace except those on the head row. */
export type Statements = ReturnType<typeof createStatements>;

/** The statements of a keyspace. */
export function createStatements(keyspace: string) {
  const item = "ledger = ? AND key = ? AND bucket = ?";
  const items = `${keyspace}.items`;
  const versions = `${keyspace}.versions`;
  const blocks = `${keyspace}.blocks`;
  const tree = `${keyspace}.tree`;
  const side = `${keyspace}.side`;
  const owned = `${keyspace}.owned`;
  const splits = `${keyspace}.splits`;
  return {
    findItem: `SELECT version, term, value, next FROM ${items} WHERE ${item} AND version <= ? LIMIT 1`,
    findItemBefore: `SELECT version, term, value, next FROM ${items} WHERE ${item} AND (version, term) < (?, ?) LIMIT 32`,
    listItems: `SELECT version, term, value, next FROM ${items} WHERE ${item} AND (version, term) > (?, ?) AND (version, term) <= (?, ?) ORDER BY version ASC, term ASC LIMIT ?`,
    putItem: `INSERT INTO ${items} (ledger, key, bucket, version, term, value) VALUES (?, ?, ?, ?, ?, ?)`,
    putPointer: `INSERT INTO ${items} (ledger, key, bucket, version, term, next) VALUES (?, ?, 0, ?, ?, ?)`,
    pruneItems: `DELETE FROM ${items} WHERE ${item} AND version < ?`,
    dropItems: `DELETE FROM ${items} WHERE ${item}`,

    listRecords: `SELECT version, term, part, bytes, height FROM ${versions} WHERE ledger = ? AND bucket = ? AND version >= ? AND version <= ?`,
    listKeys: `SELECT version, term, part, keys FROM ${versions} WHERE ledger = ? AND bucket = ? AND version >= ? AND version < ?`,
    putVersion: `INSERT INTO ${versions} (ledger, bucket, version, term, part, bytes, keys, height) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    dropVersions: `DELETE FROM ${versions} WHERE ledger = ? AND bucket = ?`,

    listBlocks: `SELECT height, term, first_version, time, epoch FROM ${blocks} WHERE ledger = ? AND bucket = ? AND height >= ? AND height <= ?`,
    putBlock: `INSERT INTO ${blocks} (ledger, bucket, height, term, first_version, time, epoch) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    dropBlocks: `DELETE FROM ${blocks} WHERE ledger = ? AND bucket = ?`,

    findNode: `SELECT seq, term, value FROM ${tree} WHERE ledger = ? AND node = ? AND seq <= ? LIMIT 1`,
    findNodeBefore: `SELECT seq, term, value FROM ${tree} WHERE ledger = ? AND node = ? AND (seq, term) < (?, ?) LIMIT 32`,
    putNode: `INSERT INTO ${tree} (ledger, node, seq, term, value) VALUES (?, ?, ?, ?, ?)`,
    pruneNode: `DELETE FROM ${tree} WHERE ledger = ? AND node = ? AND seq < ?`,

    findSide: `SELECT seq, term, value FROM ${side} WHERE ledger = ? AND key = ? AND seq <= ? LIMIT 1`,
    findSideBefore: `SELECT seq, term, value FROM ${side} WHERE ledger = ? AND key = ? AND (seq, term) < (?, ?) LIMIT 32`,
    putSide: `INSERT INTO ${side} (ledger, key, seq, term, value) VALUES (?, ?, ?, ?, ?)`,
    pruneSide: `DELETE FROM ${side} WHERE ledger = ? AND key = ? AND seq < ?`,

    listOwned: `SELECT place, data FROM ${owned} WHERE ledger = ? AND owner = ? AND place > ? LIMIT ?`,
    findOwned: `SELECT data FROM ${owned} WHERE ledger = ? AND owner = ? AND place = ?`,
    scanOwned: `SELECT ledger, owner, place, data FROM ${owned}`,
    scanItemKeys: `SELECT DISTINCT ledger, key, bucket FROM ${items}`,
    putOwned: `INSERT INTO ${owned} (ledger, owner, place, data) VALUES (?, ?, ?, ?) USING TIMESTAMP ?`,
    dropOwned: `DELETE FROM ${owned} USING TIMESTAMP ? WHERE ledger = ? AND owner = ? AND place = ?`,
    dropOwnedUpTo: `DELETE FROM ${owned} USING TIMESTAMP ? WHERE ledger = ? AND owner = ? AND place <= ?`,
    dropOwnedAfter: `DELETE FROM ${owned} USING TIMESTAMP ? WHERE ledger = ? AND owner = ? AND place > ?`,
    dropOwnedBetween: `DELETE FROM ${owned} USING TIMESTAMP ? WHERE ledger = ? AND owner = ? AND place > ? AND place < ?`,
    ownedAfter: `SELECT place FROM ${owned} WHERE ledger = ? AND owner = ? AND place > ? LIMIT 1`,
    ownedBefore: `SELECT place FROM ${owned} WHERE ledger = ? AND owner = ? AND place < ? ORDER BY place DESC LIMIT 1`,

    listSplits: `SELECT key, bucket, term, start FROM ${splits} WHERE ledger = ?`,
    putSplit: `INSERT INTO ${splits} (ledger, key, bucket, term, start) VALUES (?, ?, ?, ?, ?)`,
    dropSplit: `DELETE FROM ${splits} WHERE ledger = ? AND key = ? AND bucket = ?`,
  };
}
