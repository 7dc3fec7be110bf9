// Records in the forms of answers: in JSON, each with the time of its block, and in BCS.
import { concatBytes } from "../../base/bytes.ts";
import { Slices } from "../../base/wait.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { lookAtRecord, type RecordSpans } from "../../ledger/formats/record.ts";
import type { StateTypes } from "../../ledger/items/state-types.ts";
import type { Block, LedgerView, StoredRecord } from "../../ledger/view.ts";
import { AnswerText } from "./answer-text.ts";
import type { KnownTypes } from "./modules-at.ts";
import { TransactionPrinter } from "./printer.ts";

/** Records as a BCS vector. */
export function encodeRecords(records: readonly StoredRecord[]): Uint8Array {
  const count = new BcsWriter(16).uleb(records.length).take();
  return concatBytes(count, ...records.map(({ bytes }) => bytes));
}

/** Prints the records of one view, in any order; records that follow each other cost least. */
export class RecordsPrinter {
  readonly slices: Slices;
  readonly #view: LedgerView;
  readonly #printer: TransactionPrinter;
  #block: Block | undefined;

  constructor(types: StateTypes, view: LedgerView, slices: Slices = new Slices(), known?: KnownTypes) {
    this.slices = slices;
    this.#view = view;
    this.#printer = new TransactionPrinter(types, view, slices, known);
  }

  /** The JSON text of a record; see TransactionPrinter. */
  async print(
    { version, bytes }: StoredRecord,
    record = lookAtRecord(bytes),
    isBrief = false,
  ): Promise<AnswerText> {
    return this.#printer.print(record, await this.timeOf(version), isBrief);
  }

  /** The JSON text of each event of a record, with the members that the opening gives before its own. */
  printEventsOf(record: RecordSpans, opening: (index: number) => string): Promise<readonly AnswerText[]> {
    return this.#printer.printEventsOf(record, opening);
  }

  /** The JSON texts of records, with commas between them. */
  async printAll(records: readonly StoredRecord[]): Promise<AnswerText> {
    const out = new AnswerText();
    for (const [i, record] of records.entries()) {
      if (i > 0) out.add(",");
      out.append(await this.print(record));
    }
    return out;
  }

  /** A JSON array of records. */
  async printList(records: readonly StoredRecord[]): Promise<string | Uint8Array> {
    return new AnswerText()
      .add("[")
      .append(await this.printAll(records))
      .add("]")
      .finish();
  }

  /** Time of the block of a version, in microseconds. */
  async timeOf(version: bigint): Promise<bigint> {
    let block = this.#block;
    if (block === undefined || version < block.firstVersion || version > block.lastVersion) {
      const isNext = version === (block?.lastVersion ?? version) + 1n;
      block = block && isNext ? await this.#view.getBlockByHeight(block.height + 1n) : undefined;
      block ??= await this.#view.getBlockByVersion(version);
      this.#block = block;
    }
    return block?.timestampUsec ?? 0n;
  }
}
