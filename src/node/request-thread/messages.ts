// What a node and its thread for large submissions say to each other.
import type { StoredModule } from "../../move/module-cache.ts";

/** What is made of a body. */
export interface RequestResults {
  /** The bytes to sign. */
  readonly encode: Uint8Array;
  /** The same as a JSON string of hex. */
  readonly encodeText: Uint8Array;
  /** The JSON text of an explanation. */
  readonly explain: string;
  /** BCS of a signed transaction. */
  readonly submission: Uint8Array;
  /** BCS of each signed transaction of a batch, or why it is none. */
  readonly submissions: readonly (Uint8Array | Error)[];
}

export type RequestKind = keyof RequestResults;

/** Transactions of one batch, as in the reference. */
export const MAX_BATCH = 10;

/** A body to work on; its buffer goes to the thread. */
export interface RequestTask<Kind extends RequestKind = RequestKind> {
  readonly kind: Kind;
  readonly body: Uint8Array;
  readonly chainId: number;
  readonly timestampUsec: bigint;
}

/** What the thread needs from the ledger. */
export type LedgerQuestion =
  | { readonly kind: "module"; readonly address: Uint8Array; readonly name: string }
  | { readonly kind: "sequenceNumber"; readonly address: Uint8Array }
  | { readonly kind: "balance"; readonly owner: Uint8Array; readonly asset: string };

export type LedgerReply = StoredModule | bigint | undefined;

/** To the thread. */
export type ThreadOrder =
  | {
      readonly kind: "task";
      readonly task: RequestTask;
      /** Memory for a printed result, which the thread uses if the result fills at least half of it. */
      readonly memory: SharedArrayBuffer;
      /** Otherwise a printed result may be in new shared memory. */
      readonly mayShare: boolean;
    }
  | { readonly kind: "reply"; readonly reply: LedgerReply };

/** An error of the submission, as its parts: its class does not cross. */
export interface SentError {
  readonly room: "json" | "move" | "module" | "transaction" | "submission" | "other";
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** From the thread. A question is answered before the thread goes on; a failed one ends its task. */
export type ThreadReport =
  | { readonly kind: "question"; readonly question: LedgerQuestion }
  | { readonly kind: "done"; readonly result: Uint8Array | string | readonly (Uint8Array | SentError)[] }
  /** The result is at the start of new shared memory or, if there is none, of that which came with the task. */
  | { readonly kind: "printed"; readonly memory: SharedArrayBuffer | undefined; readonly sizeBytes: number }
  | { readonly kind: "failed"; readonly error: SentError };
