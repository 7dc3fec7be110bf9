// The calls of a node in its own process. Each rejects and never throws; a closing node waits for those in flight.
import { ConfigError } from "../../base/errors.ts";
import { toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { BalanceDetailAnswer } from "../../http/operations/get-balance-detail.ts";
import type { HoldingAnswer } from "../../http/operations/get-holdings.ts";
import { type SubmissionBody, VIEW_GAS_LIMIT } from "../../http/services.ts";
import type { Route, RouteValues } from "../../interface/route.ts";
import type { BalanceChange } from "../../ledger/balances/balance-history.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { GasPrices } from "../../ledger/gas-price.ts";
import type { TableRow } from "../../ledger/items/owned-items.ts";
import type { Ledger, LedgerView } from "../../ledger/view.ts";
import { parseEventId, type ResumePoint } from "../../ledger/watch/event-id.ts";
import { HeadWatch } from "../../ledger/watch/head-watch.ts";
import { watchChanges } from "../../ledger/watch/watch-changes.ts";
import type { WatchEvent, Watched } from "../../ledger/watch/watched.ts";
import type { BalanceEvent } from "../../ledger/watch/watched-balance.ts";
import { type BlockEvent, watchedBlocks } from "../../ledger/watch/watched-blocks.ts";
import type { Store } from "../../store/contract.ts";
import type { DemoNames } from "../demo-names.ts";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { NodeOptions } from "../options/node-options.ts";
import { knownOptions } from "../options/option-table.ts";
import {
  HISTORY_NAMES,
  type HistoryOptions,
  MIN_VERSION_NAMES,
  type MinVersionOptions,
  PROVE_NAMES,
  type ProveOptions,
  READ_NAMES,
  type ReadOptions,
  TABLE_ITEMS_NAMES,
  type TableItemsOptions,
  WATCH_NAMES,
  type WatchOptions,
} from "../options/read-options.ts";
import type { Simulation, SimulationResult } from "../submissions/simulation.ts";
import { BalanceQuestions } from "./balance-questions.ts";
import { CallArguments } from "./call-arguments.ts";
import { callError } from "./call-errors.ts";
import type { ImpersonatedCall, ImpersonatedResult } from "./impersonation.ts";
import { IndexQuestions } from "./index-questions.ts";
import {
  type AccountAnswer,
  BLOCK_NAMES,
  type BlockAnswer,
  type BlockQuery,
  type ModuleAnswer,
  PAGE_NAMES,
  type PageOptions,
  type ResourceAnswer,
  TABLE_ITEM_NAMES,
  type TableItemQuery,
  type TraceAnswer,
  type TransactionAnswer,
  VIEW_NAMES,
  type ViewQuery,
  WAIT_NAMES,
  type WaitOptions,
} from "./ledger-answers.ts";
import { type AnswerText, LedgerReads } from "./ledger-reads.ts";
import { ProofQuestions } from "./proof-questions.ts";
import type { LedgerInfo } from "./reader.ts";
import { Reader, toBody, toLedgerInfo } from "./reader.ts";
import type { BatchAnswer, Explanation } from "./running-node.ts";
import type { SubmissionService } from "./submission-service.ts";
import { type Authored, type ChainSnapshot, type Published, TestAuthors } from "./test-authors.ts";

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
  protected readonly proofs: ProofQuestions = new ProofQuestions(this.reader, () => this.parts().store);
  protected readonly authors: TestAuthors = new TestAuthors({
    args: this.reader.args,
    writer: () => this.parts().writer,
    submissions: () => this.parts().submissions,
    withView: (ask) => this.reader.withView(ask),
    onBack: ({ version, trust }) => {
      this.reader.gasPrices.forget(trust);
      this.headWatch.wentBack(version);
    },
  });
  readonly #questions = new BalanceQuestions(this.reader);
  readonly #indexQuestions: IndexQuestions;
  readonly #reads: LedgerReads;
  /** In flight. */
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: Pick<NodeOptions, "index" | "transactionIndex">) {
    this.#indexQuestions = new IndexQuestions(this.reader, options.index === false);
    this.#reads = new LedgerReads({
      reader: this.reader,
      services: () => {
        const { submissions } = this.parts();
        return {
          types: this.reader.types,
          gasPrices: this.reader.gasPrices,
          views: this.reader.views,
          viewGasLimit: VIEW_GAS_LIMIT,
          submissions,
          simulate: this.parts().simulation.simulate,
          pendingTransaction: async (hash) => submissions?.pendingTransaction(hash),
          encode: (body, view) => this.reader.encode(body, view),
          explain: async (body, view) => JSON.stringify(await this.reader.explain(body, view)),
          prove: (view, question, proofOptions) => this.proofs.prove(view, question, proofOptions),
          nodeInfo: (view) => this.nodeInfo(view),
        };
      },
      isOff: (which) => options[which] === false,
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

  balance(address: string, asset: string, options: ReadOptions = {}): Promise<bigint> {
    return this.call(() => this.reader.balance(address, asset, knownOptions(READ_NAMES, options)));
  }

  rawItem(
    handle: string,
    key: string | Uint8Array,
    options: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.call(() => this.reader.rawItem(handle, key, knownOptions(READ_NAMES, options)));
  }

  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<bigint>> {
    return this.call(() => this.#questions.balances(pairs, knownOptions(READ_NAMES, options)));
  }

  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<Uint8Array | undefined>> {
    return this.call(() => this.#questions.rawItems(items, knownOptions(READ_NAMES, options)));
  }

  balanceDetail(address: string, asset: string, options: ReadOptions = {}): Promise<BalanceDetailAnswer> {
    return this.call(() => this.#questions.detail(address, asset, knownOptions(READ_NAMES, options)));
  }

  balanceHistory(
    address: string,
    asset: string,
    options: HistoryOptions = {},
  ): AsyncGenerator<BalanceChange> {
    return this.#list(() => this.#questions.history(address, asset, knownOptions(HISTORY_NAMES, options)));
  }

  proveBalance(address: string, asset: string, options: ProveOptions = {}): Promise<Uint8Array> {
    return this.call(() => this.proofs.balance(address, asset, knownOptions(PROVE_NAMES, options)));
  }

  proveRawItem(handle: string, key: string | Uint8Array, options: ProveOptions = {}): Promise<Uint8Array> {
    return this.call(() => this.proofs.rawItem(handle, key, knownOptions(PROVE_NAMES, options)));
  }

  holdings(address: string, options: ReadOptions = {}): AsyncGenerator<HoldingAnswer> {
    return this.#list(() => this.#indexQuestions.holdings(address, knownOptions(READ_NAMES, options)));
  }

  tableItems(handle: string, options: TableItemsOptions = {}): AsyncGenerator<TableRow> {
    return this.#list(() =>
      this.#indexQuestions.tableItems(handle, knownOptions(TABLE_ITEMS_NAMES, options)),
    );
  }

  countTableItems(handle: string, options: TableItemsOptions = {}): Promise<bigint> {
    return this.call(() =>
      this.#indexQuestions.countTableItems(handle, knownOptions(TABLE_ITEMS_NAMES, options)),
    );
  }

  account(address: string, options: ReadOptions = {}): Promise<AccountAnswer> {
    return this.call(() => this.#reads.account(address, knownOptions(READ_NAMES, options)));
  }

  resource(address: string, type: string, options: ReadOptions = {}): Promise<ResourceAnswer | undefined> {
    return this.call(() => this.#reads.resource(address, type, knownOptions(READ_NAMES, options)));
  }

  resources(address: string, options: ReadOptions = {}): AsyncGenerator<ResourceAnswer> {
    return this.#list(() => this.#reads.resources(address, knownOptions(READ_NAMES, options)));
  }

  module(address: string, name: string, options: ReadOptions = {}): Promise<ModuleAnswer | undefined> {
    return this.call(() => this.#reads.module(address, name, knownOptions(READ_NAMES, options)));
  }

  modules(address: string, options: ReadOptions = {}): AsyncGenerator<ModuleAnswer> {
    return this.#list(() => this.#reads.modules(address, knownOptions(READ_NAMES, options)));
  }

  tableItem(handle: string, item: TableItemQuery, options: ReadOptions = {}): Promise<unknown> {
    return this.call(() =>
      this.#reads.tableItem(
        handle,
        knownOptions(TABLE_ITEM_NAMES, item, "item"),
        knownOptions(READ_NAMES, options),
      ),
    );
  }

  view(query: ViewQuery, options: ReadOptions = {}): Promise<readonly unknown[]> {
    return this.call(() =>
      this.#reads.view(knownOptions(VIEW_NAMES, query, "query"), knownOptions(READ_NAMES, options)),
    );
  }

  transaction(
    which: bigint | string,
    options: MinVersionOptions = {},
  ): Promise<TransactionAnswer | undefined> {
    return this.call(() => this.#reads.transaction(which, knownOptions(MIN_VERSION_NAMES, options)));
  }

  waitForTransaction(hash: string, options: WaitOptions = {}): Promise<TransactionAnswer | undefined> {
    return this.call(() => this.#reads.waitForTransaction(hash, knownOptions(WAIT_NAMES, options)));
  }

  transactions(options: PageOptions = {}): Promise<readonly TransactionAnswer[]> {
    return this.call(() => this.#reads.transactions(knownOptions(PAGE_NAMES, options)));
  }

  accountTransactions(address: string, options: PageOptions = {}): Promise<readonly TransactionAnswer[]> {
    return this.call(() => this.#reads.accountTransactions(address, knownOptions(PAGE_NAMES, options)));
  }

  block(query: BlockQuery): Promise<BlockAnswer | undefined> {
    return this.call(() => this.#reads.block(knownOptions(BLOCK_NAMES, query, "query")));
  }

  gasPrices(): Promise<GasPrices> {
    return this.call(() => this.#reads.gasPrices());
  }

  /** The JSON text that the HTTP interface answers a read with. Throws what that interface refuses with. */
  answerText<R extends Route>(
    route: R,
    values: RouteValues<R>,
    options: MinVersionOptions,
    body?: Uint8Array,
  ): Promise<AnswerText> {
    return this.#tracked(() => this.#reads.ask(route, values, options, body));
  }

  /** Runs each step of a list as a call. */
  async *#list<T>(begin: () => AsyncGenerator<T>): AsyncGenerator<T> {
    const steps = begin();
    try {
      for (;;) {
        const next = await this.call(() => steps.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await steps.return(undefined);
    }
  }

  watchBalance(address: string, asset: string, options: WatchOptions = {}): AsyncGenerator<BalanceEvent> {
    return this.#watch(options, () => this.#questions.watched(address, asset));
  }

  watchBlocks(options: WatchOptions = {}): AsyncGenerator<BlockEvent> {
    return this.#watch(options, () => watchedBlocks);
  }

  async *#watch<E extends WatchEvent>(options: WatchOptions, what: () => Watched<E>): AsyncGenerator<E> {
    const { after, signal } = knownOptions(WATCH_NAMES, options);
    const closing = this.closing.signal;
    const ends = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    const events = watchChanges(this, this.headWatch, what(), { after: resumePoint(after), signal: ends });
    try {
      for (;;) {
        const next = await this.call(() => events.next());
        if (next.done === true) break;
        yield next.value;
      }
      if (closing.aborted) throw closedError();
    } finally {
      await events.return(undefined);
    }
  }

  encodeSubmission(
    request: object | string | Uint8Array,
    options: MinVersionOptions = {},
  ): Promise<Uint8Array> {
    return this.call(() => this.reader.encodeSubmission(request, knownOptions(MIN_VERSION_NAMES, options)));
  }

  explainSubmission(
    request: object | string | Uint8Array,
    options: MinVersionOptions = {},
  ): Promise<Explanation> {
    return this.call(() => this.reader.explainSubmission(request, knownOptions(MIN_VERSION_NAMES, options)));
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

  trace(what: bigint | object | string): Promise<TraceAnswer> {
    return this.call(() => this.#reads.trace(what));
  }

  fund(address: string, amount: bigint): Promise<Authored> {
    return this.call(() => this.authors.fund(address, amount));
  }

  impersonate(address: string, call: ImpersonatedCall): Promise<ImpersonatedResult> {
    return this.call(() => this.authors.impersonate(address, call));
  }

  setBalance(address: string, asset: string, amount: bigint): Promise<Authored> {
    return this.call(() => this.authors.setBalance(address, asset, amount));
  }

  putTableItem(
    handle: string,
    key: string | Uint8Array,
    value: string | Uint8Array | undefined,
  ): Promise<Authored> {
    return this.call(() => this.authors.putTableItem(handle, key, value));
  }

  publish(module: string | Uint8Array): Promise<Published> {
    return this.call(() => this.authors.publish(module));
  }

  mine(blocks?: number, options: { readonly signal?: AbortSignal } = {}): Promise<LedgerInfo> {
    return this.call(() => this.authors.mine(blocks, knownOptions({ signal: true }, options)));
  }

  setTime(time: string | Date): Promise<LedgerInfo> {
    return this.call(() => this.authors.setTime(time));
  }

  advanceTime(ms: number): Promise<LedgerInfo> {
    return this.call(() => this.authors.advanceTime(ms));
  }

  snapshot(): Promise<ChainSnapshot> {
    return this.call(() => this.authors.snapshot());
  }

  revert(snapshot: ChainSnapshot): Promise<LedgerInfo> {
    return this.call(() => this.authors.revert(snapshot));
  }
}

export function closedError(): LedgerError {
  return new LedgerError("unavailable", "the node is closed");
}
