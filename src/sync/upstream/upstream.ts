// The interface of an upstream: a node that serves records and state values. Nothing it serves is trusted; the
// follower verifies it.

/** The head that an upstream claims. */
export interface UpstreamHead {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
}

/** Consecutive records as received: BCS of a vector of records. */
export interface RecordsPage {
  readonly head: UpstreamHead;
  readonly bytes: Uint8Array;
}

/** The state value of a key at the requested version. */
export interface StateValueAnswer {
  readonly head: UpstreamHead;
  /** BCS of the StateValue; undefined if the item does not exist. */
  readonly value: Uint8Array | undefined;
}

/** An answer in BCS to any other question. */
export interface UpstreamAnswer {
  readonly head: UpstreamHead;
  /** Undefined if the upstream does not have it. */
  readonly bytes: Uint8Array | undefined;
  /** Where the next page begins; undefined for the last page. */
  readonly cursor: string | undefined;
}

/** A question by its path. */
export interface UpstreamQuestion {
  /** Adds path and query to a base URL. */
  readonly toUrl: (base: string) => string;
  /** The version that the answer must be read at; undefined where the question names none. */
  readonly version: bigint | undefined;
  /** Error code of the answer that there is none. */
  readonly absentCode: string;
}

/** A node to follow. Every call throws UpstreamError, or the signal's reason once aborted. */
export interface Upstream {
  /** Name for logs and metrics; contains no secret. */
  readonly name: string;
  /** Bytes received over the wire so far. */
  readonly receivedBytes: number;
  getHead(signal: AbortSignal): Promise<UpstreamHead>;
  /** At most `limit` records from `start` on. Throws `beyond_head`, `pruned`, `too_large`. */
  getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage>;
  /** `stateKey` is BCS of the StateKey. Throws `beyond_head`, `pruned`. */
  getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer>;
  /** Throws `beyond_head`, `pruned`. Only a fork asks. */
  getAnswer?(question: UpstreamQuestion, signal: AbortSignal): Promise<UpstreamAnswer>;
  close(): void;
}
