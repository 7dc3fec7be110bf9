// What a backup folder says about itself: `metadata/` names parts of three kinds, each part has a manifest, and the
// manifest names chunks. All of it may lie: sizes and counts are bounded, and parts and chunks must join.

import { Slices } from "../../base/wait.ts";
import { decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { JsonError } from "../../json/errors.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { signedRangeProofCodec } from "./backup-service.ts";
import { assertInside, type FolderFiles, linesOf } from "./folder-files.ts";
import { decodeAnswer, MAX_LEDGER_INFO_BYTES, namedLie } from "./source.ts";

/** A ledger info, and siblings on both sides. */
const MAX_PROOF_BYTES = MAX_LEDGER_INFO_BYTES + 16 * 1024;
export const METADATA = "metadata";
/** All metadata files of a question; a part takes about 200 bytes, and compacted files repeat it. */
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
const MAX_LINE_BYTES = 4096;
/** What a line counts at least: each takes time, also a blank one. */
const MIN_LINE_BYTES = 64;
/** Parts of a kind: 20 years of two-hour epochs. Mainnet had about 10,000 epochs in 2026. */
const MAX_PARTS = 100_000;
/** A manifest has about 100 bytes for each epoch, 300 for each chunk. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
/** Longest chunk once inflated: the reference cuts at 128 MiB, before the record that would exceed it. */
export const MAX_CHUNK_BYTES = 160 * 1024 * 1024;

/** The kinds of parts: names of their metadata files, with the last number where it is one of the part, and their members. */
export const BACKUP_KINDS = {
  epochs: {
    file: /^epoch_ending_(?:compacted_)?\d{1,20}-(\d{1,20})\.meta$/,
    tag: "EpochEndingBackup",
    first: "first_epoch",
    last: "last_epoch",
    /** Most numbers of one part. */
    span: 100_000n,
  },
  transactions: {
    file: /^transaction_(?:compacted_)?\d{1,20}-(\d{1,20})\.meta$/,
    tag: "TransactionBackup",
    first: "first_version",
    last: "last_version",
    span: 100_000_000n,
  },
  states: {
    file: /^state_snapshot_(?:ver_(\d{1,20})|compacted_epoch_\d{1,20}_\d{1,20})\.meta$/,
    tag: "StateSnapshotBackup",
    first: "version",
    last: "version",
    span: 1n,
  },
} as const;
export type BackupKind = keyof typeof BACKUP_KINDS;

/** A part of a backup, as a metadata line names it: epochs, versions, or the one version of a state. */
export interface BackupPart {
  readonly first: bigint;
  readonly last: bigint;
  readonly manifest: string;
  /** Of the ends of epochs. */
  readonly firstVersion?: bigint;
  readonly lastVersion?: bigint;
}

/** The last number that the file names of a kind have; undefined if there are none. */
export async function lastOf(
  files: FolderFiles,
  kind: BackupKind,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  let last: bigint | undefined;
  for (const name of await files.list(METADATA, BACKUP_KINDS[kind].file, signal)) {
    const number = BACKUP_KINDS[kind].file.exec(name)?.[1];
    if (number !== undefined && (last === undefined || BigInt(number) > last)) last = BigInt(number);
  }
  return last;
}

/** The parts of a kind that reach `from` or further: of those with the same beginning, the longest. */
export async function partsOf(
  files: FolderFiles,
  kind: BackupKind,
  from: bigint,
  signal: AbortSignal,
): Promise<readonly BackupPart[]> {
  const parts = new Map<bigint, BackupPart>();
  const { file, tag } = BACKUP_KINDS[kind];
  let bytes = MAX_METADATA_BYTES;
  for (const name of await files.list(METADATA, file, signal)) {
    const last = file.exec(name)?.[1];
    if (last !== undefined && BigInt(last) < from) continue;
    const path = `${METADATA}/${name}`;
    for await (const line of linesOf(files.read(path, bytes, signal), MAX_LINE_BYTES)) {
      bytes -= Math.max(line.length, MIN_LINE_BYTES);
      if (bytes < 0) {
        throw new UpstreamError("endless", `the metadata is longer than ${MAX_METADATA_BYTES} bytes`);
      }
      const part = isBlank(line) ? undefined : await inFile(path, () => parsePart(line, kind));
      if (part === undefined || part.last < from) continue;
      const known = parts.get(part.first);
      if (known === undefined || known.last < part.last) parts.set(part.first, part);
      if (parts.size > MAX_PARTS) {
        throw new UpstreamError("endless", `the metadata has more than ${MAX_PARTS} lines of ${tag}`);
      }
    }
  }
  return [...parts.values()];
}

/** The part with a number that reaches furthest; undefined at the end. Throws UpstreamError for a gap. */
export function partWith(parts: readonly BackupPart[], number: bigint, what: string): BackupPart | undefined {
  let best: BackupPart | undefined;
  let isLater = false;
  for (const part of parts) {
    if (part.first > number) isLater = true;
    else if (part.last >= number && (best === undefined || part.last > best.last)) best = part;
  }
  if (best === undefined && isLater) {
    throw new UpstreamError("gap", `the backup has later ${what}s, but not ${what} ${number}`);
  }
  return best;
}

async function parsePart(line: Uint8Array, kind: BackupKind): Promise<BackupPart | undefined> {
  const json = await readObject("a metadata line", line);
  const { tag, first, last } = BACKUP_KINDS[kind];
  const backup = json.member(json.root, tag);
  if (backup === ABSENT) return undefined;
  assertKind(tag, json, backup, "object");
  const part = {
    first: numberOf(json, backup, first),
    last: numberOf(json, backup, last),
    manifest: pathOf(json, backup, "manifest"),
    ...(kind === "epochs" && {
      firstVersion: numberOf(json, backup, "first_version"),
      lastVersion: numberOf(json, backup, "last_version"),
    }),
  };
  if (part.last >= part.first && part.last - part.first < BACKUP_KINDS[kind].span) return part;
  throw new UpstreamError("malformed", `a metadata line has ${first} ${part.first} and ${last} ${part.last}`);
}

/** The manifest of a part, and its chunks, which must join from the part's beginning to its end. */
export async function readManifest(
  files: FolderFiles,
  kind: BackupKind,
  part: BackupPart,
  signal: AbortSignal,
): Promise<{ readonly json: JsonDocument; readonly chunks: readonly ManifestChunk[] }> {
  const bytes = await readWhole(files, part.manifest, MAX_MANIFEST_BYTES, signal);
  return inFile(part.manifest, async () => {
    const json = await readObject("a manifest", bytes);
    const names = BACKUP_KINDS[kind];
    const said = [numberOf(json, json.root, names.first), numberOf(json, json.root, names.last)];
    if (said[0] !== part.first || said[1] !== part.last) {
      throw new UpstreamError(
        "malformed",
        `it has ${said[0]} to ${said[1]}, its metadata ${part.first} to ${part.last}`,
      );
    }
    const chunks = await readChunks(json, kind, part);
    return { json, chunks };
  });
}

/** A chunk as its manifest names it: numbers of epochs, versions or items. */
export interface ManifestChunk {
  readonly first: bigint;
  readonly last: bigint;
  readonly path: string;
  /** Undefined for epochs, which have none. */
  readonly proof: string | undefined;
  /** The chunk in the manifest. */
  readonly at: number;
}

const CHUNKS = {
  epochs: { first: "first_epoch", last: "last_epoch", path: "ledger_infos" },
  transactions: { first: "first_version", last: "last_version", path: "transactions" },
  states: { first: "first_idx", last: "last_idx", path: "blobs" },
} as const;

async function readChunks(json: JsonDocument, kind: BackupKind, part: BackupPart): Promise<ManifestChunk[]> {
  const slices = new Slices("writer");
  const names = CHUNKS[kind];
  const chunks: ManifestChunk[] = [];
  // Items are counted from zero, and only the last chunk tells how many there are.
  let next = kind === "states" ? 0n : part.first;
  for (const at of itemsOf(json, "chunks")) {
    assertKind("a chunk", json, at, "object");
    const [first, last] = [numberOf(json, at, names.first), numberOf(json, at, names.last)];
    if (first !== next || last < first) {
      throw new UpstreamError("gap", `a chunk has ${first} to ${last}, expected one from ${next} on`);
    }
    const proof = kind === "epochs" ? undefined : pathOf(json, at, "proof");
    chunks.push({ first, last, path: pathOf(json, at, names.path), proof, at });
    next = last + 1n;
    await slices.pause();
  }
  if (kind === "states" ? chunks.length > 0 : next === part.last + 1n) return chunks;
  throw new UpstreamError("gap", `the chunks end before ${next}, not at ${part.last}`);
}

/** What proves the records of a chunk. */
export async function readRangeProof(
  files: FolderFiles,
  { proof = "" }: ManifestChunk,
  signal: AbortSignal,
): Promise<ValueOf<typeof signedRangeProofCodec>> {
  const bytes = await readWhole(files, proof, MAX_PROOF_BYTES, signal);
  return decodeAnswer(proof, () => decodeWith(signedRangeProofCodec, bytes));
}

/** A whole file, inflated. */
export async function readWhole(
  files: FolderFiles,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path, maxBytes, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function inFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw namedLie(path, error);
  }
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 32 || byte === 13 || byte === 9);

/** Reads a JSON object. Throws UpstreamError. */
async function readObject(what: string, bytes: Uint8Array): Promise<JsonDocument> {
  const json = await parseJsonInSlices(bytes).catch((error: unknown) => {
    if (!(error instanceof JsonError)) throw error;
    throw new UpstreamError("malformed", `${what} is no JSON: ${error.message}`, { cause: error });
  });
  assertKind(what, json, json.root, "object");
  return json;
}

function assertKind(
  what: string,
  json: JsonDocument,
  value: number,
  kind: ReturnType<JsonDocument["kind"]>,
): void {
  if (value === ABSENT || json.kind(value) !== kind)
    throw new UpstreamError("malformed", `${what} is no JSON ${kind}`);
}

/** A whole number of at most 15 digits: ledgers have no longer ones. */
function numberOf(json: JsonDocument, object: number, name: string): bigint {
  const value = json.member(object, name);
  assertKind(name, json, value, "number");
  const number = json.smallInteger(value);
  if (number === undefined || number < 0) throw new UpstreamError("malformed", `${name} is no whole number`);
  return BigInt(number);
}

export function textOf(json: JsonDocument, object: number, name: string, fallback?: string): string {
  const value = json.member(object, name);
  return value === ABSENT && fallback !== undefined ? fallback : textAt(json, name, value);
}

export function textAt(json: JsonDocument, what: string, value: number): string {
  assertKind(what, json, value, "string");
  return json.string(value);
}

export function pathOf(json: JsonDocument, object: number, name: string): string {
  return assertInside(textOf(json, object, name));
}

/** The items of a list in the outermost object. */
export function* itemsOf(json: JsonDocument, name: string): Generator<number> {
  const list = json.member(json.root, name);
  assertKind(name, json, list, "array");
  for (let item = json.first(list); item < json.end(list); item = json.next(item)) yield item;
}
