// Request latencies by operation and status, as a histogram. Counting is one addition on the request path: the library's
// own histogram checks and joins the labels for every request.
import { Histogram } from "prom-client";

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

interface Series {
  readonly operation: string;
  readonly status: string;
  /** One per bound, and one for everything above. */
  readonly counts: Float64Array;
  sum: number;
}

type Values = Awaited<ReturnType<Histogram["get"]>>;

/** A histogram that is filled by `count`. */
export class RequestHistogram extends Histogram {
  readonly #name: string;
  /** Says name, help and kind as the library does. */
  readonly #empty: Histogram;
  readonly #series = new Map<string, Map<number, Series>>();

  constructor(name: string, help: string) {
    super({ name, help, registers: [], buckets: [...BOUNDS] });
    this.#name = name;
    this.#empty = new Histogram({ name, help, registers: [] });
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

  override async get(): Promise<Values> {
    const empty = await this.#empty.get();
    const values: Values["values"] = [];
    for (const byStatus of this.#series.values()) {
      for (const series of byStatus.values()) values.push(...this.#valuesOf(series));
    }
    return { ...empty, values };
  }

  /** The library asks for the text's values by this name where a histogram has it. */
  getForPromString(): Promise<Values> {
    return this.get();
  }

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

  #valuesOf({ operation, status, counts, sum }: Series): Values["values"] {
    const labels = { operation, status };
    let total = 0;
    const buckets = Array.from(counts, (count, at) => {
      total += count;
      const le = BOUNDS[at] ?? "+Inf";
      return { labels: { le, ...labels }, value: total, metricName: `${this.#name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.#name}_sum` },
      { labels, value: total, metricName: `${this.#name}_count` },
    ];
  }
}
