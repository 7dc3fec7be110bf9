// The face of an upstream: a node that records and state values are asked from. What it says is not believed
// here; the follower checks it.

/** Where an upstream says its ledger stands. */
export interface UpstreamHead {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
}

/** Consecutive records as they came: BCS of a vector of records. */
export interface RecordsPage {
  readonly head: UpstreamHead;
  readonly bytes: Uint8Array;
}

/** The state value of a key at the version asked for; undefined when there is none. */
export interface StateValueAnswer {
  readonly head: UpstreamHead;
  /** BCS of the StateValue. */
  readonly value: Uint8Array | undefined;
}

/** A node to follow. Every call throws UpstreamError, or the signal's reason when it is aborted. */
export interface Upstream {
  /** What it is called in logs and metrics; holds no secret. */
  readonly name: string;
  /** Bytes received so far, as they came over the wire. */
  readonly receivedBytes: number;
  getHead(signal: AbortSignal): Promise<UpstreamHead>;
  /** Records from `start` on, at most `limit`. Throws `beyond_head`, `pruned`, `too_large`. */
  getRecords(start: bigint, limit: number, signal: AbortSignal): Promise<RecordsPage>;
  /** The value of a key, given as BCS of the StateKey. Throws `beyond_head`, `pruned`. */
  getStateValue(stateKey: Uint8Array, version: bigint, signal: AbortSignal): Promise<StateValueAnswer>;
  close(): void;
}
