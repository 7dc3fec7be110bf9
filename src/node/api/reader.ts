// What answers need of a node: views of its ledger, types, gas prices, the machine, and a thread for large bodies.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { createMachineSource, type MachineSource } from "../../chain/machine-source.ts";
import { minVersionOf } from "../../http/calls/operands.ts";
import type { MinVersionOptions } from "../../http/calls/options.ts";
import { GasPriceEstimator } from "../../ledger/gas-price.ts";
import { createAccountReader } from "../../ledger/items/account.ts";
import { readModuleItem } from "../../ledger/items/module-item.ts";
import { StateTypes } from "../../ledger/items/state-types.ts";
import { assertNotRefuted } from "../../ledger/trust.ts";
import { fixedPosition, type Ledger, type LedgerView } from "../../ledger/view.ts";
import { assertReached, HeadWatch } from "../../ledger/watch/head-watch.ts";
import type { ModuleLoader } from "../../move/abi.ts";
import { ModuleCache } from "../../move/module-cache.ts";
import { encodeSubmission } from "../../transaction/encode-submission.ts";
import type { Explanation } from "../../transaction/explain/explanation.ts";
import { LARGE_EXPLAINED_BYTES, LARGE_SUBMISSION_BYTES, RequestThread } from "../request-thread/thread.ts";
import { CallArguments } from "./call-arguments.ts";

/** The ledger's head: the keys of `GET /v1`, with bigints in the place of its decimal texts. */
export interface LedgerInfo {
  readonly chain_id: number;
  readonly epoch: bigint;
  readonly ledger_version: bigint;
  readonly oldest_ledger_version: bigint;
  readonly ledger_timestamp: bigint;
  readonly node_role: "full_node";
  readonly oldest_block_height: bigint;
  readonly block_height: bigint;
}

/** The ledger's head, as `GET /v1` answers. */
export function toLedgerInfo({ position }: Pick<LedgerView, "position">): LedgerInfo {
  return {
    chain_id: position.chainId,
    epoch: position.epoch,
    ledger_version: position.version,
    oldest_ledger_version: position.oldestVersion,
    ledger_timestamp: position.timestampUsec,
    node_role: "full_node",
    oldest_block_height: position.oldestBlockHeight,
    block_height: position.blockHeight,
  };
}

/** Reads a ledger; parsed modules are cached between calls. */
export class Reader {
  readonly modules = new ModuleCache();
  readonly types = new StateTypes(this.modules);
  readonly gasPrices = new GasPriceEstimator();
  readonly machine: MachineSource = createMachineSource();
  readonly args: CallArguments;
  readonly thread = new RequestThread();
  readonly #ledger: Ledger;
  readonly #headWatch: HeadWatch;

  constructor(
    ledger: Ledger,
    headWatch = new HeadWatch({ ledger, isTold: () => false }),
    args = new CallArguments(),
  ) {
    this.args = args;
    this.#ledger = ledger;
    this.#headWatch = headWatch;
  }

  openView(): MaybePromise<LedgerView> {
    return this.#ledger.openView();
  }

  /** Runs a read on its own view, once the ledger is at the version that the options ask for. */
  async withView<T>(ask: (view: LedgerView) => Promise<T> | T, options: MinVersionOptions = {}): Promise<T> {
    const least = minVersionOf(options);
    let view = await this.#ledger.openView();
    if (least !== undefined && least.waitMs > 0 && view.position.version < least.version) {
      view.release();
      await this.#headWatch.wait(least.version, least.waitMs).done;
      view = await this.#ledger.openView();
    }
    try {
      if (least !== undefined) assertReached(view.position.version, least);
      return await ask(view);
    } finally {
      view.release();
    }
  }

  /** Waits until the ledger is at a version, at most `waitMs`. */
  waitFor(version: bigint, waitMs: number): Promise<void> {
    return this.#headWatch.wait(version, waitMs).done;
  }

  /** Loads modules of the view's latest version. */
  moduleLoader(view: LedgerView): ModuleLoader {
    return this.modules.createLoader((module) => readModuleItem(view, module), fixedPosition(view));
  }

  /** As `encode`, for bodies of other programs: a large one is worked on in a thread. */
  encodeUntrusted(body: Uint8Array, view: LedgerView): MaybePromise<Uint8Array> {
    return body.length < LARGE_SUBMISSION_BYTES
      ? this.encode(body, view)
      : this.thread.run("encode", body, view);
  }

  /** As `explain`, but in JSON and for bodies of other programs: a large one is worked on in a thread. */
  async explainUntrusted(body: Uint8Array, view: LedgerView): Promise<string> {
    return body.length < LARGE_EXPLAINED_BYTES
      ? JSON.stringify(await this.explain(body, view))
      : this.thread.run("explain", body, view);
  }

  /** Ends the thread for large submissions, and lets go of the machine. */
  close(): Promise<void> {
    this.machine.forget();
    return this.thread.close();
  }

  /** The signing message of a request body, using modules of the view's latest version. */
  encode(body: Uint8Array, view: LedgerView): MaybePromise<Uint8Array> {
    const loadModule = this.moduleLoader(view);
    return encodeSubmission(body, { chainId: view.position.chainId, loadModule });
  }

  /** The explanation of a request body, using modules and accounts of the view's latest version. */
  async explain(body: Uint8Array, view: LedgerView): Promise<Explanation> {
    const { explainSubmission } = await import("../../transaction/explain/explain.ts");
    const { chainId, timestampUsec } = view.position;
    const loadModule = this.moduleLoader(view);
    const accounts = createAccountReader(view);
    return explainSubmission(body, { chainId, timestampUsec, loadModule, accounts });
  }

  ledgerInfo(options: MinVersionOptions): Promise<LedgerInfo> {
    return this.withView((view) => {
      assertNotRefuted(view.position, view.position.version);
      return toLedgerInfo(view);
    }, options);
  }
}
