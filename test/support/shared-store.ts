// A shared store in memory for tests of the writer election: a board that tracks the lease, and stores that compare their
// fencing token with it in every write. Tests inject faults and expire leases explicitly: by the clock a lease would also
// expire when the machine stalls.
import { LedgerError } from "../../src/ledger/errors.ts";
import type { SharedStore, Store, WriterLease } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";

/** Tracks the lease of one store. */
export class LeaseBoard {
  readonly ttlMs: number;
  readonly #store: Store;
  token = 0n;
  #holder: string | undefined;

  constructor(store: Store, ttlMs: number) {
    this.#store = store;
    this.ttlMs = ttlMs;
  }

  /** The store as one process sees it. */
  join(name: string): Member {
    return new Member(this, this.#store, name);
  }

  take(name: string): bigint | undefined {
    if (this.#holder !== undefined) return undefined;
    this.#holder = name;
    return ++this.token;
  }

  renew(token: bigint): void {
    if (token !== this.token) throw new StoreError("locked", `${this.#holder} writes now`);
  }

  give(token: bigint): void {
    if (token === this.token) this.#holder = undefined;
  }

  /** Frees the lease as if it had expired. Its holder does not notice. */
  lapse(): void {
    this.#holder = undefined;
  }
}

/** One process's lease and store. */
export class Member {
  readonly lease: WriterLease;
  readonly store: SharedStore;
  readonly #board: LeaseBoard;
  readonly #name: string;
  /** `cut`: the store is unreachable; `mute`: lease calls never settle. */
  fault: "none" | "cut" | "mute" = "none";
  #token: bigint | undefined;

  constructor(board: LeaseBoard, store: Store, name: string) {
    this.#board = board;
    this.#name = name;
    this.lease = this.#createLease();
    this.store = this.#createStore(store);
  }

  async #reach(): Promise<void> {
    if (this.fault === "cut") throw new StoreError("unreachable", "the line is cut");
    if (this.fault === "mute") await new Promise(() => {});
  }

  #createLease(): WriterLease {
    const token = (): bigint | undefined => this.#token;
    return {
      ttlMs: this.#board.ttlMs,
      get token() {
        return token();
      },
      acquire: async () => {
        await this.#reach();
        this.#token = this.#board.take(this.#name);
        return this.#token;
      },
      renew: async () => {
        await this.#reach();
        if (this.#token === undefined) throw new StoreError("locked", "not held");
        this.#board.renew(this.#token);
      },
      release: async () => {
        await this.#reach();
        if (this.#token !== undefined) this.#board.give(this.#token);
        this.#token = undefined;
      },
    };
  }

  #createStore(store: Store): SharedStore {
    const guard = (): void => {
      if (this.fault === "cut") throw new StoreError("unreachable", "the line is cut");
      if (this.#token === undefined || this.#token !== this.#board.token) {
        throw new StoreError("locked", "another one writes");
      }
    };
    return {
      lease: this.lease,
      engine: store.engine,
      get identity() {
        return store.identity;
      },
      openView: () => {
        if (this.fault === "cut") throw new LedgerError("unavailable", "the line is cut");
        return store.openView();
      },
      openRawView: () => store.openRawView(),
      getTreeNodes: (keys) => store.getTreeNodes(keys),
      getSideRows: (keys) => store.getSideRows(keys),
      writeSide: async (change) => {
        guard();
        await store.writeSide(change);
      },
      commit: async (batch, identity) => {
        guard();
        await store.commit(batch, identity);
      },
      preload: async (base) => {
        guard();
        await store.preload(base);
      },
      prune: async (floor, maxRows) => {
        guard();
        return store.prune(floor, maxRows);
      },
      rewind: async (batch) => {
        guard();
        await store.rewind(batch);
      },
      close: async () => {},
    };
  }
}
