// The node's metrics as Prometheus text. Counting on the request path is an addition; everything else is read for each page.
// Figures of several processes are merged: counters, histograms and shares are summed; facts about the whole node take the
// maximum, because a process that does not know them reports 0.
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** One line of a metric: what follows the metric's name, and the value. */
export interface Sample {
  /** As in `_bucket{le="1"}`; empty for a metric of one value. */
  readonly suffix: string;
  readonly value: number;
}

/** A metric, by what its figures of several processes make together: facts their maximum, all others their sum. */
interface Described {
  /** Without the prefix that all have. Counts end with `_total`. */
  readonly name: string;
  readonly help: string;
  /** A `count` and a `histogram` survive the exit of a worker. */
  readonly kind: "fact" | "share" | "count" | "histogram";
}

export interface MetricSource extends Described {
  readonly samples: () => MaybePromise<readonly Sample[]>;
}

interface Metric extends Described {
  readonly samples: readonly Sample[];
}

type ReadOne = () => MaybePromise<number>;

const ofOneValue =
  (kind: Described["kind"]) =>
  (name: string, help: string, read: ReadOne): MetricSource => ({
    name,
    help,
    kind,
    samples: async () => [{ suffix: "", value: await read() }],
  });

export const fact: ReturnType<typeof ofOneValue> = ofOneValue("fact");
export const share: ReturnType<typeof ofOneValue> = ofOneValue("share");
export const count: ReturnType<typeof ofOneValue> = ofOneValue("count");

/** Reads a number; zero where the system does not have it. */
export function orZero(read: () => number): () => number {
  return () => {
    try {
      return read();
    } catch {
      return 0;
    }
  };
}

/** All metrics of one process, to be merged with those of others. */
export type MetricFigures = readonly Metric[];

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
}

/** The lines of one series of a histogram; `counts` has one more than `bounds`, for everything above. */
export function histogramSamples(
  bounds: readonly number[],
  counts: ArrayLike<number>,
  sum: number,
  labels = "",
): readonly Sample[] {
  const own = labels === "" ? "" : `{${labels}}`;
  const others = labels === "" ? "" : `,${labels}`;
  let total = 0;
  const buckets = Array.from(counts, (count, at) => {
    total += count;
    return { suffix: `_bucket{le="${bounds[at] ?? "+Inf"}"${others}}`, value: total };
  });
  return [...buckets, { suffix: `_sum${own}`, value: sum }, { suffix: `_count${own}`, value: total }];
}

/** One series of a histogram: how many times took how long. */
export class Durations {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** Bounds are the upper ones of the buckets, in seconds. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(seconds: number): void {
    let at = 0;
    while (at < this.#bounds.length && seconds > (this.#bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(labels: string): readonly Sample[] {
    return histogramSamples(this.#bounds, this.#counts, this.#sum, labels);
  }
}

const PREFIX = "sextant_";
const REQUESTS = "http_request_duration_seconds";

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

/** Request latencies by operation and status. */
class RequestHistogram implements MetricSource {
  readonly name = REQUESTS;
  readonly help = "Time from the parsed request head to the end of the response";
  readonly kind = "histogram";
  readonly #series = new Map<string, Map<number, Durations>>();

  /** Counts one request. */
  count(operation: string, status: number, seconds: number): void {
    const series = this.#series.get(operation)?.get(status) ?? this.#addSeries(operation, status);
    series.add(seconds);
  }

  readonly samples = (): readonly Sample[] =>
    [...this.#series].flatMap(([operation, byStatus]) =>
      [...byStatus].flatMap(([status, series]) =>
        series.samples(`operation="${operation}",status="${status}"`),
      ),
    );

  #addSeries(operation: string, status: number): Durations {
    const series = new Durations(BOUNDS);
    const byStatus = this.#series.get(operation) ?? new Map<number, Durations>();
    this.#series.set(operation, byStatus.set(status, series));
    return series;
  }
}

/** Counts requests and commits, and makes pages of them and of the given sources. */
export function createMetrics(given: readonly MetricSource[]): Metrics {
  const requests = new RequestHistogram();
  let commits = 0;
  let records = 0;
  const sources: readonly MetricSource[] = [
    requests,
    count("commits_total", "Commits to the store since the process started", () => commits),
    count("records_committed_total", "Records (versions) committed since the process started", () => records),
    ...given,
  ];
  const figures = (): Promise<MetricFigures> => Promise.all(sources.map(readMetric));
  return {
    onRequest: (operation, status, seconds) => requests.count(operation, status, seconds),
    onCommit: (added) => {
      commits++;
      records += added;
    },
    requestCount: () => responsesIn(requests.samples()),
    page: async () => toPage(await figures()),
    figures,
    counts: () => Promise.all(onlyCounts(sources).map(readMetric)),
  };
}

async function readMetric({ name, help, kind, samples }: MetricSource): Promise<Metric> {
  return { name, help, kind, samples: await samples() };
}

/** As the text format calls them. */
const TYPES = { fact: "gauge", share: "gauge", count: "counter", histogram: "histogram" } as const;

function toPage(figures: MetricFigures): string {
  return figures
    .map(({ name, help, kind, samples }) => {
      const full = `${PREFIX}${name}`;
      const lines = samples.map(({ suffix, value }) => `${full}${suffix} ${value}\n`).join("");
      return `# HELP ${full} ${help}\n# TYPE ${full} ${TYPES[kind]}\n${lines}`;
    })
    .join("\n");
}

/** Merges the metrics of several processes. */
export function addFigures(figures: readonly MetricFigures[]): MetricFigures {
  const merged = new Map<string, { readonly metric: Metric; readonly values: Map<string, number> }>();
  for (const metric of figures.flat()) {
    const { values } = merged.get(metric.name) ?? { values: new Map<string, number>() };
    merged.set(metric.name, { metric, values });
    for (const { suffix, value } of metric.samples) {
      const before = values.get(suffix) ?? 0;
      values.set(suffix, metric.kind === "fact" ? Math.max(before, value) : before + value);
    }
  }
  return [...merged.values()].map(({ metric, values }) => ({
    ...metric,
    samples: [...values].map(([suffix, value]) => ({ suffix, value })),
  }));
}

/** The metrics page of several processes. */
export function figuresPage(figures: readonly MetricFigures[]): string {
  return toPage(addFigures(figures));
}

function responsesIn(samples: readonly Sample[]): number {
  return samples.reduce((sum, { suffix, value }) => (suffix.startsWith("_count") ? sum + value : sum), 0);
}

/** Responses in the figures of a process. */
export function requestsIn(figures: MetricFigures): number {
  return responsesIn(figures.find(({ name }) => name === REQUESTS)?.samples ?? []);
}

/** What survives the exit of a worker. */
export function onlyCounts<M extends Described>(metrics: readonly M[]): readonly M[] {
  return metrics.filter(({ kind }) => kind === "count" || kind === "histogram");
}
