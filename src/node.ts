// The wiring: the only file that knows every room. It opens the store, brings the ledger in, keeps it
// moving and pruned, and offers the operations as calls and over HTTP.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, errorText } from "./base/errors.ts";
import { fromHex } from "./base/hex.ts";
import { type Logger, silentLogger } from "./base/log.ts";
import { type BlockTimer, startBlockTimer } from "./chain/block-timer.ts";
import type { ChainGuide } from "./chain/guide.ts";
import { createLocalChain, type LocalChain } from "./chain/local-chain.ts";
import { listenForMetrics, type MetricsServer } from "./http/metrics-server.ts";
import { createHttpServer, HTTP_DEFAULTS, type HttpServer } from "./http/server.ts";
import { loadTlsFiles } from "./http/tls.ts";
import { parseAsset } from "./ledger/asset.ts";
import { readBalance } from "./ledger/balance.ts";
import { LedgerError } from "./ledger/errors.ts";
import type { GenesisCheck } from "./ledger/genesis.ts";
import { readModuleItem } from "./ledger/module-item.ts";
import { readTableItem } from "./ledger/table-item.ts";
import type { Ledger, LedgerView } from "./ledger/view.ts";
import type { Waypoint } from "./ledger/waypoint.ts";
import { parseAddress } from "./move/address.ts";
import { ModuleCache } from "./move/module-cache.ts";
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
import { nodeInfo } from "./node/info.ts";
import { createMetrics, type MetricFigures, type Metrics } from "./node/metrics.ts";
import type {
  HttpOptions,
  LedgerInfo,
  LocalChainOptions,
  Node,
  NodeOptions,
  ReadOptions,
} from "./node/options.ts";
import type { NodeStatus, WorkerSetup } from "./node/worker-messages.ts";
import { reservePort, startWorkers, type WorkerPool } from "./node/workers.ts";
import type { Store } from "./store/contract.ts";
import { isPassingFault, StoreError } from "./store/errors.ts";
import { openLmdbStore } from "./store/lmdb/store.ts";
import { createMemoryStore } from "./store/memory/store.ts";
import { assertHead } from "./sync/check/head-check.ts";
import { createIngester, type Ingester } from "./sync/committer.ts";
import { assertIdentity, bootstrapGenesis } from "./sync/genesis.ts";
import { type PruneWindow, parsePruneWindow } from "./sync/prune-window.ts";
import { type Pruner, startPruner } from "./sync/pruner.ts";
import { encodeSubmission } from "./transaction/encode-submission.ts";

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
/** 2024-01-01: where the clock of a chain without a wall clock begins. */
const FIRST_BLOCK_USEC = 1_704_067_200_000_000n;
const BLOCK_STEP_USEC = 1_000_000n;
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

/** Looks at a directory without writing to it: another chain's is refused untouched. */
async function assertSameChain(data: string, check: GenesisCheck): Promise<void> {
  const store = await openLmdbStore({ path: data, readOnly: true });
  const { identity } = store;
  await store.close();
  if (identity !== undefined) assertIdentity(identity, check);
}

/** A socket that cannot be had is a fault of the configuration, named by its port. */
function bound<T>(port: number | undefined, listening: Promise<T>): Promise<T> {
  return listening.catch((error: unknown) => {
    throw new ConfigError(`cannot listen on port ${port ?? "8080"}: ${errorText(error)}`, error);
  });
}

function toLedgerInfo({ position }: LedgerView): LedgerInfo {
  return {
    chain_id: position.chainId,
    epoch: `${position.epoch}`,
    ledger_version: `${position.version}`,
    oldest_ledger_version: `${position.oldestVersion}`,
    ledger_timestamp: `${position.timestampUsec}`,
    node_role: "full_node",
    oldest_block_height: `${position.oldestBlockHeight}`,
    block_height: `${position.blockHeight}`,
  };
}

function toBytes(key: string | Uint8Array): Uint8Array {
  if (typeof key !== "string") return key;
  const bytes = fromHex(key.startsWith("0x") ? key.slice(2) : key);
  if (bytes === undefined) throw new ConfigError("key: expected an even number of hex digits");
  return bytes;
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
  readonly #modules = new ModuleCache();
  readonly #startedMs: number;
  readonly #role: WorkerRole | undefined;
  readonly #metrics: Metrics;
  readonly #faults: Faults;
  #server: HttpServer | undefined;
  #metricsServer: MetricsServer | undefined;
  #store: Store | undefined;
  #ingester: Ingester | undefined;
  #chain: LocalChain | undefined;
  #pruner: Pruner | undefined;
  #timer: BlockTimer | undefined;
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
      ...moduleCacheGauges(this.#modules),
      ...httpGauges(() => this.#server?.figures()),
      ...followGauges(
        () => this.#following,
        () => this.#withView(({ position }) => position.version).catch(() => undefined),
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
    this.#store = await this.#openStore(check);
    if (check === undefined && plan === undefined) return;
    this.#genesisWaypoint = check?.waypoint;
    if (genesis !== undefined && expected === undefined) {
      this.#logger.warn({}, "the genesis file is unproven: no waypoint was given");
    }
    this.#ingester = createIngester({ store: this.#store, logger: this.#logger });
    if (check !== undefined) await bootstrapGenesis({ store: this.#store, ingester: this.#ingester, check });
    if (plan !== undefined) await this.#follow(plan, check === undefined ? undefined : expected);
    if (http !== undefined && this.#workerCount > 1) await this.#startWorkers(http);
    this.#pruner = startPruner({
      store: this.#store,
      window: this.#window,
      logger: this.#logger,
      onFault: (error) => this.#faults.report("pruner", error),
      onSuccess: () => this.#faults.clear("pruner"),
    });
    if (this.#chain !== undefined && localChain?.blockTimeMs !== undefined) this.#startTimer(localChain);
  }

  async #follow(plan: FollowPlan, provenGenesis: Waypoint | undefined): Promise<void> {
    const [store, ingester] = [this.#store, this.#ingester];
    if (store === undefined || ingester === undefined) throw new Error("following without a store");
    const following = new Following(plan, {
      store,
      ingester,
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
        this.#status(await this.#withView(({ position }) => position.version).catch(() => undefined)),
      figures: this.#metrics.figures,
      logger: this.#logger,
      onFault: (error) => this.#faults.report("workers", error),
    });
  }

  async #openStore(check: GenesisCheck | undefined): Promise<Store> {
    const { data, readOnly = false } = this.#options;
    if (data === undefined) return createMemoryStore();
    if (check !== undefined && existsSync(join(data, "data.mdb"))) await assertSameChain(data, check);
    const store = await openLmdbStore({ path: data, readOnly, logger: this.#logger });
    if (readOnly) return store;
    try {
      await assertHead(store);
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  async #listen(http: HttpOptions): Promise<void> {
    this.#server = createHttpServer({
      ledger: this,
      encode: (body, view) => this.#encode(body, view),
      nodeInfo: (view) => this.#info(view),
      ailment: () => this.#status(undefined).ailment,
      unready: () => this.#status(undefined).unready,
      ...(http.maxLagMs === undefined ? {} : { maxLagMs: http.maxLagMs }),
      ...(http.metrics === false || http.metricsPort !== undefined ? {} : { metrics: () => this.#page() }),
      onRequest: this.#metrics.onRequest,
      logger: this.#logger,
      // The same URL may serve another chain tomorrow when the chain is a local one.
      cachePinned: this.#role?.cachePinned ?? this.#chain === undefined,
      switches: {
        encode: http.encode ?? true,
        jsonOutput: http.jsonOutput ?? true,
        bcsOutput: http.bcsOutput ?? true,
      },
      leaveOut: http.startPage === false ? ["start_page"] : [],
      ...(http.host === undefined ? {} : { host: http.host }),
      ...(http.port === undefined ? {} : { port: http.port }),
      ...(http.headerBrands === undefined ? {} : { headerBrands: http.headerBrands }),
      ...(http.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: http.bodyLimitBytes }),
      ...(http.archiveUrl === undefined ? {} : { archivalEndpoint: http.archiveUrl }),
      ...passThroughOf(this.#options.follow),
      ...(http.tls === undefined ? {} : { tls: http.tls }),
      ...http.limits,
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

  #startTimer(chain: LocalChainOptions): void {
    this.#timer = startBlockTimer({
      produce: () => this.#produce(chain.blockTimeMs === 0 ? undefined : Date.now()),
      blockTimeMs: chain.blockTimeMs ?? 0,
      mayPass: (error) => isPassingFault(error) && this.#faults.report("blocks", error),
      onFault: (error) => this.#faults.report("blocks", error),
      ...(chain.blocks === undefined ? {} : { blocks: chain.blocks }),
      ...(chain.onBlock === undefined ? {} : { onBlock: chain.onBlock }),
    });
  }

  /** Makes one block at the given wall time, or one step after the last. */
  async #produce(nowMs: number | undefined): Promise<void> {
    const [store, chain, ingester] = [this.#store, this.#chain, this.#ingester];
    if (store === undefined || chain === undefined || ingester === undefined) {
      throw new ConfigError("this node makes no blocks");
    }
    const view = await store.openView();
    let records: readonly Uint8Array[];
    try {
      const last = view.position.timestampUsec;
      const stepped = last === 0n ? FIRST_BLOCK_USEC : last + BLOCK_STEP_USEC;
      const now = nowMs === undefined ? stepped : BigInt(nowMs) * 1000n;
      records = await chain.produceBlock({
        position: view.position,
        view,
        getTreeNodes: (keys) => store.getTreeNodes(keys),
        // A clock that was set back must not stop the chain.
        timestampUsec: now > last ? now : last + 1n,
      });
    } finally {
      view.release();
    }
    await ingester.ingest(records);
    this.#metrics.onCommit(records.length);
    this.#faults.clear("blocks");
  }

  async openView(): Promise<LedgerView> {
    if (this.#store === undefined) throw new LedgerError("no_ledger", "the node is still starting");
    const view = await this.#store.openView();
    return this.#following?.viewOver(view) ?? withoutGuesses(view, this.#store);
  }

  async #withView<T>(ask: (view: LedgerView) => Promise<T> | T): Promise<T> {
    const view = await this.openView();
    try {
      return await ask(view);
    } finally {
      view.release();
    }
  }

  #encode(body: Uint8Array, view: LedgerView): Promise<Uint8Array> {
    const loadModule = this.#modules.createLoader((module) => readModuleItem(view, module));
    return encodeSubmission(body, { chainId: view.position.chainId, loadModule });
  }

  balance(address: string, asset: string, options: ReadOptions = {}): Promise<bigint> {
    const [owner, parsed] = [parseAddress(address), parseAsset(asset)];
    return this.#withView((view) =>
      readBalance(view, owner, parsed, options.ledgerVersion ?? view.position.version),
    );
  }

  rawItem(
    handle: string,
    key: string | Uint8Array,
    options: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    const [table, bytes] = [parseAddress(handle), toBytes(key)];
    return this.#withView((view) =>
      readTableItem(view, table, bytes, options.ledgerVersion ?? view.position.version),
    );
  }

  encodeSubmission(request: object | string | Uint8Array): Promise<Uint8Array> {
    const body =
      request instanceof Uint8Array
        ? request
        : new TextEncoder().encode(typeof request === "string" ? request : JSON.stringify(request));
    return this.#withView((view) => this.#encode(body, view));
  }

  info(): Promise<Readonly<Record<string, unknown>>> {
    return this.#withView((view) => this.#info(view));
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
    return this.#timer === undefined ? "standing" : "moving";
  }

  ledgerInfo(): Promise<LedgerInfo> {
    return this.#withView(toLedgerInfo);
  }

  async produceBlock(): Promise<LedgerInfo> {
    await this.#produce(undefined);
    return this.ledgerInfo();
  }

  guide(): ChainGuide | undefined {
    return this.#chain?.guide();
  }

  /** Close order: nothing new comes in, no pruning, no requests, then the store. */
  async close(): Promise<void> {
    await this.#timer?.stop();
    await this.#following?.close();
    await this.#pruner?.stop();
    await this.#server?.close();
    await this.#workers?.close();
    await this.#metricsServer?.close();
    await this.#store?.close();
    this.#store = undefined;
  }
}
