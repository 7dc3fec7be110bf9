// Upstreams whose history differs from ours while a waypoint to come can tell which one is right: finds the difference
// before such an upstream is blamed for it, and audits its history while it follows. An audit recomputes that history from
// the last confirmed version up to the waypoint: a match proves the upstream right, and our own history wrong.

import { equalBytes } from "../../base/bytes.ts";
import { firstPassing } from "../../base/search.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { isAccumulatorKnown, type Position } from "../../ledger/position.ts";
import { ALL_TRUSTED, confirmedVersion, type Refutation } from "../../ledger/trust.ts";
import { withView } from "../../ledger/view.ts";
import { formatWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { Store } from "../../store/contract.ts";
import { accumulatorOf } from "../maintenance/kept-accumulator.ts";
import { copyRecord, loadPosition } from "../reading.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import type { PoolEntry } from "../upstream/pool.ts";
import { explainUnverified, readOne, readPage } from "../upstream/record-pages.ts";
import type { RecordSource, Upstream } from "../upstream/upstream.ts";
import { Verifier } from "../verify/verifier.ts";
import { isSameWaypoint, waypointOfBlock } from "../waypoints.ts";
import type { FollowerParts } from "./follower-parts.ts";
import { compareRecord, type DifferenceCode } from "./same-ledger.ts";

/** What an audit reads. */
interface AuditOptions {
  readonly store: Store;
  readonly upstream: RecordSource & Pick<Upstream, "name">;
  readonly waypoint: Waypoint;
  /** Records per page. */
  readonly pageLimit: number;
  readonly signal: AbortSignal;
}

/**
 * Returns what the upstream's history refutes of ours. Throws UpstreamError `unverified` if it does not lead to the
 * waypoint, and any other UpstreamError if it could not be read. Holds one page and one open block in memory.
 */
async function auditHistory(options: AuditOptions): Promise<Refutation> {
  const { store, upstream, waypoint } = options;
  const position = await withView(store.openView(), (view) => view.position);
  const confirmed = confirmedVersion(position);
  const start = confirmed === undefined ? undefined : await confirmedPosition(options, position, confirmed);
  await assertLeadsTo(options, start);
  const first = await firstDifference(options, position);
  const firstVersion = first ?? (confirmed === undefined ? 0n : confirmed + 1n);
  return {
    firstVersion,
    reason: `waypoint ${formatWaypoint(waypoint)} confirms the history that ${upstream.name} serves, which differs from the one stored here from version ${firstVersion} on`,
  };
}

/** The position after a confirmed version: of that version itself, or of genesis if its records are pruned. */
async function confirmedPosition(
  { store, signal }: AuditOptions,
  position: Position,
  confirmed: bigint,
): Promise<Position | undefined> {
  const accumulator =
    confirmed === 0n ? undefined : await accumulatorOf(store, position, confirmed + 1n, signal);
  const block = await withView(store.openView(), (view) => view.getBlockByVersion(confirmed));
  if (accumulator === undefined || block?.lastVersion !== confirmed)
    return genesisOf(position, store.identity);
  return {
    ...position,
    version: confirmed,
    timestampUsec: block.timestampUsec,
    epoch: block.epoch,
    blockHeight: block.height,
    accumulator,
    stateRoot: undefined,
  };
}

/** The position after a genesis that is confirmed. */
function genesisOf(position: Position, identity: Store["identity"]): Position | undefined {
  if (identity === undefined) return undefined;
  return {
    ...ALL_TRUSTED,
    chainId: position.chainId,
    version: 0n,
    timestampUsec: 0n,
    epoch: 0n,
    blockHeight: 0n,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: 1n, frozen: [identity.genesisHash] },
    stateRoot: undefined,
  };
}

async function assertLeadsTo(options: AuditOptions, genesis: Position | undefined): Promise<void> {
  const { upstream, waypoint, pageLimit, signal } = options;
  const verifier = new Verifier(genesis);
  for (;;) {
    signal.throwIfAborted();
    const { bytes, records } = await readPage(upstream, verifier.nextVersion, pageLimit, signal);
    for (const record of records) {
      let block: ReturnType<Verifier["push"]>;
      try {
        block = verifier.push(record);
      } catch (error) {
        throw explainUnverified(error, [bytes]);
      }
      if (record.version < waypoint.version) continue;
      if (block !== undefined && isSameWaypoint(waypointOfBlock(block), waypoint)) return;
      throw new UpstreamError(
        "unverified",
        `the history that it serves does not lead to waypoint ${formatWaypoint(waypoint)}`,
      );
    }
  }
}

/** The first of our stored versions that the upstream has otherwise; undefined if the difference begins before them. */
async function firstDifference(
  { store, upstream, signal }: AuditOptions,
  { oldestVersion, version }: Position,
): Promise<bigint | undefined> {
  const isDifferent = async (at: bigint): Promise<boolean> => {
    const own = await readRecord(store, at);
    const theirs = await readOne(upstream, at, signal);
    return own === undefined || !equalBytes(own, theirs.bytes);
  };
  // A record's accumulator root commits to all before it: once two histories differ, they never meet again.
  const low = await firstPassing(oldestVersion, version, isDifferent);
  return low === oldestVersion && oldestVersion > 0n ? undefined : low;
}

async function readRecord(store: AuditOptions["store"], version: bigint): Promise<Uint8Array | undefined> {
  try {
    return await withView(store.openView(), (view) => copyRecord(view, version));
  } catch (error) {
    // The pruner removed it meanwhile.
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}

export class OtherHistories {
  readonly #parts: FollowerParts;
  readonly #onRefuted: (refuted: Refutation) => void;
  /** The upstream whose records are known to continue ours, and up to which version. */
  #same: { readonly entry: PoolEntry; readonly version: bigint } | undefined;
  #auditing: Promise<void> | undefined;

  /** `onRefuted` is called when an audit refuted the stored history, and the store says so. */
  constructor(parts: FollowerParts, onRefuted: (refuted: Refutation) => void) {
    this.#parts = parts;
    this.#onRefuted = onRefuted;
  }

  /** What it means that an upstream's record differs from ours. */
  get differenceCode(): DifferenceCode {
    return this.#parts.waypoints.isEmpty ? "disagrees" : "other_history";
  }

  /**
   * Throws UpstreamError `other_history` if the upstream has another record of our last version, while a waypoint still
   * to come can tell which is right. Without this, the page after ours would not verify, and an honest upstream would
   * be blamed for the forged history that another one served before.
   */
  async assertSame(entry: PoolEntry): Promise<void> {
    const { ledger, waypoints, pool, pace, signal: stop } = this.#parts;
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
    const { ledger: store, waypoints, pool, logger, signal, onFault } = this.#parts;
    const waypoint = waypoints.next;
    const isTooEarly = waypoint === undefined || (entry.head?.version ?? -1n) < waypoint.version;
    if (this.#auditing !== undefined || isTooEarly) return;
    const { upstream } = entry;
    const { pageLimit } = this.#parts.pace;
    logger.info(
      { upstream: upstream.name, waypoint: waypoint.version },
      "upstream has another history: checking it",
    );
    this.#auditing = auditHistory({ store, upstream, waypoint, pageLimit, signal })
      .then(async (refuted) => {
        await this.#parts.committer.refute(refuted);
        this.#onRefuted(refuted);
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
