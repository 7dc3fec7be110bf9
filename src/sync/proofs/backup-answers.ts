// The answers of a backup service, from a store: what the reference's backup tool and followers with `--proofs` ask for.
// Long answers are made piece by piece, and take the memory of one piece.
import { equalBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { takeTurn } from "../../base/turn.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { auxiliaryInfoCodec, auxiliaryInfoHash } from "../../ledger/auxiliary-info.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodeRecord, type RecordSpans } from "../../ledger/record.ts";
import { transactionInfoCodec } from "../../ledger/transaction-info.ts";
import type { Block } from "../../ledger/view.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { Store, StoreView } from "../../store/contract.ts";
import { loadEpochEnd, loadEpochEnds, loadNewestSigned } from "../signed-rows.ts";
import { AccumulatorNodes } from "./accumulator-nodes.ts";
import { dbStateCodec, signedRangeProofCodec, stateRootProofCodec } from "./backup-service.ts";
import { lengthRecord } from "./length-records.ts";

/** `unknown_path`: no such question; `bad_request`: its numbers make no sense; `not_kept`: gone, or never here. */
export class BackupRefusal extends CodedError<"unknown_path" | "bad_request" | "not_found" | "not_kept"> {}

/** Epochs, records and bytes per piece. */
const EPOCHS_AT_ONCE = 100n;
const RECORDS_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** Most epochs, records or items in one answer: several hours of sending. */
const MAX_COUNT = 10_000_000n;
/** Most versions in one range proof: their hashes are not needed, so this bounds nothing but mistakes. */
const U64_MAX = 0xffff_ffff_ffff_ffffn;

type Answer = AsyncGenerator<Uint8Array>;

/** Answers from one store. */
export class BackupAnswers {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The body of an answer, piece by piece. Throws BackupRefusal or LedgerError before the first piece. */
  answer(path: string, signal: AbortSignal): Answer {
    const [, question, ...operands] = path.split("/");
    const numbers = (): [bigint, bigint] => [numberOf(operands[0]), numberOf(operands[1])];
    const isOf = (name: string, count: number): boolean => question === name && operands.length === count;
    if (isOf("db_state", 0)) return this.#dbState();
    if (isOf("epoch_ending_ledger_infos", 2)) return this.#epochEnds(...numbers(), signal);
    if (isOf("state_root_proof", 1)) return this.#stateRootProof(numberOf(operands[0]));
    if (isOf("transactions", 2)) return this.#transactions(...numbers(), signal);
    if (isOf("transaction_range_proof", 2)) return this.#rangeProof(...numbers());
    throw new BackupRefusal("unknown_path", "no such question");
  }

  async *#dbState(): Answer {
    const signed = await this.#withView((view) => this.#latest(view));
    const state = signed && { epoch: signed.ledgerInfo.epoch, version: signed.ledgerInfo.version };
    yield encodeWith(dbStateCodec, state);
  }

  /** The latest signed ledger info of the stored versions: sources of a follower may be ahead of its ledger. */
  async #latest({ position }: StoreView): Promise<SignedLedgerInfo | undefined> {
    const newest = (await loadNewestSigned(this.#store))?.signed;
    let signed = newest;
    for (let epoch = newest?.ledgerInfo.epoch ?? 0n; signed !== undefined && epoch > 0n; ) {
      if (signed.ledgerInfo.version <= position.version) return signed;
      epoch -= 1n;
      signed = await loadEpochEnd(this.#store, epoch);
    }
    return signed !== undefined && signed.ledgerInfo.version <= position.version ? signed : undefined;
  }

  async *#epochEnds(first: bigint, end: bigint, signal: AbortSignal): Answer {
    assertCount(first, end - first);
    for (let next = first; next < end; ) {
      const last = next + EPOCHS_AT_ONCE < end ? next + EPOCHS_AT_ONCE - 1n : end - 1n;
      const found = await loadEpochEnds(this.#store, next, last);
      if (BigInt(found.length) !== last - next + 1n) {
        throw new BackupRefusal(
          "not_found",
          `the end of epoch ${next + BigInt(found.length)} is not known here`,
        );
      }
      yield Buffer.concat(found.map(lengthRecord));
      next = last + 1n;
      await takeTurn(signal);
    }
  }

  async *#stateRootProof(version: bigint): Answer {
    yield await this.#withView(async (view) => {
      const signed = await this.#covering(view, version);
      const [stored] = await view.getRecords(version, 1, 1);
      if (stored === undefined) throw new LedgerError("corrupt", `version ${version} has no record`);
      const info = decodeWith(transactionInfoCodec, decodeRecord(stored.bytes).infoBytes);
      const siblings = await new AccumulatorNodes(view, signed.ledgerInfo.version).siblings(version);
      return encodeWith(stateRootProofCodec, { siblings, info, signed });
    });
  }

  async *#rangeProof(first: bigint, last: bigint): Answer {
    if (first > last) throw new BackupRefusal("bad_request", `expected a range, got ${first} to ${last}`);
    yield await this.#withView(async (view) => {
      const signed = await this.#covering(view, last);
      const range = await new AccumulatorNodes(view, signed.ledgerInfo.version).rangeProof(first, last);
      return encodeWith(signedRangeProofCodec, { range, signed });
    });
  }

  async *#transactions(first: bigint, count: bigint, signal: AbortSignal): Answer {
    assertCount(first, count);
    for (let next = first; next < first + count; ) {
      const left = Number(first + count - next);
      const pieces = await this.#withView(async (view) => {
        if (next > view.position.version) {
          throw new BackupRefusal(
            "not_found",
            `version ${next} is above the latest ${view.position.version}`,
          );
        }
        const records = await view.getRecords(next, Math.min(left, RECORDS_AT_ONCE), BYTES_AT_ONCE);
        const encoded: Uint8Array[] = [];
        let block: Block | undefined;
        for (const { version, bytes } of records) {
          if (block === undefined || block.lastVersion < version)
            block = await view.getBlockByVersion(version);
          encoded.push(lengthRecord(backupRecord(decodeRecord(bytes), block)));
        }
        return encoded;
      });
      next += BigInt(pieces.length);
      yield Buffer.concat(pieces);
      await takeTurn(signal);
    }
  }

  /** A signed ledger info of the version's epoch, at or after it. */
  async #covering(view: StoreView, version: bigint): Promise<SignedLedgerInfo> {
    const { position } = view;
    if (version > position.version) {
      throw new BackupRefusal("not_found", `version ${version} is above the latest ${position.version}`);
    }
    const block = await view.getBlockByVersion(version);
    const newest = (await loadNewestSigned(this.#store))?.signed;
    const candidates = [newest, block && (await loadEpochEnd(this.#store, block.epoch))];
    for (const signed of candidates) {
      const { epoch, version: at } = signed?.ledgerInfo ?? {};
      if (
        signed !== undefined &&
        epoch === block?.epoch &&
        at !== undefined &&
        at >= version &&
        at <= position.version
      )
        return signed;
    }
    throw new BackupRefusal("not_found", `no signature that is known here covers version ${version}`);
  }

  async #withView<T>(use: (view: StoreView) => Promise<T>): Promise<T> {
    const view = await this.#store.openView();
    try {
      return await use(view);
    } finally {
      view.release();
    }
  }
}

function numberOf(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > U64_MAX) {
    throw new BackupRefusal("bad_request", "expected whole numbers of 64 bits");
  }
  return BigInt(text);
}

function assertCount(first: bigint, count: bigint): void {
  if (count >= 0n && count <= MAX_COUNT && first + count <= U64_MAX) return;
  throw new BackupRefusal("bad_request", `expected at most ${MAX_COUNT} at once, got ${count}`);
}

/** A record as backups keep it: transaction, auxiliary info, info, events, write set. */
function backupRecord(record: RecordSpans, block: Block | undefined): Uint8Array {
  const { transaction, infoBytes, events, changes } = record;
  const writer = new BcsWriter(record.bytes.length);
  writer.fixed(transaction);
  writer.fixed(encodeWith(auxiliaryInfoCodec, auxiliaryInfoOf(record, block)));
  writer.fixed(infoBytes);
  writer.count(events.length);
  for (const event of events) writer.fixed(event);
  writer.fixed(changes);
  return writer.take();
}

/** Records carry only the hash of their auxiliary info, which is their index in the block. */
function auxiliaryInfoOf({ info, version }: RecordSpans, block: Block | undefined) {
  if (info.auxiliaryInfoHash === undefined) return { kind: "none" } as const;
  const found = { kind: "v1", transactionIndex: Number(version - (block?.firstVersion ?? version)) } as const;
  const hash = auxiliaryInfoHash(found);
  if (hash === undefined || !equalBytes(hash, info.auxiliaryInfoHash)) {
    throw new BackupRefusal("not_kept", `the auxiliary info of version ${version} is not kept here`);
  }
  return found;
}
