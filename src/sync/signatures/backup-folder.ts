// A backup folder in the reference's layout as a proof source: parts with the signed ends of epochs. Stricter than the
// reference's restore: parts and chunks must join without gaps, and every waypoint of a manifest must be that of its
// ledger info.

import { computeWaypoint, formatWaypoint } from "../../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { FolderFiles } from "./folder-files.ts";
import {
  type BackupPart,
  inFile,
  itemsOf,
  lastOf,
  type ManifestChunk,
  partsOf,
  partWith,
  readManifest,
  readRangeProof,
  textAt,
} from "./folder-metadata.ts";
import { FolderStates } from "./folder-states.ts";
import { lengthRecords } from "./length-records.ts";
import {
  decodeEpochEnd,
  MAX_LEDGER_INFO_BYTES,
  namedLie,
  notePlace,
  type SignatureSource,
} from "./source.ts";

export function createBackupFolder(name: string, files: FolderFiles): SignatureSource {
  return new BackupFolder(name, files);
}

class BackupFolder implements SignatureSource {
  readonly kind = "folder";
  readonly name: string;
  readonly #files: FolderFiles;
  readonly #states: FolderStates;

  constructor(name: string, files: FolderFiles) {
    this.name = name;
    this.#files = files;
    this.#states = new FolderStates(name, files);
  }

  get receivedBytes(): number {
    return this.#files.receivedBytes;
  }

  async *epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const parts = await partsOf(this.#files, "epochs", first, signal);
    let next = first;
    for (;;) {
      const part = partWith(parts, next, "epoch");
      if (part === undefined) return;
      for await (const signed of this.#readPart(part, next, signal)) {
        yield signed;
        next++;
      }
    }
  }

  lastEpoch(signal: AbortSignal): Promise<bigint | undefined> {
    return lastOf(this.#files, "epochs", signal);
  }

  async findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const parts = await partsOf(this.#files, "epochs", 0n, signal);
    const part = parts.find(
      ({ firstVersion, lastVersion }) =>
        firstVersion !== undefined &&
        lastVersion !== undefined &&
        firstVersion <= version &&
        version <= lastVersion,
    );
    if (part === undefined) return undefined;
    for await (const { ledgerInfo } of this.#readPart(part, part.first, signal)) {
      if (ledgerInfo.version === version) return ledgerInfo.epoch;
    }
    return undefined;
  }

  /** The ledger info of the last records, unless the folder lacks the ends of the epochs before it. */
  async latest(signal: AbortSignal): Promise<SignedLedgerInfo | undefined> {
    const newest = await lastOf(this.#files, "transactions", signal);
    if (newest === undefined) return undefined;
    const [part] = await partsOf(this.#files, "transactions", newest, signal);
    const last = part && (await readManifest(this.#files, "transactions", part, signal)).chunks.at(-1);
    if (last === undefined) return undefined;
    const { signed } = await readRangeProof(this.#files, last, signal);
    if (last.proof !== undefined) notePlace(signed, last.proof);
    return signed.ledgerInfo.epoch <= ((await this.lastEpoch(signal)) ?? -1n) + 1n ? signed : undefined;
  }

  async states(): Promise<FolderStates> {
    return this.#states;
  }

  close(): void {
    this.#files.close();
  }

  async *#readPart(part: BackupPart, first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const { json, chunks } = await readManifest(this.#files, "epochs", part, signal);
    const waypoints: string[] = [];
    const count = Number(part.last - part.first) + 1;
    await inFile(part.manifest, async () => {
      for (const item of itemsOf(json, "waypoints")) {
        if (waypoints.push(textAt(json, "a waypoint", item)) > count) break;
      }
      if (waypoints.length === count) return;
      throw new UpstreamError("malformed", `a manifest of ${count} epochs has another number of waypoints`);
    });
    for (const chunk of chunks) {
      if (chunk.last < first) continue;
      for await (const signed of this.#readChunk(chunk, signal)) {
        const { ledgerInfo } = signed;
        const expected = waypoints[Number(ledgerInfo.epoch - part.first)];
        const own = formatWaypoint(computeWaypoint(ledgerInfo));
        if (own !== expected) {
          throw new UpstreamError(
            "malformed",
            `${chunk.path}: the ledger info of epoch ${ledgerInfo.epoch} has waypoint ${own}, ${part.manifest} says another`,
          );
        }
        if (ledgerInfo.epoch >= first) yield signed;
      }
    }
  }

  async *#readChunk(
    { path, first, last }: ManifestChunk,
    signal: AbortSignal,
  ): AsyncGenerator<SignedLedgerInfo> {
    const maxRecords = Number(last - first) + 1;
    const maxBytes = maxRecords * (MAX_LEDGER_INFO_BYTES + 4);
    let next = first;
    try {
      const stream = this.#files.read(path, maxBytes, signal);
      for await (const record of lengthRecords(stream, {
        maxRecords,
        maxRecordBytes: MAX_LEDGER_INFO_BYTES,
      })) {
        yield notePlace(decodeEpochEnd(record, next++), path);
      }
      if (next === last + 1n) return;
      throw new UpstreamError("gap", `a chunk of epochs ${first} to ${last} ends before epoch ${next}`);
    } catch (error) {
      throw namedLie(path, error);
    }
  }
}
