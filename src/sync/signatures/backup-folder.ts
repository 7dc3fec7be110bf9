// A backup folder in the reference's layout as a proof source: `metadata/` names ranges of epochs, each range has a
// manifest, and the manifest's chunks hold the signed ends of epochs. Stricter than the reference's restore: ranges and
// chunks must join without gaps, and every waypoint of a manifest must be that of its ledger info.

import { Slices } from "../../base/wait.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { JsonError } from "../../json/errors.ts";
import { parseJson, parseJsonInSlices } from "../../json/parse.ts";
import { computeWaypoint, formatWaypoint } from "../../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { assertInside, type FolderFiles, linesOf } from "./folder-files.ts";
import { lengthRecords } from "./length-records.ts";
import { decodeEpochEnd, MAX_LEDGER_INFO_BYTES, type SignatureSource, SourceLie } from "./source.ts";

const METADATA = "metadata";
const META_NAME = /^epoch_ending_(?:compacted_)?(\d{1,20})-(\d{1,20})\.meta$/;
/** Epochs in one range, and ranges in all metadata: 20 years of two-hour epochs. Mainnet had about 10,000 epochs in 2026. */
const MAX_EPOCHS = 100_000;
/** All metadata files of a question; a range takes about 200 bytes, and compacted files repeat it. */
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
const MAX_LINE_BYTES = 4096;
/** What a line counts at least: each takes time, also a blank one. */
const MIN_LINE_BYTES = 64;
/** A manifest has about 100 bytes for each epoch. */
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

/** A range of epochs, as a metadata line names it. */
interface EpochRange {
  readonly firstEpoch: bigint;
  readonly lastEpoch: bigint;
  readonly firstVersion: bigint;
  readonly lastVersion: bigint;
  readonly manifest: string;
}

interface Chunk {
  readonly firstEpoch: bigint;
  readonly lastEpoch: bigint;
  readonly path: string;
}

interface Manifest {
  readonly waypoints: readonly string[];
  readonly chunks: readonly Chunk[];
}

export function createBackupFolder(name: string, files: FolderFiles): SignatureSource {
  return new BackupFolder(name, files);
}

class BackupFolder implements SignatureSource {
  readonly kind = "folder";
  readonly name: string;
  readonly #files: FolderFiles;

  constructor(name: string, files: FolderFiles) {
    this.name = name;
    this.#files = files;
  }

  get receivedBytes(): number {
    return this.#files.receivedBytes;
  }

  async *epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const ranges = await this.#ranges((lastEpoch) => lastEpoch >= first, signal);
    let next = first;
    for (;;) {
      const range = rangeOf(ranges, next);
      if (range === undefined) return;
      for await (const signed of this.#readRange(range, next, signal)) {
        yield signed;
        next++;
      }
    }
  }

  async lastEpoch(signal: AbortSignal): Promise<bigint | undefined> {
    let last: bigint | undefined;
    for (const name of await this.#files.list(METADATA, META_NAME, signal)) {
      const epoch = META_NAME.exec(name)?.[2];
      if (epoch !== undefined && (last === undefined || BigInt(epoch) > last)) last = BigInt(epoch);
    }
    return last;
  }

  async findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const ranges = await this.#ranges(() => true, signal);
    const range = ranges.find((one) => one.firstVersion <= version && version <= one.lastVersion);
    if (range === undefined) return undefined;
    for await (const { ledgerInfo } of this.#readRange(range, range.firstEpoch, signal)) {
      if (ledgerInfo.version === version) return ledgerInfo.epoch;
    }
    return undefined;
  }

  /** Snapshots and transactions in a backup have later ledger infos, but only as parts of large files. */
  async latest(): Promise<undefined> {
    return undefined;
  }

  async service(): Promise<undefined> {
    return undefined;
  }

  close(): void {
    this.#files.close();
  }

  /** The ranges of the metadata files whose last epoch is wanted: of those with the same first epoch, the longest. */
  async #ranges(
    isWanted: (lastEpoch: bigint) => boolean,
    signal: AbortSignal,
  ): Promise<readonly EpochRange[]> {
    const ranges = new Map<bigint, EpochRange>();
    let bytes = MAX_METADATA_BYTES;
    for (const name of await this.#files.list(METADATA, META_NAME, signal)) {
      const last = META_NAME.exec(name)?.[2];
      if (last === undefined || !isWanted(BigInt(last))) continue;
      for await (const line of linesOf(
        this.#files.read(`${METADATA}/${name}`, bytes, signal),
        MAX_LINE_BYTES,
      )) {
        bytes -= Math.max(line.length, MIN_LINE_BYTES);
        if (bytes < 0) {
          throw new SourceLie("endless", `the metadata is longer than ${MAX_METADATA_BYTES} bytes`);
        }
        const range = isBlank(line) ? undefined : parseRange(line);
        if (range === undefined || !isWanted(range.lastEpoch)) continue;
        const known = ranges.get(range.firstEpoch);
        if (known === undefined || known.lastEpoch < range.lastEpoch) ranges.set(range.firstEpoch, range);
        if (ranges.size > MAX_EPOCHS) {
          throw new SourceLie("endless", `the metadata names more than ${MAX_EPOCHS} ranges of epochs`);
        }
      }
    }
    return [...ranges.values()];
  }

  async *#readRange(range: EpochRange, first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#files.read(range.manifest, MAX_MANIFEST_BYTES, signal))
      pieces.push(piece);
    const { waypoints, chunks } = await readManifest(Buffer.concat(pieces), range);
    for (const chunk of chunks) {
      if (chunk.lastEpoch < first) continue;
      for await (const signed of this.#readChunk(chunk, signal)) {
        const { ledgerInfo } = signed;
        const expected = waypoints[Number(ledgerInfo.epoch - range.firstEpoch)];
        const own = formatWaypoint(computeWaypoint(ledgerInfo));
        if (own !== expected) {
          throw new SourceLie(
            "malformed",
            `the manifest's waypoint of epoch ${ledgerInfo.epoch} is not ${own}, that of its ledger info`,
          );
        }
        if (ledgerInfo.epoch >= first) yield signed;
      }
    }
  }

  async *#readChunk(
    { path, firstEpoch, lastEpoch }: Chunk,
    signal: AbortSignal,
  ): AsyncGenerator<SignedLedgerInfo> {
    const maxRecords = Number(lastEpoch - firstEpoch) + 1;
    const maxBytes = maxRecords * (MAX_LEDGER_INFO_BYTES + 4);
    const stream = this.#files.read(assertInside(path), maxBytes, signal);
    let next = firstEpoch;
    for await (const record of lengthRecords(stream, { maxRecords, maxRecordBytes: MAX_LEDGER_INFO_BYTES })) {
      yield decodeEpochEnd(record, next++);
    }
    if (next !== lastEpoch + 1n) {
      throw new SourceLie("gap", `a chunk of epochs ${firstEpoch} to ${lastEpoch} ends before epoch ${next}`);
    }
  }
}

/** The range with an epoch that reaches furthest; undefined at the end. Throws SourceLie for a gap. */
function rangeOf(ranges: readonly EpochRange[], epoch: bigint): EpochRange | undefined {
  let best: EpochRange | undefined;
  let isLater = false;
  for (const range of ranges) {
    if (range.firstEpoch > epoch) isLater = true;
    else if (range.lastEpoch >= epoch && (best === undefined || range.lastEpoch > best.lastEpoch))
      best = range;
  }
  if (best === undefined && isLater) {
    throw new SourceLie("gap", `the backup has later epochs, but not epoch ${epoch}`);
  }
  return best;
}

function parseRange(line: Uint8Array): EpochRange | undefined {
  const json = asObject("a metadata line", () => parseJson(line));
  const backup = json.member(json.root, "EpochEndingBackup");
  if (backup === ABSENT) return undefined;
  assertKind("EpochEndingBackup", json, backup, "object");
  const range = {
    firstEpoch: numberOf(json, backup, "first_epoch"),
    lastEpoch: numberOf(json, backup, "last_epoch"),
    firstVersion: numberOf(json, backup, "first_version"),
    lastVersion: numberOf(json, backup, "last_version"),
    manifest: assertInside(textOf(json, backup, "manifest")),
  };
  assertRange(range, "a metadata line");
  return range;
}

async function readManifest(bytes: Uint8Array, { firstEpoch, lastEpoch }: EpochRange): Promise<Manifest> {
  const json = await parseJsonInSlices(bytes).catch(refuseJson("a manifest"));
  assertKind("a manifest", json, json.root, "object");
  const [first, last] = [numberOf(json, json.root, "first_epoch"), numberOf(json, json.root, "last_epoch")];
  if (first !== firstEpoch || last !== lastEpoch) {
    throw new SourceLie(
      "malformed",
      `a manifest has epochs ${first} to ${last}, its metadata ${firstEpoch} to ${lastEpoch}`,
    );
  }
  const slices = new Slices("writer");
  const waypoints: string[] = [];
  const count = Number(lastEpoch - firstEpoch) + 1;
  for (const item of itemsOf(json, "waypoints")) {
    if (waypoints.push(textAt(json, "a waypoint", item)) > count) break;
    await slices.pause();
  }
  if (waypoints.length !== count) {
    throw new SourceLie("malformed", `a manifest of ${count} epochs has another number of waypoints`);
  }
  let next = firstEpoch;
  const chunks: Chunk[] = [];
  for (const item of itemsOf(json, "chunks")) {
    assertKind("a chunk", json, item, "object");
    const chunk = {
      firstEpoch: numberOf(json, item, "first_epoch"),
      lastEpoch: numberOf(json, item, "last_epoch"),
      path: assertInside(textOf(json, item, "ledger_infos")),
    };
    assertRange(chunk, "a chunk");
    if (chunk.firstEpoch !== next) {
      throw new SourceLie("gap", `a manifest's chunk begins at epoch ${chunk.firstEpoch}, not at ${next}`);
    }
    next = chunk.lastEpoch + 1n;
    chunks.push(chunk);
    await slices.pause();
  }
  if (next !== lastEpoch + 1n) {
    throw new SourceLie("gap", `a manifest's chunks end before epoch ${next}, not at ${lastEpoch}`);
  }
  return { waypoints, chunks };
}

function assertRange(
  { firstEpoch, lastEpoch }: Pick<EpochRange, "firstEpoch" | "lastEpoch">,
  what: string,
): void {
  if (lastEpoch >= firstEpoch && lastEpoch - firstEpoch < BigInt(MAX_EPOCHS)) return;
  throw new SourceLie("malformed", `${what} has epochs ${firstEpoch} to ${lastEpoch}`);
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 32 || byte === 13 || byte === 9);

function refuseJson(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof JsonError)) throw error;
    throw new SourceLie("malformed", `${what} is no JSON: ${error.message}`, { cause: error });
  };
}

function asObject(what: string, parse: () => JsonDocument): JsonDocument {
  let json: JsonDocument;
  try {
    json = parse();
  } catch (error) {
    return refuseJson(what)(error);
  }
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
    throw new SourceLie("malformed", `${what} is no JSON ${kind}`);
}

/** A whole number of at most 15 digits: ledgers have no longer ones. */
function numberOf(json: JsonDocument, object: number, name: string): bigint {
  const value = json.member(object, name);
  assertKind(name, json, value, "number");
  const number = json.smallInteger(value);
  if (number === undefined || number < 0) throw new SourceLie("malformed", `${name} is no whole number`);
  return BigInt(number);
}

function textOf(json: JsonDocument, object: number, name: string): string {
  return textAt(json, name, json.member(object, name));
}

function textAt(json: JsonDocument, what: string, value: number): string {
  assertKind(what, json, value, "string");
  return json.string(value);
}

/** The items of a list in the outermost object. */
function* itemsOf(json: JsonDocument, name: string): Generator<number> {
  const list = json.member(json.root, name);
  assertKind(name, json, list, "array");
  for (let item = json.first(list); item < json.end(list); item = json.next(item)) yield item;
}
