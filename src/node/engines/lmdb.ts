// The ledger in a directory of this machine. One process writes it, others may read.
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { TEXT } from "../../base/option.ts";
import { assertSameGenesis } from "../../sync/genesis.ts";
import { assertHead } from "../../sync/maintenance/check/head-check.ts";
import { optionTable } from "../options/option-table.ts";
import { closedOnFault, type StoreEngine, type VerifierStarter } from "../store-engine.ts";

export interface LmdbOptions {
  /** The data directory. */
  readonly path: string;
}

/** On one processor a second process would take the time of the follower. */
function verifierStarter(path: string, logger: Logger): VerifierStarter | undefined {
  if (availableParallelism() < 2) return undefined;
  const directory = resolve(path);
  return async (version, verification, signal) => {
    const { startVerifyingProcess } = await import("../following/verifying-process.ts");
    return startVerifyingProcess({ path: directory, version, verification }, { logger, signal });
  };
}

export const lmdbEngine: StoreEngine<LmdbOptions> = {
  table: optionTable<LmdbOptions>()({ flags: {}, numbers: {}, others: { path: TEXT } }),
  assertOptions: ({ path }) => {
    if (typeof path !== "string" || path === "") throw new ConfigError("store.path: expected a directory");
  },
  open: async ({ path }, { readOnly, genesis, logger }) => {
    const { openLmdbStore } = await import("../../store/lmdb/store.ts");
    const store = await openLmdbStore({
      path,
      readOnly,
      logger,
      // Another chain's directory is refused untouched.
      checkIdentity: genesis && ((identity) => assertSameGenesis(identity, genesis)),
    });
    if (!readOnly) await closedOnFault(store, () => assertHead(store));
    return { store, lease: undefined, startVerifier: readOnly ? undefined : verifierStarter(path, logger) };
  },
  isShared: true,
  hasDriver: false,
  async *baseIndexRows({ path }) {
    const { openStoreWalk } = await import("../../store/lmdb/walk.ts");
    const walk = await openStoreWalk(path);
    try {
      if (walk.position.oldestVersion > 0n) yield* walk.indexRows();
    } finally {
      await walk.close();
    }
  },
};
