// Request latencies by operation and status, as a histogram. Counting is one addition on the request path: the library's
// own histogram checks and joins the labels for every request.
import type { HistogramSource, HistogramValues } from "./metrics.ts";

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

interface Series {
  readonly operation: string;
  readonly status: string;
  /** One per bound, and one for everything above. */
  readonly counts: Float64Array;
  sum: number;
}

/** A histogram that is filled by `count`. */
export class RequestHistogram implements HistogramSource {
  readonly name: string;
  readonly help: string;
  readonly #series = new Map<string, Map<number, Series>>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

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
