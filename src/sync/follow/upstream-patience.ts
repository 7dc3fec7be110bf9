// How long upstreams may serve nothing usable before a follower gives up. Failed connections do not count.
import { LedgerError } from "../../ledger/errors.ts";

interface WatchedUpstreams {
  /** True when every upstream is set aside. */
  readonly isUnusable: boolean;
  readonly entries: readonly {
    readonly upstream: { readonly name: string };
    readonly fault: string | undefined;
  }[];
}

export interface UpstreamPatienceOptions {
  readonly pool: WatchedUpstreams;
  readonly giveUpTimeMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export class UpstreamPatience {
  readonly #options: UpstreamPatienceOptions;
  /** When upstreams stopped serving usable data. */
  #unusableSinceMs: number | undefined;
  /** Disputes between upstreams since the last commit. */
  #disputes = 0;

  constructor(options: UpstreamPatienceOptions) {
    this.#options = options;
  }

  get disputes(): number {
    return this.#disputes;
  }

  noteDispute(): void {
    this.#disputes++;
  }

  /** An upstream served: the time begins again with the next fault. */
  noteUse(): void {
    this.#unusableSinceMs = undefined;
  }

  /** Upstreams served what could be committed. */
  noteCommit(): void {
    this.#disputes = 0;
    this.noteUse();
  }

  /** Call after each fault. The error to give up with, once upstreams served nothing usable for too long. */
  check(): LedgerError | undefined {
    const { pool, giveUpTimeMs, clock } = this.#options;
    if (!pool.isUnusable && this.#disputes === 0) {
      this.noteUse();
      return undefined;
    }
    this.#unusableSinceMs ??= clock();
    if (clock() - this.#unusableSinceMs < giveUpTimeMs) return undefined;
    const faults = pool.entries.map(({ upstream, fault }) => `${upstream.name}: ${fault ?? "no fault"}`);
    return new LedgerError("mismatch", `no upstream can be used: ${faults.join("; ")}`);
  }
}
