// The node's metrics in Prometheus format. Counters on the request path are plain numbers; gauges are read for each page.
// Several processes are merged: counters are summed; facts about the whole node take the maximum, because a process that
// does not know them reports 0.
//
// Nodes that serve nothing never load the library, which takes a tenth of their start.
import type { Histogram, Registry } from "prom-client";
import { loadPackage } from "../../base/load-package.ts";

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
  /** Loads what pages need, so that the first page does not hold up requests. */
  readonly prepare: () => void;
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

/** A histogram by name with its help and the function that reads its values. */
export interface HistogramSource {
  readonly name: string;
  readonly help: string;
  readonly values: () => HistogramValues;
}

export type HistogramValues = Awaited<ReturnType<Histogram["get"]>>["values"];

type Library = typeof import("prom-client");

const REQUESTS = "sextant_http_request_duration_seconds";

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

interface Series {
  readonly operation: string;
  readonly status: string;
  /** One per bound, and one for everything above. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * Request latencies by operation and status. Counting is one addition on the request path: the library's own histogram
 * checks and joins the labels for every request.
 */
class RequestHistogram implements HistogramSource {
  readonly name = REQUESTS;
  readonly help = "Time from the parsed request head to the end of the answer";
  readonly #series = new Map<string, Map<number, Series>>();

  /** Counts one request. */
  count(operation: string, status: number, seconds: number): void {
    const series = this.#series.get(operation)?.get(status) ?? this.#addSeries(operation, status);
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  /** Requests counted since the start. */
  get total(): number {
    let total = 0;
    for (const byStatus of this.#series.values()) {
      for (const { counts } of byStatus.values()) for (const count of counts) total += count;
    }
    return total;
  }

  readonly values = (): HistogramValues =>
    [...this.#series.values()].flatMap((byStatus) =>
      [...byStatus.values()].flatMap((series) => this.#valuesOf(series)),
    );

  #addSeries(operation: string, status: number): Series {
    const series = {
      operation,
      status: `${status}`,
      counts: new Float64Array(BOUNDS.length + 1),
      sum: 0,
    };
    const byStatus = this.#series.get(operation);
    if (byStatus === undefined) this.#series.set(operation, new Map([[status, series]]));
    else byStatus.set(status, series);
    return series;
  }

  #valuesOf({ operation, status, counts, sum }: Series): HistogramValues {
    const labels = { operation, status };
    let total = 0;
    const buckets = Array.from(counts, (count, at) => {
      total += count;
      const le = BOUNDS[at] ?? "+Inf";
      return { labels: { le, ...labels }, value: total, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: total, metricName: `${this.name}_count` },
    ];
  }
}

function loadLibrary(): Library {
  return loadPackage("prom-client") as Library;
}

let processFigures: Registry | undefined;

/** Metrics of the process, created once: their collector is never released and would keep each node in memory. */
function loadProcessFigures({ Registry, collectDefaultMetrics }: Library): Registry {
  if (processFigures === undefined) {
    processFigures = new Registry();
    collectDefaultMetrics({ register: processFigures, prefix: "sextant_" });
  }
  return processFigures;
}

/** Counts requests and commits, and makes pages of them, of the process's own metrics, and of the given sources. */
export function createMetrics(
  gauges: readonly GaugeSource[],
  histograms: readonly HistogramSource[] = [],
): Metrics {
  const requests = new RequestHistogram();
  let commits = 0;
  let records = 0;
  const counters: readonly GaugeSource[] = [
    {
      name: "sextant_commits_total",
      help: "Commits to the store since the process started",
      read: () => commits,
      isCount: true,
    },
    {
      name: "sextant_records_committed_total",
      help: "Records (versions) committed since the process started",
      read: () => records,
      isCount: true,
    },
  ];
  let made: Registries | undefined;
  const registries = (): Registries => {
    made ??= createRegistries([...counters, ...gauges], [requests, ...histograms]);
    return made;
  };
  return {
    prepare: () => void registries(),
    onRequest: (operation, status, seconds) => requests.count(operation, status, seconds),
    onCommit: (count) => {
      commits++;
      records += count;
    },
    requestCount: () => requests.total,
    page: () => registries().all.metrics(),
    figures: () => registries().all.getMetricsAsJSON(),
    counts: () => registries().counts.getMetricsAsJSON(),
    get contentType() {
      return registries().all.contentType;
    },
  };
}

interface Registries {
  readonly all: Registry;
  /** Only what this process counts. */
  readonly counts: Registry;
}

function createRegistries(
  gauges: readonly GaugeSource[],
  histograms: readonly HistogramSource[],
): Registries {
  const library = loadLibrary();
  const { Counter, Gauge, Registry } = library;
  const counts = new Registry();
  const facts = new Registry();
  for (const source of histograms) counts.registerMetric(toHistogram(library, source));
  for (const { name, help, read, isCount, isShare } of gauges) {
    if (isCount === true) {
      new Counter({
        name,
        help,
        registers: [counts],
        async collect() {
          const count = await read();
          this.reset();
          this.inc(count);
        },
      });
      continue;
    }
    new Gauge({
      name,
      help,
      registers: [facts],
      aggregator: isShare === true ? "sum" : "max",
      async collect() {
        this.set(await read());
      },
    });
  }
  return { all: Registry.merge([loadProcessFigures(library), counts, facts]), counts };
}

/** The source as the library's own kind of histogram. */
function toHistogram({ Histogram }: Library, { name, help, values }: HistogramSource): Histogram {
  const settings = { name, help, registers: [] };
  // Says name, help and kind as the library does.
  const empty = new Histogram(settings);
  const get = async () => ({ ...(await empty.get()), values: values() });
  // The library asks for the values of a text by the second name.
  return Object.assign(new Histogram(settings), { get, getForPromString: get });
}

function join(figures: readonly MetricFigures[]): Registry {
  return loadLibrary().AggregatorRegistry.aggregate(figures.map((one) => [...one]));
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
