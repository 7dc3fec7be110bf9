// The interfaces of sources, by what each gives; signatures come from a SignatureSource. A part takes the one that it needs,
// and an upstream is all of them. Nothing that a source gives is trusted: the follower verifies it.

/** Several pages are in flight at once; a page that is larger is asked for in smaller ones. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Networks allow a transaction 10 MiB of writes and 10 MiB of events. */
export const MAX_RECORD_BYTES = 24 * 1024 * 1024;

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

/** Tells the head that it claims. */
export interface HeadSource {
  getHead(signal: AbortSignal): Promise<UpstreamHead>;
}

/** Gives records. */
export interface RecordSource {
  /** At most `limit` records from `start` on. Throws `beyond_head`, `pruned`, `too_large`. */
  getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage>;
}

/** Gives state values. */
export interface StateSource {
  /** `stateKey` is BCS of the StateKey. Throws `beyond_head`, `pruned`. */
  getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer>;
}

/** A node to follow. Every call throws UpstreamError, or the signal's reason once aborted. */
export interface Upstream extends HeadSource, RecordSource, StateSource {
  /** Name for logs and metrics; contains no secret. */
  readonly name: string;
  /** Bytes received over the wire so far. */
  readonly receivedBytes: number;
  /** True for kept files: where they end says nothing about where the network is now. */
  readonly isArchive?: boolean;
  /** Throws `beyond_head`, `pruned`. Only a fork asks. */
  getAnswer?(question: UpstreamQuestion, signal: AbortSignal): Promise<UpstreamAnswer>;
  /** Hears of a wrong record. Returns the file that it came from, in a folder, and reads it again when it is asked next. */
  noteWrong?(version: bigint): string | undefined;
  close(): void;
}
