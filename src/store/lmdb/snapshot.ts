// One read transaction with the position it sees. Views opened within a few milliseconds share a snapshot: to begin
// a transaction and to look up the position costs more than reading an item does.
import type { Transaction } from "lmdb";
import type { Position } from "../../ledger/position.ts";
import type { NativeCursor, OlderSeeker } from "./native.ts";

/** A read transaction that ends with its last user. */
export class Snapshot {
  readonly position: Position;
  /** For the table's own reads. */
  readonly options: { readonly transaction: Transaction };
  readonly #seeker: OlderSeeker;
  #cursor: NativeCursor | undefined;
  #users = 1;

  /** Its maker is its first user. */
  constructor(transaction: Transaction, position: Position, seeker: OlderSeeker) {
    this.options = { transaction };
    this.position = position;
    this.#seeker = seeker;
  }

  /** The cursor on older values; reads through it are done within one call. */
  get cursor(): NativeCursor {
    this.#cursor ??= this.#seeker.openCursor(this.options.transaction);
    return this.#cursor;
  }

  use(): void {
    this.#users++;
  }

  /** To be called once by each user. */
  release(): void {
    if (--this.#users > 0) return;
    this.#cursor?.close();
    this.options.transaction.done();
  }
}
