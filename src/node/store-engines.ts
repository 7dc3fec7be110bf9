// The store engines that a node can use. A new engine is one line here, its file under engines/ and its flags in
// cli/store-options.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, errorText } from "../base/errors.ts";
import { StoreError } from "../store/errors.ts";
import type { StoreWalk } from "../store/lmdb/walk.ts";
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

/** The engine that the options name. Throws ConfigError for an unknown one. */
export function engineOf({ engine }: StoreOptions): StoreEngine<StoreOptions> {
  if (!Object.hasOwn(STORE_ENGINES, engine)) {
    const names = Object.keys(STORE_ENGINES).join(", ");
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

/** Opens a walk over all rows. Throws ConfigError, naming the engine, if it has none. */
export function openWalk(options: StoreOptions, purpose: "check" | "copy from"): Promise<StoreWalk> {
  const open = engineOf(options).openWalk;
  if (open !== undefined) return open(options);
  const served = Object.entries(STORE_ENGINES).filter(([, engine]) => engine.openWalk !== undefined);
  const names = served.map(([name]) => name).join(", ");
  throw new ConfigError(`cannot ${purpose} a store of engine ${options.engine}: expected engine ${names}`);
}

/** How often a reader looks again for a store that does not exist yet. */
const LOOK_MS = 500;

/** True when the store may exist later. */
function mayCome(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "absent" || error.code === "unreachable");
}

/**
 * Opens a store for reading. If there is none yet, returns and opens it as soon as there is. Other faults are thrown,
 * or given to `onFault` after the return.
 */
export async function awaitStore(
  options: StoreOptions,
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
      const opened = await openStore(options, opening);
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
  opening.logger.warn({ err: errorText(missing) }, "waiting for the store: there is none yet");
  const wait = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted && (await attempt()) === undefined) return;
    }
  };
  void wait().catch(onFault);
}
