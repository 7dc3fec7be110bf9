import { LedgerError } from "../../ledger/errors.ts";
import { readInfoBytes, readRecordHead } from "../../ledger/formats/record.ts";
import { hashedTransaction } from "../../ledger/formats/transaction.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Point } from "../../proof/bundle.ts";
import { readSignedHead } from "../side-rows.ts";
import { AccumulatorNodes } from "./accumulator-nodes.ts";
import type { ProofReader } from "./signed-points.ts";

/** Users' transactions have less; genesis may have more. */
const MAX_TRANSACTION_BYTES = 1 << 20;

/** Reads versions of the ledger that a signed ledger info covers. */
export class PointReader {
  readonly lastVersion: bigint;
  readonly #nodes: AccumulatorNodes;

  /** `before`: the accumulator of versions whose records may be pruned, or were never here. */
  constructor(store: ProofReader, view: LedgerView, signed: Uint8Array, before?: AccumulatorState) {
    const { version: lastVersion } = readSignedHead(signed);
    this.lastVersion = lastVersion;
    this.#nodes = new AccumulatorNodes({ store, view, lastVersion, before, missingSubtree: "refuse" });
  }

  /** Roots of the full subtrees before a version; undefined where they have to be read. */
  async leftOf(
    version: bigint,
    state: AccumulatorState | undefined,
  ): Promise<readonly Uint8Array[] | undefined> {
    return state && (await this.#nodes.leftOf(version, state));
  }

  /** A version without its transaction. */
  async readInfo(version: bigint, left: readonly Uint8Array[] | undefined): Promise<Point> {
    const info = readInfoBytes(await this.#nodes.recordOf(version));
    const siblings = await this.#nodes.siblings(version, left);
    return { version, info, siblings, transaction: undefined, eventSiblings: undefined, state: undefined };
  }

  async read(version: bigint, left: readonly Uint8Array[] | undefined): Promise<Point> {
    const { events: _, ...point } = await this.readEvents(version, left);
    return point;
  }

  async readEvents(
    version: bigint,
    left: readonly Uint8Array[] | undefined,
  ): Promise<Point & { readonly events: readonly Uint8Array[] }> {
    const { transaction, infoBytes: info, events } = readRecordHead(await this.#nodes.recordOf(version));
    if (transaction.length > MAX_TRANSACTION_BYTES) {
      throw new LedgerError(
        "unprovable",
        `the transaction of version ${version} has ${transaction.length} bytes; at most ${MAX_TRANSACTION_BYTES} can be proven`,
      );
    }
    const siblings = await this.#nodes.siblings(version, left);
    const hashed = hashedTransaction(transaction);
    return {
      version,
      info,
      siblings,
      transaction: hashed,
      eventSiblings: undefined,
      state: undefined,
      events,
    };
  }
}
