// The calls of a node in its own process. Each rejects and never throws; a closing node waits for those in flight.
import { CodedError, ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { toBody } from "../../http/calls/asker.ts";
import {
  knownOptions,
  MIN_VERSION_NAMES,
  type MinVersionOptions,
  type OptionNames,
  WATCH_NAMES,
  type WatchOptions,
} from "../../http/calls/options.ts";
import { AnsweredError } from "../../http/error-answer.ts";
import type { Condition } from "../../http/error-catalogue.ts";
import { HttpError } from "../../http/errors.ts";
import type { Calls } from "../../http/operation-list.ts";
import { type Services, type SubmissionBody, VIEW_GAS_LIMIT } from "../../http/services.ts";
import type { Route, RouteValues } from "../../interface/route.ts";
import { CALLS } from "../../interface/routes.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/errors.ts";
import type { Ledger, LedgerView } from "../../ledger/view.ts";
import { parseEventId, type ResumePoint } from "../../ledger/watch/event-id.ts";
import { HeadWatch } from "../../ledger/watch/head-watch.ts";
import { watchChanges } from "../../ledger/watch/watch-changes.ts";
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { Store } from "../../store/contract.ts";
import type { DemoNames } from "../demo-names.ts";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { Simulation, SimulationResult } from "../submissions/simulation.ts";
import type { SubmissionService } from "../submissions/submission-service.ts";
import { CallArguments } from "./call-arguments.ts";
import { type AnswerText, OperationCalls, type RangeQuestion } from "./operation-calls.ts";
import { type LedgerInfo, Reader, toLedgerInfo } from "./reader.ts";
import { type ChainAuthoring, TestAuthors } from "./test-authors.ts";

/** `absent`: the ledger has no such account, item or transaction; `invalid`: the question cannot be answered as asked. */
class CallError extends CodedError<"absent" | "invalid"> {}

const LEDGER_CODES: Partial<Record<Condition, LedgerErrorCode>> = {
  version_not_found: "version_not_found",
  version_pruned: "version_pruned",
  block_pruned: "version_pruned",
  disabled: "not_indexed",
  unavailable: "unavailable",
  overloaded: "unavailable",
  unprovable: "unprovable",
  internal: "corrupt",
};

/** Members of a body that calls have under another name. */
const CALL_NAMES: Readonly<Record<string, string>> = {
  key_type: "keyType",
  value_type: "valueType",
  type_arguments: "typeArguments",
};

/** The error that a caller in the process gets. */
function callError(error: unknown): unknown {
  if (error instanceof AnsweredError) {
    const { condition, message } = error.answer;
    return callError(new HttpError(condition, message, { cause: error }));
  }
  if (!(error instanceof HttpError)) return error;
  const { code, cause } = error;
  const [name = "", ...rest] = error.message.split(": ");
  const message = [CALL_NAMES[name] ?? name, ...rest].join(": ");
  const ledgerCode = LEDGER_CODES[code];
  if (ledgerCode !== undefined) return new LedgerError(ledgerCode, message, { cause });
  return new CallError(code.endsWith("_not_found") ? "absent" : "invalid", message, { cause });
}

/** Every call of the operations, as the compiler checks. */
const CALL_KINDS: {
  readonly [K in keyof Calls]: ReturnType<Calls[K]> extends Promise<unknown> ? "value" : "list";
} = CALLS;

const AUTHORING: OptionNames<ChainAuthoring> = {
  fund: true,
  setBalance: true,
  impersonate: true,
  setResource: true,
  putTableItem: true,
  publish: true,
  mine: true,
  setTime: true,
  advanceTime: true,
  snapshot: true,
  revert: true,
  dumpState: true,
  loadState: true,
};

/** What the calls need of the node, which has it only while it runs. */
export interface CallParts {
  readonly writer: LedgerWriter | undefined;
  readonly store: Store | undefined;
  readonly submissions: SubmissionService | undefined;
  readonly simulation: Simulation;
}

/** JSON texts and objects are requests, bytes are BCS. */
function bodyOf(transaction: object | string | Uint8Array): SubmissionBody {
  return { bytes: toBody(transaction), isJson: !(transaction instanceof Uint8Array) };
}

/** Where a watcher goes on. Throws ConfigError. */
function resumePoint(after: WatchOptions["after"]): ResumePoint | undefined {
  if (after === undefined) return undefined;
  if (typeof after === "bigint") return { version: after, mark: undefined };
  const point = typeof after === "string" ? parseEventId(after) : undefined;
  if (point !== undefined) return point;
  throw new ConfigError(`after: expected a bigint or the id of an event, got ${typeof after}`);
}

export abstract class InProcessCalls implements Ledger {
  protected readonly closing: AbortController = new AbortController();
  /** A process that writes hears of its own commits; any other looks at the store. */
  protected readonly headWatch: HeadWatch = new HeadWatch({
    ledger: this,
    isTold: () => this.parts().writer !== undefined,
  });
  protected readonly reader: Reader = new Reader(
    this,
    this.headWatch,
    new CallArguments(() => this.demoNames()),
  );
  /** What operations use, whether they are asked over HTTP or in this process. */
  protected readonly services: Pick<Services, "types" | "gasPrices" | "machine" | "simulator" | "prover"> = {
    types: this.reader.types,
    gasPrices: this.reader.gasPrices,
    machine: this.reader.machine,
    simulator: (...asked) => this.parts().simulation.simulate(...asked),
    prover: async (view, question, options) => {
      const { store } = this.parts();
      if (store === undefined) throw new LedgerError("no_ledger", "there is no ledger yet");
      this.#prover ??= import("../../sync/proofs/prover.ts");
      return (await this.#prover).prove(store, view, question, options);
    },
  };
  protected readonly authors: TestAuthors = new TestAuthors({
    args: this.reader.args,
    types: this.reader.types,
    writer: () => this.parts().writer,
    submissions: () => this.parts().submissions,
    withView: (ask) => this.reader.withView(ask),
    onBack: ({ version }) => this.headWatch.wentBack(version),
  });
  /** Kept, because node looks up the file of every import again. */
  #prover: Promise<typeof import("../../sync/proofs/prover.ts")> | undefined;
  readonly #operations: OperationCalls;
  /** In flight. */
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: Pick<NodeOptions, "index" | "transactionIndex">) {
    const parts = (): CallParts => this.parts();
    this.#operations = new OperationCalls({
      reader: this.reader,
      services: {
        ...this.services,
        viewGasLimit: VIEW_GAS_LIMIT,
        get submissions() {
          return parts().submissions;
        },
        pendingTransaction: async (hash) => parts().submissions?.pendingTransaction(hash),
        encoder: (body, view) => this.reader.encode(body, view),
        explainer: async (body, view) => JSON.stringify(await this.reader.explain(body, view)),
        nodeInfo: (view) => this.nodeInfo(view),
      },
      isOff: (which) => options[which] === false,
      watch: (what, watchOptions) => this.#watch(what, watchOptions),
      closing: this.closing.signal,
    });
  }

  abstract openView(): MaybePromise<LedgerView>;

  protected abstract parts(): CallParts;

  /** Names of the local chain's accounts, assets and tables. */
  protected abstract demoNames(): DemoNames;

  /** The keys of the info response. */
  protected abstract nodeInfo(view: LedgerView | undefined): Promise<Readonly<Record<string, unknown>>>;

  /** Runs an in-process call: it rejects with coded errors and never throws, and `close` waits for it. */
  protected call<T>(run: () => Promise<T>): Promise<T> {
    return this.#tracked(run).catch((error: unknown) => {
      throw callError(error);
    });
  }

  async #tracked<T>(run: () => Promise<T>): Promise<T> {
    if (this.closing.signal.aborted) throw closedError();
    const call = run();
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Waits for the calls in flight. */
  protected async callsEnded(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }

  /** The calls that operations define, the first of which loads them, and those of test authors. */
  protected boundCalls(): Calls & ChainAuthoring {
    const asked = Object.entries(CALL_KINDS).map(([called, kind]) => {
      const name = called as keyof Calls;
      return kind === "value"
        ? [name, (...given: unknown[]) => this.call(async () => this.#operations.call(name, given))]
        : [
            name,
            (...given: unknown[]) =>
              this.#list(async () => this.#operations.call(name, given) as AsyncGenerator),
          ];
    });
    const authored = (Object.keys(AUTHORING) as (keyof ChainAuthoring)[]).map((name) => {
      const change: (...given: never[]) => Promise<unknown> = this.authors[name].bind(this.authors);
      return [name, (...given: never[]) => this.call(() => change(...given))];
    });
    return Object.fromEntries([...asked, ...authored]) as Calls & ChainAuthoring;
  }

  /** The JSON text that the HTTP interface answers a read with. Throws what that interface refuses with. */
  answerText<R extends Route>(
    ...question: [route: R, values: RouteValues<R>, options: MinVersionOptions, body?: Uint8Array]
  ): Promise<AnswerText> {
    return this.#tracked(() => this.#operations.text(...question));
  }

  /** A range in the form that the HTTP interface answers with. Throws what that interface refuses with. */
  answerRange(question: RangeQuestion): AsyncGenerator<string | Uint8Array> {
    return this.#list(
      async () => this.#operations.range(question),
      (step) => this.#tracked(step),
    );
  }

  /** Runs each step of a list as a call. */
  async *#list<T>(
    begin: () => Promise<AsyncGenerator<T>>,
    run: <R>(step: () => Promise<R>) => Promise<R> = (step) => this.call(step),
  ): AsyncGenerator<T> {
    const steps = await run(begin);
    try {
      for (;;) {
        const next = await run(() => steps.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await steps.return(undefined);
    }
  }

  async *#watch<E extends WatchEvent>(what: () => Watched<E>, options: WatchOptions): AsyncGenerator<E> {
    const { after, signal } = knownOptions(WATCH_NAMES, options);
    const closing = this.closing.signal;
    const ends = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    const events = watchChanges(this, this.headWatch, what(), { after: resumePoint(after), signal: ends });
    yield* events;
    if (closing.aborted) throw closedError();
  }

  ledgerInfo(options: MinVersionOptions = {}): Promise<LedgerInfo> {
    return this.call(() => this.reader.ledgerInfo(knownOptions(MIN_VERSION_NAMES, options)));
  }

  produceBlock(): Promise<LedgerInfo> {
    return this.call(async () => {
      const blocks = this.parts().writer?.blocks;
      if (blocks === undefined) throw new ConfigError("this node makes no blocks");
      return toLedgerInfo({ position: await blocks.produce() });
    });
  }

  submit(transaction: object | string | Uint8Array): Promise<string> {
    return this.call(() => {
      const { submissions } = this.parts();
      if (submissions === undefined) throw new ConfigError("this node makes no blocks");
      const body = bodyOf(transaction);
      return this.reader.withView(async (view) => toPrefixedHex((await submissions.submit(body, view)).hash));
    });
  }

  simulate(transaction: object | string | Uint8Array): Promise<SimulationResult> {
    return this.call(() => {
      const body = bodyOf(transaction);
      return this.reader.withView((view) => this.parts().simulation.inProcess(body, view));
    });
  }
}

export function closedError(): LedgerError {
  return new LedgerError("unavailable", "the node is closed");
}
