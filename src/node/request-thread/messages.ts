// What a node and its thread for large submissions call in each other.
import type { ErrorAnswer } from "../../http/error-answer.ts";
import type { StoredModule } from "../../move/module-cache.ts";

/** Transactions of one batch, as in the reference. */
export const MAX_BATCH = 10;

/** A body to work on. */
export interface RequestTask {
  readonly body: Uint8Array;
  readonly chainId: number;
  readonly timestampUsec: bigint;
}

/** What the node calls in the thread. */
export type ThreadFunctions = {
  /** The bytes to sign. */
  readonly encode: (task: RequestTask) => Promise<Uint8Array>;
  /** The JSON text of an explanation. */
  readonly explain: (task: RequestTask) => Promise<string>;
  /** BCS of a signed transaction. */
  readonly submission: (task: RequestTask) => Promise<Uint8Array>;
  /** BCS of each signed transaction of a batch, or why it is none. */
  readonly submissions: (task: RequestTask) => Promise<readonly (Uint8Array | ErrorAnswer)[]>;
};

export type RequestKind = keyof ThreadFunctions;
export type RequestResult<Kind extends RequestKind> = Awaited<ReturnType<ThreadFunctions[Kind]>>;

/** What the thread calls in the node: it asks for what the ledger holds. */
export type LedgerFunctions = {
  readonly module: (id: {
    readonly address: Uint8Array;
    readonly name: string;
  }) => Promise<StoredModule | undefined>;
  readonly sequenceNumber: (address: Uint8Array) => Promise<bigint | undefined>;
  readonly balance: (asked: {
    readonly owner: Uint8Array;
    readonly asset: string;
  }) => Promise<bigint | undefined>;
};
