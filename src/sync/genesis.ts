// Bootstraps a store from a genesis file: the waypoint is compared before anything is written.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { LedgerError } from "../ledger/errors.ts";
import { checkGenesis, type GenesisCheck } from "../ledger/genesis.ts";
import { formatWaypoint, type Waypoint } from "../ledger/waypoint.ts";
import type { Store, StoreIdentity } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import type { Ingester } from "./committer.ts";

/** What a bootstrap needs: the genesis file, or the result of checking it. */
export type BootstrapOptions = {
  readonly store: Store;
  readonly ingester: Ingester;
  /** The waypoint it must have; without one the file is taken as it is. */
  readonly waypoint?: Waypoint | undefined;
} & ({ readonly blob: Uint8Array } | { readonly check: GenesisCheck });

/**
 * Commits version 0 to an empty store, and does nothing to one that holds this very genesis. Throws
 * LedgerError `mismatch` for a file with another waypoint and StoreError `identity` for a store of another
 * chain; then nothing is written.
 */
export async function bootstrapGenesis(options: BootstrapOptions): Promise<GenesisCheck> {
  const { store, ingester, waypoint } = options;
  const check = "check" in options ? options.check : checkGenesis(options.blob);
  if (waypoint !== undefined) assertWaypoint(check.waypoint, waypoint);
  if (store.identity !== undefined) {
    assertIdentity(store.identity, check);
    return check;
  }
  await ingester.adopt(check);
  return check;
}

/** Throws LedgerError `mismatch` with both values unless the waypoints are equal. */
export function assertWaypoint(computed: Waypoint, given: Waypoint): void {
  if (computed.version === given.version && equalBytes(computed.hash, given.hash)) return;
  const [expected, actual] = [formatWaypoint(given), formatWaypoint(computed)];
  throw new LedgerError("mismatch", `the genesis file has waypoint ${actual}, expected ${expected}`, {
    details: { field: "waypoint", expected, actual },
  });
}

/** Throws StoreError `identity` unless a store's identity is that of the genesis. */
export function assertIdentity(identity: StoreIdentity, check: GenesisCheck): void {
  if (identity.chainId === check.chainId && equalBytes(identity.genesisHash, check.infoHash)) return;
  throw new StoreError(
    "identity",
    `the store holds chain ${identity.chainId} with genesis ${toHex(identity.genesisHash)}, the genesis given ` +
      `is chain ${check.chainId} with genesis ${toHex(check.infoHash)} (another network, or another seed)`,
    { details: { stored: identity.chainId, given: check.chainId } },
  );
}
