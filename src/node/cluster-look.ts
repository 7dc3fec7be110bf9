// Whether a cluster can be reached and holds a ledger: for `sextant doctor`. Writes nothing.
import { silentLogger } from "../base/log.ts";
import { LedgerError } from "../ledger/errors.ts";
import { openStore, type StoreOptions } from "./store-engines.ts";

export interface ClusterLook {
  /** Undefined before the first commit. */
  readonly ledger:
    | { readonly chainId: number; readonly version: bigint; readonly timestampUsec: bigint }
    | undefined;
}

/** Opens a store for reading and closes it. Throws StoreError, or ConfigError for options that cannot be used. */
export async function lookAtCluster(options: StoreOptions): Promise<ClusterLook> {
  const { store } = await openStore(options, { readOnly: true, check: undefined, logger: silentLogger });
  try {
    const view = await store.openView();
    const { chainId, version, timestampUsec } = view.position;
    view.release();
    return { ledger: { chainId, version, timestampUsec } };
  } catch (error) {
    if (error instanceof LedgerError && error.code === "no_ledger") return { ledger: undefined };
    throw error;
  } finally {
    await store.close();
  }
}
