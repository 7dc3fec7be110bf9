// Writes a ledger as a backup folder in the reference's layout: signed ends of epochs, the state at one of them, and
// records, each with its proofs. Every file is written aside and renamed once it is whole, and the metadata that names a
// part comes last. So nothing names what a killed export left behind, and the next one writes it again.

import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { createGzip } from "node:zlib";
import { equalBytes } from "../../base/bytes.ts";
import { ConfigError } from "../../base/errors.ts";
import { toHex } from "../../base/hex.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { recordAccumulatorRoot } from "../../ledger/formats/record.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { withView } from "../../ledger/view.ts";
import { computeWaypoint, formatWaypoint } from "../../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { Store } from "../../store/contract.ts";
import { FIRST_EPOCH, loadBlockEnd } from "../side-rows.ts";
import { createBackupFolder } from "../signatures/backup-folder.ts";
import {
  dbStateCodec,
  MAX_ITEM_BYTES,
  splitStateRecord,
  stateRootProofCodec,
} from "../signatures/backup-service.ts";
import { indexFileOf, LocalFiles } from "../signatures/folder-files.ts";
import { BACKUP_KINDS, type BackupKind, lastOf, METADATA, partsOf } from "../signatures/folder-metadata.ts";
import { lengthRecord, lengthRecords } from "../signatures/length-records.ts";
import { encodeSigned, loadEpochEnd, loadNewestSigned } from "../signatures/signed-rows.ts";
import { MAX_RECORD_BYTES } from "../upstream/upstream.ts";
import { BackupAnswers, type BackupAnswersOptions } from "./backup-answers.ts";

/** A chunk ends with the record that makes it this long. The reference's are eight times as long; a reader holds two. */
const CHUNK_BYTES = 16 * 1024 * 1024;
/** Items of one question. */
const ITEMS_AT_ONCE = 1_000_000;
/** Versions of one part: what an interrupted export writes again. */
const PART_VERSIONS = 1_000_000n;

export interface BackupExportOptions {
  readonly store: Store;
  /** A new folder, or one that an earlier export wrote: it gets what it lacks. */
  readonly out: string;
  /** Has the keys of items whose records are pruned. */
  readonly keys?: BackupAnswersOptions["keys"];
  /** Of the records; left out, from the oldest, or where the folder ends. */
  readonly from?: bigint | undefined;
  /** Left out, to the latest signed version. */
  readonly to?: bigint | undefined;
  /** Which kept end of an epoch the state is that of. The oldest one leaves a restored node the most history. */
  readonly stateAt?: "newest" | "oldest" | undefined;
  readonly onProgress: (part: "items" | "versions", done: number, total: number) => void;
  readonly signal: AbortSignal;
  readonly sizes?: { readonly chunkBytes?: number; readonly partVersions?: bigint } | undefined;
}

/** What an export added. */
export interface BackupExportReport {
  readonly epochs: number;
  /** The version whose state it wrote; undefined if the folder has it, or the store does not. */
  readonly stateVersion: bigint | undefined;
  readonly items: number;
  readonly versions: number;
  /** The last version of the folder. */
  readonly lastVersion: bigint;
  /** Bytes written. */
  readonly bytes: number;
}

/** Throws ConfigError, BackupRefusal, LedgerError, StoreError, UpstreamError for damage in the folder, or the signal's reason. */
export async function exportBackup(options: BackupExportOptions): Promise<BackupExportReport> {
  const newest = await loadNewestSigned(options.store);
  return new BackupExport(options, newest?.signed).run();
}

interface Chunk {
  readonly count: number;
  readonly path: string;
  readonly firstRecord: Uint8Array;
  readonly lastRecord: Uint8Array;
}

class BackupExport {
  readonly #options: BackupExportOptions;
  readonly #answers: BackupAnswers;
  readonly #files: LocalFiles;
  #bytes = 0;

  /** All parts end at one ledger info, however far a running node goes on meanwhile. */
  constructor(options: BackupExportOptions, newest: SignedLedgerInfo | undefined) {
    this.#options = options;
    this.#files = new LocalFiles(pathToFileURL(options.out));
    this.#answers = new BackupAnswers(options.store, { newest, keys: options.keys });
  }

  async run(): Promise<BackupExportReport> {
    const { to, out, onProgress } = this.#options;
    const latest = decodeWith(dbStateCodec, await this.#answer("db_state"));
    if (latest === undefined) {
      throw new ConfigError(
        "the ledger has no signatures, so nothing would prove it: follow with --proofs first",
      );
    }
    await mkdir(join(out, METADATA), { recursive: true });
    const lastVersion = to === undefined || to > latest.version ? latest.version : to;
    const first = await this.#firstVersion(lastVersion);
    const epochs = await this.#writeEpochs(latest.epoch, lastVersion);
    const state = await this.#writeState(latest.epoch, lastVersion);
    const { partVersions = PART_VERSIONS } = this.#options.sizes ?? {};
    for (let next = first; next <= lastVersion; next += partVersions) {
      const end = next + partVersions;
      await this.#writeTransactions(next, end <= lastVersion ? end - 1n : lastVersion, (done) =>
        onProgress("versions", Number(done - first), Number(lastVersion - first) + 1),
      );
    }
    if (this.#bytes > 0) await this.#writeListing();
    const versions = lastVersion < first ? 0 : Number(lastVersion - first) + 1;
    return { epochs, ...state, versions, lastVersion, bytes: this.#bytes };
  }

  /** Where the records begin that the folder lacks. */
  async #firstVersion(last: bigint): Promise<bigint> {
    const { store, from } = this.#options;
    const known = await lastOf(this.#files, "transactions", this.#options.signal);
    await this.#assertSameLedger(known);
    const oldest = await withView(store.openView(), ({ position }) => position.oldestVersion);
    const first = known === undefined ? (from ?? oldest) : known + 1n;
    if (from !== undefined && from !== first) {
      throw new ConfigError(`--from: the folder has versions up to ${known}, so it goes on at ${first}`);
    }
    if (first < oldest) throw new ConfigError(`version ${first} is pruned: the oldest here is ${oldest}`);
    if (first > last + 1n)
      throw new ConfigError(`--from: version ${first} is after ${last}, the last to write`);
    return first;
  }

  /**
   * Throws for a folder whose last signed ledger infos are not this ledger's or cannot be compared, or whose records up to
   * `known` lack what names them: nothing would join to them.
   */
  async #assertSameLedger(known: bigint | undefined): Promise<void> {
    const { store, out, signal } = this.#options;
    const folder = createBackupFolder(out, this.#files);
    const ofRecords = await folder.latest(signal);
    if (known !== undefined && ofRecords === undefined) {
      throw new ConfigError(`--out: no metadata of ${out} has version ${known}`);
    }
    const signed = ofRecords === undefined ? [] : [ofRecords];
    const lastEpoch = await folder.lastEpoch(signal);
    if (lastEpoch !== undefined)
      for await (const end of folder.epochEnds(lastEpoch, signal)) signed.push(end);
    for (const { ledgerInfo } of signed) {
      const { epoch, version, accumulatorRoot } = ledgerInfo;
      const own = await withView(store.openView(), async (view) => {
        const { version: latest, oldestVersion } = view.position;
        if (version > latest) {
          throw new ConfigError(
            `--out: ${out} is signed at version ${version}, after the latest here, ${latest}, so nobody can tell whether it has another ledger`,
          );
        }
        const [record] = version < oldestVersion ? [] : await view.getRecords(version, 1, 0);
        return record && recordAccumulatorRoot(record.bytes);
      });
      // The ends of epochs are kept also where their versions are pruned.
      const end = (await loadEpochEnd(store, epoch))?.ledgerInfo;
      const root = own ?? (end?.version === version ? end.accumulatorRoot : undefined);
      if (root !== undefined && !equalBytes(root, accumulatorRoot)) {
        throw new ConfigError(`--out: ${out} has another ledger, with another version ${version}`);
      }
    }
  }

  async #writeEpochs(latestEpoch: bigint, lastVersion: bigint): Promise<number> {
    const { store } = this.#options;
    const known = await lastOf(this.#files, "epochs", this.#options.signal);
    const hasGenesis = (await loadEpochEnd(store, 0n)) !== undefined;
    const first =
      known === undefined ? (hasGenesis ? 0n : ((await FIRST_EPOCH.load(store)) ?? 0n)) : known + 1n;
    const folder = `epoch_ending_${first}-.0000`;
    const waypoints: string[] = [];
    let firstEnd: bigint | undefined;
    let lastEnd = 0n;
    const ends = async function* (): AsyncGenerator<Uint8Array> {
      for (let epoch = first; epoch <= latestEpoch; epoch++) {
        const signed = await loadEpochEnd(store, epoch);
        if (signed === undefined || signed.ledgerInfo.version > lastVersion) return;
        waypoints.push(formatWaypoint(computeWaypoint(signed.ledgerInfo)));
        firstEnd ??= signed.ledgerInfo.version;
        lastEnd = signed.ledgerInfo.version;
        yield encodeSigned(signed);
      }
    };
    const chunks: object[] = [];
    let next = first;
    for await (const chunk of this.#writeChunks(folder, ends(), Number(first))) {
      const last = next + BigInt(chunk.count) - 1n;
      chunks.push({ first_epoch: Number(next), last_epoch: Number(last), ledger_infos: chunk.path });
      next = last + 1n;
    }
    if (chunks.length === 0) return 0;
    const range = { first_epoch: Number(first), last_epoch: Number(next) - 1 };
    const manifest = await this.#writeJson(`${folder}/epoch_ending.manifest`, {
      ...range,
      waypoints,
      chunks,
    });
    const versions = { first_version: Number(firstEnd), last_version: Number(lastEnd) };
    await this.#writeMetadata("epochs", `epoch_ending_${first}-${next - 1n}`, {
      ...range,
      ...versions,
      manifest,
    });
    return waypoints.length;
  }

  /** The state at an end of an epoch whose tree is kept, unless the folder has as good a one. */
  async #writeState(
    latestEpoch: bigint,
    lastVersion: bigint,
  ): Promise<Pick<BackupExportReport, "stateVersion" | "items">> {
    const { stateAt = "newest" } = this.#options;
    const end = await this.#keptEnd(latestEpoch, lastVersion, stateAt);
    const known = await partsOf(this.#files, "states", 0n, this.#options.signal);
    if (
      end === undefined ||
      known.some(({ last }) => (stateAt === "newest" ? last >= end.version : last <= end.version))
    ) {
      return { stateVersion: undefined, items: 0 };
    }
    const { version, epoch } = end;
    const folder = `state_epoch_${epoch}_ver_${version}.0000`;
    const total = Number((await this.#answer(`state_item_count/${version}`)).readBigUInt64LE());
    const ask = (start: number): AsyncGenerator<Uint8Array> =>
      this.#ask(`state_snapshot_chunk/${version}/${start}/${Math.min(ITEMS_AT_ONCE, total - start)}`);
    const items = async function* (): AsyncGenerator<Uint8Array> {
      for (let start = 0; start < total; start += ITEMS_AT_ONCE) yield* ask(start);
    };
    const chunks: object[] = [];
    let next = 0;
    const records = lengthRecords(items(), { maxRecords: total, maxRecordBytes: MAX_ITEM_BYTES });
    for await (const { count, path, firstRecord, lastRecord } of this.#writeChunks(folder, records, 0)) {
      const [firstHash, lastHash] = [firstRecord, lastRecord].map((item) =>
        toHex(stateKeyHashOfBcs(splitStateRecord(item).key)),
      );
      const last = next + count - 1;
      const proof = `${folder}/${next}-${last}.proof`;
      await this.#writeFile(proof, await this.#answer(`state_range_proof/${version}/${lastHash}`));
      const keys = { first_key: firstHash, last_key: lastHash };
      chunks.push({ first_idx: next, last_idx: last, ...keys, blobs: path, proof });
      next = last + 1;
      this.#options.onProgress("items", next, total);
    }
    const rootProof = await this.#answer(`state_root_proof/${version}`);
    const { info } = decodeWith(stateRootProofCodec, rootProof);
    const proof = `${folder}/state.proof`;
    await this.#writeFile(proof, rootProof);
    const at = { version: Number(version), epoch: Number(epoch) };
    const root_hash = toHex(info.stateCheckpointHash ?? new Uint8Array());
    const manifest = await this.#writeJson(`${folder}/state.manifest`, { ...at, root_hash, chunks, proof });
    const metadata = { epoch: Number(epoch), version: Number(version), manifest };
    await this.#writeMetadata("states", `state_snapshot_ver_${version}`, metadata);
    return { stateVersion: version, items: total };
  }

  async #keptEnd(
    latestEpoch: bigint,
    lastVersion: bigint,
    stateAt: "newest" | "oldest",
  ): Promise<{ readonly version: bigint; readonly epoch: bigint } | undefined> {
    const { store } = this.#options;
    const oldest = await withView(store.openView(), ({ position }) => position.oldestVersion);
    let found: { readonly version: bigint; readonly epoch: bigint } | undefined;
    for (let epoch = latestEpoch; epoch >= 0n; epoch--) {
      const version = (await loadEpochEnd(store, epoch))?.ledgerInfo.version;
      // A node begins after a state: it needs a record there.
      if (version === undefined || version >= lastVersion) continue;
      if (version < oldest) break;
      const block = await withView(store.openView(), (view) => view.getBlockByVersion(version));
      if (block === undefined || (await loadBlockEnd(store, block.height)) === undefined) continue;
      found = { version, epoch };
      if (stateAt === "newest") break;
    }
    return found;
  }

  async #writeTransactions(first: bigint, last: bigint, onDone: (next: bigint) => void): Promise<void> {
    const folder = `transaction_${first}-.0000`;
    const maxRecords = Number(last - first) + 1;
    const answer = this.#ask(`transactions/${first}/${maxRecords}`);
    const records = lengthRecords(answer, { maxRecords, maxRecordBytes: MAX_RECORD_BYTES });
    const chunks: object[] = [];
    let next = first;
    for await (const { count, path } of this.#writeChunks(folder, records, Number(first))) {
      const end = next + BigInt(count) - 1n;
      const proof = `${folder}/${next}-${end}.proof`;
      await this.#writeFile(proof, await this.#answer(`transaction_range_proof/${next}/${end}`));
      const range = { first_version: Number(next), last_version: Number(end) };
      chunks.push({ ...range, transactions: path, proof, format: "V1" });
      next = end + 1n;
      onDone(next);
    }
    const range = { first_version: Number(first), last_version: Number(last) };
    const manifest = await this.#writeJson(`${folder}/transaction.manifest`, { ...range, chunks });
    await this.#writeMetadata("transactions", `transaction_${first}-${last}`, { ...range, manifest });
  }

  #ask(question: string): AsyncGenerator<Uint8Array> {
    return this.#answers.answer(`/${question}`, this.#options.signal);
  }

  async #answer(question: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#ask(question)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Writes records into chunks, named by the number of their first record. Records are valid until the next one. */
  async *#writeChunks(
    folder: string,
    records: AsyncGenerator<Uint8Array>,
    first: number,
  ): AsyncGenerator<Chunk> {
    const { out, sizes } = this.#options;
    const { chunkBytes = CHUNK_BYTES } = sizes ?? {};
    // No metadata names it: an earlier export was killed.
    await rm(join(out, folder), { recursive: true, force: true });
    let record = await records.next();
    for (let number = first; record.done !== true; ) {
      const path = `${folder}/${number}-.chunk`;
      const firstRecord = new Uint8Array(record.value);
      let last: Uint8Array = firstRecord;
      let count = 0;
      const fill = async function* (): AsyncGenerator<Uint8Array> {
        for (let bytes = 0; record.done !== true && bytes < chunkBytes; record = await records.next()) {
          last = lengthRecord(record.value);
          bytes += last.length;
          count++;
          yield last;
        }
      };
      await this.#writeAside(path, fill());
      number += count;
      yield { count, path, firstRecord, lastRecord: last.subarray(4) };
    }
  }

  async #writeJson(path: string, value: object): Promise<string> {
    await this.#writeFile(path, Buffer.from(JSON.stringify(value)));
    return path;
  }

  async #writeMetadata(kind: BackupKind, name: string, value: object): Promise<void> {
    await this.#writeFile(
      `${METADATA}/${name}.meta`,
      Buffer.from(`${JSON.stringify({ [BACKUP_KINDS[kind].tag]: value })}\n`),
    );
  }

  /** For web servers, which list no files. */
  async #writeListing(): Promise<void> {
    const names = await readdir(join(this.#options.out, METADATA));
    const listing = names.filter((name) => name.endsWith(".meta")).map((name) => `${name}\n`);
    await this.#writeAside(indexFileOf(METADATA), [Buffer.from(listing.join(""))], new PassThrough());
  }

  async #writeFile(path: string, bytes: Uint8Array): Promise<void> {
    await this.#writeAside(path, [bytes]);
  }

  /** Writes a file, compressed, that gets its name once it is whole and on the disk. */
  async #writeAside(
    path: string,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    packer: Transform = createGzip(),
  ): Promise<void> {
    const full = join(this.#options.out, path);
    await mkdir(dirname(full), { recursive: true });
    const file = await open(`${full}.part`, "w");
    try {
      const write = async (packed: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const piece of packed) await file.writeFile(piece);
      };
      await pipeline(pieces, packer, write, { signal: this.#options.signal });
      await file.sync();
      this.#bytes += (await file.stat()).size;
      await rename(`${full}.part`, full);
    } finally {
      await file.close();
    }
  }
}
