// View functions and transactions on a ledger.
import type { Slices } from "../base/wait.ts";
import { fixedPosition, type LedgerPosition, type LedgerView } from "../ledger/view.ts";
import type { AbiType } from "../move/abi.ts";
import type { TypeTag } from "../move/type-tag.ts";
import { type AbortInfo, abortInfoOf } from "./abort-info.ts";
import { findInterfaceNative, interfaceAbortInfo } from "./interface-modules.ts";
import { type KnownState, LedgerRun, LongRuns } from "./ledger-run.ts";
import { LedgerTransactions } from "./ledger-transactions.ts";
import type { LoadedModule } from "./linker.ts";
import { findNative } from "./machine.ts";
import { Programs } from "./programs.ts";
import { tagOf } from "./types.ts";
import { type ViewCall, type ViewResult, ViewRun } from "./view.ts";

const MAX_REQUEST_MS = 5000;
/** A block waits for no request, and what its transactions do must not depend on how fast a machine is. */
const MAX_BLOCK_MS = 60_000;

/** The state of a version, which one call reads. */
export class LedgerViewState {
  readonly #run: LedgerRun;

  constructor(run: LedgerRun) {
    this.#run = run;
  }

  /** A module; undefined if there is none. Throws ModuleError for one that does not parse. */
  module(address: string, name: string): Promise<LoadedModule | undefined> {
    return this.#run.withItems(() => this.#run.module(address, name));
  }

  /** Runs a view function with units of gas. Throws VmError. */
  call(call: ViewCall, maxGas: number): Promise<ViewResult> {
    const run = this.#run;
    const { config, isInterface, shared } = run.state;
    return run.run(() =>
      new ViewRun({
        read: run.read,
        programs: run.program,
        config,
        maxGas,
        natives: isInterface ? findInterfaceNative : findNative,
        modules: run.module,
        shared,
      }).callInPieces(call),
    );
  }

  /** What the module says of an abort; undefined if it says nothing. */
  abortInfo(location: string, code: bigint): Promise<AbortInfo | undefined> {
    const { state, read, program } = this.#run;
    return this.#run.withItems(
      () =>
        abortInfoOf(location, code, read, program) ??
        (state.isInterface ? interfaceAbortInfo(location, code) : undefined),
    );
  }
}

/** Runs view functions and transactions. One for a node: it keeps the modules. */
export class ViewMachine {
  readonly programs: Programs = new Programs();
  readonly #longRuns = new LongRuns();
  #latest: { readonly position: LedgerPosition; readonly state: KnownState } | undefined;

  /** The tag of a type that a view returned. */
  readonly tagOf: (type: AbiType) => TypeTag = tagOf;

  /** Opens the state of a version, for work in slices. Throws LedgerError, and VmError. */
  async open(view: LedgerView, version: bigint, slices: Slices): Promise<LedgerViewState> {
    return new LedgerViewState(await this.#run(view, version, slices, "view"));
  }

  /**
   * Opens the state of a version, the head unless another is named, for transactions: those of one block, or one of a
   * request. Undefined if its framework has no code. Throws LedgerError, and VmError.
   */
  async openTransactions(
    view: LedgerView,
    slices: Slices,
    use: "block" | "request" = "request",
    version: bigint = view.position.version,
  ): Promise<LedgerTransactions | undefined> {
    const run = await this.#run(view, version, slices, use);
    return run.state.isInterface ? undefined : new LedgerTransactions(run);
  }

  async #run(
    view: LedgerView,
    version: bigint,
    slices: Slices,
    use: "block" | "request" | "view",
  ): Promise<LedgerRun> {
    // A view that fetches must fetch modules too: what its answer rests on depends on them.
    const position = version === view.position.version ? fixedPosition(view) : undefined;
    const known =
      position !== undefined && this.#latest?.position === position ? this.#latest.state : undefined;
    const limits =
      use === "block"
        ? { longRuns: undefined, maxWorkMs: MAX_BLOCK_MS }
        : { longRuns: this.#longRuns, maxWorkMs: MAX_REQUEST_MS };
    const fetchesDependencies = use !== "view";
    const { programs } = this;
    const run = new LedgerRun({ view, version, programs, known, slices, fetchesDependencies, ...limits });
    const state = await run.open();
    if (position !== undefined) this.#latest = { position, state };
    return run;
  }
}
