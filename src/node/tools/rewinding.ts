// Rewinds a stored ledger to an earlier version.
import { ConfigError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import {
  type RewindOptions as LedgerRewindOptions,
  type RewindReport,
  rewindLedger,
} from "../../sync/maintenance/rewind.ts";
import { openStore, type StoreOptions } from "../store-engines.ts";
import { underLease } from "./under-lease.ts";

export type { RewindReport };

export interface RewindOptions extends Pick<LedgerRewindOptions, "to" | "onProgress"> {
  readonly store: StoreOptions;
  readonly logger: Logger;
  readonly signal?: AbortSignal;
}

/** How long a rewind tries to get the lease of a cluster out of reach. */
const LEASE_PATIENCE_MS = 20_000;

/**
 * Rewinds a store that no other process writes, or resumes an interrupted rewind. Throws StoreError `absent` if there is
 * no store, `locked` if another process writes it, and like `rewindLedger`.
 */
export async function rewindData(options: RewindOptions): Promise<RewindReport> {
  const { store: where, to, onProgress, logger } = options;
  if (where.engine === "memory") {
    throw new ConfigError("cannot rewind a store of engine memory: expected engine lmdb or cassandra");
  }
  // Opening for writing would create a missing store.
  const looked = await openStore(where, { readOnly: true, genesis: undefined, logger });
  await looked.store.close();
  const opened = await openStore(where, { readOnly: false, genesis: undefined, logger });
  try {
    return await underLease(opened, { ...options, giveUpMs: LEASE_PATIENCE_MS }, (signal) =>
      rewindLedger({ store: opened.store, to, onProgress, signal }),
    );
  } finally {
    await opened.store.close();
  }
}
