// Upstreams whose history differs from ours while a waypoint to come can tell which one is right: finds the difference
// before such an upstream is blamed for it, and audits its history while it follows.
import type { Logger } from "../../base/log.ts";
import { isAccumulatorKnown } from "../../ledger/position.ts";
import { confirmedVersion, type Refutation } from "../../ledger/trust.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import { loadPosition } from "../reading.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import type { PoolEntry, UpstreamPool } from "../upstream/pool.ts";
import type { ExpectedWaypoints } from "../waypoints.ts";
import { auditHistory } from "./audit.ts";
import type { FollowerPace } from "./follower-options.ts";
import { compareRecord, type DifferenceCode } from "./same-ledger.ts";

export interface OtherHistoriesOptions {
  readonly ledger: Store;
  readonly committer: Committer;
  readonly waypoints: ExpectedWaypoints;
  readonly pool: UpstreamPool;
  readonly pace: FollowerPace;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Called when an audit refuted the stored history, and the store says so. */
  readonly onRefuted: (refuted: Refutation) => void;
  /** Called with faults of an audit that are not the upstream's. */
  readonly onFault: (error: unknown) => void;
}

export class OtherHistories {
  readonly #options: OtherHistoriesOptions;
  /** The upstream whose records are known to continue ours, and up to which version. */
  #same: { readonly entry: PoolEntry; readonly version: bigint } | undefined;
  #auditing: Promise<void> | undefined;

  constructor(options: OtherHistoriesOptions) {
    this.#options = options;
  }

  /** What it means that an upstream's record differs from ours. */
  get differenceCode(): DifferenceCode {
    return this.#options.waypoints.isEmpty ? "disagrees" : "other_history";
  }

  /**
   * Throws UpstreamError `other_history` if the upstream has another record of our last version, while a waypoint still
   * to come can tell which is right. Without this, the page after ours would not verify, and an honest upstream would
   * be blamed for the forged history that another one served before.
   */
  async assertSame(entry: PoolEntry): Promise<void> {
    const { ledger, waypoints, pool, pace, signal: stop } = this.#options;
    if (waypoints.isEmpty) return;
    const position = await loadPosition(ledger);
    if (position === undefined || !isAccumulatorKnown(position)) return;
    const { version } = position;
    if (version <= (confirmedVersion(position) ?? -1n)) return;
    if (this.#same?.entry === entry && this.#same.version === version) return;
    const head = await askInTime(pace.slowPageMs, stop, async (signal) => {
      const claimed = await entry.upstream.getHead(signal);
      // An audit needs to know whether the upstream has reached the waypoint.
      pool.noteHead(entry, claimed);
      await compareRecord(ledger, entry.upstream, claimed.version, "other_history", signal);
      return claimed;
    });
    if (head.version >= version) this.noteSame(entry, version);
  }

  /** Notes that an upstream has our history up to a version. */
  noteSame(entry: PoolEntry, version: bigint): void {
    this.#same = { entry, version };
  }

  /** The upstream that is known to have our history up to a version; undefined if none is. */
  sameAt(version: bigint): PoolEntry | undefined {
    return this.#same !== undefined && this.#same.version >= version ? this.#same.entry : undefined;
  }

  /** Finds out, while following goes on, whether an upstream with another history has the one that the next waypoint confirms. */
  audit(entry: PoolEntry): void {
    const { ledger: store, waypoints, pool, logger, signal, onFault } = this.#options;
    const waypoint = waypoints.next;
    const isTooEarly = waypoint === undefined || (entry.head?.version ?? -1n) < waypoint.version;
    if (this.#auditing !== undefined || isTooEarly) return;
    const { upstream } = entry;
    const { pageLimit } = this.#options.pace;
    logger.info(
      { upstream: upstream.name, waypoint: waypoint.version },
      "upstream has another history: checking it",
    );
    this.#auditing = auditHistory({ store, upstream, waypoint, pageLimit, signal })
      .then(async (refuted) => {
        await this.#options.committer.refute(refuted);
        this.#options.onRefuted(refuted);
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        if (error instanceof UpstreamError) pool.fail(entry, toNeutral(error));
        else onFault(error);
      })
      .finally(() => {
        this.#auditing = undefined;
      });
  }

  /** Resolves when no audit runs. */
  async ended(): Promise<void> {
    await this.#auditing;
  }
}

/** An upstream that pruned its early records cannot be audited; that is not a lie. */
function toNeutral(error: UpstreamError): UpstreamError {
  return error.code === "pruned" ? new UpstreamError("other_history", error.message) : error;
}
