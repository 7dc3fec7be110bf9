// The metrics page, and what happened between two readings of it.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One reading of the metrics page. */
export interface Reading {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Parses Prometheus text. */
export function parseMetrics(text: string, atMs: number): Reading {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const match = LINE.exec(line);
    if (match === null) continue;
    const labels: Record<string, string> = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(LABEL)) {
      if (name !== undefined) labels[name] = value ?? "";
    }
    samples.push({ name: match[1] ?? "", labels, value: Number(match[3]) });
  }
  return { atMs, samples };
}

/** Value of a metric without labels. */
export function metricValue(reading: Reading | undefined, name: string): number | undefined {
  return reading?.samples.find((sample) => sample.name === name)?.value;
}

const DURATION = "sextant_http_request_duration_seconds";

/** Requests of one operation in a span of time. */
export interface OperationRate {
  readonly operation: string;
  readonly perSecond: number;
  /** Since the node started. */
  readonly total: number;
  readonly errors: number;
  /** In seconds; undefined without requests. */
  readonly mean: number | undefined;
  /** Upper bound of the bucket that 95 of 100 requests are in. */
  readonly p95: number | undefined;
}

interface Sums {
  count: number;
  sum: number;
  errors: number;
  /** By upper bound. */
  readonly buckets: Map<number, number>;
}

function sumsOf(reading: Reading): Map<string, Sums> {
  const all = new Map<string, Sums>();
  for (const { name, labels, value } of reading.samples) {
    if (!name.startsWith(DURATION)) continue;
    const operation = labels.operation ?? "";
    const sums = all.get(operation) ?? { count: 0, sum: 0, errors: 0, buckets: new Map() };
    all.set(operation, sums);
    if (name.endsWith("_count")) {
      sums.count += value;
      if (Number(labels.status) >= 400) sums.errors += value;
    } else if (name.endsWith("_sum")) sums.sum += value;
    else {
      const bound = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
      sums.buckets.set(bound, (sums.buckets.get(bound) ?? 0) + value);
    }
  }
  return all;
}

/** What came between two readings, the busiest operation first. A node that restarted counts from zero. */
export function operationRates(before: Reading | undefined, now: Reading): OperationRate[] {
  const old = before === undefined ? new Map<string, Sums>() : sumsOf(before);
  const seconds = before === undefined ? Number.NaN : (now.atMs - before.atMs) / 1000;
  const rates = [...sumsOf(now)].map(([operation, sums]): OperationRate => {
    const start = old.get(operation);
    const isFresh = start !== undefined && start.count <= sums.count;
    const count = sums.count - (isFresh ? start.count : 0);
    const since = (bound: number): number =>
      (sums.buckets.get(bound) ?? 0) - (isFresh ? (start.buckets.get(bound) ?? 0) : 0);
    const bounds = [...sums.buckets.keys()].sort((a, b) => a - b);
    const sum = sums.sum - (isFresh ? start.sum : 0);
    return {
      operation,
      perSecond: before === undefined ? 0 : count / seconds,
      total: sums.count,
      errors: sums.errors,
      mean: count === 0 ? undefined : sum / count,
      p95: count === 0 ? undefined : bounds.find((bound) => since(bound) >= 0.95 * count),
    };
  });
  return rates.sort((a, b) => b.perSecond - a.perSecond || b.total - a.total);
}
