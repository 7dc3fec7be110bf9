// How the writes of a commit are sent. Rows of one partition go together: a node applies them as one mutation, at a
// fraction of the cost of single writes. A window bounds the writes in flight: a slow cluster gets slower if it is asked
// for more, so the window halves when a write times out or is refused, and grows again with successes.

/** A statement with its values. */
export interface Request {
  readonly query: string;
  readonly values: readonly unknown[];
  /** Names the partition of a write: writes of one partition may be sent together. */
  readonly partition?: string | undefined;
}

/** Largest group. Far below the largest mutation that a node accepts, half a segment of its commit log. */
const GROUP_ROWS = 128;
const GROUP_BYTES = 64 * 1024;

interface Group {
  readonly requests: Request[];
  bytes: number;
}

/** The requests in groups of one partition each. Requests without a partition stay alone. */
export function groupByPartition(requests: readonly Request[]): readonly (readonly Request[])[] {
  const groups: Request[][] = [];
  const open = new Map<string, Group>();
  for (const request of requests) {
    const { partition } = request;
    if (partition === undefined) {
      groups.push([request]);
      continue;
    }
    const bytes = sizeOf(request);
    const group = open.get(partition);
    if (group !== undefined && group.requests.length < GROUP_ROWS && group.bytes + bytes <= GROUP_BYTES) {
      group.requests.push(request);
      group.bytes += bytes;
      continue;
    }
    const next = { requests: [request], bytes };
    open.set(partition, next);
    groups.push(next.requests);
  }
  return groups;
}

function sizeOf({ values }: Request): number {
  let bytes = 0;
  for (const value of values) if (Buffer.isBuffer(value)) bytes += value.length;
  return bytes;
}

/** A window never shrinks below this, so that the work goes on. */
const MIN_WINDOW = 4;
/** Writes that were sent together fail together, and count once. */
const SHRINK_PAUSE_MS = 1000;

export class WriteWindow {
  readonly #max: number;
  readonly #now: () => number;
  #limit: number;
  #inFlight = 0;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#limit = max;
    this.#now = now;
  }

  /** Writes that may be in flight. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** True while the cluster has not recovered from its last failure. */
  get isReduced(): boolean {
    return this.limit < this.#max;
  }

  /** Runs a write when there is room. */
  async run(write: () => Promise<void>): Promise<void> {
    while (this.#inFlight >= this.limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight++;
    try {
      await write();
      this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    } finally {
      this.#inFlight--;
      for (let room = this.limit - this.#inFlight; room > 0; room--) this.#waiting.shift()?.();
    }
  }

  /** Called when a write timed out or was refused. */
  shrink(): void {
    const now = this.#now();
    if (now - this.#shrunkAtMs < SHRINK_PAUSE_MS) return;
    this.#shrunkAtMs = now;
    this.#limit = Math.min(this.#max, Math.max(MIN_WINDOW, this.#limit / 2));
  }
}
