// Metrics of a cluster's driver: counters, connections, and a histogram of latencies that the engine fills.
import type { CacheStats } from "../../base/cache-stats.ts";
import type { DriverFigures } from "../../store/cassandra/figures.ts";
import { count, fact, histogramSamples, type MetricSource, share } from "./metrics.ts";

/** The driver's figures and the bounds of its latency buckets. */
export interface DriverReport {
  readonly figures: DriverFigures;
  readonly boundsMs: readonly number[];
  readonly blockCache: CacheStats;
}

const ERROR_KINDS = [
  "timeout",
  "connection",
  "unavailable",
  "read_timeout",
  "write_timeout",
  "authentication",
  "other",
] as const satisfies readonly (keyof DriverFigures["errors"])[];

/** All metrics of the driver; zeros until the cluster is open. */
export function driverMetrics(read: () => DriverReport | undefined): readonly MetricSource[] {
  const of = (
    make: typeof share,
    name: string,
    help: string,
    figure: "retries" | "speculative" | "hostsKnown" | "hostsUp" | "connections" | "inFlight",
  ): MetricSource => make(`store_${name}`, help, () => read()?.figures[figure] ?? 0);
  return [
    of(count, "retries_total", "Requests to the cluster that the driver sent again", "retries"),
    of(
      count,
      "speculative_requests_total",
      "Second requests sent to the cluster because the first was slow",
      "speculative",
    ),
    {
      name: "store_errors_total",
      help: "Requests to the cluster that failed, by kind",
      kind: "count",
      samples: () =>
        ERROR_KINDS.map((kind) => ({
          suffix: `{kind="${kind}"}`,
          value: read()?.figures.errors[kind] ?? 0,
        })),
    },
    of(fact, "hosts_known", "Machines of the cluster that are known", "hostsKnown"),
    of(fact, "hosts_up", "Machines of the cluster that answer", "hostsUp"),
    of(share, "connections", "Open connections to the cluster", "connections"),
    of(share, "in_flight", "Requests to the cluster that wait for their answer", "inFlight"),
    {
      name: "store_request_duration_seconds",
      help: "Time until the cluster answered a request",
      kind: "histogram",
      samples: () => {
        const report = read();
        if (report === undefined) return [];
        const { figures, boundsMs } = report;
        const bounds = boundsMs.map((ms) => ms / 1000);
        return histogramSamples(bounds, figures.latencyCounts, figures.latencySumMs / 1000);
      },
    },
  ];
}
