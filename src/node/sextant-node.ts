// A node: what it is made of, and in which order that starts and ends. Parts that not every node has, such as the server,
// are imported where they start: loading them takes longer than starting a node in memory.
import { randomUUID } from "node:crypto";
import { ConfigError, errorText } from "../base/errors.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { isLoopback } from "../base/loopback.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { pause } from "../base/wait.ts";
import type { ChainGuide } from "../chain/demo/guide.ts";
import { type BlockSource, LOCAL_CHAIN_ID } from "../chain/local-chain.ts";
import { lagReason } from "../http/admission/request-view.ts";
import { assertObject, knownOptions, type WatchOptions } from "../http/calls/options.ts";
import type { Calls } from "../http/operation-list.ts";
import type { SubmissionHandler } from "../http/services.ts";
import type { SideServer } from "../http/side/side-server.ts";
import { LedgerError } from "../ledger/errors.ts";
import { isAccumulatorKnown, type Position } from "../ledger/position.ts";
import { LOCAL, refutedText } from "../ledger/trust.ts";
import type { LedgerPosition, LedgerView } from "../ledger/view.ts";
import type { Store, StoreView } from "../store/contract.ts";
import { isOutOfReach, StoreError } from "../store/errors.ts";
import { loadPinFor } from "../sync/fork/pin.ts";
import { assertSameGenesis } from "../sync/genesis.ts";
import { assertHead } from "../sync/maintenance/check/head-check.ts";
import { formatPruneWindow, type PruneWindow, parsePruneWindow } from "../sync/maintenance/prune-window.ts";
import { loadPosition } from "../sync/reading.ts";
import { STATE_FETCH } from "../sync/side-rows.ts";
import { type CallParts, closedError, InProcessCalls } from "./api/in-process-calls.ts";
import type { NodeInfo } from "./api/node-info.ts";
import type { Node, SdkConfig } from "./api/running-node.ts";
import type { ChainAuthoring } from "./api/test-authors.ts";
import { blockTimeAfter, chainClockOf } from "./block-maker.ts";
import { DemoNameInfo, type DemoNames, withoutKeys } from "./demo-names.ts";
import { Faults } from "./faults.ts";
import { forkInfo, WaypointInfo } from "./following/follow-report.ts";
import type { OfflineViews } from "./following/offline-views.ts";
import type { UpstreamSubmissions } from "./following/upstream-submissions.ts";
import type { HttpFrontend } from "./http-frontend.ts";
import { infoResponse, trustInfo } from "./info.ts";
import { LedgerWriter } from "./ledger-writer.ts";
import type { LocalServers } from "./local-servers.ts";
import type { DriverReport } from "./metrics/driver-metrics.ts";
import { nodeMetrics } from "./metrics/gauges.ts";
import type { MetricFigures, Metrics } from "./metrics/metrics.ts";
import { statusOf } from "./node-status.ts";
import type { HttpOptions } from "./options/http-options.ts";
import { DEFAULT_PRUNE_WINDOW, NODE_TABLE, type NodeOptions } from "./options/node-options.ts";
import { assertOptions } from "./options/option-table.ts";
import { planStart, proofWindowOf, type StartPlan } from "./start-plan.ts";
import type { OpenedStore } from "./store-engine.ts";
import { awaitStore, openStore, type StoreOptions, storeOptionsOf } from "./store-engines.ts";
import type { BodyParts } from "./submissions/bodies.ts";
import { Simulation } from "./submissions/simulation.ts";
import { SubmissionService } from "./submissions/submission-service.ts";
import type { NodeStatus, WorkerSetup } from "./workers/worker-messages.ts";
import { WriterElection } from "./writer-election.ts";

/** How often `untilReady` looks. */
const READY_LOOK_MS = 50;

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

export type WorkerRole = WorkerSetup & WorkerLink;

export class SextantNode extends InProcessCalls implements Omit<Node, keyof (Calls & ChainAuthoring)> {
  readonly faulted: Promise<Error>;
  readonly #options: NodeOptions;
  readonly #storeOptions: StoreOptions;
  readonly #logger: Logger;
  readonly #window: PruneWindow;
  #waypoints = new WaypointInfo();
  readonly #demoNames = new DemoNameInfo();
  readonly #startedMs: number;
  readonly #role: WorkerRole | undefined;
  readonly #metrics: Metrics;
  readonly #faults: Faults;
  #closed: Promise<void> | undefined;
  #isDraining = false;
  #closedAt: bigint | undefined;
  #closedUrl: string | undefined;
  #plan: StartPlan | undefined;
  /** Undefined for a node that makes no blocks. */
  #submissions: SubmissionService | undefined;
  /** Hands submissions on to the first upstream; only a follower with --forward-submissions has it. */
  #upstreamSubmissions: UpstreamSubmissions | undefined;
  readonly #bodyParts: BodyParts = {
    loadModule: (view) => this.reader.moduleLoader(view),
    thread: this.reader.thread,
  };
  readonly #simulation = new Simulation({
    ...this.#bodyParts,
    machine: this.reader.machine,
    types: this.reader.types,
    nextTimeUsec: (position) => this.#nextTimeUsec(position),
  });
  #frontend: HttpFrontend | undefined;
  /** Undefined until a view needs it: most ledgers know their whole state. */
  #offlineViews: OfflineViews | undefined;
  #proofPort: SideServer | undefined;
  #store: Store | undefined;
  #driver: (() => DriverReport) | undefined;
  /** Undefined for a store with one writer. */
  #election: WriterElection | undefined;
  #writer: LedgerWriter | undefined;
  #workersStarted: Promise<void> | undefined;
  #localServers: LocalServers | undefined;
  readonly #networkName = `sextant-${randomUUID()}`;

  constructor(options: NodeOptions, role?: WorkerRole) {
    assertObject("options", options);
    assertOptions(NODE_TABLE, "", options);
    super(options);
    this.#logger = options.logger ?? silentLogger;
    this.#options = options;
    this.#storeOptions = storeOptionsOf(this.#options);
    this.#role = role;
    this.#startedMs = role?.startedMs ?? Date.now();
    this.#window = parsePruneWindow(this.#options.pruneWindow ?? DEFAULT_PRUNE_WINDOW);
    this.#faults = new Faults(this.#logger, (error) => this.#election?.divert(error) ?? false);
    this.faulted = this.#faults.stopped;
    this.#metrics = nodeMetrics({
      ledger: this,
      reader: this.reader,
      faults: this.#faults,
      http: this.#options.http,
      storeOptions: this.#storeOptions,
      startedMs: this.#startedMs,
      status: () => this.#status(undefined),
      headVersion: () => this.#headVersion(),
      writer: () => this.#writer,
      election: () => this.#election,
      driver: () => this.#driver?.(),
      served: () => this.#frontend?.figures(),
    });
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
    const network = this.#networkName as never;
    return { network, fullnode: url, ...(faucet && { faucet }), ...(indexer && { indexer }) };
  }

  get proofUrl(): string | undefined {
    return this.#proofPort?.url;
  }

  protected parts(): CallParts {
    return {
      writer: this.#writer,
      store: this.#store,
      submissions: this.#submissions,
      simulation: this.#simulation,
    };
  }

  protected demoNames(): DemoNames {
    return this.#demoNames.read(this.#plan?.chain, this.#store?.identity);
  }

  callable(): Node & this {
    return Object.assign(this, this.boundCalls());
  }

  async start(): Promise<void> {
    const { genesis, readOnly = false, http } = this.#options;
    const logger = this.#logger;
    const plan = await planStart(this.#options, this.reader.machine);
    this.#plan = plan;
    const chain = plan.chain ?? plan.fork?.chain;
    this.#submissions = chain === undefined ? undefined : this.#submissionService(chain);
    // Files and the port are checked before the store is touched.
    if (http !== undefined) {
      this.#frontend = await this.#createFrontend(http);
      await this.#frontend.open();
      await this.#openProofPort(http);
    }
    const opening = { readOnly, genesis: plan.genesis, logger };
    if (genesis !== undefined && plan.genesisWaypoint === undefined && !readOnly) {
      logger.warn({}, "the genesis file is not checked: no waypoint was given");
    }
    const onOpen = async (opened: OpenedStore): Promise<void> => {
      if (this.closing.signal.aborted) return opened.store.close();
      await this.#begin(opened, plan);
      await this.#openLocalServers(plan);
    };
    // Without a store, in-process callers get an error; servers wait.
    if (this.#frontend === undefined) {
      await onOpen(await openStore(this.#storeOptions, opening));
      return;
    }
    const { signal } = this.closing;
    const onFault = (error: unknown): void => void this.#faults.report("store", error);
    await awaitStore(this.#storeOptions, opening, { onOpen, onFault, signal });
    // Workers answer while this process waits for the store.
    if (this.#store === undefined) await this.#startWorkers();
  }

  async #openProofPort({ host, proofPort: port }: HttpOptions): Promise<void> {
    if (port === undefined || this.#role !== undefined) return;
    const { HTTP_DEFAULTS } = await import("../http/server.ts");
    const { withPort } = await import("./http-frontend.ts");
    const { openProofPort } = await import("./proof-port.ts");
    const options = {
      host: host ?? HTTP_DEFAULTS.host,
      port,
      store: () => this.#store,
      logger: this.#logger,
    };
    this.#proofPort = await withPort(port, openProofPort(options));
    this.#logger.info({ url: this.#proofPort.url }, "the proof port listens");
  }

  /** Serves the store and, unless it is opened for reading, writes it as soon as this process may. */
  async #begin(opened: OpenedStore, plan: StartPlan): Promise<void> {
    const { store, lease } = opened;
    this.#take(opened);
    if (plan.genesis !== undefined && store.identity !== undefined)
      assertSameGenesis(store.identity, plan.genesis);
    if (this.#options.readOnly === true) {
      await this.#startWorkers();
      return;
    }
    if (plan.follow !== undefined) await this.#assertFollowable();
    if (lease === undefined) {
      const writer = this.#createWriter(opened, plan);
      await writer.prepare();
      await this.#startWorkers();
      writer.run();
      return;
    }
    // A standby that could not go on with this ledger must not wait, ready, until it takes over.
    await loadPinFor(store, plan.fork).catch((error: unknown) => {
      // The election waits for a store that is out of reach, and looks again before it writes.
      if (!isOutOfReach(error)) throw error;
    });
    this.#election = new WriterElection({
      lease,
      begin: async () => {
        await assertHead(store);
        const writer = this.#createWriter(opened, plan);
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

  /** No upstream has the blocks of a local chain, and none is to blame for that. Throws ConfigError. */
  async #assertFollowable(): Promise<void> {
    if ((await this.#storedPosition())?.trust.at(-1)?.level.kind !== LOCAL.kind) return;
    const where = "path" in this.#storeOptions ? `--data ${this.#storeOptions.path}` : "the store";
    throw new ConfigError(
      `${where} holds a local chain, which follows no --upstream: give --data another directory, or leave --upstream out`,
    );
  }

  async #openLocalServers({ chain, fork }: StartPlan): Promise<void> {
    const faucetPort = this.#options.localChain?.faucetPort;
    if ((chain ?? fork) === undefined || faucetPort === undefined) return;
    const { HTTP_DEFAULTS } = await import("../http/server.ts");
    const { openLocalServers } = await import("./local-servers.ts");
    if (this.closing.signal.aborted) return;
    const host = this.#options.http?.host ?? HTTP_DEFAULTS.host;
    const { createSwitches, switchesDocument } = await import("./api/author-switches.ts");
    const servers = await openLocalServers({
      host,
      switches: isLoopback(host) ? createSwitches(this.callable()) : undefined,
      document: switchesDocument,
      faucetPort,
      fund: async (address, amount) =>
        (await this.call(() => this.authors.fundAll(address, amount))).map(({ hash }) => hash),
      unreadyReason: () =>
        this.#faults.reason ??
        (this.#writer?.blocks === undefined ? "the node makes no blocks now" : undefined),
      position: async () => this.reader.withView(({ position }) => position).catch(() => undefined),
      logger: this.#logger,
    });
    if (this.closing.signal.aborted) return servers.close();
    this.#localServers = servers;
  }

  #take({ store, driver }: OpenedStore): void {
    this.#store = store;
    this.#driver = driver;
  }

  #createWriter({ store, startVerifier }: OpenedStore, plan: StartPlan): LedgerWriter {
    const { localChain } = this.#options;
    this.#writer = new LedgerWriter({
      store,
      startVerifier,
      plan,
      localChain,
      index: !this.#isIndexOff,
      transactionIndex: this.#options.transactionIndex,
      window: this.#window,
      proofWindow: proofWindowOf(this.#options, plan),
      faults: this.#faults,
      onCommit: this.#metrics.onCommit,
      onBatch: ({ previous, position: { version }, writes }) =>
        this.headWatch.committed({ previous, version, writes }),
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
    if (this.#frontend === undefined) return;
    const { pruneWindow, follow, index, transactionIndex } = this.#options;
    const { submissionFunctions } = await import("./workers/writer-submissions.ts");
    await this.#frontend.startWorkers({
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
        genesisWaypoint: this.#plan?.genesis?.waypoint,
        chainClock: this.#submissions && chainClockOf(this.#options.localChain),
      },
      submissions: submissionFunctions(this.#submissions, (use) => this.reader.withView(use)),
      status: async () => this.#status(await this.#headVersion()),
      onFault: (error) => this.#faults.report("workers", error),
    });
  }

  #submissionService(chain: BlockSource): SubmissionService {
    return new SubmissionService({
      chain,
      mempool: () => this.#writer?.blocks?.mempool,
      nextTimeUsec: (position) => this.#nextTimeUsec(position) ?? position.timestampUsec,
      ...this.#bodyParts,
    });
  }

  /** The time of the next block; undefined where none are made. */
  #nextTimeUsec(position: LedgerPosition): bigint | undefined {
    const clock = this.#role?.chainClock;
    if (clock !== undefined) return blockTimeAfter(position.timestampUsec, clock);
    return this.#writer?.blocks?.nextTimeUsec(position);
  }

  /** Where a follower's submissions go, if the operator allows it. */
  async #openUpstreamSubmissions(): Promise<UpstreamSubmissions | undefined> {
    const { follow } = this.#options;
    const target = follow && (await import("./following/following.ts")).submissionTargetOf(follow);
    if (target === undefined) return undefined;
    const { UpstreamSubmissions } = await import("./following/upstream-submissions.ts");
    return new UpstreamSubmissions({
      ...target,
      refusal: () => this.#status(undefined).submissionRefusal,
      ...this.#bodyParts,
    });
  }

  async #createFrontend(http: NonNullable<NodeOptions["http"]>): Promise<HttpFrontend> {
    this.#upstreamSubmissions = await this.#openUpstreamSubmissions();
    const { HttpFrontend } = await import("./http-frontend.ts");
    return new HttpFrontend({
      http,
      services: {
        ...this.services,
        ledger: this,
        headWatch: this.headWatch,
        encoder: (body, view) => this.reader.encodeUntrusted(body, view),
        explainer: (body, view) => this.reader.explainUntrusted(body, view),
        submissions: this.#submissions ?? this.#role?.submissions ?? this.#upstreamSubmissions,
        nodeInfo: async (view) => this.#shown(await this.nodeInfo(view)),
        unhealthyReason: () => this.#status(undefined).unhealthyReason,
        unreadyReason: () => this.#status(undefined).unreadyReason,
        isDraining: () => this.#status(undefined).isDraining,
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
    return this.call(async () => this.#frontend?.requestCount() ?? 0);
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
      throw this.closing.signal.aborted
        ? closedError()
        : new LedgerError("no_ledger", "the node is still starting");
    }
    return andThen(
      this.#openStoreView(store),
      (view) =>
        (this.#writer?.following ?? this.#writer?.forking)?.viewOver(view) ??
        (view.position.stateRoot === undefined ? this.#offlineView(view, store) : view),
    );
  }

  lastWrite(): bigint | undefined {
    return this.#store?.lastWrite?.();
  }

  /** A store whose directory was replaced is a final fault: only a new process opens the other one. */
  #openStoreView(store: Store): MaybePromise<StoreView> {
    try {
      return store.openView();
    } catch (error) {
      const cause = error instanceof LedgerError ? error.cause : undefined;
      if (cause instanceof StoreError && cause.code === "absent") this.#faults.report("store", cause);
      throw error;
    }
  }

  async #offlineView(view: StoreView, store: Store): Promise<LedgerView> {
    try {
      const { OfflineViews } = await import("./following/offline-views.ts");
      this.#offlineViews ??= new OfflineViews();
    } catch (error) {
      view.release();
      throw error;
    }
    return this.#offlineViews.viewOver(view, store);
  }

  #headVersion(): Promise<bigint | undefined> {
    return this.reader.withView(({ position }) => position.version).catch(() => undefined);
  }

  info(): Promise<NodeInfo> {
    return this.call(() =>
      this.reader
        .withView((view) => this.nodeInfo(view))
        .catch((error: unknown) => {
          if (this.#store === undefined || !(error instanceof LedgerError && error.code === "no_ledger"))
            throw error;
          return this.nodeInfo(undefined);
        }),
    );
  }

  /** What clients are told: keys of demo accounts only where no other machine can ask. */
  #shown(info: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { host } = this.#options.http ?? {};
    return host === undefined || isLoopback(host) ? info : withoutKeys(info);
  }

  protected async nodeInfo(view: LedgerView | undefined): Promise<NodeInfo> {
    const status = this.#status(view?.position.version);
    // Others would take a waypoint for checked: only hashes that this node computed, and that nothing refutes, give one.
    const position = await this.#storedPosition();
    const isOwn = position !== undefined && isAccumulatorKnown(position) && position.refuted === undefined;
    return infoResponse({
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
          ? await this.#waypoints.read(view, this.#role?.genesisWaypoint ?? this.#plan?.genesis?.waypoint)
          : {}),
        ...this.demoNames(),
        ...(this.#writer === undefined || this.#plan === undefined
          ? {}
          : { proof_window: formatPruneWindow(proofWindowOf(this.#options, this.#plan)) }),
        ...status.more,
        ...(await this.#stateFetched()),
      },
    });
  }

  /** Undefined while there is no ledger, or the store is out of reach. */
  async #storedPosition(): Promise<Position | undefined> {
    return this.#store === undefined ? undefined : await loadPosition(this.#store).catch(() => undefined);
  }

  /** How much a replica has of the state that it fetches; nothing once there is a ledger. */
  async #stateFetched(): Promise<Pick<NodeInfo, "state_version" | "state_items" | "sync_reason">> {
    const fetched = this.#store && (await STATE_FETCH.load(this.#store).catch(() => undefined));
    if (fetched === undefined) return {};
    const { version: state_version, count: state_items } = fetched;
    const sync_reason = `the state of version ${state_version} is being fetched, ${state_items} items are here`;
    return { state_version, state_items, sync_reason };
  }

  #status(version: bigint | undefined): NodeStatus {
    if (this.#role !== undefined) return this.#role.status();
    const parts = {
      options: this.#options,
      faults: this.#faults,
      isDraining: this.#isDraining,
      hasStore: this.#store !== undefined,
      plan: this.#plan,
      writer: this.#writer,
      election: this.#election,
      localServers: this.#localServers,
      demoNames: this.#demoNames,
    };
    return statusOf(parts, version);
  }

  unreadyReason(): Promise<string | undefined> {
    return this.call(() => this.#reasonNow());
  }

  async #reasonNow(): Promise<string | undefined> {
    const { unhealthyReason, unreadyReason } = this.#status(undefined);
    if (unhealthyReason !== undefined) return unhealthyReason;
    if (unreadyReason !== undefined) return (await this.#stateFetched()).sync_reason ?? unreadyReason;
    try {
      const maxLagMs = this.#options.http?.maxLagMs ?? 0;
      return await this.reader.withView(({ position }) => {
        const { refuted } = position;
        return refuted === undefined ? lagReason(position, maxLagMs, Date.now()) : refutedText(refuted);
      });
    } catch (error) {
      return error instanceof LedgerError && error.code === "no_ledger" ? "no ledger yet" : errorText(error);
    }
  }

  untilReady(options: Pick<WatchOptions, "signal"> = {}): Promise<void> {
    return this.call(async () => {
      const { signal } = knownOptions({ signal: true }, options);
      const closing = this.closing.signal;
      const ends = signal === undefined ? closing : AbortSignal.any([signal, closing]);
      while ((await this.#reasonNow()) !== undefined) {
        if (this.#faults.final !== undefined) throw this.#faults.final;
        await pause(READY_LOOK_MS, ends);
        if (closing.aborted) throw closedError();
        signal?.throwIfAborted();
      }
    });
  }

  guide(): ChainGuide | undefined {
    if (this.closing.signal.aborted) throw closedError();
    return this.#plan?.chain?.guide?.();
  }

  /** Closes in order: after the drain time writer, server, calls in flight, store. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Serves on as a node that is not ready: clients and load balancers find out before a connection is refused. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    await pause(this.#options.http?.drainTimeMs ?? 0);
  }

  async #close(): Promise<void> {
    const hasClients = this.#frontend !== undefined && this.#faults.final === undefined;
    if (hasClients && (this.#options.http?.drainTimeMs ?? 0) > 0) await this.#drain();
    this.closing.abort();
    this.headWatch.close();
    await this.#localServers?.close();
    await this.#election?.stop();
    await this.#writer?.stop();
    await this.#proofPort?.close();
    await this.#frontend?.close();
    await this.reader.close();
    await this.callsEnded();
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
    this.#upstreamSubmissions?.close();
    this.#localServers = undefined;
    this.#offlineViews = undefined;
    this.#frontend = undefined;
    this.#election = undefined;
    this.#writer = undefined;
  }
}
