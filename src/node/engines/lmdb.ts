// The ledger in a directory of this machine. One process writes it, others may read.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import type { GenesisCheck } from "../../ledger/genesis.ts";
import { assertHead } from "../../sync/check/head-check.ts";
import { assertIdentity } from "../../sync/genesis.ts";
import { closedOnFault, type StoreEngine } from "../store-engine.ts";

export interface LmdbOptions {
  /** The data directory. */
  readonly path: string;
  /** Copies a store of an older format to the folder `format-N` of its directory before the upgrade; true when left out. */
  readonly upgradeBackup?: boolean | undefined;
}

/** Opens for reading first, so that another chain's directory is refused untouched. */
async function assertSameChain(path: string, check: GenesisCheck): Promise<void> {
  const { loadIdentity } = await import("../../store/lmdb/store.ts");
  const identity = await loadIdentity(path);
  if (identity !== undefined) assertIdentity(identity, check);
}

export const lmdbEngine: StoreEngine<LmdbOptions> = {
  assertOptions: ({ path }) => {
    if (typeof path !== "string" || path === "") throw new ConfigError("store.path: expected a directory");
  },
  open: async ({ path, upgradeBackup }, { readOnly, check, logger, onUpgrade }) => {
    if (check !== undefined && existsSync(join(path, "data.mdb"))) await assertSameChain(path, check);
    const { openLmdbStore } = await import("../../store/lmdb/store.ts");
    const store = await openLmdbStore({ path, readOnly, logger, upgradeBackup, onUpgrade });
    if (!readOnly) await closedOnFault(store, () => assertHead(store));
    return { store, lease: undefined };
  },
  isShared: true,
  hasDriver: false,
  openWalk: async ({ path }) => (await import("../../store/lmdb/walk.ts")).openStoreWalk(path),
};
