// View functions and transactions on a ledger.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Slices } from "../../base/wait.ts";
import { fixedPosition, type LedgerPosition, type LedgerView } from "../../ledger/view.ts";
import type { AbiType } from "../../move/abi.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import type { LoadedModule, NativeSource } from "../linker.ts";
import { Programs } from "../programs.ts";
import { type AbortInfo, abortInfoOf } from "../publishing/metadata.ts";
import { tagOf } from "../types.ts";
import { type KnownState, LedgerRun, LongRuns } from "./ledger-run.ts";
import { LedgerTransactions } from "./ledger-transactions.ts";
import { type ViewCall, type ViewResult, ViewRun } from "./view-run.ts";

const MAX_REQUEST_MS = 5000;
/** A block waits for no request, and what its transactions do must not depend on how fast a machine is. */
const MAX_BLOCK_MS = 60_000;

/** The state of a version, which one call reads. */
export class LedgerViewState {
  readonly #run: LedgerRun;
  readonly #natives: NativeSource | undefined;

  constructor(run: LedgerRun, natives: NativeSource | undefined) {
    this.#run = run;
    this.#natives = natives;
  }

  /** A module; undefined if there is none. Throws ModuleError for one that does not parse. */
  module(address: string, name: string): MaybePromise<LoadedModule | undefined> {
    return this.#run.withItems(() => this.#run.module(address, name));
  }

  /** Runs a view function with units of gas. Throws VmError. */
  call(call: ViewCall, maxGas: number): MaybePromise<ViewResult> {
    const run = this.#run;
    const { config, sharedViews, decoded } = run.state;
    return run.run(() =>
      new ViewRun({
        read: run.read,
        programs: run.program,
        config,
        maxGas,
        natives: this.#natives,
        modules: run.module,
        shared: sharedViews,
        decoded,
      }).callInPieces(call),
    );
  }

  /** What the module says of an abort; undefined if it says nothing. */
  async abortInfo(location: string, code: bigint): Promise<AbortInfo | undefined> {
    const { read, program } = this.#run;
    return this.#run.withItems(() => abortInfoOf(location, code, read, program));
  }
}

/** Natives of a chain whose framework has no code. */
export interface InterfaceNatives {
  readonly views: NativeSource;
  readonly transactions: NativeSource;
}

/** Runs view functions and transactions. One for a node: it keeps the modules. */
export class LedgerMachine {
  readonly programs: Programs = new Programs();
  readonly #longRuns = new LongRuns();
  readonly #interfaceNatives: InterfaceNatives;
  #latest: { readonly position: LedgerPosition; readonly state: KnownState } | undefined;

  constructor(interfaceNatives: InterfaceNatives) {
    this.#interfaceNatives = interfaceNatives;
  }

  #nativesOf({ state }: LedgerRun, use: keyof InterfaceNatives): NativeSource | undefined {
    return state.isInterface ? this.#interfaceNatives[use] : undefined;
  }

  /** The tag of a type that a view returned. */
  readonly tagOf: (type: AbiType) => TypeTag = tagOf;

  /** Opens the state of a version, for work in slices. Throws LedgerError, and VmError. */
  open(view: LedgerView, version: bigint, slices: Slices): MaybePromise<LedgerViewState> {
    return andThen(
      this.#run(view, version, slices, "view"),
      (run) => new LedgerViewState(run, this.#nativesOf(run, "views")),
    );
  }

  /**
   * Opens the state of a version, the head unless another is named, for transactions: those of one block, or one of a
   * request. Throws LedgerError, and VmError.
   */
  async openTransactions(
    view: LedgerView,
    slices: Slices,
    use: "block" | "request" = "request",
    version: bigint = view.position.version,
  ): Promise<LedgerTransactions> {
    const run = await this.#run(view, version, slices, use);
    return new LedgerTransactions(run, this.#nativesOf(run, "transactions"));
  }

  /** The code that is kept, if that of the position is the same. */
  #stateAt(view: LedgerView, position: LedgerPosition): MaybePromise<KnownState | undefined> {
    const latest = this.#latest;
    const stateOf = (): KnownState | undefined =>
      this.#latest?.position === position ? this.#latest.state : undefined;
    // Views of two versions would take it from each other in turn.
    if (latest === undefined || latest.position === position || latest.position.version > position.version)
      return stateOf();
    return latest.state.takeFor(view, position.version).then((state) => {
      if (state !== undefined) this.#latest = { position, state };
      return stateOf();
    });
  }

  #run(
    view: LedgerView,
    version: bigint,
    slices: Slices,
    use: "block" | "request" | "view",
  ): MaybePromise<LedgerRun> {
    // A view that fetches must fetch modules too: what its answer rests on depends on them.
    const position = version === view.position.version ? fixedPosition(view) : undefined;
    const limits =
      use === "block"
        ? { longRuns: undefined, maxWorkMs: MAX_BLOCK_MS }
        : { longRuns: this.#longRuns, maxWorkMs: MAX_REQUEST_MS };
    const fetchesDependencies = use !== "view";
    const { programs } = this;
    return andThen(position && this.#stateAt(view, position), (known) => {
      const run = new LedgerRun({ view, version, programs, known, slices, fetchesDependencies, ...limits });
      return andThen(run.open(), (state) => {
        if (position !== undefined && state !== known) this.#latest = { position, state };
        return run;
      });
    });
  }
}
