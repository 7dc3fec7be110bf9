// Views without upstreams, of a ledger whose state is only partly known. An item that was never fetched is unknown:
// reading it is an error, not "absent".

import { silentLogger } from "../../base/log.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Store, StoreView } from "../../store/contract.ts";
import { ForkSource } from "../../sync/fork/fork-source.ts";
import { ForkView } from "../../sync/fork/fork-view.ts";
import { BaseFiller } from "../../sync/lazy/base-filler.ts";
import { LazyView } from "../../sync/lazy/lazy-view.ts";
import { FORK_PIN, type ForkPin } from "../../sync/side-rows.ts";
import { UpstreamError } from "../../sync/upstream/errors.ts";
import type { Upstream } from "../../sync/upstream/upstream.ts";

/** Nobody waits: no question leaves this process. */
const TIMEOUT_MS = 5_000;

function absentUpstream(name: string): Upstream {
  const refuse = (): Promise<never> =>
    Promise.reject(new UpstreamError("unreachable", "this process reads the store alone and asks no node"));
  return {
    name,
    receivedBytes: 0,
    getHead: refuse,
    getRecords: refuse,
    getStateValue: refuse,
    close: () => {},
  };
}

/** The views of one store. */
export class OfflineViews {
  #fork: { readonly source: ForkSource; readonly pin: ForkPin } | undefined;

  async viewOver(view: StoreView, store: Store): Promise<LedgerView> {
    if (this.#fork !== undefined) return new ForkView(view, this.#fork.source, this.#fork.pin);
    const pin = await this.#loadPin(view, store);
    if (pin === undefined) return new LazyView(view, this.#filler(store));
    const source = new ForkSource({
      upstream: absentUpstream(pin.url),
      pin,
      chainId: view.position.chainId,
      store,
      timeoutMs: TIMEOUT_MS,
      logger: silentLogger,
    });
    this.#fork = { source, pin };
    return new ForkView(view, source, pin);
  }

  async #loadPin(view: StoreView, store: Store): Promise<ForkPin | undefined> {
    try {
      return await FORK_PIN.load(store);
    } catch (error) {
      view.release();
      throw error;
    }
  }

  #filler(store: Store): BaseFiller {
    return new BaseFiller({
      store,
      pool: () => undefined,
      timeoutMs: TIMEOUT_MS,
      logger: silentLogger,
    });
  }
}
