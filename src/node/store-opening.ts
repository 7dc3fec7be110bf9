// Opens the store that the options name, after looking at it without writing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { GenesisCheck } from "../ledger/genesis.ts";
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import type { WriterLease } from "../store/writer-lease.ts";
import { assertHead } from "../sync/check/head-check.ts";
import { assertIdentity } from "../sync/genesis.ts";
import { clusterSettings } from "./cluster.ts";
import type { DriverReport } from "./driver-metrics.ts";
import type { CassandraOptions } from "./options.ts";

/** Which store to open, and how. */
export interface StoreOpening {
  readonly data: string | undefined;
  readonly cassandra: CassandraOptions | undefined;
  readonly readOnly: boolean;
  /** The genesis that the store must hold, where it holds one. */
  readonly check: GenesisCheck | undefined;
  readonly logger: Logger;
}

/** An open store. One that other processes may want to write too comes with the lease that says who does. */
export interface OpenedStore {
  readonly store: Store;
  readonly lease: WriterLease | undefined;
  /** What the driver does, where there is one. */
  readonly driver?: () => DriverReport;
}

/** Another chain's directory is refused untouched. */
async function assertSameChain(data: string, check: GenesisCheck): Promise<void> {
  const store = await openLmdbStore({ path: data, readOnly: true });
  const { identity } = store;
  await store.close();
  if (identity !== undefined) assertIdentity(identity, check);
}

async function openDirectory(data: string, { readOnly, check, logger }: StoreOpening): Promise<Store> {
  if (check !== undefined && existsSync(join(data, "data.mdb"))) await assertSameChain(data, check);
  const store = await openLmdbStore({ path: data, readOnly, logger });
  return readOnly ? store : closedOnFault(store, () => assertHead(store));
}

async function closedOnFault<T extends Store>(store: T, look: () => Promise<void> | void): Promise<T> {
  try {
    await look();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The driver is loaded only here: a node on a data directory starts without it. */
async function openCluster(
  cassandra: CassandraOptions,
  { readOnly, check, logger }: StoreOpening,
): Promise<OpenedStore> {
  const settings = clusterSettings(cassandra);
  const { openCassandraStore } = await import("../store/cassandra/store.ts");
  const { LATENCY_BOUNDS_MS: boundsMs } = await import("../store/cassandra/figures.ts");
  const store = await openCassandraStore({ ...settings, readOnly, logger });
  await closedOnFault(store, () => {
    if (check !== undefined && store.identity !== undefined) assertIdentity(store.identity, check);
  });
  const driver = (): DriverReport => ({ figures: store.figures, boundsMs, blockCache: store.blockCache });
  return { store, lease: readOnly ? undefined : store.lease, driver };
}

/** Opens a store in a cluster or on disk, or makes one in memory where neither is named. */
export async function openStore(opening: StoreOpening): Promise<OpenedStore> {
  const { data, cassandra } = opening;
  if (cassandra !== undefined) return openCluster(cassandra, opening);
  const store = data === undefined ? createMemoryStore() : await openDirectory(data, opening);
  return { store, lease: undefined };
}

/** How often one who waits for a store looks again. */
const LOOK_MS = 500;

/** True when a store that cannot be opened may be there later. */
function mayCome(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "absent" || error.code === "unreachable");
}

/**
 * Opens a store for reading that may not be there yet: at once where it is there, else as soon as it is. What else
 * keeps it from being opened is thrown, or told to `onFault` once this has returned.
 */
export async function awaitStore(
  opening: StoreOpening,
  taking: {
    readonly onOpen: (opened: OpenedStore) => void;
    readonly onFault: (error: unknown) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { onOpen, onFault, signal } = taking;
  const attempt = async (): Promise<unknown> => {
    try {
      const opened = await openStore(opening);
      if (signal.aborted) await opened.store.close();
      else onOpen(opened);
      return undefined;
    } catch (error) {
      if (mayCome(error)) return error;
      throw error;
    }
  };
  const missing = await attempt();
  if (missing === undefined) return;
  opening.logger.warn({ err: errorText(missing) }, "there is no store yet: waiting for it");
  const wait = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted && (await attempt()) === undefined) return;
    }
  };
  void wait().catch(onFault);
}
