// Runs any transaction that a ledger holds.
import type { Transaction } from "../../ledger/transaction.ts";
import type { Pieces } from "../pieces.ts";
import type { ExecutorOptions } from "./session-run.ts";
import { emptySuccess, type TransactionOutput } from "./status.ts";
import { SystemExecution } from "./system.ts";
import { UserExecution } from "./user.ts";

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
    default:
      return emptySuccess();
  }
}
