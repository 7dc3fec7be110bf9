// The node's metrics in Prometheus format. Counters on the request path are plain numbers; gauges are read for each page.
// Several processes are merged: counters are summed; facts about the whole node take the maximum, because a process that
// does not know them reports 0.
//
// Nodes that serve nothing never load the library, which takes a tenth of their start.
import type { Histogram, Registry } from "prom-client";
import { loadPackage } from "../base/load-package.ts";
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
  const requests = new RequestHistogram(
    REQUESTS,
    "Time from the parsed request head to the end of the answer",
  );
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
