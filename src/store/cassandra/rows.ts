// The rows of a batch, which are written before the head row moves. They carry the term and can be written repeatedly
// and in any order.
import type { BaseBatch, CommitBatch, IndexRow, SideRow } from "../contract.ts";
import { StoreError } from "../errors.ts";
import { encodeKeys, type WrittenKey } from "./keys-row.ts";
import type { OwnedPlace } from "./owned-rows.ts";
import type { Splits } from "./splits.ts";
import { heightBucket, versionBucket } from "./statements.ts";
import { asBuffer, FIRST_BUCKET, PART_BYTES, type Tables } from "./tables.ts";
import { BASE_TERM } from "./terms.ts";
import type { Request } from "./writes.ts";

/** Write number of the rows before the first commit. */
const BASE_SEQ = 0n;
/** Largest number of keys in one row. */
const KEYS_IN_PART = 16_384;

/** The rows of a commit. Throws StoreError `order` for two writes of one key at one version. */
export function planBatch(
  tables: Tables,
  batch: CommitBatch,
  stamp: { readonly term: number; readonly seq: bigint; readonly blockHeight: bigint | undefined },
  splits: Splits,
): readonly Request[] {
  assertDistinct(batch);
  const heightOf = heights(batch, stamp.blockHeight);
  const { statements, ledger } = tables;
  const { term } = stamp;
  const requests: Request[] = [];
  const keysByVersion = new Map<bigint, WrittenKey[]>();
  const ownedOf = deletedPlaces(batch.index ?? []);
  for (const { keyHash, version, value } of batch.writes) {
    const key = asBuffer(keyHash);
    const { bucket, isNew } = splits.place(key, version, value?.length ?? 0);
    if (isNew) {
      requests.push({ query: statements.putPointer, values: [ledger, key, version, term, bucket] });
      requests.push({ query: statements.putSplit, values: [ledger, key, bucket, term, version] });
    }
    const bytes = value === undefined ? undefined : asBuffer(value);
    requests.push({
      query: statements.putItem,
      values: [ledger, key, bucket, version, term, bytes],
      partition: `i${bucket} ${key.toString("latin1")}`,
    });
    const keys = keysByVersion.get(version);
    const owned = value === undefined ? ownedOf(version, key) : NONE;
    const written = { key, bucket, isDeletion: value === undefined, owned };
    if (keys === undefined) keysByVersion.set(version, [written]);
    else keys.push(written);
  }
  for (const { version, bytes } of batch.records) {
    const record = { bytes: asBuffer(bytes), height: heightOf(version) };
    requests.push(...planVersion(tables, version, term, record, keysByVersion.get(version) ?? []));
    keysByVersion.delete(version);
  }
  for (const [version, keys] of keysByVersion)
    requests.push(...planVersion(tables, version, term, undefined, keys));
  for (const { height, firstVersion, timestampUsec, epoch } of batch.blocks) {
    const values = [ledger, heightBucket(height), height, term, firstVersion, timestampUsec, epoch];
    requests.push({ query: statements.putBlock, values, partition: `b${heightBucket(height)}` });
  }
  requests.push(...planRows(tables, "putNode", batch.treeNodes, stamp));
  requests.push(...planRows(tables, "putSide", batch.sideRows ?? [], stamp));
  return requests;
}

/** Side rows, or tree nodes. */
export function planRows(
  { statements, ledger }: Tables,
  put: "putNode" | "putSide",
  rows: readonly SideRow[],
  { term, seq }: { readonly term: number; readonly seq: bigint },
): readonly Request[] {
  return rows.map(({ key, value }) => ({
    query: statements[put],
    values: [ledger, asBuffer(key), seq, term, value === undefined ? undefined : asBuffer(value)],
  }));
}

/** The rows of the state before the first commit. They are valid in every term, so several writers may write them. */
export function planBase(tables: Tables, base: BaseBatch): readonly Request[] {
  const { statements, ledger } = tables;
  const stamp = { term: BASE_TERM, seq: BASE_SEQ };
  const items = base.writes.map(({ keyHash, version, value }) => ({
    query: statements.putItem,
    values: [
      ledger,
      asBuffer(keyHash),
      FIRST_BUCKET,
      version,
      BASE_TERM,
      value === undefined ? undefined : asBuffer(value),
    ],
  }));
  return [
    ...items,
    ...planRows(tables, "putNode", base.treeNodes, stamp),
    ...planRows(tables, "putSide", base.sideRows ?? [], stamp),
  ];
}

/** Rows of one version: its record and its keys, in parts if they are large. */
function planVersion(
  { statements, ledger }: Tables,
  version: bigint,
  term: number,
  record: { readonly bytes: Buffer; readonly height: bigint | undefined } | undefined,
  keys: readonly WrittenKey[],
): readonly Request[] {
  const bytes = record?.bytes;
  const parts = Math.max(
    bytes === undefined ? 0 : Math.max(1, Math.ceil(bytes.length / PART_BYTES)),
    Math.ceil(keys.length / KEYS_IN_PART),
  );
  const bucket = versionBucket(version);
  return Array.from({ length: parts }, (_, part) => {
    const slice = bytes?.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    const keySlice = keys.slice(part * KEYS_IN_PART, (part + 1) * KEYS_IN_PART);
    const values = [
      ledger,
      bucket,
      version,
      term,
      part,
      slice === undefined || (part > 0 && slice.length === 0) ? undefined : slice,
      keySlice.length === 0 ? undefined : encodeKeys(keySlice),
      record?.height,
    ];
    return { query: statements.putVersion, values, partition: `v${bucket}` };
  });
}

/** The block heights of versions that come in their order; `before` is the height before the batch. */
function heights(
  { blocks }: CommitBatch,
  before: bigint | undefined,
): (version: bigint) => bigint | undefined {
  let height = before;
  let next = 0;
  return (version) => {
    for (
      let block = blocks[next];
      block !== undefined && block.firstVersion <= version;
      block = blocks[next]
    ) {
      height = block.height;
      next++;
    }
    return height;
  };
}

const NONE: readonly OwnedPlace[] = [];

/** Finds the index rows of a deleted item, which the pruner removes with the deletion. */
function deletedPlaces(rows: readonly IndexRow[]): (version: bigint, key: Buffer) => readonly OwnedPlace[] {
  const places = new Map<string, OwnedPlace[]>();
  for (const { owner, place, keyHash, version, isDeletion } of rows) {
    if (!isDeletion) continue;
    const name = `${version} ${asBuffer(keyHash).toString("latin1")}`;
    places.set(name, [...(places.get(name) ?? []), { owner: asBuffer(owner), place: asBuffer(place) }]);
  }
  return (version, key) => places.get(`${version} ${key.toString("latin1")}`) ?? NONE;
}

function assertDistinct(batch: CommitBatch): void {
  let version: bigint | undefined;
  let seen = new Set<string>();
  for (const write of batch.writes) {
    if (write.version !== version) seen = new Set();
    version = write.version;
    const name = asBuffer(write.keyHash).toString("latin1");
    if (seen.has(name)) throw new StoreError("order", `two writes of one key at version ${version}`);
    seen.add(name);
  }
}
