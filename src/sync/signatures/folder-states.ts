// The states of a backup folder in ranges. A chunk comes with a proof for its last item alone; the siblings on the right
// of any other item follow from the items after it. Nothing is checked here: a range must lead to the state root.

import { compareBytes, equalBytes } from "../../base/bytes.ts";
import { fromHex } from "../../base/hex.ts";
import { keepSome } from "../../base/recent.ts";
import { Slices } from "../../base/wait.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { stateValueHash } from "../../ledger/formats/state-value.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../../ledger/hash.ts";
import { bitAt, commonBits, foldWay } from "../../ledger/state-tree/key-way.ts";
import { leafHashOf } from "../../ledger/state-tree/tree-node.ts";
import { UpstreamError } from "../upstream/errors.ts";
import {
  MAX_ITEM_BYTES,
  rightSiblingsCodec,
  splitStateRecord,
  stateRootProofCodec,
} from "./backup-service.ts";
import { onePiece } from "./byte-reader.ts";
import type { FolderFiles } from "./folder-files.ts";
import {
  inFile,
  MAX_CHUNK_BYTES,
  type ManifestChunk,
  partsOf,
  pathOf,
  readManifest,
  readWhole,
  textOf,
} from "./folder-metadata.ts";
import { lengthRecords } from "./length-records.ts";
import {
  decodeAnswer,
  MAX_LEDGER_INFO_BYTES,
  notePlace,
  type StateRange,
  type StateRecord,
  type WholeStates,
} from "./source.ts";

/** 256 siblings of 32 bytes, and their count. */
const MAX_SIBLINGS_BYTES = 16 * 1024;
/** Chunks kept: a range may begin in one and end in the next. */
const MAX_KEPT = 2;
/** Items between two that have their siblings at hand. */
const STRIDE = 256;
const HASH_BYTES = 32;

interface Snapshot {
  readonly manifest: string;
  readonly chunks: readonly StateChunkPlace[];
  readonly rootHash: Uint8Array;
  readonly rootProof: string;
}

/** A chunk, and the key hashes of its first and last items, as the manifest has them. */
interface StateChunkPlace extends ManifestChunk {
  readonly firstKey: Uint8Array;
  readonly lastKey: Uint8Array;
}

/** The states of a folder. Throws UpstreamError. */
export class FolderStates implements WholeStates {
  readonly name: string;
  readonly #files: FolderFiles;
  readonly #snapshots = new Map<bigint, Promise<Snapshot>>();
  readonly #chunks = new Map<string, Promise<StateChunk>>();

  constructor(name: string, files: FolderFiles) {
    this.name = name;
    this.#files = files;
  }

  async newestState(upTo: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    let newest: bigint | undefined;
    for (const { first } of await partsOf(this.#files, "states", 0n, signal)) {
      if (first <= upTo && (newest === undefined || first > newest)) newest = first;
    }
    return newest;
  }

  forget(): void {
    this.#snapshots.clear();
    this.#chunks.clear();
  }

  async stateRootProof(version: bigint, signal: AbortSignal) {
    const { manifest, rootHash, rootProof } = await this.#snapshotAt(version, signal);
    const bytes = await readWhole(this.#files, rootProof, 2 * MAX_LEDGER_INFO_BYTES, signal);
    const proof = decodeAnswer(rootProof, () => decodeWith(stateRootProofCodec, bytes));
    if (!equalBytes(proof.info.stateCheckpointHash ?? new Uint8Array(), rootHash)) {
      throw new UpstreamError("malformed", `${manifest}: root_hash is not the state root in ${rootProof}`);
    }
    return notePlace(proof, rootProof);
  }

  async stateRange(version: bigint, start: bigint, limit: number, signal: AbortSignal): Promise<StateRange> {
    const { chunks, manifest } = await this.#snapshotAt(version, signal);
    const items: StateRecord[] = [];
    let right: readonly Uint8Array[] = [];
    const places: string[] = [];
    for (const [i, chunk] of chunks.entries()) {
      const next = start + BigInt(items.length);
      if (chunk.last < next) continue;
      if (items.length === limit) break;
      const loaded = await this.#chunk(chunk, manifest, chunks[i - 1]?.lastKey, signal);
      places.push(`${chunk.path} with ${chunk.proof}`);
      const first = Number(next - chunk.first);
      const end = Math.min(first + limit - items.length, loaded.count);
      for (let at = first; at < end; at++) items.push(loaded.record(at));
      right = loaded.rightOf(end - 1);
    }
    return notePlace({ items, right }, places.join(", "));
  }

  #snapshotAt(version: bigint, signal: AbortSignal): Promise<Snapshot> {
    return keepSome(this.#snapshots, version, 1, () => this.#readSnapshot(version, signal));
  }

  async #readSnapshot(version: bigint, signal: AbortSignal): Promise<Snapshot> {
    const part = (await partsOf(this.#files, "states", version, signal)).find(
      ({ first }) => first === version,
    );
    if (part === undefined) throw new UpstreamError("refused", `it has no state at version ${version}`);
    const { json, chunks } = await readManifest(this.#files, "states", part, signal);
    return inFile(part.manifest, async () => ({
      manifest: part.manifest,
      chunks: chunks.map((chunk) => ({
        ...chunk,
        firstKey: hashIn(textOf(json, chunk.at, "first_key")),
        lastKey: hashIn(textOf(json, chunk.at, "last_key")),
      })),
      rootHash: hashIn(textOf(json, json.root, "root_hash")),
      rootProof: pathOf(json, json.root, "proof"),
    }));
  }

  #chunk(
    chunk: StateChunkPlace,
    manifest: string,
    before: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<StateChunk> {
    return keepSome(this.#chunks, chunk.path, MAX_KEPT, () =>
      loadChunk(this.#files, chunk, manifest, before, signal),
    );
  }
}

function hashIn(text: string): Uint8Array {
  const hash = text.length === 2 * HASH_BYTES ? fromHex(text) : undefined;
  if (hash === undefined) throw new UpstreamError("malformed", "a text that should be a hash is none");
  return hash;
}

async function loadChunk(
  files: FolderFiles,
  { path, proof, first, last, firstKey, lastKey }: StateChunkPlace,
  manifest: string,
  before: Uint8Array | undefined,
  signal: AbortSignal,
): Promise<StateChunk> {
  const count = Number(last - first) + 1;
  const siblings = await readWhole(files, proof ?? "", MAX_SIBLINGS_BYTES, signal);
  const right = decodeAnswer(proof ?? "", () => decodeWith(rightSiblingsCodec, siblings));
  const bytes = await readWhole(files, path, MAX_CHUNK_BYTES, signal);
  return inFile(path, async () => {
    const records: Uint8Array[] = [];
    const slices = new Slices("writer");
    for await (const record of lengthRecords(onePiece(bytes), {
      maxRecords: count,
      maxRecordBytes: MAX_ITEM_BYTES,
    })) {
      records.push(record);
    }
    if (records.length !== count)
      throw new UpstreamError("gap", `expected ${count} items, got ${records.length}`);
    const chunk = new StateChunk(records, before);
    for (let at = 0; at < count; at++) {
      chunk.hash(at);
      await slices.pause();
    }
    if (!chunk.hasEnds(firstKey, lastKey)) {
      throw new UpstreamError("malformed", `its first or last item has another key hash than in ${manifest}`);
    }
    chunk.beginSiblings(right);
    for (let at = count - 1; at > 0; at--) {
      chunk.stepSiblings(at);
      await slices.pause();
    }
    return chunk;
  });
}

/** The items of a chunk, and what stands on the right of each. */
class StateChunk {
  readonly #records: readonly Uint8Array[];
  readonly #keyHashes: Uint8Array;
  readonly #valueHashes: Uint8Array;
  /** The key hash before the first item. */
  readonly #before: Uint8Array | undefined;
  /** Siblings by depth of every item whose index is a multiple of the stride, and of the last one. */
  readonly #kept = new Map<number, readonly (Uint8Array | undefined)[]>();
  #right: (Uint8Array | undefined)[] = [];

  constructor(records: readonly Uint8Array[], before: Uint8Array | undefined) {
    this.#records = records;
    this.#before = before;
    this.#keyHashes = new Uint8Array(HASH_BYTES * records.length);
    this.#valueHashes = new Uint8Array(HASH_BYTES * records.length);
  }

  get count(): number {
    return this.#records.length;
  }

  /** True if the first and the last item have these key hashes. */
  hasEnds(first: Uint8Array, last: Uint8Array): boolean {
    return equalBytes(this.#keyHash(0), first) && equalBytes(this.#keyHash(this.count - 1), last);
  }

  record(at: number): StateRecord {
    const bytes = this.#records[at] ?? new Uint8Array();
    return decodeAnswer("an item of the state", () => splitStateRecord(bytes));
  }

  hash(at: number): void {
    const { key, value } = this.record(at);
    this.#keyHashes.set(stateKeyHashOfBcs(key), HASH_BYTES * at);
    this.#valueHashes.set(stateValueHash(value), HASH_BYTES * at);
    const before = at === 0 ? this.#before : this.#keyHash(at - 1);
    if (before === undefined || compareBytes(before, this.#keyHash(at)) < 0) return;
    throw new UpstreamError("malformed", "the items are not in the order of their hashes");
  }

  /** Takes the siblings of the last item: one for each zero among the first bits of its hash. */
  beginSiblings(right: readonly Uint8Array[]): void {
    const last = this.#keyHash(this.count - 1);
    for (let depth = 0, used = right.length; used > 0 && depth < 8 * HASH_BYTES; depth++) {
      if (bitAt(last, depth) === 1) continue;
      const sibling = right[--used];
      if (sibling !== undefined && !equalBytes(sibling, SPARSE_MERKLE_PLACEHOLDER))
        this.#right[depth] = sibling;
    }
    this.#kept.set(this.count - 1, [...this.#right]);
  }

  /** Goes from the siblings of an item to those of the one before it. */
  stepSiblings(at: number): void {
    stepLeft(this.#right, this.#keyHash(at - 1), this.#keyHash(at), this.#valueHash(at));
    if ((at - 1) % STRIDE === 0) this.#kept.set(at - 1, [...this.#right]);
  }

  /** Siblings on the right of an item, from the bottom up. */
  rightOf(at: number): Uint8Array[] {
    let from = Math.min(STRIDE * Math.ceil(at / STRIDE), this.count - 1);
    const right = [...(this.#kept.get(from) ?? [])];
    for (; from > at; from--) {
      stepLeft(right, this.#keyHash(from - 1), this.#keyHash(from), this.#valueHash(from));
    }
    const own = this.#keyHash(at);
    const before = at === 0 ? this.#before : this.#keyHash(at - 1);
    // As deep as the nearest item on either side makes it.
    const depth = Math.max(right.length, before === undefined ? 0 : commonBits(before, own) + 1);
    const found: Uint8Array[] = [];
    for (let level = depth - 1; level >= 0; level--) {
      if (bitAt(own, level) === 0) found.push(right[level] ?? SPARSE_MERKLE_PLACEHOLDER);
    }
    return found;
  }

  #keyHash(at: number): Uint8Array {
    return this.#keyHashes.subarray(HASH_BYTES * at, HASH_BYTES * (at + 1));
  }

  #valueHash(at: number): Uint8Array {
    return this.#valueHashes.subarray(HASH_BYTES * at, HASH_BYTES * (at + 1));
  }
}

/**
 * Turns the siblings of an item into those of its neighbour on the left. Above the bit in which they differ they share them;
 * at that bit the neighbour has the subtree that begins with the item, which has nothing on the left of it.
 */
function stepLeft(
  right: (Uint8Array | undefined)[],
  left: Uint8Array,
  own: Uint8Array,
  valueHash: Uint8Array,
): void {
  const shared = commonBits(left, own);
  const node = foldWay(
    own,
    leafHashOf(own, valueHash),
    { bottom: right.length, top: shared + 1 },
    (depth, isLeft) => (isLeft ? undefined : right[depth]),
  );
  right.length = shared;
  right.push(node);
}
