// A node's backup service as a proof source: signed ends of epochs, the latest ledger info, and the state at a version
// with range proofs.

import { toHex } from "../../base/hex.ts";
import { decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { struct } from "../../bcs/records.ts";
import { hash, u64 } from "../../bcs/scalars.ts";
import { option, vector } from "../../bcs/sequences.ts";
import { stateKeyCodec, stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { stateValueCodec } from "../../ledger/formats/state-value.ts";
import { transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { rangeProofCodec } from "../../proof/accumulator-proof.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "../../proof/ledger-info.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { DEFAULT_TIMEOUTS, type Timeouts, Transport } from "../upstream/transport.ts";
import { onePiece } from "./byte-reader.ts";
import { lengthRecords } from "./length-records.ts";
import {
  decodeAnswer,
  decodeEpochEnd,
  MAX_LEDGER_INFO_BYTES,
  type SignatureSource,
  type StateRange,
  type StateRecord,
  type StateService,
  searchEpochEnd,
} from "./source.ts";

/** Epochs per request. */
const EPOCHS = 100n;
const MAX_EPOCHS_BYTES = 32 * 1024 * 1024;
const SMALL_BYTES = 64;
/** Questions that follow each other share one look at the database. */
const LOOK_MS = 100;
/** Largest item of a state: the chain allows about a megabyte. */
export const MAX_ITEM_BYTES = 4 * 1024 * 1024;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;
/** 256 siblings of 32 bytes, and their count. */
const MAX_SIBLINGS_BYTES = 16 * 1024;

/** What a service says about its database. */
export const dbStateCodec = option(struct({ epoch: u64, version: u64 }));

/** Proof of a transaction info: siblings from the bottom up, the info, and the ledger info that they lead to. */
export const stateRootProofCodec = struct({
  siblings: vector(hash),
  info: transactionInfoCodec,
  signed: signedLedgerInfoCodec,
});

/** Proof of a range of versions, and the ledger info that it leads to. */
export const signedRangeProofCodec = struct({ range: rangeProofCodec, signed: signedLedgerInfoCodec });

/** Siblings on the right of a key, from the bottom up. */
export const rightSiblingsCodec = vector(hash);

/** Splits a record of a state chunk. Throws BcsError. */
export function splitStateRecord(record: Uint8Array): StateRecord {
  const reader = new BcsReader(record);
  stateKeyCodec.skip(reader);
  const at = reader.offset;
  stateValueCodec.skip(reader);
  reader.finish();
  return { key: record.slice(0, at), value: record.slice(at) };
}

export interface BackupServiceOptions {
  readonly userAgent?: string;
  readonly timeouts?: Timeouts;
}

/** A node's backup service. Calls throw as a SignatureSource's do. */
export class BackupService implements SignatureSource, StateService {
  readonly kind = "service";
  readonly name: string;
  receivedBytes = 0;
  readonly #base: string;
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;
  #look: { readonly state: ValueOf<typeof dbStateCodec>; readonly ms: number } | undefined;

  constructor(base: URL, { userAgent = "sextant", timeouts = DEFAULT_TIMEOUTS }: BackupServiceOptions = {}) {
    this.name = base.href;
    this.#base = base.href.replace(/\/$/, "");
    this.#transport = new Transport(timeouts);
    this.#headers = { "user-agent": userAgent, "accept-encoding": "gzip" };
  }

  async *epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    const state = await this.dbState(signal);
    if (state === undefined) return;
    let next = first;
    while (next < state.epoch) {
      const wanted = state.epoch - next;
      const end = next + (wanted > EPOCHS ? EPOCHS : wanted);
      for (const signed of await this.#epochPage(next, end, signal)) {
        yield signed;
        next++;
      }
    }
  }

  async #epochPage(first: bigint, end: bigint, signal: AbortSignal): Promise<readonly SignedLedgerInfo[]> {
    const body = await this.#get(`epoch_ending_ledger_infos/${first}/${end}`, MAX_EPOCHS_BYTES, signal);
    const bounds = { maxRecords: Number(end - first), maxRecordBytes: MAX_LEDGER_INFO_BYTES };
    const found: SignedLedgerInfo[] = [];
    for await (const record of lengthRecords(onePiece(body), bounds)) {
      found.push(decodeEpochEnd(record, first + BigInt(found.length)));
    }
    if (found.length < bounds.maxRecords) {
      throw new UpstreamError(
        "gap",
        `asked for the ends of epochs ${first} to ${end - 1n}, got ${found.length}`,
      );
    }
    return found;
  }

  async lastEpoch(signal: AbortSignal): Promise<bigint | undefined> {
    const state = await this.dbState(signal);
    return state === undefined || state.epoch === 0n ? undefined : state.epoch - 1n;
  }

  async findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const state = await this.dbState(signal);
    return searchEpochEnd(version, 0n, state?.epoch ?? 0n, async (epoch) => {
      const [signed] = await this.#epochPage(epoch, epoch + 1n, signal);
      return signed;
    });
  }

  async latest(signal: AbortSignal): Promise<SignedLedgerInfo | undefined> {
    const state = await this.dbState(signal);
    return state === undefined ? undefined : (await this.stateRootProof(state.version, signal)).signed;
  }

  async states(): Promise<this> {
    return this;
  }

  async newestState(upTo: bigint): Promise<bigint> {
    return upTo;
  }

  async stateRange(version: bigint, start: bigint, limit: number, signal: AbortSignal): Promise<StateRange> {
    const items = await this.stateChunk(version, start, limit, signal);
    const last = items.at(-1);
    const right = last && (await this.rightSiblings(version, stateKeyHashOfBcs(last.key), signal));
    return { items, right: right ?? [] };
  }

  /** Epoch and version of the latest ledger info, as of a moment ago; undefined if there is none. */
  async dbState(signal: AbortSignal): Promise<ValueOf<typeof dbStateCodec>> {
    const nowMs = performance.now();
    if (this.#look !== undefined && nowMs - this.#look.ms < LOOK_MS) return this.#look.state;
    const body = await this.#get("db_state", SMALL_BYTES, signal);
    const state = decodeAnswer("the database state", () => decodeWith(dbStateCodec, body));
    this.#look = { state, ms: nowMs };
    return state;
  }

  /** The info of a version with its proof for a ledger info of its epoch. */
  async stateRootProof(version: bigint, signal: AbortSignal) {
    const body = await this.#get(`state_root_proof/${version}`, 2 * MAX_LEDGER_INFO_BYTES, signal);
    return decodeAnswer("the proof of a state root", () => decodeWith(stateRootProofCodec, body));
  }

  /** The number of items of the state at a version. */
  async stateItemCount(version: bigint, signal: AbortSignal): Promise<bigint> {
    const body = await this.#get(`state_item_count/${version}`, SMALL_BYTES, signal);
    return decodeAnswer("the number of items", () => decodeWith(u64, body));
  }

  /** Items of the state at a version in the order of their key hashes, from an index on; at most `limit`. */
  async stateChunk(
    version: bigint,
    start: bigint,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly StateRecord[]> {
    const body = await this.#get(
      `state_snapshot_chunk/${version}/${start}/${limit}`,
      MAX_CHUNK_BYTES,
      signal,
    );
    const items: StateRecord[] = [];
    const bounds = { maxRecords: limit, maxRecordBytes: MAX_ITEM_BYTES };
    for await (const record of lengthRecords(onePiece(body), bounds)) {
      items.push(decodeAnswer("an item of the state", () => splitStateRecord(record)));
    }
    return items;
  }

  /** Siblings on the right of a key of the state at a version, from the bottom up. */
  async rightSiblings(
    version: bigint,
    keyHash: Uint8Array,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[]> {
    const body = await this.#get(
      `state_range_proof/${version}/${toHex(keyHash)}`,
      MAX_SIBLINGS_BYTES,
      signal,
    );
    return decodeAnswer("a range proof of the state", () => decodeWith(rightSiblingsCodec, body));
  }

  close(): void {
    this.#transport.close();
  }

  async #get(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const response = await this.#transport.request({
      method: "GET",
      url: new URL(`${this.#base}/${path}`),
      headers: this.#headers,
      maxBytes,
      signal,
    });
    this.receivedBytes += response.wireBytes;
    const { status } = response;
    if (status === 200) return response.body;
    const [question] = path.split("/", 1);
    if (status === 410)
      throw new UpstreamError("pruned", `the service has pruned it (${question}: status 410)`);
    if (status === 429 || status >= 500)
      throw new UpstreamError("unreachable", `the service failed (${question}: status ${status})`);
    throw new UpstreamError("refused", `the service refused the request (${question}: status ${status})`);
  }
}
