// Bootstraps a store from a checked genesis file, and compares that genesis with a waypoint or a store's identity.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { LedgerError } from "../ledger/errors.ts";
import { type GenesisCheck, UNKNOWN_GENESIS } from "../ledger/formats/genesis.ts";
import { formatWaypoint, type Waypoint } from "../ledger/waypoint.ts";
import type { Store, StoreIdentity } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import type { Committer } from "./committer.ts";

/** A store, its committer and the genesis to commit. */
export interface BootstrapOptions {
  readonly store: Store;
  readonly committer: Committer;
  readonly check: GenesisCheck;
}

/**
 * Commits version 0 to an empty store and leaves a store with the same genesis unchanged. Throws StoreError
 * `identity` for a store of another chain and then writes nothing.
 */
export async function bootstrapGenesis({ store, committer, check }: BootstrapOptions): Promise<void> {
  if (store.identity === undefined) await committer.commitGenesis(check);
  else assertSameGenesis(store.identity, check);
}

/** Throws LedgerError `mismatch` with both values unless the waypoints are equal. */
export function assertWaypoint(computed: Waypoint, given: Waypoint): void {
  if (computed.version === given.version && equalBytes(computed.hash, given.hash)) return;
  const [expected, actual] = [formatWaypoint(given), formatWaypoint(computed)];
  throw new LedgerError("mismatch", `the genesis file has waypoint ${actual}, expected ${expected}`, {
    details: { field: "waypoint", expected, actual },
  });
}

/** Throws StoreError `identity` unless the store began with this genesis. */
export function assertSameGenesis(identity: StoreIdentity, check: GenesisCheck): void {
  if (identity.chainId === check.chainId && equalBytes(identity.genesisHash, check.infoHash)) return;
  if (equalBytes(identity.genesisHash, UNKNOWN_GENESIS)) {
    throw new StoreError(
      "identity",
      `the store holds a part of chain ${identity.chainId} that began in the middle, as a fork or by start-version: start it as it began, or use another directory`,
      { details: { stored: identity.chainId, given: check.chainId } },
    );
  }
  throw new StoreError(
    "identity",
    `the store holds chain ${identity.chainId} with genesis ${toHex(identity.genesisHash)}, the genesis given ` +
      `is chain ${check.chainId} with genesis ${toHex(check.infoHash)} (another network, or another seed)`,
    { details: { stored: identity.chainId, given: check.chainId } },
  );
}
