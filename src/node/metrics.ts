// The node's metrics in Prometheus form. Counters on the request path are plain numbers; gauges are read
// when somebody asks. Figures of several processes are added up: counts as sums, facts about the whole node as
// the largest, since those who do not know them say 0.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { RequestHistogram } from "./request-histogram.ts";

/** A gauge or counter by name with its help and the function that reads it. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
  /** True where each process has its own and they add up; else it is a fact about the whole node. */
  readonly isShare?: boolean;
  /** True for a number that only grows while a process lives, and stays counted when it ends. */
  readonly isCount?: boolean;
}

/** All figures of a process, for adding them to those of others. */
export type MetricFigures = Readonly<Awaited<ReturnType<Registry["getMetricsAsJSON"]>>>;

export interface Metrics {
  /** Counts one answered request. */
  readonly onRequest: (operation: string, status: number, seconds: number) => void;
  /** Counts one block and the records in it. */
  readonly onCommit: (records: number) => void;
  /** The page as text. */
  readonly page: () => Promise<string>;
  readonly figures: () => Promise<MetricFigures>;
  /** Those figures that stay true once the process ended. Cheap: gauges are not read. */
  readonly counts: () => Promise<MetricFigures>;
  readonly contentType: string;
}

let processFigures: Registry | undefined;

/**
 * Figures of the process, made once: what collects them watches the process until it ends, and so would keep every
 * node that had a set of its own.
 */
function loadProcessFigures(): Registry {
  if (processFigures === undefined) {
    processFigures = new Registry();
    collectDefaultMetrics({ register: processFigures, prefix: "sextant_" });
  }
  return processFigures;
}

/** Makes a registry with the process's own figures, request figures, and the given gauges and histograms. */
export function createMetrics(
  gauges: readonly GaugeSource[],
  histograms: readonly Histogram[] = [],
): Metrics {
  const registry = new Registry();
  const requests = new RequestHistogram(
    "sextant_http_request_duration_seconds",
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
    page: () => all.metrics(),
    figures: () => all.getMetricsAsJSON(),
    counts: () => countsOf(registry),
    contentType: all.contentType,
  };
}

function join(figures: readonly MetricFigures[]): Registry {
  return AggregatorRegistry.aggregate(figures.map((one) => [...one]));
}

/** The page of several processes' figures added up. */
export function figuresPage(figures: readonly MetricFigures[]): Promise<string> {
  return join(figures).metrics();
}

/** Figures of several processes added up. */
export function addFigures(figures: readonly MetricFigures[]): Promise<MetricFigures> {
  return join(figures).getMetricsAsJSON();
}

/** What stays true of a process that ended: what it counted, not how it was. */
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
