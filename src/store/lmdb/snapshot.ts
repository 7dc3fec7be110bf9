// One read transaction with its position. Views opened within a few milliseconds share a snapshot: beginning a
// transaction and reading the position costs more than reading an item.
import type { Transaction } from "lmdb";
import type { Position } from "../../ledger/position.ts";
import type { NativeCursor, OlderSeeker } from "./native.ts";

/** What snapshots of one store share. */
export interface SnapshotSource {
  readonly seeker: OlderSeeker;
  readonly openSnapshots: Set<Snapshot>;
}

/** A read transaction that ends with its last user. */
export class Snapshot {
  readonly position: Position;
  /** For reads through lmdb's tables. */
  readonly options: { readonly transaction: Transaction };
  readonly #source: SnapshotSource;
  #cursor: NativeCursor | undefined;
  #users = 1;
  #hasEnded = false;

  /** The creator is the first user. */
  constructor(transaction: Transaction, position: Position, source: SnapshotSource) {
    this.options = { transaction };
    this.position = position;
    this.#source = source;
    source.openSnapshots.add(this);
  }

  /** True once nothing can be read through it any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The cursor on older values. Use it within one synchronous call. */
  get cursor(): NativeCursor {
    this.#cursor ??= this.#source.seeker.openCursor(this.options.transaction);
    return this.#cursor;
  }

  use(): void {
    this.#users++;
  }

  /** Each user calls it once. */
  release(): void {
    if (--this.#users <= 0) this.end();
  }

  /** Ends the transaction, also while views use it. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#source.openSnapshots.delete(this);
    this.#cursor?.close();
    this.options.transaction.done();
  }
}
