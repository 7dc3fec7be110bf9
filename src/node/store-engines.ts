// The store engines that a node can use. A new engine is two lines here, its file under engines/ and its flags in
// cli/store-options.ts.
import { ConfigError, errorText } from "../base/errors.ts";
import { pause } from "../base/wait.ts";
import { isOutOfReach, StoreError } from "../store/errors.ts";
import { type CassandraOptions, cassandraEngine } from "./engines/cassandra.ts";
import { type LmdbOptions, lmdbEngine } from "./engines/lmdb.ts";
import { memoryEngine } from "./engines/memory.ts";
import type { OpenedStore, StoreEngine, StoreOpening } from "./store-engine.ts";

/** The options of each engine. Public, so it names no type of an engine's package. */
interface EngineOptions {
  readonly lmdb: LmdbOptions;
  readonly memory: object;
  readonly cassandra: CassandraOptions;
}

const STORE_ENGINES: { readonly [E in keyof EngineOptions]: StoreEngine<EngineOptions[E]> } = {
  lmdb: lmdbEngine,
  memory: memoryEngine,
  cassandra: cassandraEngine,
};

/** An engine's name with the options of that engine. */
export type StoreOptions = {
  [E in keyof EngineOptions]: { readonly engine: E } & EngineOptions[E];
}[keyof EngineOptions];

export const ENGINE_NAMES = Object.keys(STORE_ENGINES) as readonly StoreOptions["engine"][];

/** True for an engine whose stores several processes can open. */
export function isSharedEngine(engine: unknown): boolean {
  return ENGINE_NAMES.some((name) => name === engine && STORE_ENGINES[name].isShared);
}

/** The engine that the options name. Throws ConfigError for an unknown one. */
export function engineOf({ engine }: StoreOptions): StoreEngine<StoreOptions> {
  if (!Object.hasOwn(STORE_ENGINES, engine)) {
    const names = ENGINE_NAMES.join(", ");
    throw new ConfigError(`store.engine: expected one of ${names}, got ${JSON.stringify(engine)}`);
  }
  // The union pairs each name with the options of its engine.
  return STORE_ENGINES[engine] as StoreEngine<StoreOptions>;
}

/** Where the ledger is kept: `data` is short for an LMDB store there; without both the ledger is in memory. */
export function storeOptionsOf(options: {
  readonly data?: string | undefined;
  readonly store?: StoreOptions | undefined;
}): StoreOptions {
  const { data, store } = options;
  if (data !== undefined && store !== undefined) {
    throw new ConfigError("data: expected either data or store, got both");
  }
  if (store !== undefined) return store;
  return data === undefined ? { engine: "memory" } : { engine: "lmdb", path: data };
}

export function openStore(options: StoreOptions, opening: StoreOpening): Promise<OpenedStore> {
  return engineOf(options).open(options, opening);
}

/** Pauses between two attempts to open a store that is not there yet. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 2000;

/** True when the store may be there later. */
function mayCome(error: unknown): boolean {
  return isOutOfReach(error) || (error instanceof StoreError && error.code === "absent");
}

/**
 * Opens a store and gives it to `onOpen`. If there is none yet, or its cluster is out of reach, returns and opens it as
 * soon as it is there. Other faults are thrown, or given to `onFault` after the return.
 */
export async function awaitStore(
  options: StoreOptions,
  opening: StoreOpening,
  taking: {
    readonly onOpen: (opened: OpenedStore) => Promise<void> | void;
    readonly onFault: (error: unknown) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { onOpen, onFault, signal } = taking;
  const { logger } = opening;
  const startedMs = performance.now();
  /** Undefined while there is none. */
  const attempt = async (onMissing: (error: unknown) => void): Promise<OpenedStore | undefined> => {
    try {
      return await openStore(options, opening);
    } catch (error) {
      if (!mayCome(error)) throw error;
      onMissing(error);
      return undefined;
    }
  };
  const first = await attempt((error) => logger.warn({ err: errorText(error) }, "waiting for the store"));
  if (first !== undefined) return onOpen(first);
  const wait = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, MAX_PAUSE_MS)) {
      await pause(pauseMs, signal, { ref: false });
      if (signal.aborted) return;
      const opened = await attempt(() => {});
      if (opened === undefined) continue;
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      logger.info({ seconds }, "the store is open: waiting is over");
      return onOpen(opened);
    }
  };
  void wait().catch(onFault);
}
