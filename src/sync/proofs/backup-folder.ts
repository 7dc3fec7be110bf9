// A backup folder in the reference's layout as a proof source: `metadata/` names ranges of epochs, each range has a
// manifest, and the manifest's chunks hold the signed ends of epochs. Stricter than the reference's restore: ranges and
// chunks must join without gaps, and every waypoint of a manifest must be that of its ledger info.

import { computeWaypoint, formatWaypoint } from "../../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { assertInside, type FolderFiles, readText } from "./folder-files.ts";
import { lengthRecords } from "./length-records.ts";
import { decodeEpochEnd, MAX_LEDGER_INFO_BYTES, type ProofSource, SourceLie } from "./source.ts";

const METADATA = "metadata";
const META_NAME = /^epoch_ending_(?:compacted_)?(\d{1,20})-(\d{1,20})\.meta$/;
const MAX_METADATA_BYTES = 64 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** Epochs in one range; about a thousand years of two-hour epochs. */
const MAX_EPOCHS = 5_000_000;

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

export function createBackupFolder(name: string, files: FolderFiles): ProofSource {
  return new BackupFolder(name, files);
}

class BackupFolder implements ProofSource {
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
    for (const name of await this.#files.list(METADATA, signal)) {
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

  /** The ranges of the metadata files whose last epoch is wanted. */
  async #ranges(
    isWanted: (lastEpoch: bigint) => boolean,
    signal: AbortSignal,
  ): Promise<readonly EpochRange[]> {
    const ranges: EpochRange[] = [];
    for (const name of await this.#files.list(METADATA, signal)) {
      const last = META_NAME.exec(name)?.[2];
      if (last === undefined || !isWanted(BigInt(last))) continue;
      const text = await readText(this.#files, `${METADATA}/${name}`, MAX_METADATA_BYTES, signal);
      for (const line of text.split("\n")) {
        const range = line.trim() === "" ? undefined : parseRange(line);
        if (range !== undefined && isWanted(range.lastEpoch)) ranges.push(range);
      }
    }
    return ranges;
  }

  async *#readRange(range: EpochRange, first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const text = await readText(this.#files, assertInside(range.manifest), MAX_MANIFEST_BYTES, signal);
    const { waypoints, chunks } = parseManifest(text, range);
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

function parseRange(line: string): EpochRange | undefined {
  const parsed = parseObject("a metadata line", line);
  const backup = parsed.EpochEndingBackup;
  if (backup === undefined) return undefined;
  const fields = objectOf("EpochEndingBackup", backup);
  const range = {
    firstEpoch: numberOf(fields, "first_epoch"),
    lastEpoch: numberOf(fields, "last_epoch"),
    firstVersion: numberOf(fields, "first_version"),
    lastVersion: numberOf(fields, "last_version"),
    manifest: textOf(fields, "manifest"),
  };
  assertRange(range, "a metadata line");
  return range;
}

function parseManifest(text: string, { firstEpoch, lastEpoch }: EpochRange): Manifest {
  const fields = parseObject("a manifest", text);
  const [first, last] = [numberOf(fields, "first_epoch"), numberOf(fields, "last_epoch")];
  if (first !== firstEpoch || last !== lastEpoch) {
    throw new SourceLie(
      "malformed",
      `a manifest has epochs ${first} to ${last}, its metadata ${firstEpoch} to ${lastEpoch}`,
    );
  }
  const waypoints = listOf(fields, "waypoints").map((one) => (typeof one === "string" ? one : ""));
  const count = Number(lastEpoch - firstEpoch) + 1;
  if (waypoints.length !== count) {
    throw new SourceLie("malformed", `a manifest of ${count} epochs has ${waypoints.length} waypoints`);
  }
  let next = firstEpoch;
  const chunks = listOf(fields, "chunks").map((one) => {
    const chunk = objectOf("a chunk", one);
    const found = {
      firstEpoch: numberOf(chunk, "first_epoch"),
      lastEpoch: numberOf(chunk, "last_epoch"),
      path: textOf(chunk, "ledger_infos"),
    };
    assertRange(found, "a chunk");
    if (found.firstEpoch !== next) {
      throw new SourceLie("gap", `a manifest's chunk begins at epoch ${found.firstEpoch}, not at ${next}`);
    }
    next = found.lastEpoch + 1n;
    return found;
  });
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

type Fields = Readonly<Record<string, unknown>>;

function parseObject(what: string, text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new SourceLie("malformed", `${what} is no JSON`, { cause });
  }
  return objectOf(what, parsed);
}

function objectOf(what: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new SourceLie("malformed", `${what} is no JSON object`);
}

/** A number of 64 bits, which JSON parsers round above 2^53: refused there. */
function numberOf(fields: Fields, name: string): bigint {
  const { [name]: value } = fields;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new SourceLie("malformed", `${name} is no whole number`);
}

function textOf(fields: Fields, name: string): string {
  const { [name]: value } = fields;
  if (typeof value === "string") return value;
  throw new SourceLie("malformed", `${name} is no text`);
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const { [name]: value } = fields;
  if (Array.isArray(value)) return value;
  throw new SourceLie("malformed", `${name} is no list`);
}
