// One read transaction with its position. Views opened within a few milliseconds share a snapshot: beginning a
// transaction and reading the position costs more than reading an item.
import type { Transaction } from "lmdb";
import type { Position } from "../../ledger/position.ts";
import type { NativeCursor, OlderSeeker } from "./native.ts";

/** A read transaction that ends with its last user. */
export class Snapshot {
  readonly position: Position;
  /** For reads through lmdb's tables. */
  readonly options: { readonly transaction: Transaction };
  readonly #seeker: OlderSeeker;
  #cursor: NativeCursor | undefined;
  #users = 1;

  /** The creator is the first user. */
  constructor(transaction: Transaction, position: Position, seeker: OlderSeeker) {
    this.options = { transaction };
    this.position = position;
    this.#seeker = seeker;
  }

  /** The cursor on older values. Use it within one synchronous call. */
  get cursor(): NativeCursor {
    this.#cursor ??= this.#seeker.openCursor(this.options.transaction);
    return this.#cursor;
  }

  use(): void {
    this.#users++;
  }

  /** Each user calls it once. */
  release(): void {
    if (--this.#users > 0) return;
    this.#cursor?.close();
    this.options.transaction.done();
  }
}
