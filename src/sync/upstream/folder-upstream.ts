// A backup folder as an upstream: its records in the form that nodes send them. A chunk is used once its range proof leads
// to a ledger info whose signatures were checked; the follower verifies each record like any other upstream's.

import { equalBytes } from "../../base/bytes.ts";
import { keepSome } from "../../base/recent.ts";
import { DAY_MS } from "../../base/settings.ts";
import { LATE, Slices, within } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { transactionAccumulator } from "../../ledger/accumulator.ts";
import { findChainId } from "../../ledger/formats/genesis.ts";
import {
  type BackupRecordSpans,
  decodeRecord,
  encodeBackupRecord,
  readBackupRecord,
} from "../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import { SEEDS } from "../../ledger/hash.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import { accumulatorHeight, foldAccumulator } from "../../proof/accumulator-proof.ts";
import { ProofError } from "../../proof/errors.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { onePiece } from "../signatures/byte-reader.ts";
import { parseProofTarget } from "../signatures/connect.ts";
import { type FolderFiles, LocalFiles, WebFiles } from "../signatures/folder-files.ts";
import {
  type BackupPart,
  MAX_CHUNK_BYTES,
  type ManifestChunk,
  partsOf,
  partWith,
  readManifest,
  readRangeProof,
  readWhole,
  textOf,
} from "../signatures/folder-metadata.ts";
import { lengthRecords } from "../signatures/length-records.ts";
import { decodeAnswer, namedLie } from "../signatures/source.ts";
import { BeyondHead, UpstreamError } from "./errors.ts";
import {
  MAX_PAGE_BYTES,
  MAX_RECORD_BYTES,
  type RecordsPage,
  type Upstream,
  type UpstreamHead,
} from "./upstream.ts";

const SEED = SEEDS.transactionAccumulator;
/** Chunks kept: the one in use, and the next. */
const MAX_KEPT = 2;
/** Places of chunks kept, for messages. */
const MAX_PLACES = 64;
/** Records between two at which the accumulator is kept. */
const STRIDE = 256;

export interface FolderUpstreamOptions {
  /** Undefined while it is not known. */
  readonly chainId: () => number | undefined;
  /** Checks who signed. Throws ProofError, or UpstreamError while the validators are not known. */
  readonly checkSigned: (signed: SignedLedgerInfo) => Promise<void>;
  /** How old a listing may be. */
  readonly listAgeMs: number;
  readonly userAgent: string;
}

const WEB = "backup+";

/** True for the URL of a folder. */
export function isFolderUrl({ protocol }: URL): boolean {
  return protocol === "file:" || protocol.startsWith(WEB);
}

/** Parses `file:` or `backup+https:`, the URL of a folder; undefined for any other text. Throws ConfigError. */
export function parseFolderUrl(text: string): URL | undefined {
  if (!text.startsWith("file:") && !text.startsWith(WEB)) return undefined;
  parseProofTarget(text.startsWith(WEB) ? text.slice(WEB.length) : text, "upstream");
  return new URL(text);
}

export function createFolderUpstream(url: URL, options: FolderUpstreamOptions): Upstream {
  const files =
    url.protocol === "file:"
      ? new LocalFiles(url)
      : new WebFiles(new URL(url.href.slice(WEB.length)), options.userAgent);
  return new FolderUpstream(url.href, files, options);
}

interface Listing {
  readonly parts: readonly BackupPart[];
  readonly head: Omit<UpstreamHead, "chainId">;
  readonly ms: number;
}

class FolderUpstream implements Upstream {
  readonly name: string;
  readonly isArchive = true;
  readonly #files: FolderFiles;
  readonly #options: FolderUpstreamOptions;
  readonly #stop = new AbortController();
  #listing: Promise<Listing> | undefined;
  readonly #manifests = new Map<string, Promise<readonly RecordChunkPlace[]>>();
  readonly #chunks = new Map<string, Promise<RecordChunk>>();
  /** The last chunks that were read; pages of them may wait to be verified. */
  readonly #places: RecordChunkPlace[] = [];

  constructor(name: string, files: FolderFiles, options: FolderUpstreamOptions) {
    this.name = name;
    this.#files = files;
    this.#options = options;
  }

  get receivedBytes(): number {
    return this.#files.receivedBytes;
  }

  getHead(signal: AbortSignal): Promise<UpstreamHead> {
    return this.#within(signal, () => this.#head());
  }

  getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    return this.#within(signal, async () => {
      const head = await this.#head();
      if (start > head.version) throw new BeyondHead(start, head);
      if (start < head.oldestVersion)
        throw new UpstreamError("pruned", `it begins at version ${head.oldestVersion}`);
      return { head, bytes: await this.#page(start, limit, head) };
    });
  }

  noteWrong(version: bigint): string | undefined {
    const place = this.#places.find(({ first, last }) => first <= version && version <= last);
    if (place !== undefined) this.#chunks.delete(place.path);
    return place?.path;
  }

  async getStateValue(): Promise<never> {
    throw new UpstreamError("refused", "a backup folder gives no single items of the state");
  }

  close(): void {
    this.#stop.abort(new Error("the follower was closed"));
    this.#files.close();
  }

  /** Work goes on after the signal, and the next question finds it done: a chunk may take longer than a question may. */
  async #within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    try {
      const done = await within(DAY_MS, work(), signal);
      if (done === LATE) throw signal.reason;
      return done;
    } catch (error) {
      if (error instanceof ProofError) throw new UpstreamError("unverified", error.message, { cause: error });
      throw error;
    }
  }

  async #head(): Promise<UpstreamHead> {
    const { head } = await this.#list();
    const chainId = this.#options.chainId() ?? (await this.#genesisChainId(head.oldestVersion));
    return { ...head, chainId };
  }

  /** Only the first record has it. */
  async #genesisChainId(oldest: bigint): Promise<number> {
    const { parts } = await this.#list();
    const chunk = oldest === 0n ? await this.#chunkWith(parts, 0n) : undefined;
    const [genesis] = chunk?.records(0n, 1, MAX_PAGE_BYTES) ?? [];
    if (genesis === undefined) {
      throw new UpstreamError("refused", "the chain of a folder that lacks version 0 is not known yet");
    }
    return decodeAnswer("version 0", () => findChainId(decodeRecord(genesis).writes));
  }

  #list(): Promise<Listing> {
    const known = this.#listing;
    const listing = (known ?? this.#readListing()).then((found) =>
      performance.now() - found.ms < this.#options.listAgeMs ? found : this.#readListing(),
    );
    this.#listing = listing;
    listing.catch(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    return listing;
  }

  async #readListing(): Promise<Listing> {
    const { signal } = this.#stop;
    const parts = await partsOf(this.#files, "transactions", 0n, signal);
    const sorted = [...parts].sort((a, b) => (a.last < b.last ? 1 : -1));
    const [newest] = sorted;
    if (newest === undefined) throw new UpstreamError("refused", "the folder has no transactions");
    // Earlier parts count as far as they join.
    let oldestVersion = newest.first;
    for (const { first, last } of sorted) {
      if (last + 1n < oldestVersion) break;
      if (first < oldestVersion) oldestVersion = first;
    }
    const { epoch, timestampUsec, version } = (await this.#signedAtEnd(newest)).ledgerInfo;
    return {
      parts,
      head: {
        version: newest.last,
        oldestVersion,
        epoch,
        // The time of a later version says nothing about this one.
        timestampUsec: version === newest.last ? timestampUsec : 0n,
        blockHeight: 0n,
      },
      ms: performance.now(),
    };
  }

  async #signedAtEnd(part: BackupPart): Promise<SignedLedgerInfo> {
    const last = (await this.#manifestOf(part)).at(-1);
    if (last === undefined) throw new UpstreamError("gap", `${part.manifest}: no chunks`);
    return (await readRangeProof(this.#files, last, this.#stop.signal)).signed;
  }

  /** Records from a version on, across chunks: a short page would mean that the next ones must be shorter too. */
  async #page(start: bigint, limit: number, { version: last }: UpstreamHead): Promise<Uint8Array> {
    const { parts } = await this.#list();
    const pieces: Uint8Array[] = [];
    let [count, bytes, next] = [0, 0, start];
    while (count < limit && next <= last && bytes < MAX_PAGE_BYTES) {
      const chunk = await this.#chunkWith(parts, next);
      const page = chunk.records(next, limit - count, MAX_PAGE_BYTES - bytes);
      for (const record of page) {
        pieces.push(record);
        bytes += record.length;
      }
      count += page.length;
      next += BigInt(page.length);
      // Read ahead.
      if (chunk.last < last) this.#chunkWith(parts, chunk.last + 1n).catch(() => {});
    }
    return Buffer.concat([new BcsWriter(5).uleb(count).take(), ...pieces]);
  }

  async #chunkWith(parts: readonly BackupPart[], version: bigint): Promise<RecordChunk> {
    const part = partWith(parts, version, "version");
    const chunks = part && (await this.#manifestOf(part));
    const place = chunks?.find(({ last }) => last >= version);
    if (place === undefined) throw new UpstreamError("gap", `the backup has no version ${version}`);
    return keepSome(this.#chunks, place.path, MAX_KEPT, () => {
      this.#places.push(place);
      if (this.#places.length > MAX_PLACES) this.#places.shift();
      return loadChunk(this.#files, place, this.#options, this.#stop.signal);
    });
  }

  #manifestOf(part: BackupPart): Promise<readonly RecordChunkPlace[]> {
    return keepSome(this.#manifests, part.manifest, 1, async () => {
      const manifest = await readManifest(this.#files, "transactions", part, this.#stop.signal);
      return manifest.chunks.map((chunk) => ({
        ...chunk,
        hasAuxiliary: isV1(textOf(manifest.json, chunk.at, "format", "V0"), part.manifest),
      }));
    });
  }
}

/** A chunk, and whether its records have an auxiliary info. */
interface RecordChunkPlace extends ManifestChunk {
  readonly hasAuxiliary: boolean;
}

function isV1(format: string, manifest: string): boolean {
  if (format === "V0" || format === "V1") return format === "V1";
  throw new UpstreamError("malformed", `${manifest}: a chunk has an unknown format`);
}

async function loadChunk(
  files: FolderFiles,
  place: RecordChunkPlace,
  { checkSigned }: Pick<FolderUpstreamOptions, "checkSigned">,
  signal: AbortSignal,
): Promise<RecordChunk> {
  const { path, proof = "", first, last, hasAuxiliary } = place;
  const { range, signed } = await readRangeProof(files, place, signal);
  await checkSigned(signed).catch((error: unknown) => {
    throw namedLie(proof, error);
  });
  const before = { leafCount: first, frozen: [...range.left].reverse() };
  const accumulator = decodeAnswer(proof, () => transactionAccumulator(before));
  const bytes = await readWhole(files, path, MAX_CHUNK_BYTES, signal);
  try {
    const records: BackupRecordSpans[] = [];
    const states: AccumulatorState[] = [];
    let beforeLast: AccumulatorState = before;
    let lastLeaf: Uint8Array = new Uint8Array();
    const slices = new Slices("writer");
    const bounds = { maxRecords: Number(last - first) + 1, maxRecordBytes: MAX_RECORD_BYTES };
    for await (const bytesOfRecord of lengthRecords(onePiece(bytes), bounds)) {
      const record = decodeAnswer("a record", () => readBackupRecord(bytesOfRecord, hasAuxiliary));
      if (records.length % STRIDE === 0) states.push(accumulator.state());
      records.push(record);
      if (records.length === bounds.maxRecords) beforeLast = accumulator.state();
      lastLeaf = transactionInfoHash(record.info);
      accumulator.append(lastLeaf);
      await slices.pause();
    }
    if (records.length < bounds.maxRecords) {
      throw new UpstreamError("gap", `expected ${bounds.maxRecords} records, got ${records.length}`);
    }
    const { version, accumulatorRoot } = signed.ledgerInfo;
    const siblings = siblingsOf(beforeLast, range.right, accumulatorHeight(version + 1n));
    const isIn = siblings !== undefined && version >= last;
    if (!isIn || !equalBytes(foldAccumulator(SEED, siblings, last, lastLeaf), accumulatorRoot)) {
      throw new UpstreamError(
        "malformed",
        `its records and ${proof} do not lead to the ledger that was signed at version ${version}`,
      );
    }
    return new RecordChunk(first, records, states);
  } catch (error) {
    throw namedLie(path, error);
  }
}

/**
 * Siblings of a version in a ledger of a height, bottom up, from the full subtrees before it and what stands on its right;
 * undefined unless exactly these are needed.
 */
function siblingsOf(
  { leafCount: version, frozen }: AccumulatorState,
  right: readonly Uint8Array[],
  height: number,
): Uint8Array[] | undefined {
  const [before, after] = [[...frozen], [...right].reverse()];
  const siblings = Array.from({ length: height }, (_, level) =>
    ((version >> BigInt(level)) & 1n) === 1n ? before.pop() : after.pop(),
  );
  const isExact = before.length === 0 && after.length === 0;
  return isExact && siblings.every((hash) => hash !== undefined) ? siblings : undefined;
}

/** The records of a chunk that was checked. */
class RecordChunk {
  readonly #first: bigint;
  readonly #records: readonly BackupRecordSpans[];
  /** The accumulator before every record whose number is a multiple of the stride. */
  readonly #states: readonly AccumulatorState[];

  constructor(first: bigint, records: readonly BackupRecordSpans[], states: readonly AccumulatorState[]) {
    this.#first = first;
    this.#records = records;
    this.#states = states;
  }

  get last(): bigint {
    return this.#first + BigInt(this.#records.length) - 1n;
  }

  /** At least one record from a version on, as nodes send it: with its version, and the accumulator's root after it. */
  records(start: bigint, limit: number, maxBytes: number): Uint8Array[] {
    const from = Number(start - this.#first);
    const begin = from - (from % STRIDE);
    const accumulator = transactionAccumulator(this.#states[begin / STRIDE]);
    const found: Uint8Array[] = [];
    let bytes = 0;
    for (let at = begin; at < this.#records.length && found.length < limit && bytes < maxBytes; at++) {
      const record = this.#records[at];
      if (record === undefined) break;
      accumulator.append(transactionInfoHash(record.info));
      if (at < from) continue;
      const encoded = encodeBackupRecord(record, this.#first + BigInt(at), accumulator.root());
      bytes += encoded.length;
      found.push(encoded);
    }
    return found;
  }
}
