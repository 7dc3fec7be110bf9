// The node's metrics in Prometheus form. Counters on the request path are plain numbers; gauges are read
// when somebody asks. Figures of several processes are added up: counts as sums, facts about the whole node as
// the largest, since those who do not know them say 0.
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** A gauge by name with its help and the function that reads it. */
export interface GaugeSource {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
  /** True where each process has its own and they add up; else it is a fact about the whole node. */
  readonly isShare?: boolean;
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
  readonly contentType: string;
}

const LATENCY_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Makes a registry with the process's own figures, request figures and the given gauges. */
export function createMetrics(gauges: readonly GaugeSource[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "sextant_" });
  const requests = new Histogram({
    name: "sextant_http_request_duration_seconds",
    help: "Time from the parsed request head to the end of the answer",
    labelNames: ["operation", "status"] as const,
    buckets: LATENCY_BUCKETS,
    registers: [registry],
  });
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
    new Gauge({
      name: source.name,
      help: source.help,
      registers: [registry],
      aggregator: source.isShare === true ? "sum" : "max",
      async collect() {
        this.set(await source.read());
      },
    });
  }
  // One child per label pair, so that the request path does no label hashing.
  const children = new Map<string, ReturnType<typeof requests.labels>>();
  return {
    onRequest: (operation, status, seconds) => {
      const key = `${operation} ${status}`;
      let child = children.get(key);
      if (child === undefined) {
        child = requests.labels(operation, `${status}`);
        children.set(key, child);
      }
      child.observe(seconds);
    },
    onCommit: (count) => {
      commits.inc();
      records.inc(count);
    },
    page: () => registry.metrics(),
    figures: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
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

/** What stays true of a process that is no more: what it counted, not how it was. */
export function onlyCounts(figures: MetricFigures): MetricFigures {
  return figures.filter(({ type }) => `${type}` === "counter" || `${type}` === "histogram");
}
