import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, errorText, TryAgainError } from "./base/errors.ts";
import { toPrefixedHex } from "./base/hex.ts";
import { type Logger, silentLogger } from "./base/log.ts";
import { andThen, type MaybePromise } from "./base/maybe-promise.ts";
import type { ChainGuide } from "./chain/guide.ts";
import { type BlockSource, LOCAL_CHAIN_ID } from "./chain/local-chain.ts";
import { lagReason } from "./http/max-lag.ts";
import type { BalanceDetailAnswer } from "./http/operations/get-balance-detail.ts";
import type { HoldingAnswer } from "./http/operations/get-holdings.ts";
import { assetCacheStats } from "./http/schemas/asset-type.ts";
import { HTTP_DEFAULTS } from "./http/server.ts";
import type { SubmissionHandler } from "./http/services.ts";
import type { Route, RouteValues } from "./interface/route.ts";
import type { BalanceChange } from "./ledger/balance-history.ts";
import { balanceKeyCacheStats } from "./ledger/balance-keys.ts";
import { LedgerError } from "./ledger/errors.ts";
import type { GasPrices } from "./ledger/gas-price.ts";
import type { TableRow } from "./ledger/owned-items.ts";
import { isAccumulatorKnown, type Position } from "./ledger/position.ts";
import { refutedText } from "./ledger/trust.ts";
import type { Ledger, LedgerView } from "./ledger/view.ts";
import { HeadWatch } from "./ledger/watch/head-watch.ts";
import { watchChanges } from "./ledger/watch/watch-changes.ts";
import type { WatchEvent, Watched } from "./ledger/watch/watched.ts";
import type { BalanceEvent } from "./ledger/watch/watched-balance.ts";
import { type BlockEvent, watchedBlocks } from "./ledger/watch/watched-blocks.ts";
import { BalanceQuestions, watchedBalanceOf } from "./node/balance-questions.ts";
import { DemoNameInfo } from "./node/demo-names.ts";
import { type DeprecatedOptions, withPresentNames } from "./node/deprecated-options.ts";
import { diskGauges } from "./node/disk-gauges.ts";
import { DriverHistogram, type DriverReport, driverGauges } from "./node/driver-metrics.ts";
import { Faults } from "./node/faults.ts";
import {
  followGauges,
  followInfo,
  passThroughRefusalOf,
  provingGauges,
  unhealthyReasonOf,
  WaypointInfo,
} from "./node/follow-report.ts";
import { passThroughOf } from "./node/following.ts";
import { forkInfo, forkSourceInfo } from "./node/fork-report.ts";
import { answerSubmission } from "./node/forwarded-submissions.ts";
import {
  cacheGauges,
  faultGauges,
  httpGauges,
  ledgerGauges,
  readinessGauges,
  storeGauges,
  writerGauges,
} from "./node/gauges.ts";
import { HttpFrontend, withPort } from "./node/http-frontend.ts";
import type { ImpersonatedCall, ImpersonatedResult } from "./node/impersonation.ts";
import { IndexQuestions } from "./node/index-questions.ts";
import { electionInfo, indexInfo, nodeInfo } from "./node/info.ts";
import type {
  AccountAnswer,
  BlockAnswer,
  BlockQuery,
  ModuleAnswer,
  PageOptions,
  ResourceAnswer,
  TableItemQuery,
  TransactionAnswer,
  WaitOptions,
} from "./node/ledger-answers.ts";
import { LedgerReads } from "./node/ledger-reads.ts";
import { LedgerWriter } from "./node/ledger-writer.ts";
import { LocalServers } from "./node/local-servers.ts";
import { createMetrics, type MetricFigures, type Metrics } from "./node/metrics.ts";
import { type NodeInfo, toNodeInfo } from "./node/node-info.ts";
import { OfflineViews } from "./node/offline-views.ts";
import {
  type BatchAnswer,
  type Explanation,
  type HistoryOptions,
  type HttpOptions,
  type LedgerInfo,
  type MinVersionOptions,
  NODE_DEFAULTS,
  type Node,
  type NodeOptions,
  type ProveOptions,
  type ReadOptions,
  type SdkConfig,
  type SimulationResult,
  type TableItemsOptions,
  type WatchOptions,
} from "./node/options.ts";
import { ProofPort } from "./node/proof-port.ts";
import { ProofQuestions, proofWindowOf } from "./node/proof-questions.ts";
import { Reader, toBody, toLedgerInfo } from "./node/reader.ts";
import { planStart, type StartPlan } from "./node/start-plan.ts";
import type { OpenedStore } from "./node/store-engine.ts";
import { awaitStore, engineOf, openStore, type StoreOptions, storeOptionsOf } from "./node/store-engines.ts";
import { SubmissionService } from "./node/submission-service.ts";
import { type Authored, type ChainSnapshot, TestAuthors } from "./node/test-authors.ts";
import { trustInfo } from "./node/trust-report.ts";
import type { NodeStatus, WorkerSetup } from "./node/worker-messages.ts";
import { WriterElection } from "./node/writer-election.ts";
import type { Store } from "./store/contract.ts";
import { StoreError } from "./store/errors.ts";
import { assertHead } from "./sync/check/head-check.ts";
import { loadPosition } from "./sync/committer.ts";
import { assertIdentity } from "./sync/genesis.ts";
import { type PruneWindow, parsePruneWindow } from "./sync/prune-window.ts";

export type { BalanceDetailAnswer } from "./http/operations/get-balance-detail.ts";
export type { HoldingAnswer } from "./http/operations/get-holdings.ts";
export { HTTP_DEFAULTS, HTTP_NUMBERS, isHeaderBrand, isTrustLevel } from "./http/server.ts";
export type { BalanceChange } from "./ledger/balance-history.ts";
export type { GasPrices } from "./ledger/gas-price.ts";
export type { TableRow } from "./ledger/owned-items.ts";
export { isReversed } from "./ledger/version-range.ts";
export { MAX_WAIT_MS } from "./ledger/watch/min-version.ts";
export type { BalanceEvent } from "./ledger/watch/watched-balance.ts";
export type { BlockEvent } from "./ledger/watch/watched-blocks.ts";
export { LOCAL_CHAIN_NUMBERS } from "./node/block-maker.ts";
export { lookAtCluster } from "./node/cluster-look.ts";
export { type CopyOptions, type CopyReport, copyData } from "./node/copying.ts";
export type { CassandraOptions } from "./node/engines/cassandra.ts";
export { FOLLOW_NUMBERS } from "./node/following.ts";
export { type GenesisReport, verifyGenesis } from "./node/genesis-report.ts";
export { FRONTEND_NUMBERS } from "./node/http-frontend.ts";
export type { ImpersonatedCall, ImpersonatedResult } from "./node/impersonation.ts";
export { SOFTWARE_VERSION } from "./node/info.ts";
export type {
  AccountAnswer,
  BlockAnswer,
  BlockQuery,
  ModuleAnswer,
  PageOptions,
  ResourceAnswer,
  TableItemQuery,
  TransactionAnswer,
  WaitOptions,
} from "./node/ledger-answers.ts";
export { type NodeInfo, type TrustRange, type UpstreamInfo, wideJson } from "./node/node-info.ts";
export { parseOperand, refusalOf } from "./node/operands.ts";
export {
  type BatchAnswer,
  type Explanation,
  type FollowOptions,
  type FollowProgress,
  type ForkOptions,
  type HistoryEnd,
  type HistoryOptions,
  type HttpOptions,
  type LedgerInfo,
  type LocalChainOptions,
  type MinVersionOptions,
  NODE_DEFAULTS,
  type Node,
  type NodeOptions,
  type ProveOptions,
  type ReadOptions,
  type SdkConfig,
  type SimulationResult,
  type TableItemsOptions,
  type WatchOptions,
} from "./node/options.ts";
export { checkProof, proofStart, proofToBcs, proofToJson } from "./node/proof-files.ts";
export { lookAtProofs } from "./node/proof-look.ts";
export { type RewindReport, rewindData } from "./node/rewinding.ts";
export type { StoreOptions } from "./node/store-engines.ts";
export { lookAtData, type StoreLook } from "./node/store-look.ts";
export {
  backupData,
  type CheckProgress,
  type CopyWatch,
  checkClusterData,
  checkData,
  type IndexReport,
  restoreData,
  type StoreReport,
} from "./node/store-tools.ts";
export type { AccountOptions, Authored, ChainAuthoring, ChainSnapshot } from "./node/test-authors.ts";
export { CASSANDRA_NUMBERS } from "./store/cassandra/options.ts";
export { parseUpstreamUrl } from "./sync/upstream/rest-upstream.ts";

/** How often `untilReady` looks. */
const READY_LOOK_MS = 50;

/** Store errors that the user must fix; nothing was touched. */
const USAGE_CODES = ["absent", "format", "identity", "unwritable"];

/** Transient store errors: another process writes, or a cluster is out of reach. */
const TRY_AGAIN_CODES = ["locked", "unreachable"];

/** True for errors in what the process needs from outside, which may be there later. */
export function isTryAgainFault(error: unknown): boolean {
  if (error instanceof TryAgainError) return true;
  return error instanceof StoreError && TRY_AGAIN_CODES.includes(error.code);
}

/** True for errors in the configuration or its surroundings that the user must fix; nothing was touched. */
export function isUsageFault(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof StoreError && USAGE_CODES.includes(error.code);
}

/** Starts a node. Checks everything it can before it writes anything. */
export async function createNode(options: NodeOptions & DeprecatedOptions = {}): Promise<Node> {
  const node = new SextantNode(options);
  try {
    await node.start();
  } catch (error) {
    await node.close();
    throw error;
  }
  return node;
}

/** A worker's connection to the writing process. */
export interface WorkerLink {
  /** The writer's latest status. */
  readonly status: () => NodeStatus;
  /** The metrics page of all processes. */
  readonly page: () => Promise<string>;
  /** Takes transactions to the writer; undefined where no blocks are made. */
  readonly submissions: SubmissionHandler | undefined;
  readonly logger: Logger;
}

/** Starts the node of a worker process, which reads the store and answers. */
export async function createWorkerNode(
  setup: WorkerSetup,
  link: WorkerLink,
): Promise<{ readonly node: Node } & Pick<Metrics, "figures" | "counts">> {
  const node = new SextantNode({ ...setup.node, readOnly: true, logger: link.logger }, { ...setup, ...link });
  await node.start();
  return { node, figures: () => node.figures(), counts: () => node.counts() };
}

type WorkerRole = WorkerSetup & WorkerLink;

/** The JSON text that the HTTP interface answers a read with, and where the next page begins. */
export function answerText<R extends Route>(
  node: Node,
  ...question: [route: R, values: RouteValues<R>, options: MinVersionOptions, body?: Uint8Array]
): Promise<{ readonly text: string; readonly cursor: string | undefined }> {
  if (!(node instanceof SextantNode)) throw new Error("expected a node that `createNode` made");
  return node.answerText(...question);
}

class SextantNode implements Node, Ledger {
  readonly faulted: Promise<Error>;
  readonly #options: NodeOptions;
  readonly #storeOptions: StoreOptions;
  readonly #logger: Logger;
  readonly #window: PruneWindow;
  #waypoints = new WaypointInfo();
  readonly #demoNames = new DemoNameInfo();
  /** A process that writes hears of its own commits; any other looks at the store. */
  readonly #headWatch = new HeadWatch({ ledger: this, isTold: () => this.#writer !== undefined });
  readonly #reader = new Reader(this, this.#headWatch);
  readonly #questions = new BalanceQuestions(this.#reader);
  readonly #indexQuestions: IndexQuestions;
  readonly #reads: LedgerReads;
  readonly #authors = new TestAuthors({
    writer: () => this.#writer,
    submissions: () => this.#submissions,
    withView: (ask) => this.#reader.withView(ask),
    onBack: (from, to) => this.#headWatch.wentBack(from, to),
  });
  readonly #proofs = new ProofQuestions(this.#reader, () => this.#store);
  readonly #startedMs: number;
  readonly #role: WorkerRole | undefined;
  readonly #metrics: Metrics;
  readonly #faults: Faults;
  readonly #closing = new AbortController();
  /** In-process calls in flight; `close` waits for them before it closes the store. */
  readonly #calls = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;
  #closedAt: bigint | undefined;
  #closedUrl: string | undefined;
  #plan: StartPlan | undefined;
  /** Undefined for a node that makes no blocks. */
  #submissions: SubmissionService | undefined;
  #frontend: HttpFrontend | undefined;
  readonly #offlineViews = new OfflineViews();
  #proofPort: ProofPort | undefined;
  #store: Store | undefined;
  #driver: (() => DriverReport) | undefined;
  /** Undefined for a store with one writer. */
  #election: WriterElection | undefined;
  #writer: LedgerWriter | undefined;
  #workersStarted: Promise<void> | undefined;
  #localServers: LocalServers | undefined;

  constructor(options: NodeOptions & DeprecatedOptions, role?: WorkerRole) {
    this.#logger = options.logger ?? silentLogger;
    this.#options = withPresentNames(options, this.#logger);
    this.#storeOptions = storeOptionsOf(this.#options);
    this.#reads = new LedgerReads({
      reader: this.#reader,
      services: () => ({
        types: this.#reader.types,
        gasPrices: this.#reader.gasPrices,
        submissions: this.#submissions,
        pendingTransaction: async (hash) => this.#submissions?.pendingTransaction(hash),
      }),
      isOff: (which) => this.#options[which] === false,
    });
    this.#indexQuestions = new IndexQuestions(this.#reader, this.#isIndexOff);
    this.#role = role;
    this.#startedMs = role?.startedMs ?? Date.now();
    this.#window = parsePruneWindow(this.#options.pruneWindow ?? NODE_DEFAULTS.pruneWindow);
    this.#faults = new Faults(this.#logger, (error) => this.#election?.divert(error) ?? false);
    this.faulted = this.#faults.stopped;
    const { hasDriver } = engineOf(this.#storeOptions);
    const driver = (): DriverReport | undefined => this.#driver?.();
    const gauges = [
      ...ledgerGauges(this),
      ...readinessGauges(this, () => this.#status(undefined), this.#startedMs, this.#options.http),
      ...cacheGauges("module", "parsed modules", () => this.#reader.modules.stats()),
      ...cacheGauges("asset", "parsed asset types", assetCacheStats),
      ...cacheGauges("balance_key", "state keys of balances", balanceKeyCacheStats),
      ...cacheGauges("tree", "nodes of the state tree", () => this.#writer?.treeCache, ["bytes", "maxBytes"]),
      ...httpGauges(() => this.#frontend?.figures()),
      ...followGauges(
        () => this.#writer?.following,
        () => this.#headVersion(),
      ),
      ...provingGauges(() => this.#writer?.following?.provingStatus()),
      ...faultGauges(this.#faults),
      ...storeGauges(),
      ...(this.#storeOptions.engine === "lmdb" ? diskGauges(this.#storeOptions.path) : []),
      ...writerGauges(
        () => this.#writer,
        () => this.#election,
      ),
      ...(hasDriver
        ? [...driverGauges(driver), ...cacheGauges("block", "block rows", () => driver()?.blockCache)]
        : []),
    ];
    this.#metrics = createMetrics(gauges, hasDriver ? [new DriverHistogram(driver)] : []);
  }

  get #isIndexOff(): boolean {
    return this.#options.index === false;
  }

  get closedAt(): bigint | undefined {
    return this.#closedAt;
  }

  get url(): string | undefined {
    return this.#frontend?.url ?? this.#closedUrl;
  }

  get faucetUrl(): string | undefined {
    return this.#localServers?.faucetUrl;
  }

  get sdkConfig(): SdkConfig | undefined {
    const { url } = this;
    if (url === undefined) return undefined;
    const { faucetUrl: faucet, statusUrl: indexer } = this.#localServers ?? {};
    // The enum of the SDK has this text.
    const network = (this.#plan?.chain === undefined ? "custom" : "local") as never;
    return { network, fullnode: url, ...(faucet && { faucet }), ...(indexer && { indexer }) };
  }

  get proofUrl(): string | undefined {
    return this.#proofPort?.url;
  }

  async start(): Promise<void> {
    const { genesis, readOnly = false, http } = this.#options;
    const logger = this.#logger;
    const plan = await planStart(this.#options);
    this.#plan = plan;
    const chain = plan.chain ?? plan.fork?.chain;
    this.#submissions = chain === undefined ? undefined : this.#submissionService(chain);
    // Files and the port are checked before the store is touched.
    if (http !== undefined) {
      this.#frontend = this.#createFrontend(http);
      await this.#frontend.open();
      await this.#openProofPort(http);
    }
    const opening = { readOnly, check: plan.check, logger, onUpgrade: this.#options.onUpgrade };
    if (genesis !== undefined && plan.proven === undefined && !readOnly) {
      logger.warn({}, "the genesis file is unproven: no waypoint was given");
    }
    const onOpen = async (opened: OpenedStore): Promise<void> => {
      await this.#begin(opened, plan);
      await this.#openLocalServers(plan);
    };
    // Without a store, in-process callers get an error; servers wait.
    if (this.#frontend === undefined) {
      await onOpen(await openStore(this.#storeOptions, opening));
      return;
    }
    const { signal } = this.#closing;
    const onFault = (error: unknown): void => void this.#faults.report("store", error);
    await awaitStore(this.#storeOptions, opening, { onOpen, onFault, signal });
    // Workers answer while this process waits for the store.
    if (this.#store === undefined) await this.#startWorkers();
  }

  async #openProofPort({ host = HTTP_DEFAULTS.host, proofPort: port }: HttpOptions): Promise<void> {
    if (port === undefined || this.#role !== undefined) return;
    const options = { host, port, store: () => this.#store, logger: this.#logger };
    this.#proofPort = await withPort(port, ProofPort.open(options));
    this.#logger.info({ url: this.#proofPort.url }, "the proof port listens");
  }

  /** Serves the store and, unless it is opened for reading, writes it as soon as this process may. */
  async #begin(opened: OpenedStore, plan: StartPlan): Promise<void> {
    const { store, lease } = opened;
    this.#take(opened);
    const { check } = plan;
    if (check !== undefined && store.identity !== undefined) {
      this.#plan = { ...plan, check: assertIdentity(store.identity, check) };
    }
    if (this.#options.readOnly === true) {
      await this.#startWorkers();
      return;
    }
    if (lease === undefined) {
      const writer = this.#createWriter(store, plan);
      await writer.prepare();
      await this.#startWorkers();
      writer.run();
      return;
    }
    this.#election = new WriterElection({
      lease,
      begin: async () => {
        await assertHead(store);
        const writer = this.#createWriter(store, plan);
        await writer.prepare();
        writer.run();
      },
      end: async () => {
        await this.#writer?.stop();
        this.#writer = undefined;
      },
      onFault: (error) => this.#faults.report("taking over", error),
      onReach: (error) => {
        if (error === undefined) this.#faults.clear("lease");
        else this.#faults.report("lease", error);
      },
      logger: this.#logger,
    });
    await this.#election.start();
    await this.#startWorkers();
  }

  async #openLocalServers({ chain, fork }: StartPlan): Promise<void> {
    const { faucetPort, statusPort } = this.#options.localChain ?? {};
    if ((chain ?? fork) === undefined || (faucetPort ?? statusPort) === undefined) return;
    this.#localServers = new LocalServers({
      host: this.#options.http?.host ?? HTTP_DEFAULTS.host,
      faucetPort,
      statusPort,
      fund: async (address, amount) =>
        (await this.#call(() => this.#authors.fundAll(address, amount))).map(({ hash }) => hash),
      unready: () =>
        this.#faults.reason ??
        (this.#writer?.blocks === undefined ? "the node makes no blocks now" : undefined),
      position: async () => this.#reader.withView(({ position }) => position).catch(() => undefined),
      logger: this.#logger,
    });
    await this.#localServers.open();
  }

  #take({ store, driver }: OpenedStore): void {
    this.#store = store;
    this.#driver = driver;
  }

  #createWriter(store: Store, plan: StartPlan): LedgerWriter {
    const { localChain } = this.#options;
    this.#writer = new LedgerWriter({
      store,
      plan,
      localChain,
      index: !this.#isIndexOff,
      transactionIndex: this.#options.transactionIndex,
      window: this.#window,
      proofWindow: proofWindowOf(this.#options, plan),
      faults: this.#faults,
      onCommit: this.#metrics.onCommit,
      onBatch: ({ previous, position: { version }, writes }) =>
        this.#headWatch.committed({ previous, version, writes }),
      logger: this.#logger,
    });
    return this.#writer;
  }

  /** Starts the workers, if they do not run yet. */
  async #startWorkers(): Promise<void> {
    if (this.#writer?.following?.isLazy === true) {
      this.#frontend?.assertAlone("expected 0, because the ledger started in the middle");
    }
    this.#workersStarted ??= this.#launchWorkers();
    await this.#workersStarted;
  }

  async #launchWorkers(): Promise<void> {
    const { pruneWindow, follow, index, transactionIndex } = this.#options;
    await this.#frontend?.startWorkers({
      setup: {
        // Functions do not reach another process.
        node: {
          store: this.#storeOptions,
          pruneWindow,
          follow: follow && { ...follow, onProgress: undefined },
          index,
          transactionIndex,
        },
        startedMs: this.#startedMs,
        genesisWaypoint: this.#plan?.check?.waypoint,
        takesSubmissions: this.#submissions !== undefined,
      },
      onSubmission: (call) => answerSubmission(this.#submissions, (use) => this.#reader.withView(use), call),
      status: async () => this.#status(await this.#headVersion()),
      onFault: (error) => this.#faults.report("workers", error),
    });
  }

  #submissionService(chain: BlockSource): SubmissionService {
    return new SubmissionService({
      chain,
      mempool: () => this.#writer?.blocks?.mempool,
      loadModule: (view) => this.#reader.moduleLoader(view),
      encode: (body, view) => this.#reader.encodeSafely(body, view),
      types: this.#reader.types,
    });
  }

  #createFrontend(http: NonNullable<NodeOptions["http"]>): HttpFrontend {
    return new HttpFrontend({
      http,
      services: {
        passThrough: passThroughOf(this.#options.follow),
        passThroughRefusal: () => this.#status(undefined).passThroughRefusal,
        ledger: this,
        headWatch: this.#headWatch,
        encoder: (body, view) => this.#reader.encodeSafely(body, view),
        explainer: (body, view) => this.#reader.explainSafely(body, view),
        submissions: this.#submissions ?? this.#role?.submissions,
        prover: (view, question, options) => this.#proofs.prove(view, question, options),
        types: this.#reader.types,
        gasPrices: this.#reader.gasPrices,
        nodeInfo: (view) => this.#info(view),
        unhealthyReason: () => this.#status(undefined).unhealthyReason,
        unready: () => this.#status(undefined).unready,
        index: !this.#isIndexOff,
        transactionIndex: this.#options.transactionIndex,
        mayRestart: (chainId) => chainId === LOCAL_CHAIN_ID,
      },
      metrics: this.#metrics,
      page: this.#role?.page,
      logger: this.#logger,
    });
  }

  requestCount(): Promise<number> {
    return this.#call(async () => this.#frontend?.requestCount() ?? 0);
  }

  /** All metrics of this process. */
  figures(): Promise<MetricFigures> {
    return this.#metrics.figures();
  }

  /** The counters alone, which survive the process. */
  counts(): Promise<MetricFigures> {
    return this.#metrics.counts();
  }

  openView(): MaybePromise<LedgerView> {
    const store = this.#store;
    if (store === undefined) {
      throw this.#closing.signal.aborted
        ? closedError()
        : new LedgerError("no_ledger", "the node is still starting");
    }
    return andThen(
      store.openView(),
      (view) =>
        (this.#writer?.following ?? this.#writer?.forking)?.viewOver(view) ??
        this.#offlineViews.viewOver(view, store),
    );
  }

  #headVersion(): Promise<bigint | undefined> {
    return this.#reader.withView(({ position }) => position.version).catch(() => undefined);
  }

  /** Runs an in-process call: it rejects and never throws, and `close` waits for it. */
  async #call<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw closedError();
    const call = run();
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  balance(address: string, asset: string, options: ReadOptions = {}): Promise<bigint> {
    return this.#call(() => this.#reader.balance(address, asset, options));
  }

  rawItem(
    handle: string,
    key: string | Uint8Array,
    options: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.#call(() => this.#reader.rawItem(handle, key, options));
  }

  balances(
    pairs: readonly { readonly address: string; readonly asset: string }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<bigint>> {
    return this.#call(() => this.#questions.balances(pairs, options));
  }

  rawItems(
    items: readonly { readonly handle: string; readonly key: string | Uint8Array }[],
    options: ReadOptions = {},
  ): Promise<BatchAnswer<Uint8Array | undefined>> {
    return this.#call(() => this.#questions.rawItems(items, options));
  }

  balanceDetail(address: string, asset: string, options: ReadOptions = {}): Promise<BalanceDetailAnswer> {
    return this.#call(() => this.#questions.detail(address, asset, options));
  }

  balanceHistory(
    address: string,
    asset: string,
    options: HistoryOptions = {},
  ): AsyncGenerator<BalanceChange> {
    return this.#list(this.#questions.history(address, asset, options));
  }

  proveBalance(address: string, asset: string, options: ProveOptions = {}): Promise<Uint8Array> {
    return this.#call(() => this.#proofs.balance(address, asset, options));
  }

  proveRawItem(handle: string, key: string | Uint8Array, options: ProveOptions = {}): Promise<Uint8Array> {
    return this.#call(() => this.#proofs.rawItem(handle, key, options));
  }

  holdings(address: string, options: ReadOptions = {}): AsyncGenerator<HoldingAnswer> {
    return this.#list(this.#indexQuestions.holdings(address, options));
  }

  tableItems(handle: string, options: TableItemsOptions = {}): AsyncGenerator<TableRow> {
    return this.#list(this.#indexQuestions.tableItems(handle, options));
  }

  countTableItems(handle: string, options: TableItemsOptions = {}): Promise<bigint> {
    return this.#call(() => this.#indexQuestions.countTableItems(handle, options));
  }

  account(address: string, options: ReadOptions = {}): Promise<AccountAnswer> {
    return this.#call(() => this.#reads.account(address, options));
  }

  resource(address: string, type: string, options: ReadOptions = {}): Promise<ResourceAnswer | undefined> {
    return this.#call(() => this.#reads.resource(address, type, options));
  }

  resources(address: string, options: ReadOptions = {}): AsyncGenerator<ResourceAnswer> {
    return this.#list(this.#reads.resources(address, options));
  }

  module(address: string, name: string, options: ReadOptions = {}): Promise<ModuleAnswer | undefined> {
    return this.#call(() => this.#reads.module(address, name, options));
  }

  modules(address: string, options: ReadOptions = {}): AsyncGenerator<ModuleAnswer> {
    return this.#list(this.#reads.modules(address, options));
  }

  tableItem(handle: string, item: TableItemQuery, options: ReadOptions = {}): Promise<unknown> {
    return this.#call(() => this.#reads.tableItem(handle, item, options));
  }

  transaction(
    which: bigint | string,
    options: MinVersionOptions = {},
  ): Promise<TransactionAnswer | undefined> {
    return this.#call(() => this.#reads.transaction(which, options));
  }

  waitForTransaction(hash: string, options: WaitOptions = {}): Promise<TransactionAnswer | undefined> {
    return this.#call(() => this.#reads.waitForTransaction(hash, options));
  }

  transactions(options: PageOptions = {}): Promise<readonly TransactionAnswer[]> {
    return this.#call(() => this.#reads.transactions(options));
  }

  accountTransactions(address: string, options: PageOptions = {}): Promise<readonly TransactionAnswer[]> {
    return this.#call(() => this.#reads.accountTransactions(address, options));
  }

  block(query: BlockQuery): Promise<BlockAnswer | undefined> {
    return this.#call(() => this.#reads.block(query));
  }

  gasPrices(): Promise<GasPrices> {
    return this.#call(() => this.#reads.gasPrices());
  }

  /** The JSON text that the HTTP interface answers a read with. */
  answerText<R extends Route>(
    route: R,
    values: RouteValues<R>,
    options: MinVersionOptions,
    body?: Uint8Array,
  ): Promise<{ readonly text: string; readonly cursor: string | undefined }> {
    return this.#call(() => this.#reads.ask(route, values, options, body));
  }

  /** Runs each step of a list as a call. */
  async *#list<T>(steps: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        const next = await this.#call(() => steps.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await steps.return(undefined);
    }
  }

  watchBalance(address: string, asset: string, options: WatchOptions = {}): AsyncGenerator<BalanceEvent> {
    return this.#watch(options, () => watchedBalanceOf(address, asset));
  }

  watchBlocks(options: WatchOptions = {}): AsyncGenerator<BlockEvent> {
    return this.#watch(options, () => watchedBlocks);
  }

  async *#watch<E extends WatchEvent>(
    { after, signal }: WatchOptions,
    what: () => Watched<E>,
  ): AsyncGenerator<E> {
    if (after !== undefined && typeof after !== "bigint") {
      throw new ConfigError(`after: expected a bigint, got ${typeof after}`);
    }
    const closing = this.#closing.signal;
    const ends = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    const events = watchChanges(this, this.#headWatch, what(), { after, signal: ends });
    try {
      for (;;) {
        const next = await this.#call(() => events.next());
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
    return this.#call(() => this.#reader.encodeSubmission(request, options));
  }

  explainSubmission(
    request: object | string | Uint8Array,
    options: MinVersionOptions = {},
  ): Promise<Explanation> {
    return this.#call(() => this.#reader.explainSubmission(request, options));
  }

  info(): Promise<NodeInfo> {
    return this.#call(async () => {
      const info = this.#reader.withView((view) => this.#info(view));
      return toNodeInfo(
        await info.catch((error: unknown) => {
          if (this.#store === undefined || !(error instanceof LedgerError && error.code === "no_ledger"))
            throw error;
          return this.#info(undefined);
        }),
      );
    });
  }

  async #info(view: LedgerView | undefined): Promise<Readonly<Record<string, unknown>>> {
    const status = this.#status(view?.position.version);
    // Others would take a waypoint for checked: only hashes that this node computed, and that nothing refutes, give one.
    const position = await this.#storedPosition();
    const isOwn = position !== undefined && isAccumulatorKnown(position) && position.refuted === undefined;
    return nodeInfo({
      ...status,
      position: view?.position,
      engine: this.#store?.engine,
      window: this.#window,
      uptimeSeconds: Math.floor((Date.now() - this.#startedMs) / 1000),
      more: {
        ...(view === undefined
          ? {}
          : trustInfo(
              view.position,
              position?.stateRoot !== undefined || this.#writer?.following?.isProven === true,
            )),
        ...forkInfo(view?.position),
        ...(isOwn
          ? await this.#waypoints.read(view, this.#role?.genesisWaypoint ?? this.#plan?.check?.waypoint)
          : {}),
        ...this.#demoNames.read(this.#plan?.chain, this.#store?.identity),
        ...status.more,
      },
    });
  }

  /** Undefined while there is no ledger, or the store is out of reach. */
  async #storedPosition(): Promise<Position | undefined> {
    return this.#store === undefined ? undefined : await loadPosition(this.#store).catch(() => undefined);
  }

  /** Workers serve the writer's status. */
  #status(version: bigint | undefined): NodeStatus {
    if (this.#role !== undefined) return this.#role.status();
    const following = this.#writer?.following;
    return {
      syncMode: this.#syncMode(),
      syncState: this.#syncState(),
      fault: this.#faults.reason,
      unhealthyReason: this.#unhealthyReason(),
      unready: this.#faults.reason ?? following?.unready(),
      passThroughRefusal: passThroughRefusalOf(following?.status()),
      more: {
        ...(following === undefined ? {} : followInfo(following, version)),
        ...forkSourceInfo(this.#writer?.forking),
        ...indexInfo(this.#isIndexOff, this.#writer?.indexProgress),
        ...electionInfo(this.#election),
        ...this.#localServers?.info(),
        // Workers know no seed.
        ...(this.#plan?.chain === undefined ? {} : this.#demoNames.read(this.#plan.chain, undefined)),
      },
    };
  }

  /** Why the process should be restarted. Transient faults do not count. */
  #unhealthyReason(): string | undefined {
    const { final, reason } = this.#faults;
    if (final !== undefined) return reason;
    // While the store is out of reach, the follower's own state says nothing.
    return reason === undefined ? unhealthyReasonOf(this.#writer?.following) : undefined;
  }

  unreadyReason(): Promise<string | undefined> {
    return this.#call(() => this.#unready());
  }

  async #unready(): Promise<string | undefined> {
    const { unhealthyReason, unready } = this.#status(undefined);
    if (unhealthyReason !== undefined || unready !== undefined) return unhealthyReason ?? unready;
    try {
      const maxLagMs = this.#options.http?.maxLagMs ?? 0;
      return await this.#reader.withView(({ position }) => {
        const { refuted } = position;
        return refuted === undefined ? lagReason(position, maxLagMs, Date.now()) : refutedText(refuted);
      });
    } catch (error) {
      return error instanceof LedgerError && error.code === "no_ledger" ? "no ledger yet" : errorText(error);
    }
  }

  untilReady({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const closing = this.#closing.signal;
    const ends = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    return this.#call(async () => {
      while ((await this.#unready()) !== undefined) {
        if (this.#faults.final !== undefined) throw this.#faults.final;
        await sleep(READY_LOOK_MS, undefined, { signal: ends }).catch(() => {});
        if (closing.aborted) throw closedError();
        signal?.throwIfAborted();
      }
    });
  }

  #syncMode(): "local" | "fork" | "follow" | "static" | "read-only" {
    if (this.#options.readOnly === true) return "read-only";
    if (this.#options.follow !== undefined) return "follow";
    if (this.#options.fork !== undefined) return "fork";
    return this.#plan?.chain === undefined ? "static" : "local";
  }

  #syncState(): string {
    if (this.#faults.final !== undefined) return "faulted";
    if (this.#faults.reason !== undefined || this.#store === undefined) return "waiting";
    if (this.#election?.role === "standby") return "standby";
    const follow = this.#writer?.following?.status();
    if (follow !== undefined) return follow.state;
    return this.#writer?.blocks?.isMoving === true ? "moving" : "standing";
  }

  ledgerInfo(options: MinVersionOptions = {}): Promise<LedgerInfo> {
    return this.#call(() => this.#reader.ledgerInfo(options));
  }

  produceBlock(): Promise<LedgerInfo> {
    return this.#call(async () => {
      const blocks = this.#writer?.blocks;
      if (blocks === undefined) throw new ConfigError("this node makes no blocks");
      return toLedgerInfo({ position: await blocks.produce(undefined) });
    });
  }

  #requireSubmissions(): SubmissionService {
    if (this.#submissions === undefined) throw new ConfigError("this node makes no blocks");
    return this.#submissions;
  }

  submit(transaction: object | string | Uint8Array): Promise<string> {
    return this.#call(() => {
      const submissions = this.#requireSubmissions();
      const isJson = !(transaction instanceof Uint8Array);
      const bytes = toBody(transaction);
      return this.#reader.withView(async (view) => {
        const { hash } = await submissions.submit({ bytes, isJson }, view);
        return toPrefixedHex(hash);
      });
    });
  }

  simulate(transaction: object | string | Uint8Array): Promise<SimulationResult> {
    return this.#call(() => {
      const submissions = this.#requireSubmissions();
      const isJson = !(transaction instanceof Uint8Array);
      const bytes = toBody(transaction);
      return this.#reader.withView((view) => submissions.simulateInProcess({ bytes, isJson }, view));
    });
  }

  fund(address: string, amount: bigint): Promise<Authored> {
    return this.#call(() => this.#authors.fund(address, amount));
  }

  impersonate(address: string, call: ImpersonatedCall): Promise<ImpersonatedResult> {
    return this.#call(() => this.#authors.impersonate(address, call));
  }

  setBalance(address: string, asset: string, amount: bigint): Promise<Authored> {
    return this.#call(() => this.#authors.setBalance(address, asset, amount));
  }

  putTableItem(
    handle: string,
    key: string | Uint8Array,
    value: string | Uint8Array | undefined,
  ): Promise<Authored> {
    return this.#call(() => this.#authors.putTableItem(handle, key, value));
  }

  publish(module: string | Uint8Array): Promise<Authored & { readonly module: string }> {
    return this.#call(() => this.#authors.publish(module));
  }

  mine(blocks?: number): Promise<LedgerInfo> {
    return this.#call(() => this.#authors.mine(blocks));
  }

  setTime(time: string | Date): Promise<LedgerInfo> {
    return this.#call(() => this.#authors.setTime(time));
  }

  advanceTime(ms: number): Promise<LedgerInfo> {
    return this.#call(() => this.#authors.advanceTime(ms));
  }

  snapshot(): Promise<ChainSnapshot> {
    return this.#call(() => this.#authors.snapshot());
  }

  revert(snapshot: ChainSnapshot): Promise<LedgerInfo> {
    return this.#call(() => this.#authors.revert(snapshot));
  }

  guide(): ChainGuide | undefined {
    if (this.#closing.signal.aborted) throw closedError();
    return this.#plan?.chain?.guide();
  }

  /** Closes in order: writer, server, calls in flight, store. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#headWatch.close();
    await this.#localServers?.close();
    await this.#election?.stop();
    await this.#writer?.stop();
    await this.#proofPort?.close();
    await this.#frontend?.close();
    await this.#reader.close();
    await Promise.allSettled(this.#calls);
    this.#closedAt = (await this.#storedPosition())?.version;
    await this.#store?.close();
    this.#release();
  }

  /** A caller may keep the handle of a closed node, which must not keep the ledger. */
  #release(): void {
    this.#closedUrl = this.url;
    this.#waypoints = new WaypointInfo();
    this.#store = undefined;
    this.#driver = undefined;
    this.#plan = undefined;
    this.#submissions = undefined;
    this.#localServers = undefined;
    this.#offlineViews.close();
    this.#frontend = undefined;
    this.#election = undefined;
    this.#writer = undefined;
  }
}

function closedError(): LedgerError {
  return new LedgerError("unavailable", "the node is closed");
}
