// The node's metrics in Prometheus format. Counters on the request path are plain numbers; gauges are read for each page.
// Several processes are merged: counters are summed; facts about the whole node take the maximum, because a process that
// does not know them reports 0.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { RequestHistogram } from "./request-histogram.ts";

/** A gauge or counter by name with its help and the function that reads it. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
  /** True if the processes' values add up; else it is a fact about the whole node. */
  readonly isShare?: boolean;
  /** True for a counter, whose count survives the exit of a worker. */
  readonly isCount?: boolean;
}

/** All metrics of one process, to be merged with those of others. */
export type MetricFigures = Readonly<Awaited<ReturnType<Registry["getMetricsAsJSON"]>>>;

export interface Metrics {
  /** Counts one response. */
  readonly onRequest: (operation: string, status: number, seconds: number) => void;
  /** Counts one block and the records in it. */
  readonly onCommit: (records: number) => void;
  /** Responses counted by this process. */
  readonly requestCount: () => number;
  /** The page as text. */
  readonly page: () => Promise<string>;
  readonly figures: () => Promise<MetricFigures>;
  /** The counters alone, which survive the process. Cheap: reads no gauges. */
  readonly counts: () => Promise<MetricFigures>;
  readonly contentType: string;
}

const REQUESTS = "sextant_http_request_duration_seconds";

let processFigures: Registry | undefined;

/** Metrics of the process, created once: their collector is never released and would keep each node in memory. */
function loadProcessFigures(): Registry {
  if (processFigures === undefined) {
    processFigures = new Registry();
    collectDefaultMetrics({ register: processFigures, prefix: "sextant_" });
  }
  return processFigures;
}

/** Makes a registry with metrics of the process and of requests, and the given gauges and histograms. */
export function createMetrics(
  gauges: readonly GaugeSource[],
  histograms: readonly Histogram[] = [],
): Metrics {
  const registry = new Registry();
  const requests = new RequestHistogram(
    REQUESTS,
    "Time from the parsed request head to the end of the answer",
  );
  for (const histogram of [requests, ...histograms]) registry.registerMetric(histogram);
  const commits = new Counter({
    name: "sextant_commits_total",
    help: "Commits to the store since the process started",
    registers: [registry],
  });
  const records = new Counter({
    name: "sextant_records_committed_total",
    help: "Records (versions) committed since the process started",
    registers: [registry],
  });
  for (const source of gauges) {
    const { name, help } = source;
    if (source.isCount === true) {
      new Counter({
        name,
        help,
        registers: [registry],
        async collect() {
          const count = await source.read();
          this.reset();
          this.inc(count);
        },
      });
      continue;
    }
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: source.isShare === true ? "sum" : "max",
      async collect() {
        this.set(await source.read());
      },
    });
  }
  const all = Registry.merge([loadProcessFigures(), registry]);
  return {
    onRequest: (operation, status, seconds) => requests.count(operation, status, seconds),
    onCommit: (count) => {
      commits.inc();
      records.inc(count);
    },
    requestCount: () => requests.total,
    page: () => all.metrics(),
    figures: () => all.getMetricsAsJSON(),
    counts: () => countsOf(registry),
    contentType: all.contentType,
  };
}

function join(figures: readonly MetricFigures[]): Registry {
  return AggregatorRegistry.aggregate(figures.map((one) => [...one]));
}

/** The metrics page of several processes. */
export function figuresPage(figures: readonly MetricFigures[]): Promise<string> {
  return join(figures).metrics();
}

/** Merges the metrics of several processes. */
export function addFigures(figures: readonly MetricFigures[]): Promise<MetricFigures> {
  return join(figures).getMetricsAsJSON();
}

/** Responses in the figures of a process. */
export function requestsIn(figures: MetricFigures): number {
  const values = figures.find(({ name }) => name === REQUESTS)?.values ?? [];
  return values.reduce(
    (sum, one) => ("metricName" in one && one.metricName === `${REQUESTS}_count` ? sum + one.value : sum),
    0,
  );
}

/** Keeps only the counters of an exited worker. */
export function onlyCounts(figures: MetricFigures): MetricFigures {
  return figures.filter(({ type }) => `${type}` === "counter" || `${type}` === "histogram");
}

function countsOf(registry: Registry): Promise<MetricFigures> {
  const counted = new Registry();
  for (const metric of registry.getMetricsAsArray()) {
    if (metric instanceof Counter || metric instanceof Histogram) counted.registerMetric(metric);
  }
  return counted.getMetricsAsJSON();
}
