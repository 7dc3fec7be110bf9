// Metrics of a cluster's driver: counters, connections, and a histogram of latencies that the engine fills.
import type { CacheStats } from "../../base/cache-stats.ts";
import type { DriverFigures } from "../../store/cassandra/figures.ts";
import type { GaugeSource, HistogramSource, HistogramValues } from "./metrics.ts";

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
  ["retries", "Requests to the cluster that the driver sent again", (figures) => figures.retries],
  [
    "speculative_requests",
    "Second requests sent to the cluster because the first was slow",
    (figures) => figures.speculative,
  ],
  ...ERROR_KINDS.map(
    (kind): Row => [
      `errors_${kind}`,
      `Requests to the cluster that failed: ${kind.replaceAll("_", " ")}`,
      (figures) => figures.errors[kind],
    ],
  ),
];

/** Counters and connections; zeros until the cluster is open. */
export function driverGauges(read: Reader): GaugeSource[] {
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
    ...GAUGES.map(([name, help, value]) => ({
      ...gauge(name, help, value),
      isShare: !name.startsWith("hosts"),
    })),
  ];
}

const NAME = "sextant_store_request_duration_seconds";

/** Latencies of requests to the cluster. */
export class DriverHistogram implements HistogramSource {
  readonly name = NAME;
  readonly help = "Time until the cluster answered a request";
  readonly #read: Reader;

  constructor(read: Reader) {
    this.#read = read;
  }

  readonly values = (): HistogramValues => {
    const report = this.#read();
    return report === undefined ? [] : valuesOf(report);
  };
}

function valuesOf({ figures, boundsMs }: DriverReport): HistogramValues {
  let total = 0;
  const buckets = figures.latencyCounts.map((count, at) => {
    total += count;
    const boundMs = boundsMs[at];
    const le = boundMs === undefined ? "+Inf" : boundMs / 1000;
    return { labels: { le }, value: total, metricName: `${NAME}_bucket` };
  });
  return [
    ...buckets,
    { labels: {}, value: figures.latencySumMs / 1000, metricName: `${NAME}_sum` },
    { labels: {}, value: total, metricName: `${NAME}_count` },
  ];
}
