// Transactions of the chain itself, the first and the last one of a block, and the choice of what runs a transaction.
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { contractEventCodec } from "../../ledger/formats/block-event.ts";
import type { Transaction } from "../../ledger/formats/transaction.ts";
import { writeSetCodec } from "../../ledger/formats/write-set.ts";
import type { BlockMetadata } from "../../transaction/system-transactions.ts";
import { type Changes, encodeEvents, encodeWriteSet, squash, type WrittenItems } from "../change-set.ts";
import { VmError } from "../errors.ts";
import { Meter } from "../gas.ts";
import { ModuleVisits } from "../linker.ts";
import { none, some } from "../natives/stdlib.ts";
import type { NativeContext } from "../natives.ts";
import { byteVec, signerOf, type Value, Vec } from "../values.ts";
import { type ExecutorOptions, type Run, SessionRun } from "./session-run.ts";
import { emptySuccess, type TransactionOutput } from "./status.ts";
import { UserExecution } from "./user.ts";

/** Runs a transaction of the chain itself: nothing is charged, and a fault is one of the chain. */
class SystemExecution implements Run {
  readonly options: ExecutorOptions;
  readonly meter: Meter;
  readonly visits: ModuleVisits = new ModuleVisits();
  readonly changes: Changes = new Map();
  readonly scriptHash: Uint8Array = new Uint8Array(0);
  readonly facts: undefined = undefined;

  constructor(options: ExecutorOptions) {
    this.options = options;
    this.meter = new Meter(options.config.schedule, 0);
    this.meter.isMetered = false;
  }

  /** The transaction that opens a block; `seed` is given where the chain has random numbers. */
  *blockPrologue(
    block: BlockMetadata,
    seed?: { readonly bytes: Uint8Array | undefined },
  ): Pieces<TransactionOutput> {
    const id = new BcsWriter(40)
      .uleb(seed === undefined ? 1 : 7)
      .byteString(block.id)
      .take();
    const run = new SessionRun(this, id, seed === undefined ? 10 : 15);
    const nobody = "0".repeat(64);
    const failed = new Vec(
      "u64",
      block.failedProposers.map((index) => BigInt(index)),
    );
    const args: Value[] = [
      signerOf(nobody),
      toHex(block.id),
      block.epoch,
      block.round,
      toHex(block.proposer),
      failed,
      byteVec(block.previousVotes),
      block.timestampUsec,
    ];
    if (seed === undefined) yield* run.callFramework("block", "block_prologue", args);
    else
      yield* run.callFramework("block", "block_prologue_ext", [
        ...args,
        seed.bytes === undefined ? none() : some(byteVec(seed.bytes)),
      ]);
    return yield* this.#finish(run);
  }

  /** The transaction that closes a block. A fault leaves an empty success. */
  *blockEpilogue(blockId: Uint8Array, fees: ReadonlyMap<bigint, bigint>): Pieces<TransactionOutput> {
    const id = new BcsWriter(40).uleb(13).byteString(blockId).take();
    const run = new SessionRun(this, id, 65);
    try {
      yield* run.callFramework("block", "block_epilogue", [
        signerOf("0".repeat(64)),
        new Vec("u64", [...fees.keys()]),
        new Vec("u64", [...fees.values()]),
      ]);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      return emptySuccess();
    }
    return yield* this.#finish(run);
  }

  *edit(edit: StateEdit): Pieces<TransactionOutput> {
    const run = new SessionRun(this, Uint8Array.of(2), 0);
    const { linker, session } = run;
    const written = new Map<Uint8Array, Uint8Array | undefined>();
    edit({ linker, session, meter: this.meter, write: (key, data) => void written.set(key, data) });
    return yield* this.#finish(run, written);
  }

  *#finish(run: SessionRun, written?: WrittenItems): Pieces<TransactionOutput> {
    squash(this.changes, yield* run.changes(this, written));
    return {
      status: { kind: "success" },
      discardCode: undefined,
      gasUsed: 0,
      writeSet: yield* encodeWriteSet(this.changes),
      events: yield* encodeEvents(run.session.events),
    };
  }
}

/** What an edit sees. */
export interface EditContext extends Pick<NativeContext, "linker" | "session" | "meter"> {
  /** Writes an item as bytes, or removes it. */
  write(key: Uint8Array, data: Uint8Array | undefined): void;
}

/** Changes the state as it likes. May be called again, once an item is fetched. */
export type StateEdit = (context: EditContext) => void;

/** Runs an edit. Throws VmError, and NeedsItem. */
export function* executeEdit(edit: StateEdit, options: ExecutorOptions): Pieces<TransactionOutput> {
  return yield* new SystemExecution(options).edit(edit);
}

/** Throws VmError for a fault of the chain's own transactions, and NeedsItem. */
export function* execute(transaction: Transaction, options: ExecutorOptions): Pieces<TransactionOutput> {
  switch (transaction.kind) {
    case "user":
      return yield* new UserExecution(transaction.transaction, options).run();
    case "blockMetadata":
      return yield* new SystemExecution(options).blockPrologue(transaction.block);
    case "blockMetadataExt": {
      const { block } = transaction;
      const seed = block.kind === "v0" ? undefined : { bytes: block.randomness?.bytes };
      return yield* new SystemExecution(options).blockPrologue(block.block, seed);
    }
    case "blockEpilogue": {
      const { epilogue } = transaction;
      if (epilogue.kind === "v0") return emptySuccess();
      return yield* new SystemExecution(options).blockEpilogue(
        epilogue.blockId,
        new Map(epilogue.fees.amounts),
      );
    }
    case "genesis": {
      const { payload } = transaction;
      if (payload.kind === "script") return emptySuccess();
      // What it writes is all that it is: nothing runs.
      const { writeSet, events } = payload;
      return {
        ...emptySuccess(),
        writeSet: encodeWith(writeSetCodec, writeSet),
        events: events.map((event) => encodeWith(contractEventCodec, event)),
      };
    }
    default:
      return emptySuccess();
  }
}
