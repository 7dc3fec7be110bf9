// The writer's lease, kept in the head row. The holder renews it with heartbeats. Another process takes it if it was
// released, or if the row did not change for a whole TTL by that process's own clock. No clocks are compared: a slow
// holder finds its term ended at its next write.
import { StoreError } from "../errors.ts";
import type { WriterLease } from "../writer-lease.ts";
import { type Head, type HeadRow, takenOver } from "./head.ts";
import type { RowWriter } from "./row-writer.ts";

/** The lease of one process on one ledger. */
export class HeadLease implements WriterLease {
  readonly ttlMs: number;
  readonly #row: HeadRow;
  readonly #writer: RowWriter;
  readonly #readOnly: boolean;
  #beat = 0;
  /** Last heartbeat of another holder, and when this process first saw it. */
  #seen: { readonly heartbeat: string; readonly at: number } | undefined;

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
    if (this.#readOnly) throw new StoreError("unwritable", "the store is open for reading only");
    if (await this.#isMine()) return this.token;
    // Not a serial read: that would slow down the transactions of the current writer.
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
      if (term === undefined) throw takenOver(this.#writer.where, undefined);
      if (await this.#row.heartbeat(term, this.#beat)) return;
      // This process may have begun a new term meanwhile, or be about to learn that it has.
      if (this.#writer.tenure?.term !== term) continue;
      const head = await this.#row.loadSerial();
      if (head?.owner !== this.#writer.owner) {
        this.#writer.end();
        throw takenOver(this.#writer.where, head);
      }
      if (await this.#row.heartbeat(head.term, this.#beat)) return;
    }
  }

  async release(): Promise<void> {
    await this.#writer.drain();
    const term = this.#writer.tenure?.term;
    if (term === undefined) return;
    this.#writer.end();
    await this.#row.release(term);
  }

  /** True if this process still holds the lease. */
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

  /** True while another process may hold the lease. */
  #isHeld(head: Head): boolean {
    if (head.owner === undefined || head.owner === this.#writer.owner) return false;
    const heartbeat = `${head.term}/${head.beat}/${head.seq}`;
    const now = performance.now();
    if (this.#seen?.heartbeat !== heartbeat) this.#seen = { heartbeat, at: now };
    return now - this.#seen.at < this.ttlMs;
  }
}
