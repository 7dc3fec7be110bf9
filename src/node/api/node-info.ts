// The keys of the info response. Over HTTP its bigints are decimal texts.

/** Versions at one trust level. */
export interface TrustRange {
  readonly first_version: bigint;
  readonly last_version: bigint;
  readonly level: string;
}

/** An upstream that a node follows. */
export interface UpstreamInfo {
  readonly url: string;
  readonly state: string;
  readonly version?: bigint;
  readonly last_fault?: string;
}

/** Where the records of a node come from. */
export type SyncMode = "local" | "fork" | "follow" | "static" | "read-only";

/** The keys of `GET /v1/info`. Those about the ledger are missing while there is none. */
export interface NodeInfo {
  readonly software: string;
  readonly sextant_version: string;
  readonly node_type: string;
  /** Name of the chain, or its number. */
  readonly chain_id?: string;
  readonly chain_id_number?: number;
  readonly ledger_version?: bigint;
  readonly oldest_ledger_version?: bigint;
  readonly block_height?: bigint;
  readonly oldest_block_height?: bigint;
  readonly epoch?: bigint;
  /** Microseconds since 1970. */
  readonly ledger_timestamp?: bigint;
  readonly sync_mode: SyncMode;
  readonly sync_state: string;
  /** Of a complete replica while it fetches its state: whose it is, and how many items are stored. */
  readonly state_version?: bigint;
  readonly state_items?: bigint;
  /** Why the ledger does not move. */
  readonly sync_reason?: string;
  readonly sync_fault?: string;
  readonly trust_level?: string;
  readonly weakest_trust_level?: string;
  readonly trust_ranges?: readonly TrustRange[];
  /** First version that is not the network's. */
  readonly refuted_from?: bigint;
  readonly genesis_waypoint?: string;
  readonly waypoint?: string;
  /** Of a fork: `forked at V from URL`, its version and URL, and why the node there cannot be asked. */
  readonly fork?: string;
  readonly fork_version?: bigint;
  readonly fork_url?: string;
  readonly fork_fault?: string;
  readonly upstream_version?: bigint;
  readonly versions_behind?: bigint;
  readonly versions_ahead?: bigint;
  /** With proof sources: up to where the ledger is proven, what validators signed last, and the epoch that is known. */
  readonly proven_version?: bigint;
  readonly signed_version?: bigint;
  readonly signed_epoch?: bigint;
  readonly upstreams?: readonly UpstreamInfo[];
  readonly index?: string;
  readonly demo_accounts?: Readonly<
    Record<string, { readonly address: string; readonly private_key?: string }>
  >;
  readonly demo_assets?: Readonly<Record<string, string>>;
  readonly demo_tables?: Readonly<Record<string, string>>;
  readonly faucet_url?: string;
  readonly status_url?: string;
  readonly storage_engine: string;
  readonly prune_window: string;
  /** Of a node that writes its ledger. */
  readonly proof_window?: string;
  readonly uptime_seconds: number;
  readonly runtime: string;
  /** More keys that depend on what the node does. */
  readonly [key: string]: unknown;
}
