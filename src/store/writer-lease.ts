// The right to write a store that processes on several machines can reach. One process holds it at a time. It
// lapses unless it is renewed, and each holder has a higher token than the one before: the store compares the
// token in every write, so one who was asleep while another took over can do no harm.
import type { Store } from "./contract.ts";

/** The lease of one process on one store. */
export interface WriterLease {
  /** How long the lease holds, counted from the moment `acquire` or `renew` was called. */
  readonly ttlMs: number;
  /** The token that this process holds; undefined while it holds none. */
  readonly token: bigint | undefined;
  /** Tries once: the token, or undefined while another one holds the lease. Rejects when it cannot be known. */
  acquire(): Promise<bigint | undefined>;
  /** Holds on. Rejects with StoreError `locked` when another one took the lease; then no token is held. */
  renew(): Promise<void>;
  /** Gives the lease back, so that the next one need not wait until it lapses. */
  release(): Promise<void>;
}

/** A store that many processes share: reads work always, writes reject with StoreError `locked` without the lease. */
export interface SharedStore extends Store {
  readonly lease: WriterLease;
}
