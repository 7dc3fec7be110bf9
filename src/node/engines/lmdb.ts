// The ledger in a directory of this machine. One process writes it, others may read.
import { ConfigError } from "../../base/errors.ts";
import { assertHead } from "../../sync/check/head-check.ts";
import { assertIdentity } from "../../sync/genesis.ts";
import { closedOnFault, type StoreEngine } from "../store-engine.ts";

export interface LmdbOptions {
  /** The data directory. */
  readonly path: string;
  /** Copies a store of an older format to the folder `format-N` of its directory before the upgrade; true when left out. */
  readonly upgradeBackup?: boolean | undefined;
}

export const lmdbEngine: StoreEngine<LmdbOptions> = {
  assertOptions: ({ path }) => {
    if (typeof path !== "string" || path === "") throw new ConfigError("store.path: expected a directory");
  },
  open: async ({ path, upgradeBackup }, { readOnly, check, logger, onUpgrade }) => {
    const { openLmdbStore } = await import("../../store/lmdb/store.ts");
    const store = await openLmdbStore({
      path,
      readOnly,
      logger,
      upgradeBackup,
      onUpgrade,
      // Another chain's directory is refused untouched.
      checkIdentity: check && ((identity) => assertIdentity(identity, check)),
    });
    if (!readOnly) await closedOnFault(store, () => assertHead(store));
    return { store, lease: undefined };
  },
  isShared: true,
  hasDriver: false,
  openWalk: async ({ path }) => (await import("../../store/lmdb/walk.ts")).openStoreWalk(path),
};
