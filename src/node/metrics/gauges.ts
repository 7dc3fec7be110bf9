// Gauges of the ledger, the server, the caches, faults and the writer, read for each metrics page.
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CacheStats } from "../../base/cache-stats.ts";
import { USEC_PER_MS, USEC_PER_SEC } from "../../base/numbers.ts";
import { assetCacheStats } from "../../http/schemas/asset-type.ts";
import type { HttpFigures } from "../../http/server.ts";
import { balanceKeyCacheStats } from "../../ledger/balances/balance-keys.ts";
import { compareTrust, parseTrust, trustAt } from "../../ledger/trust.ts";
import { type Ledger, type LedgerPosition, withView } from "../../ledger/view.ts";
import { countDamagedReads } from "../../store/lmdb/sealed-rows.ts";
import type { Reader } from "../api/reader.ts";
import type { Faults } from "../faults.ts";
import type { Following } from "../following/following.ts";
import type { ProvingStatus } from "../following/proving.ts";
import { anchoredVersion, latestTrustRank, TRUST_RANK_HELP } from "../info.ts";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { HttpOptions } from "../options/http-options.ts";
import { engineOf, type StoreOptions } from "../store-engines.ts";
import type { NodeStatus } from "../workers/worker-messages.ts";
import type { WriterElection } from "../writer-election.ts";
import { type DriverReport, driverMetrics } from "./driver-metrics.ts";
import { count, createMetrics, fact, type MetricSource, type Metrics, orZero, share } from "./metrics.ts";
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
    ...ledgerMetrics(ledger),
    ...readinessMetrics(ledger, node.status, node.startedMs, node.http),
    ...cacheMetrics("module", "parsed modules", () => reader.modules.stats()),
    ...cacheMetrics("asset", "parsed asset types", assetCacheStats),
    ...cacheMetrics("balance_key", "state keys of balances", balanceKeyCacheStats),
    ...cacheMetrics("tree", "nodes of the state tree", () => writer()?.treeCache, ["bytes", "maxBytes"]),
    ...httpMetrics(node.served),
    ...followMetrics(() => writer()?.following, node.headVersion),
    ...provingMetrics(() => writer()?.following?.provingStatus()),
    ...faultMetrics(faults),
    count(
      "store_damaged_reads_total",
      "Reads that met a stored row which does not match its checksum",
      countDamagedReads,
    ),
    ...(storeOptions.engine === "lmdb" ? diskMetrics(storeOptions.path) : []),
    ...writerMetrics(writer, node.election),
    ...(hasDriver
      ? [...driverMetrics(driver), ...cacheMetrics("block", "block rows", () => driver()?.blockCache)]
      : []),
  ]);
}

/** Zero while there is no ledger. The text format has floats only: exact below 2^53. */
async function readPosition(ledger: Ledger, read: (position: LedgerPosition) => bigint): Promise<number> {
  try {
    return Number(await withView(ledger.openView(), ({ position }) => read(position)));
  } catch {
    return 0;
  }
}

function ledgerMetrics(ledger: Ledger): MetricSource[] {
  const at = (name: string, help: string, read: (position: LedgerPosition) => bigint): MetricSource =>
    fact(name, help, () => readPosition(ledger, read));
  return [
    at("ledger_version", "Latest version", ({ version }) => version),
    at("ledger_oldest_version", "Oldest kept version", ({ oldestVersion }) => oldestVersion),
    at("ledger_block_height", "Latest block", ({ blockHeight }) => blockHeight),
    at("ledger_epoch", "Epoch of the latest block", ({ epoch }) => epoch),
    at(
      "ledger_timestamp_seconds",
      "Time of the latest block",
      ({ timestampUsec }) => timestampUsec / USEC_PER_SEC,
    ),
    at("trust_level", TRUST_RANK_HELP, (position) => BigInt(latestTrustRank(position))),
    at("anchored_version", "Highest version that is anchored or proven", anchoredVersion),
    at("refuted", "1 when a stronger statement refuted a part of the stored history", ({ refuted }) =>
      refuted === undefined ? 0n : 1n,
    ),
  ];
}

/** Whether the ready check passes, and since when the node runs. */
function readinessMetrics(
  ledger: Ledger,
  status: () => Pick<NodeStatus, "unhealthyReason" | "unreadyReason">,
  startedMs: number,
  { maxLagMs = 0, minTrust }: Pick<HttpOptions, "maxLagMs" | "minTrust"> = {},
): MetricSource[] {
  const least = minTrust === undefined ? undefined : parseTrust(minTrust);
  const isServed = ({ timestampUsec, refuted, trust, version }: LedgerPosition): boolean => {
    if (refuted !== undefined) return false;
    if (maxLagMs > 0 && timestampUsec < BigInt(Date.now() - maxLagMs) * USEC_PER_MS) return false;
    return least === undefined || compareTrust(trustAt(trust, version), least) >= 0;
  };
  return [
    fact("ready", "1 while the node can take requests, as its ready check says", () => {
      const { unhealthyReason, unreadyReason } = status();
      if (unhealthyReason !== undefined || unreadyReason !== undefined) return 0;
      return readPosition(ledger, (position) => (isServed(position) ? 1n : 0n));
    }),
    fact(
      "start_time_seconds",
      "When the node started, in seconds since the epoch; workers that are replaced do not change it",
      () => startedMs / 1000,
    ),
  ];
}

const HTTP_SHARES: readonly (readonly [name: string, help: string, figure: keyof HttpFigures])[] = [
  ["connections", "Open connections", "connections"],
  ["in_flight", "Requests being worked on", "inFlight"],
  ["streams", "Open streams of events", "streams"],
  ["waiting", "Requests that wait for a version", "waiting"],
  ["queued", "Requests that wait for their turn", "queued"],
  ["unread_bytes", "Bytes of large answers on their way", "answerBytes"],
];

const HTTP_COUNTS: typeof HTTP_SHARES = [
  ["connections_refused", "Connections refused: too many", "refusedConnections"],
  ["shed", "Requests turned away: the process was too busy", "shed"],
  ["rate_limited", "Requests turned away: over the client's rate", "rateLimited"],
  ["streams_cut_off", "Streams of events ended: not read fast enough", "streamsCutOff"],
  ["slow_readers_ended", "Connections ended: answers not read", "unreadResponsesEnded"],
];

export function httpMetrics(read: () => HttpFigures | undefined): MetricSource[] {
  return [
    fact(
      "event_loop_delay_seconds",
      "Longest time, in the last ten seconds or somewhat more, that work waited behind other work",
      () => (read()?.longestLoopDelayMs ?? 0) / 1000,
    ),
    ...HTTP_SHARES.map(([name, help, figure]) => share(`http_${name}`, help, () => read()?.[figure] ?? 0)),
    ...HTTP_COUNTS.map(([name, help, figure]) =>
      count(`http_${name}_total`, help, () => read()?.[figure] ?? 0),
    ),
  ];
}

/** The given figures of a cache; zeros while there is no cache. */
export function cacheMetrics(
  name: string,
  what: string,
  read: () => Partial<CacheStats> | undefined,
  figures?: readonly (keyof CacheStats)[],
): MetricSource[] {
  const of = (make: typeof share, figure: keyof CacheStats, suffix: string, help: string): MetricSource[] =>
    figures?.includes(figure) === false
      ? []
      : [make(`${name}_cache_${suffix}`, `Cache of ${what}: ${help}`, () => read()?.[figure] ?? 0)];
  return [
    ...of(share, "bytes", "bytes", "bytes in use, estimated"),
    ...of(share, "maxBytes", "max_bytes", "bytes allowed"),
    ...of(share, "entries", "entries", "number of entries"),
    ...of(count, "hits", "hits_total", "look-ups answered from the cache"),
    ...of(count, "misses", "misses_total", "look-ups that were not"),
    ...of(count, "evictions", "evictions_total", "entries pushed out"),
  ];
}

/** Zeros for nodes that follow nothing. */
function followMetrics(
  following: () => Following | undefined,
  version: () => Promise<bigint | undefined>,
): MetricSource[] {
  const status = () => following()?.status();
  const inState = (state: string) => () =>
    status()?.upstreams.filter((one) => one.state === state).length ?? 0;
  const distance = async (sign: 1 | -1): Promise<number> => {
    const [head, own] = [status()?.headVersion, await version()];
    return head === undefined || own === undefined ? 0 : Math.max(0, sign * Number(head - own));
  };
  return [
    fact("follow_at_head", "1 if our version was the head of the upstreams within the last seconds", () =>
      status()?.state === "at_head" ? 1 : 0,
    ),
    fact("follow_versions_behind", "Versions from ours to the highest head of the upstreams", () =>
      distance(1),
    ),
    fact("follow_versions_ahead", "Versions from the highest head of the upstreams to ours", () =>
      distance(-1),
    ),
    fact(
      "follow_records_per_second",
      "Records taken in per second",
      () => following()?.rate().recordsPerSecond ?? 0,
    ),
    fact(
      "follow_bytes_per_second",
      "Bytes of records taken in per second",
      () => following()?.rate().bytesPerSecond ?? 0,
    ),
    count("follow_received_bytes_total", "Bytes received from upstreams", () => status()?.receivedBytes ?? 0),
    fact("follow_upstreams_ok", "Upstreams in use", inState("ok")),
    fact("follow_upstreams_resting", "Upstreams that could not be asked", inState("resting")),
    fact("follow_upstreams_set_aside", "Upstreams whose answers were wrong", inState("set_aside")),
    count(
      "follow_lazy_fills_total",
      "State items fetched on first use",
      () => following()?.fills()?.fills ?? 0,
    ),
    count(
      "follow_lazy_fill_failures_total",
      "State items that could not be fetched",
      () => following()?.fills()?.failures ?? 0,
    ),
  ];
}

/** Zeros for nodes without proof sources. */
function provingMetrics(status: () => ProvingStatus | undefined): MetricSource[] {
  const inState = (state: string) => () => status()?.sources.filter((one) => one.state === state).length ?? 0;
  return [
    fact("proofs_epoch", "Epoch whose validators are known by signatures", () =>
      Number(status()?.epoch ?? 0n),
    ),
    fact("proofs_signed_version", "Latest version that validators signed", () =>
      Number(status()?.signedVersion ?? 0n),
    ),
    fact("proofs_proven_version", "Latest version that is proven with everything before it", () =>
      Number(status()?.provenVersion ?? 0n),
    ),
    count(
      "proofs_received_bytes_total",
      "Bytes received from proof sources",
      () => status()?.receivedBytes ?? 0,
    ),
    fact("proofs_sources_ok", "Proof sources in use", inState("ok")),
    fact("proofs_sources_resting", "Proof sources that could not be asked", inState("resting")),
    fact("proofs_sources_set_aside", "Proof sources that said something false", inState("set_aside")),
  ];
}

function faultMetrics(faults: Faults): MetricSource[] {
  return [
    fact("faulted", "1 when the node found a fault and stopped moving", () => (faults.final ? 1 : 0)),
    fact("write_waiting", "1 while the store cannot be written and the node tries again", () =>
      faults.final === undefined && faults.reason !== undefined ? 1 : 0,
    ),
  ];
}

function writerMetrics(
  writer: () => LedgerWriter | undefined,
  election: () => WriterElection | undefined,
): MetricSource[] {
  return [
    count(
      "pruned_rows_total",
      "Rows removed since this process began to write",
      () => writer()?.prunedRows ?? 0,
    ),
    fact("writer", "1 while this process writes the store, 0 while it stands by or only reads", () =>
      writer() === undefined ? 0 : 1,
    ),
    fact("writer_token", "Fencing token that this process writes with; 0 where it has none", () =>
      Number(election()?.token ?? 0n),
    ),
    count(
      "writer_turns_total",
      "How often this process began to write a shared store",
      () => election()?.turns ?? 0,
    ),
  ];
}

/**
 * Space on the disk of a data directory, and what the store takes of it: an alert should come before the store is full. Zeros
 * where the directory is missing, as before the first start.
 */
function diskMetrics(path: string): MetricSource[] {
  return [
    fact(
      "store_disk_free_bytes",
      "Bytes free for this user on the disk of the data directory",
      orZero(() => {
        const { bavail, bsize } = statfsSync(path);
        return bavail * bsize;
      }),
    ),
    fact(
      "store_disk_size_bytes",
      "Size of the disk of the data directory; 0 if the file system does not tell",
      orZero(() => {
        const { blocks, bsize } = statfsSync(path);
        return blocks * bsize;
      }),
    ),
    fact(
      "store_file_bytes",
      "Bytes that the store's file takes on the disk",
      // Its length may be more: the file may have holes. A block of stat is 512 bytes.
      orZero(() => statSync(join(path, "data.mdb")).blocks * 512),
    ),
  ];
}
