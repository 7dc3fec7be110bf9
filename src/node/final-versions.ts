// Which versions can never change, decided from what the store holds and not from how this process was started: a
// waypoint that matched proves all history up to its version. Everything else may be another number under the same
// address tomorrow: a local chain of another seed, a fork, a network that was reset.
import { LOCAL_CHAIN_ID } from "../chain/local-chain.ts";
import type { Store } from "../store/contract.ts";
import { loadMatchedWaypoints } from "../sync/matched-waypoints.ts";

/** How long a version that is not final is taken for that before the store is asked again. */
const LOOK_MS = 1000;
const NONE = -1n;

/** The highest version that can never change; -1 where there is none. */
async function readFinalVersion(store: Store): Promise<bigint> {
  const { identity } = store;
  if (identity === undefined || identity.chainId === LOCAL_CHAIN_ID) return NONE;
  const waypoints = await loadMatchedWaypoints(store);
  const view = await store.openView();
  view.release();
  // Without a state root the ledger began in the middle, and items from before that are another's word.
  if (view.position.stateRoot === undefined) return NONE;
  let highest = NONE;
  for (const { version } of waypoints) if (version > highest) highest = version;
  return highest;
}

/** Knows the final versions of a store. They only ever become more, so it is never wrong to know too few. */
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

  /** Looks at the store. One that cannot be read now is looked at again. */
  async look(): Promise<void> {
    const store = this.#store();
    if (store === undefined) return;
    this.#highest = await readFinalVersion(store).catch(() => this.#highest);
  }
}
