// Versions whose state can never change, so that caches may keep their responses for good. The store decides, not the
// options of this process: a matched waypoint proves all history up to its version. Any other version may read
// differently tomorrow: after a fork, a reset of the network, or with a local chain of another seed.
import { LOCAL_CHAIN_ID } from "../chain/local-chain.ts";
import type { Store } from "../store/contract.ts";
import { loadMatchedWaypoints } from "../sync/matched-waypoints.ts";

/** Pause between two looks at the store. */
const LOOK_MS = 1000;
const NONE = -1n;

/** The highest final version; -1 if there is none. */
async function readFinalVersion(store: Store): Promise<bigint> {
  const { identity } = store;
  if (identity === undefined || identity.chainId === LOCAL_CHAIN_ID) return NONE;
  const waypoints = await loadMatchedWaypoints(store);
  const view = await store.openView();
  view.release();
  // Without a state root the ledger started in the middle, and no proof covers older items.
  if (view.position.stateRoot === undefined) return NONE;
  let highest = NONE;
  for (const { version } of waypoints) if (version > highest) highest = version;
  return highest;
}

/** Caches the highest final version. It only grows, so a stale value is safe. */
export class FinalVersions {
  readonly #store: () => Store | undefined;
  #highest = NONE;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(store: () => Store | undefined) {
    this.#store = store;
  }

  /** True when the state at this version can never change. */
  has(version: bigint): boolean {
    if (version <= this.#highest) return true;
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs > LOOK_MS) {
      this.#lookedMs = nowMs;
      void this.look();
    }
    return false;
  }

  /** Reads the store; keeps the old value if that fails. */
  async look(): Promise<void> {
    const store = this.#store();
    if (store === undefined) return;
    this.#highest = await readFinalVersion(store).catch(() => this.#highest);
  }
}
