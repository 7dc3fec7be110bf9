import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, errorText } from "./base/errors.ts";
import { type Logger, silentLogger } from "./base/log.ts";
import type { ChainGuide } from "./chain/guide.ts";
import { createLocalChain, type LocalChain } from "./chain/local-chain.ts";
import { listenForMetrics, type MetricsServer } from "./http/metrics-server.ts";
import { createHttpServer, HTTP_DEFAULTS, type HttpServer } from "./http/server.ts";
import { loadTlsFiles } from "./http/tls.ts";
import { LedgerError } from "./ledger/errors.ts";
import type { Ledger, LedgerView } from "./ledger/view.ts";
import type { Waypoint } from "./ledger/waypoint.ts";
import { BlockMaker } from "./node/block-maker.ts";
import { Faults } from "./node/faults.ts";
import { ailmentOf, followGauges, followInfo, waypointInfo } from "./node/follow-report.ts";
import {
  Following,
  type FollowPlan,
  passThroughOf,
  planFollowing,
  withoutGuesses,
} from "./node/following.ts";
import { httpGauges, ledgerGauges, moduleCacheGauges } from "./node/gauges.ts";
import { checkGenesisFile, parseWaypointOption } from "./node/genesis-report.ts";
import { bound, serverSettings } from "./node/http-settings.ts";
import { nodeInfo } from "./node/info.ts";
import { createMetrics, type MetricFigures, type Metrics } from "./node/metrics.ts";
import type { HttpOptions, LedgerInfo, Node, NodeOptions, ReadOptions } from "./node/options.ts";
import { Reader } from "./node/reader.ts";
import { openStore } from "./node/store-opening.ts";
import type { NodeStatus, WorkerSetup } from "./node/worker-messages.ts";
import { reservePort, startWorkers, type WorkerPool } from "./node/workers.ts";
import type { Store } from "./store/contract.ts";
import { StoreError } from "./store/errors.ts";
import { createIngester, type Ingester } from "./sync/committer.ts";
import { bootstrapGenesis } from "./sync/genesis.ts";
import { type PruneWindow, parsePruneWindow } from "./sync/prune-window.ts";
import { type Pruner, startPruner } from "./sync/pruner.ts";

export { type GenesisReport, verifyGenesis } from "./node/genesis-report.ts";
export type {
  FollowOptions,
  HttpOptions,
  LedgerInfo,
  LocalChainOptions,
  Node,
  NodeOptions,
  ReadOptions,
} from "./node/options.ts";
export {
  backupData,
  type CheckProgress,
  checkData,
  type Manifest,
  restoreData,
  type StoreReport,
} from "./node/store-tools.ts";

/** History kept unless said otherwise. */
const DEFAULT_PRUNE_WINDOW = "24h";
const DEFAULT_SEED = "sextant";
/** How long a start waits for the first records of a network before it goes on without. */
const FIRST_COMMIT_WAIT_MS = 10_000;

/** True for faults of configuration or surroundings, where nothing was touched. */
export function isUsageFault(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof StoreError && ["locked", "format", "identity", "unwritable"].includes(error.code);
}

async function readGenesis(genesis: string | Uint8Array | undefined): Promise<Uint8Array | undefined> {
  if (typeof genesis !== "string") return genesis;
  try {
    return await readFile(genesis);
  } catch (error) {
    throw new ConfigError(`cannot read the genesis file ${genesis}: ${errorText(error)}`, error);
  }
}

/** Starts a node. Everything that can be refused is refused before anything is written. */
export async function createNode(options: NodeOptions = {}): Promise<Node> {
  const node = new SextantNode(options);
  try {
    await node.start();
  } catch (error) {
    await node.close();
    throw error;
  }
  return node;
}

/** How a worker process reaches the one that writes. */
export interface WorkerLink {
  /** What that one last said of the node. */
  readonly status: () => NodeStatus;
  /** The metrics page of all processes. */
  readonly page: () => Promise<string>;
  readonly logger: Logger;
}

/** Starts what a worker process runs of a node: it reads the store and answers. */
export async function createWorkerNode(
  setup: WorkerSetup,
  link: WorkerLink,
): Promise<{ readonly node: Node; readonly figures: () => Promise<MetricFigures> }> {
  const node = new SextantNode({ ...setup.node, readOnly: true, logger: link.logger }, { ...setup, ...link });
  await node.start();
  return { node, figures: () => node.figures() };
}

/** What a worker knows from the process that started it. */
type WorkerRole = WorkerSetup & WorkerLink;

class SextantNode implements Node, Ledger {
  url: string | undefined;
  readonly faulted: Promise<Error>;
  readonly #options: NodeOptions;
  readonly #logger: Logger;
  readonly #window: PruneWindow;
  readonly #reader = new Reader(this);
  readonly #startedMs: number;
  readonly #role: WorkerRole | undefined;
  readonly #metrics: Metrics;
  readonly #faults: Faults;
  #server: HttpServer | undefined;
  #metricsServer: MetricsServer | undefined;
  #store: Store | undefined;
  #chain: LocalChain | undefined;
  #pruner: Pruner | undefined;
  #blocks: BlockMaker | undefined;
  #following: Following | undefined;
  #workers: WorkerPool | undefined;
  /** Where workers are to listen. */
  #address: { readonly host: string; readonly port: number } | undefined;
  #genesisWaypoint: Waypoint | undefined;

  constructor(options: NodeOptions, role?: WorkerRole) {
    this.#options = options;
    this.#role = role;
    this.#startedMs = role?.startedMs ?? Date.now();
    this.#genesisWaypoint = role?.genesisWaypoint;
    this.#logger = options.logger ?? silentLogger;
    this.#window = parsePruneWindow(options.pruneWindow ?? DEFAULT_PRUNE_WINDOW);
    this.#faults = new Faults(this.#logger);
    this.faulted = this.#faults.stopped;
    this.#metrics = createMetrics([
      ...ledgerGauges(this),
      ...moduleCacheGauges(this.#reader.modules),
      ...httpGauges(() => this.#server?.figures()),
      ...followGauges(
        () => this.#following,
        () => this.#reader.withView(({ position }) => position.version).catch(() => undefined),
      ),
      {
        name: "sextant_faulted",
        help: "1 when the node found a fault and stopped moving",
        read: () => (this.#faults.final ? 1 : 0),
      },
      {
        name: "sextant_write_waiting",
        help: "1 while the store cannot be written and the node tries again",
        read: () => (this.#faults.final === undefined && this.#faults.reason !== undefined ? 1 : 0),
      },
      {
        name: "sextant_pruned_rows",
        help: "Rows removed since the start",
        read: () => this.#pruner?.state().removed ?? 0,
      },
    ]);
  }

  async start(): Promise<void> {
    const { genesis, waypoint, localChain, follow, readOnly, http } = this.#options;
    const waypoints = (typeof waypoint === "string" ? [waypoint] : (waypoint ?? [])).map(parseWaypointOption);
    const expected = follow === undefined ? waypoints[0] : waypoints.find(({ version }) => version === 0n);
    const plan = follow === undefined || readOnly === true ? undefined : planFollowing(follow, waypoints);
    if (this.#workerCount > 1 && (this.#options.data === undefined || plan?.startVersion !== undefined)) {
      throw new ConfigError(
        "workers: more than one need a store on disk, and a ledger that does not start in the middle",
      );
    }
    if (plan !== undefined && localChain !== undefined) {
      throw new ConfigError("a node that follows makes no blocks of its own");
    }
    if (plan === undefined && readOnly !== true && (genesis === undefined || localChain !== undefined)) {
      this.#chain = createLocalChain({ seed: localChain?.seed ?? DEFAULT_SEED });
    }
    // Refusals come before the data directory is touched: first the file, then the port.
    const blob = readOnly === true ? undefined : ((await readGenesis(genesis)) ?? this.#chain?.genesisBlob());
    const check = blob === undefined ? undefined : checkGenesisFile(blob, expected);
    if (http !== undefined && this.#workerCount > 1) await this.#reserve(http);
    else if (http !== undefined) await this.#listen(http);
    const { data, readOnly: isReader = false } = this.#options;
    const store = await openStore({ data, readOnly: isReader, check, logger: this.#logger });
    this.#store = store;
    if (check === undefined && plan === undefined) return;
    this.#genesisWaypoint = check?.waypoint;
    if (genesis !== undefined && expected === undefined) {
      this.#logger.warn({}, "the genesis file is unproven: no waypoint was given");
    }
    const ingester = createIngester({ store, logger: this.#logger });
    if (check !== undefined) await bootstrapGenesis({ store, ingester, check });
    if (plan !== undefined) await this.#follow(plan, { store, ingester }, check && expected);
    if (http !== undefined && this.#workerCount > 1) await this.#startWorkers(http);
    this.#pruner = startPruner({
      store,
      window: this.#window,
      logger: this.#logger,
      onFault: (error) => this.#faults.report("pruner", error),
      onSuccess: () => this.#faults.clear("pruner"),
    });
    if (this.#chain === undefined) return;
    const { onCommit } = this.#metrics;
    this.#blocks = new BlockMaker({ store, chain: this.#chain, ingester, faults: this.#faults, onCommit });
    const blockTimeMs = localChain?.blockTimeMs;
    if (blockTimeMs !== undefined) this.#blocks.start({ ...localChain, blockTimeMs });
  }

  async #follow(
    plan: FollowPlan,
    into: { readonly store: Store; readonly ingester: Ingester },
    provenGenesis: Waypoint | undefined,
  ): Promise<void> {
    const following = new Following(plan, {
      ...into,
      logger: this.#logger,
      onCommit: ({ records }) => this.#metrics.onCommit(records),
      onFault: (error) => this.#faults.report("following", error),
    });
    this.#following = following;
    await following.start(provenGenesis);
    // An upstream that does not answer must not keep the node from starting.
    await Promise.race([
      following.ready,
      this.faulted,
      sleep(FIRST_COMMIT_WAIT_MS, undefined, { ref: false }),
    ]);
  }

  get #workerCount(): number {
    return this.#options.http?.workers ?? 1;
  }

  /** Finds the port that workers will listen on, before anything is written. */
  async #reserve(http: HttpOptions): Promise<void> {
    const { host = HTTP_DEFAULTS.host, port = HTTP_DEFAULTS.port } = http;
    if (http.tls !== undefined) loadTlsFiles(http.tls);
    this.#address = await bound(port, reservePort(host, port));
    this.#setUrl(this.#address);
    await this.#listenForMetrics(http, this.#address.host);
  }

  async #startWorkers(http: HttpOptions): Promise<void> {
    if (this.#following?.isLazy === true) {
      throw new ConfigError("workers: a ledger that started in the middle is answered by one process");
    }
    const { metricsPort, metrics, workers: count = 1, ...others } = http;
    const { data, pruneWindow, follow } = this.#options;
    this.#workers = await startWorkers({
      count,
      setup: {
        node: {
          ...(data === undefined ? {} : { data }),
          ...(pruneWindow === undefined ? {} : { pruneWindow }),
          ...(follow === undefined ? {} : { follow }),
          http: { ...others, ...this.#address, metrics: metrics !== false && metricsPort === undefined },
        },
        cachePinned: this.#chain === undefined,
        startedMs: this.#startedMs,
        genesisWaypoint: this.#genesisWaypoint,
      },
      status: async () =>
        this.#status(await this.#reader.withView(({ position }) => position.version).catch(() => undefined)),
      figures: this.#metrics.figures,
      logger: this.#logger,
      onFault: (error) => this.#faults.report("workers", error),
    });
  }

  async #listen(http: HttpOptions): Promise<void> {
    this.#server = createHttpServer({
      ...serverSettings(http),
      ...passThroughOf(this.#options.follow),
      ledger: this,
      encode: (body, view) => this.#reader.encode(body, view),
      nodeInfo: (view) => this.#info(view),
      ailment: () => this.#status(undefined).ailment,
      unready: () => this.#status(undefined).unready,
      ...(http.metrics === false || http.metricsPort !== undefined ? {} : { metrics: () => this.#page() }),
      onRequest: this.#metrics.onRequest,
      logger: this.#logger,
      // The same URL may serve another chain tomorrow when the chain is a local one.
      cachePinned: this.#role?.cachePinned ?? this.#chain === undefined,
    });
    const address = await bound(http.port, this.#server.listen());
    this.#setUrl(address);
    await this.#listenForMetrics(http, address.host);
  }

  #setUrl({ host, port }: { readonly host: string; readonly port: number }): void {
    const scheme = this.#options.http?.tls === undefined ? "http" : "https";
    this.url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
  }

  async #listenForMetrics({ metricsPort }: HttpOptions, host: string): Promise<void> {
    if (metricsPort === undefined) return;
    const { contentType } = this.#metrics;
    const listening = listenForMetrics({ host, port: metricsPort, page: () => this.#page(), contentType });
    this.#metricsServer = await bound(metricsPort, listening);
  }

  /** The metrics page, of all processes where there are several. */
  #page(): Promise<string> {
    return (this.#role ?? this.#workers ?? this.#metrics).page();
  }

  /** What this process has counted. */
  figures(): Promise<MetricFigures> {
    return this.#metrics.figures();
  }

  async openView(): Promise<LedgerView> {
    if (this.#store === undefined) throw new LedgerError("no_ledger", "the node is still starting");
    const view = await this.#store.openView();
    return this.#following?.viewOver(view) ?? withoutGuesses(view, this.#store);
  }

  balance(address: string, asset: string, options: ReadOptions = {}): Promise<bigint> {
    return this.#reader.balance(address, asset, options);
  }

  rawItem(
    handle: string,
    key: string | Uint8Array,
    options: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    return this.#reader.rawItem(handle, key, options);
  }

  encodeSubmission(request: object | string | Uint8Array): Promise<Uint8Array> {
    return this.#reader.encodeSubmission(request);
  }

  info(): Promise<Readonly<Record<string, unknown>>> {
    return this.#reader.withView((view) => this.#info(view));
  }

  async #info(view: LedgerView | undefined): Promise<Readonly<Record<string, unknown>>> {
    const status = this.#status(view?.position.version);
    // Where a ledger started in the middle its roots are another's word, not to be handed on as proof.
    const isWhole = this.#following?.isLazy !== true;
    return nodeInfo({
      ...status,
      position: view?.position,
      engine: this.#store?.engine,
      window: this.#window,
      uptimeSeconds: Math.floor((Date.now() - this.#startedMs) / 1000),
      more: {
        ...(isWhole ? await waypointInfo(view, this.#genesisWaypoint) : {}),
        ...status.more,
      },
    });
  }

  /** How the node is; workers know it from the process that writes. */
  #status(version: bigint | undefined): NodeStatus {
    if (this.#role !== undefined) return this.#role.status();
    return {
      syncMode: this.#syncMode(),
      syncState: this.#syncState(),
      fault: this.#faults.reason,
      // What may pass is no reason to start the process anew.
      ailment: this.#faults.final === undefined ? ailmentOf(this.#following?.status()) : this.#faults.reason,
      unready: this.#faults.reason,
      more: this.#following === undefined ? {} : followInfo(this.#following, version),
    };
  }

  #syncMode(): "local" | "follow" | "static" | "read-only" {
    if (this.#chain !== undefined) return "local";
    if (this.#options.follow !== undefined) return "follow";
    return this.#options.readOnly === true ? "read-only" : "static";
  }

  #syncState(): string {
    if (this.#faults.final !== undefined) return "faulted";
    if (this.#faults.reason !== undefined) return "waiting";
    const follow = this.#following?.status();
    if (follow !== undefined) return follow.state;
    return this.#blocks?.isMoving === true ? "moving" : "standing";
  }

  ledgerInfo(): Promise<LedgerInfo> {
    return this.#reader.ledgerInfo();
  }

  async produceBlock(): Promise<LedgerInfo> {
    if (this.#blocks === undefined) throw new ConfigError("this node makes no blocks");
    await this.#blocks.produce(undefined);
    return this.ledgerInfo();
  }

  guide(): ChainGuide | undefined {
    return this.#chain?.guide();
  }

  /** Close order: nothing new comes in, no pruning, no requests, then the store. */
  async close(): Promise<void> {
    await this.#blocks?.stop();
    await this.#following?.close();
    await this.#pruner?.stop();
    await this.#server?.close();
    await this.#workers?.close();
    await this.#metricsServer?.close();
    await this.#store?.close();
    this.#store = undefined;
  }
}
