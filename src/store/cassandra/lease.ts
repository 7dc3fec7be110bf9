// The right to write a ledger, kept in its head row. Whoever holds it shows now and then that it lives; one that
// wants it takes it when it was given back, or when for the whole time that a lease holds, by its own clock, no
// sign of life came. No clocks are compared: a holder that was only slow finds its term ended at its next write.
import { StoreError } from "../errors.ts";
import type { WriterLease } from "../writer-lease.ts";
import type { Head, HeadRow } from "./head.ts";
import type { RowWriter } from "./row-writer.ts";

/** The lease of one process on one ledger. */
export class HeadLease implements WriterLease {
  readonly ttlMs: number;
  readonly #row: HeadRow;
  readonly #writer: RowWriter;
  readonly #readOnly: boolean;
  #beat = 0;
  /** The last sign of life of another holder, and when it was first seen. */
  #seen: { readonly sign: string; readonly at: number } | undefined;

  constructor(
    row: HeadRow,
    writer: RowWriter,
    options: { readonly ttlMs: number; readonly readOnly: boolean },
  ) {
    this.#row = row;
    this.#writer = writer;
    this.ttlMs = options.ttlMs;
    this.#readOnly = options.readOnly;
  }

  get token(): bigint | undefined {
    const term = this.#writer.tenure?.term;
    return term === undefined ? undefined : BigInt(term);
  }

  async acquire(): Promise<bigint | undefined> {
    if (this.#readOnly) throw new StoreError("unwritable", "the store is open for reading");
    if (await this.#isMine()) return this.token;
    // An ordinary read: one that settles transactions would hold up those of the writer that is watched.
    const head = (await this.#row.load()) ?? (await this.#row.create());
    if (this.#isHeld(head)) return undefined;
    if (!(await this.#writer.begin(head))) return undefined;
    this.#beat = 0;
    this.#seen = undefined;
    return this.token;
  }

  async renew(): Promise<void> {
    this.#beat++;
    for (;;) {
      const term = this.#writer.tenure?.term;
      if (term === undefined) throw lost();
      if (await this.#row.beat(term, this.#beat)) return;
      // The writer may have begun a new term of its own meanwhile.
      if (this.#writer.tenure?.term !== term) continue;
      this.#writer.end();
      throw lost();
    }
  }

  async release(): Promise<void> {
    await this.#writer.drain();
    const term = this.#writer.tenure?.term;
    if (term === undefined) return;
    this.#writer.end();
    await this.#row.giveBack(term);
  }

  /** True when this process holds the lease still. */
  async #isMine(): Promise<boolean> {
    if (this.token === undefined) return false;
    try {
      await this.renew();
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === "locked") return false;
      throw error;
    }
  }

  /** True while another holder may be alive. */
  #isHeld(head: Head): boolean {
    if (head.owner === undefined || head.owner === this.#writer.owner) return false;
    const sign = `${head.term}/${head.beat}/${head.seq}`;
    const now = performance.now();
    if (this.#seen?.sign !== sign) this.#seen = { sign, at: now };
    return now - this.#seen.at < this.ttlMs;
  }
}

function lost(): StoreError {
  return new StoreError("locked", "another process took over writing the store");
}
