// Metrics of a cluster's driver: counters, connections, and a histogram of latencies that the engine fills.
import type { CacheStats } from "../../base/cache-stats.ts";
import type { DriverFigures } from "../../store/cassandra/figures.ts";
import { type GaugeSource, histogramSamples, type MetricSource } from "./metrics.ts";

/** The driver's figures and the bounds of its latency buckets. */
export interface DriverReport {
  readonly figures: DriverFigures;
  readonly boundsMs: readonly number[];
  readonly blockCache: CacheStats;
}

type Reader = () => DriverReport | undefined;

type Row = readonly [string, string, (figures: DriverFigures) => number];

const GAUGES: readonly Row[] = [
  ["hosts_known", "Machines of the cluster that are known", (figures) => figures.hostsKnown],
  ["hosts_up", "Machines of the cluster that answer", (figures) => figures.hostsUp],
  ["connections", "Open connections to the cluster", (figures) => figures.connections],
  ["in_flight", "Requests to the cluster that wait for their answer", (figures) => figures.inFlight],
];

const ERROR_KINDS = [
  "timeout",
  "connection",
  "unavailable",
  "read_timeout",
  "write_timeout",
  "authentication",
  "other",
] as const satisfies readonly (keyof DriverFigures["errors"])[];

const COUNTS: readonly Row[] = [
  ["retries_total", "Requests to the cluster that the driver sent again", (figures) => figures.retries],
  [
    "speculative_requests_total",
    "Second requests sent to the cluster because the first was slow",
    (figures) => figures.speculative,
  ],
];

/** All metrics of the driver; zeros until the cluster is open. */
export function driverMetrics(read: Reader): readonly MetricSource[] {
  const gauge = (name: string, help: string, value: (figures: DriverFigures) => number): GaugeSource => ({
    name: `sextant_store_${name}`,
    help,
    read: () => {
      const figures = read()?.figures;
      return figures === undefined ? 0 : value(figures);
    },
  });
  return [
    ...COUNTS.map(([name, help, value]) => ({ ...gauge(name, help, value), isCount: true })),
    {
      name: "sextant_store_errors_total",
      help: "Requests to the cluster that failed, by kind",
      kind: "counter",
      samples: () =>
        ERROR_KINDS.map((kind) => ({
          suffix: `{kind="${kind}"}`,
          value: read()?.figures.errors[kind] ?? 0,
        })),
    },
    ...GAUGES.map(([name, help, value]) => ({
      ...gauge(name, help, value),
      isShare: !name.startsWith("hosts"),
    })),
    {
      name: "sextant_store_request_duration_seconds",
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
