// The writer's lease on a store shared by processes on several machines. One process holds it at a time, and it expires
// unless renewed. Each holder gets a higher fencing token, which the store compares in every write: a holder that slept
// while another took over cannot write.
import type { Store } from "./contract.ts";

/** The lease of one process on one store. */
export interface WriterLease {
  /** Time to live, counted from the call of `acquire` or `renew`. */
  readonly ttlMs: number;
  /** The fencing token of this process; undefined without the lease. */
  readonly token: bigint | undefined;
  /** Tries once. Returns the token, or undefined while another process holds the lease. Rejects when the store cannot tell. */
  acquire(): Promise<bigint | undefined>;
  /** Extends the lease. Rejects with StoreError `locked` and drops the token if another process took the lease. */
  renew(): Promise<void>;
  /** Gives up the lease, so that the next writer need not wait for its expiry. */
  release(): Promise<void>;
}

/** A store shared by many processes: reads always work, writes reject with StoreError `locked` without the lease. */
export interface SharedStore extends Store {
  readonly lease: WriterLease;
}
