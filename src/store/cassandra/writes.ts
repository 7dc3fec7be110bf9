// How the writes of a commit are sent. Rows of one partition go together: a node applies them as one mutation, at a
// fraction of the cost of single writes. A few small rows of several partitions go in one request too. A window bounds
// the writes in flight: a slow cluster gets slower if it is asked for more, so the window halves when a write times out or
// is refused, and grows again with successes.

/** A statement with its values. */
export interface Request {
  readonly query: string;
  readonly values: readonly unknown[];
  /** Names the partition of a write: writes of one partition may be sent together. */
  readonly partition?: string | undefined;
}

/** Largest group of one partition. Far below the largest mutation that a node accepts, half a segment of its commit log. */
const OF_PARTITION = { rows: 128, bytes: 64 * 1024 };
/** Largest group of several partitions: nodes warn of more than 10 of them, or of 5 KiB with what a row takes besides. */
const MIXED = { rows: 10, bytes: 4 * 1024 };

interface Group {
  readonly requests: Request[];
  bytes: number;
}

/** The requests in groups of one partition each; small groups go together, because a request costs more than a row. */
export function groupByPartition(requests: readonly Request[]): readonly (readonly Request[])[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const request of requests) {
    const { partition } = request;
    const bytes = sizeOf(request);
    const known = partition === undefined ? undefined : open.get(partition);
    if (known !== undefined && fits(known, 1, bytes, OF_PARTITION)) {
      known.requests.push(request);
      known.bytes += bytes;
      continue;
    }
    const next = { requests: [request], bytes };
    if (partition !== undefined) open.set(partition, next);
    groups.push(next);
  }
  const packed: Group[] = [];
  let mixed: Group | undefined;
  for (const group of groups) {
    if (mixed !== undefined && fits(mixed, group.requests.length, group.bytes, MIXED)) {
      mixed.requests.push(...group.requests);
      mixed.bytes += group.bytes;
      continue;
    }
    packed.push(group);
    if (group.bytes < MIXED.bytes / 2) mixed = group;
  }
  return packed.map(({ requests: together }) => together);
}

function fits(group: Group, rows: number, bytes: number, most: typeof MIXED): boolean {
  return group.requests.length + rows <= most.rows && group.bytes + bytes <= most.bytes;
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
