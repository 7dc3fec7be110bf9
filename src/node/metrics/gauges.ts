// Gauges of the ledger, the server, the caches, faults and the writer, read for each metrics page.
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CacheStats } from "../../base/cache-stats.ts";
import { USEC_PER_MS, USEC_PER_SEC } from "../../base/numbers.ts";
import { assetCacheStats } from "../../http/schemas/asset-type.ts";
import type { HttpFigures } from "../../http/server.ts";
import { balanceKeyCacheStats } from "../../ledger/balances/balance-keys.ts";
import { compareTrust, parseTrust, trustAt } from "../../ledger/trust.ts";
import type { Ledger, LedgerPosition, LedgerView } from "../../ledger/view.ts";
import { countDamagedReads } from "../../store/lmdb/sealed-rows.ts";
import type { Reader } from "../api/reader.ts";
import type { Faults } from "../faults.ts";
import { followGauges, provingGauges } from "../following/follow-report.ts";
import { anchoredVersion, latestTrustRank, TRUST_RANK_HELP } from "../info.ts";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { HttpOptions } from "../options/http-options.ts";
import { engineOf, type StoreOptions } from "../store-engines.ts";
import type { NodeStatus } from "../workers/worker-messages.ts";
import type { WriterElection } from "../writer-election.ts";
import { type DriverReport, driverMetrics } from "./driver-metrics.ts";
import { createMetrics, type GaugeSource, type Metrics } from "./metrics.ts";
import { PROCESS_METRICS } from "./process-metrics.ts";

/** What the metrics of a node are read from; a part may not be there yet, or no more. */
interface MeasuredNode {
  readonly ledger: Ledger;
  readonly reader: Reader;
  readonly faults: Faults;
  readonly http: HttpOptions | undefined;
  readonly storeOptions: StoreOptions;
  readonly startedMs: number;
  readonly status: () => NodeStatus;
  readonly headVersion: () => Promise<bigint | undefined>;
  readonly writer: () => LedgerWriter | undefined;
  readonly election: () => WriterElection | undefined;
  readonly driver: () => DriverReport | undefined;
  readonly served: () => HttpFigures | undefined;
}

export function nodeMetrics(node: MeasuredNode): Metrics {
  const { ledger, reader, faults, storeOptions, writer, driver } = node;
  const { hasDriver } = engineOf(storeOptions);
  return createMetrics([
    ...PROCESS_METRICS,
    ...ledgerGauges(ledger),
    ...readinessGauges(ledger, node.status, node.startedMs, node.http),
    ...cacheGauges("module", "parsed modules", () => reader.modules.stats()),
    ...cacheGauges("asset", "parsed asset types", assetCacheStats),
    ...cacheGauges("balance_key", "state keys of balances", balanceKeyCacheStats),
    ...cacheGauges("tree", "nodes of the state tree", () => writer()?.treeCache, ["bytes", "maxBytes"]),
    ...httpGauges(node.served),
    ...followGauges(() => writer()?.following, node.headVersion),
    ...provingGauges(() => writer()?.following?.provingStatus()),
    ...faultGauges(faults),
    ...storeGauges(),
    ...(storeOptions.engine === "lmdb" ? diskGauges(storeOptions.path) : []),
    ...writerGauges(writer, node.election),
    ...(hasDriver
      ? [...driverMetrics(driver), ...cacheGauges("block", "block rows", () => driver()?.blockCache)]
      : []),
  ]);
}

const POSITION_GAUGES: readonly (readonly [string, string, (position: LedgerPosition) => bigint])[] = [
  ["sextant_ledger_version", "Latest version", (position) => position.version],
  ["sextant_ledger_oldest_version", "Oldest kept version", (position) => position.oldestVersion],
  ["sextant_ledger_block_height", "Latest block", (position) => position.blockHeight],
  ["sextant_ledger_epoch", "Epoch of the latest block", (position) => position.epoch],
  [
    "sextant_ledger_timestamp_seconds",
    "Time of the latest block",
    (position) => position.timestampUsec / USEC_PER_SEC,
  ],
  ["sextant_trust_level", TRUST_RANK_HELP, (position) => BigInt(latestTrustRank(position))],
  ["sextant_anchored_version", "Highest version that is anchored or proven", anchoredVersion],
  [
    "sextant_refuted",
    "1 when a stronger statement refuted a part of the stored history",
    (position) => (position.refuted === undefined ? 0n : 1n),
  ],
];

const CACHE_GAUGES: readonly (readonly [keyof CacheStats, suffix: string, help: string])[] = [
  ["bytes", "bytes", "bytes in use, estimated"],
  ["maxBytes", "max_bytes", "bytes allowed"],
  ["entries", "entries", "number of entries"],
  ["hits", "hits_total", "look-ups answered from the cache"],
  ["misses", "misses_total", "look-ups that were not"],
  ["evictions", "evictions_total", "entries pushed out"],
];

/** Counters: a worker's counts survive its exit. */
const CACHE_COUNTS: ReadonlySet<keyof CacheStats> = new Set(["hits", "misses", "evictions"]);

const HTTP_GAUGES: readonly (readonly [string, string, (figures: HttpFigures) => number])[] = [
  ["sextant_http_connections", "Open connections", (figures) => figures.connections],
  ["sextant_http_in_flight", "Requests being worked on", (figures) => figures.inFlight],
  ["sextant_http_streams", "Open streams of events", (figures) => figures.streams],
  ["sextant_http_waiting", "Requests that wait for a version", (figures) => figures.waiting],
  ["sextant_http_queued", "Requests that wait for their turn", (figures) => figures.queued],
  ["sextant_http_unread_bytes", "Bytes of large answers on their way", (figures) => figures.answerBytes],
];

const HTTP_COUNTS: readonly (readonly [string, string, (figures: HttpFigures) => number])[] = [
  [
    "sextant_http_connections_refused_total",
    "Connections refused: too many",
    (figures) => figures.refusedConnections,
  ],
  ["sextant_http_shed_total", "Requests turned away: the process was too busy", (figures) => figures.shed],
  [
    "sextant_http_rate_limited_total",
    "Requests turned away: over the client's rate",
    (figures) => figures.rateLimited,
  ],
  [
    "sextant_http_streams_cut_off_total",
    "Streams of events ended: not read fast enough",
    (figures) => figures.streamsCutOff,
  ],
  [
    "sextant_http_slow_readers_ended_total",
    "Connections ended: answers not read",
    (figures) => figures.unreadResponsesEnded,
  ],
];

async function readPosition(ledger: Ledger, read: (position: LedgerPosition) => bigint): Promise<number> {
  let view: LedgerView;
  try {
    view = await ledger.openView();
  } catch {
    return 0;
  }
  try {
    // Prometheus has floats only: exact below 2^53.
    return Number.parseInt(`${read(view.position)}`, 10);
  } finally {
    view.release();
  }
}

/** The ledger's head; zeros while there is no ledger. */
function ledgerGauges(ledger: Ledger): GaugeSource[] {
  return POSITION_GAUGES.map(([name, help, read]) => ({
    name,
    help,
    read: () => readPosition(ledger, read),
  }));
}

/** Whether the ready check passes, and since when the node runs. */
function readinessGauges(
  ledger: Ledger,
  status: () => Pick<NodeStatus, "unhealthyReason" | "unreadyReason">,
  startedMs: number,
  { maxLagMs = 0, minTrust }: Pick<HttpOptions, "maxLagMs" | "minTrust"> = {},
): GaugeSource[] {
  const least = minTrust === undefined ? undefined : parseTrust(minTrust);
  const isServed = ({ timestampUsec, refuted, trust, version }: LedgerPosition): boolean => {
    if (refuted !== undefined) return false;
    if (maxLagMs > 0 && timestampUsec < BigInt(Date.now() - maxLagMs) * USEC_PER_MS) return false;
    return least === undefined || compareTrust(trustAt(trust, version), least) >= 0;
  };
  return [
    {
      name: "sextant_ready",
      help: "1 while the node can take requests, as its ready check says",
      read: () => {
        const { unhealthyReason, unreadyReason } = status();
        if (unhealthyReason !== undefined || unreadyReason !== undefined) return 0;
        return readPosition(ledger, (position) => (isServed(position) ? 1n : 0n));
      },
    },
    {
      name: "sextant_start_time_seconds",
      help: "When the node started, in seconds since the epoch; workers that are replaced do not change it",
      read: () => startedMs / 1000,
    },
  ];
}

export function httpGauges(read: () => HttpFigures | undefined): GaugeSource[] {
  const source = ([name, help, value]: (typeof HTTP_GAUGES)[number]): GaugeSource => ({
    name,
    help,
    read: () => {
      const figures = read();
      return figures === undefined ? 0 : value(figures);
    },
  });
  return [
    {
      name: "sextant_event_loop_delay_seconds",
      help: "Longest time, in the last ten seconds or somewhat more, that work waited behind other work",
      read: () => (read()?.longestLoopDelayMs ?? 0) / 1000,
    },
    ...HTTP_GAUGES.map((gauge) => ({ ...source(gauge), isShare: true })),
    ...HTTP_COUNTS.map((count) => ({ ...source(count), isCount: true })),
  ];
}

/** The given fields of a cache's statistics; zeros while there is no cache. */
export function cacheGauges(
  name: string,
  what: string,
  read: () => Partial<CacheStats> | undefined,
  fields: readonly (keyof CacheStats)[] = CACHE_GAUGES.map(([field]) => field),
): GaugeSource[] {
  return CACHE_GAUGES.filter(([field]) => fields.includes(field)).map(([field, suffix, help]) => ({
    name: `sextant_${name}_cache_${suffix}`,
    help: `Cache of ${what}: ${help}`,
    read: () => read()?.[field] ?? 0,
    ...(CACHE_COUNTS.has(field) ? { isCount: true } : { isShare: true }),
  }));
}

function faultGauges(faults: Faults): GaugeSource[] {
  return [
    {
      name: "sextant_faulted",
      help: "1 when the node found a fault and stopped moving",
      read: () => (faults.final ? 1 : 0),
    },
    {
      name: "sextant_write_waiting",
      help: "1 while the store cannot be written and the node tries again",
      read: () => (faults.final === undefined && faults.reason !== undefined ? 1 : 0),
    },
  ];
}

function storeGauges(): GaugeSource[] {
  return [
    {
      name: "sextant_store_damaged_reads_total",
      help: "Reads that met a stored row which does not match its checksum",
      read: countDamagedReads,
      isCount: true,
    },
  ];
}

function writerGauges(
  writer: () => LedgerWriter | undefined,
  election: () => WriterElection | undefined,
): GaugeSource[] {
  return [
    {
      name: "sextant_pruned_rows_total",
      help: "Rows removed since this process began to write",
      read: () => writer()?.prunedRows ?? 0,
      isCount: true,
    },
    {
      name: "sextant_writer",
      help: "1 while this process writes the store, 0 while it stands by or only reads",
      read: () => (writer() === undefined ? 0 : 1),
    },
    {
      name: "sextant_writer_token",
      help: "Fencing token that this process writes with; 0 where it has none",
      read: () => Number.parseInt(`${election()?.token ?? 0n}`, 10),
    },
    {
      name: "sextant_writer_turns_total",
      help: "How often this process began to write a shared store",
      read: () => election()?.turns ?? 0,
      isCount: true,
    },
  ];
}

/** Zero where the directory is missing, as before the first start. */
function zeroIfMissing(read: () => number): () => number {
  return () => {
    try {
      return read();
    } catch {
      return 0;
    }
  };
}

/** Space on the disk of a data directory, and what the store takes of it: an alert should come before the store is full. */
function diskGauges(path: string): GaugeSource[] {
  return [
    {
      name: "sextant_store_disk_free_bytes",
      help: "Bytes free for this user on the disk of the data directory",
      read: zeroIfMissing(() => {
        const { bavail, bsize } = statfsSync(path);
        return bavail * bsize;
      }),
    },
    {
      name: "sextant_store_disk_size_bytes",
      help: "Size of the disk of the data directory; 0 if the file system does not tell",
      read: zeroIfMissing(() => {
        const { blocks, bsize } = statfsSync(path);
        return blocks * bsize;
      }),
    },
    {
      name: "sextant_store_file_bytes",
      help: "Bytes that the store's file takes on the disk",
      // Its length may be more: the file may have holes. A block of stat is 512 bytes.
      read: zeroIfMissing(() => statSync(join(path, "data.mdb")).blocks * 512),
    },
  ];
}
