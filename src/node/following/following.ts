// Wires a follower: its upstreams, the waypoints proven so far, and the base layer of a ledger that starts in the middle.

import { ConfigError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { isLoopback } from "../../base/loopback.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { isAccumulatorKnown, isWhole, type Position } from "../../ledger/position.ts";
import { confirmedVersion, PROVEN, type Refutation } from "../../ledger/trust.ts";
import { type LedgerView, withView } from "../../ledger/view.ts";
import { formatWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../../sync/committer.ts";
import { type AgreementRule, parseAgreement } from "../../sync/follow/agreement.ts";
import type { CommitProgress } from "../../sync/follow/checked-commits.ts";
import { Follower } from "../../sync/follow/follower.ts";
import { paceOf } from "../../sync/follow/follower-parts.ts";
import type { FollowerStatus } from "../../sync/follow/follower-state.ts";
import { BaseFiller, type FillerStats } from "../../sync/lazy/base-filler.ts";
import { LazyView } from "../../sync/lazy/lazy-view.ts";
import { loadPosition } from "../../sync/reading.ts";
import { mayHaveStates, mayProveItems } from "../../sync/signatures/connect.ts";
import { createFolderUpstream, isFolderUrl, parseFolderUrl } from "../../sync/upstream/folder-upstream.ts";
import { locateBase } from "../../sync/upstream/locate-base.ts";
import {
  type ApiKeyHeader,
  createRestUpstream,
  parseUpstreamUrl,
} from "../../sync/upstream/rest-upstream.ts";
import type { Upstream } from "../../sync/upstream/upstream.ts";
import { isSameWaypoint, loadMatchedWaypoints, waypointOfStored } from "../../sync/waypoints.ts";
import { FOLLOW_NUMBERS, type FollowOptions, type UpstreamApiKey } from "../options/follow-options.ts";
import type { VerifierStarter } from "../store-engine.ts";
import { Proving, type ProvingPlan, type ProvingStatus, planProving } from "./proving.ts";
import { explain, type FollowFacts, Readiness } from "./readiness.ts";
import type { UpstreamSubmissionsOptions } from "./upstream-submissions.ts";

/** Polls of a node for one of a folder, which changes by the hour. */
const FOLDER_POLLS = 20;
const FILL_TIMEOUT_MS = 5_000;
/** How often the node looks whether it is still ready. */
const LOOK_MS = 1_000;

/** Checked options. */
export interface FollowPlan {
  readonly urls: readonly URL[];
  /** In the order of the URLs. */
  readonly apiKeys: readonly (UpstreamApiKey | undefined)[];
  readonly agree: AgreementRule | undefined;
  readonly startVersion: bigint | "latest" | undefined;
  /** Fetches the whole state before a start in the middle. */
  readonly isStateWhole: boolean;
  readonly waypoints: readonly Waypoint[];
  readonly proving: ProvingPlan | undefined;
  /** Commits only what validators signed. */
  readonly isProvenOnly: boolean;
  readonly options: FollowOptions;
}

/** Checks the options before a store is touched. Throws ConfigError. */
export function planFollowing(
  options: FollowOptions,
  waypoints: readonly Waypoint[],
  minTrust?: string | undefined,
): FollowPlan {
  // A caller without types may leave them out.
  const given: readonly string[] | undefined = options.upstreams;
  const urls = (given ?? []).map((url) => parseFolderUrl(url) ?? parseUpstreamUrl(url));
  if (urls.length === 0) throw new ConfigError("follow.upstreams: expected at least one");
  const agree = options.agree === undefined ? undefined : parseAgreement(options.agree);
  if (options.agree !== undefined && agree === undefined) {
    throw new ConfigError(`agree: expected NEEDED/OF such as 2/3, got ${JSON.stringify(options.agree)}`);
  }
  if (agree !== undefined && agree.of !== urls.length) {
    throw new ConfigError(`agree: expected ${agree.of} upstreams, got ${urls.length}`);
  }
  if (agree !== undefined && new Set(urls.map(({ href }) => href)).size < urls.length) {
    throw new ConfigError("agree: expected upstreams with different URLs, got one URL twice");
  }
  const apiKeys = keysOf(urls, options);
  const proving = planProving(options.proofs ?? [], waypoints, options.proofPollTimeMs);
  const isProvenOnly = proving !== undefined && minTrust === PROVEN.kind;
  const folders = urls.filter(isFolderUrl);
  if (folders.length > 0 && proving === undefined) {
    throw new ConfigError(
      `upstream: ${folders[0]?.href} is a backup folder: expected --proofs, which prove what it has`,
    );
  }
  const startVersion = parseStart(options.startVersion);
  const isStateWhole = options.state === "whole";
  if (isStateWhole && (startVersion === undefined || proving === undefined)) {
    throw new ConfigError("state: expected --start-version and --proofs for the whole state");
  }
  if (
    startVersion !== undefined &&
    proving?.targets.some(isStateWhole ? mayHaveStates : mayProveItems) === false
  ) {
    throw new ConfigError(
      isStateWhole
        ? "proofs: expected a node's backup service or a backup folder for the whole state, not only peers"
        : "proofs: expected a node's backup service for a start in the middle, not only folders and peers",
    );
  }
  return { urls, apiKeys, agree, startVersion, isStateWhole, waypoints, proving, isProvenOnly, options };
}

/** A key is for one upstream alone: another could keep it, and so could anyone on the way. */
function keysOf(
  urls: readonly URL[],
  { apiKey, apiKeys = [] }: FollowOptions,
): readonly (UpstreamApiKey | undefined)[] {
  if (apiKey !== undefined && urls.length > 1) {
    throw new ConfigError(
      `apiKey: expected one upstream, got ${urls.length}: give each its own key (apiKeys, or SEXTANT_UPSTREAM_API_KEY_1 for the first)`,
    );
  }
  if (apiKeys.length > urls.length) {
    throw new ConfigError(
      `apiKeys: expected at most ${urls.length}, one per upstream, got ${apiKeys.length}`,
    );
  }
  const keys = urls.map((_, i) => apiKeys[i] ?? apiKey);
  for (const [i, url] of urls.entries()) assertKeyIsSafe("upstream", url, keys[i]);
  return keys;
}

/** Throws ConfigError, which names the option, if a key would be sent over plain http to another machine. */
export function assertKeyIsSafe(
  option: string,
  { protocol, hostname, origin }: URL,
  key: UpstreamApiKey | undefined,
): void {
  if (key === undefined || protocol === "https:" || isLoopback(hostname)) return;
  throw new ConfigError(
    `${option}: ${origin} has an API key, which is not sent over plain http: expected https`,
  );
}

function parseStart(start: string | undefined): bigint | "latest" | undefined {
  if (start === undefined || start === "latest") return start;
  if (!/^\d{1,20}$/.test(start)) {
    throw new ConfigError(`start-version: expected latest or a version, got ${JSON.stringify(start)}`);
  }
  return BigInt(start);
}

export interface FollowingParts {
  readonly store: Store;
  readonly committer: Committer;
  readonly startVerifier?: VerifierStarter | undefined;
  /** The upstream behind a URL; over HTTP unless given. */
  readonly connect?: (url: URL) => Upstream;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onCommit: (progress: CommitProgress) => void;
  /** Called when the store was read and upstreams have nothing new. */
  readonly onRest: () => void;
  readonly onFault: (error: unknown) => void;
  /** True for a transient fault of this node, which it notes: what failed is tried again. */
  readonly mayPass: (error: unknown) => boolean;
}

export class Following {
  readonly #plan: FollowPlan;
  readonly #parts: FollowingParts;
  #follower: Follower | undefined;
  #filler: BaseFiller | undefined;
  #isProven = false;
  /** Of the state that the ledger begins with. */
  #chainId: number | undefined;
  readonly #proving: Proving | undefined;
  /** Found at the start. */
  #refuted: Refutation | undefined;
  #latest: FollowFacts["latest"];
  /** The version that the node started at. */
  #first: bigint | undefined;
  readonly #readiness: Readiness;
  #looking: NodeJS.Timeout | undefined;
  #rate = { sinceMs: performance.now(), records: 0, bytes: 0, recordsPerSecond: 0, bytesPerSecond: 0 };

  constructor(plan: FollowPlan, parts: FollowingParts) {
    this.#plan = plan;
    this.#parts = parts;
    const { readyLagMs = FOLLOW_NUMBERS.readyLagMs.fallback } = plan.options;
    this.#readiness = new Readiness({ readyLagMs, clock: parts.clock ?? Date.now, logger: parts.logger });
    this.#proving = plan.proving && new Proving(plan.proving, parts);
  }

  /** `provenGenesis` is the waypoint that the store's genesis matched, if any. */
  async start(provenGenesis: Waypoint | undefined): Promise<void> {
    const { store, committer, startVerifier, logger, onRest, onFault, mayPass } = this.#parts;
    const { urls, apiKeys, options, agree, startVersion, isStateWhole } = this.#plan;
    if (provenGenesis !== undefined) await committer.noteMatchedWaypoint(provenGenesis);
    const position = await loadPosition(store);
    this.#latest = position;
    this.#first = position?.version;
    const isBase = position === undefined ? startVersion !== undefined && !isStateWhole : !isWhole(position);
    if (isStateWhole && position !== undefined && !isWhole(position)) {
      throw new ConfigError(
        "state: the store began without the whole state, and it cannot be added: use another directory",
      );
    }
    // A refuted history has no records to compare: the mark stands until a rewind.
    const open = position?.refuted === undefined ? await this.#openAnchors(position, isBase) : [];
    await this.#proving?.start();
    // Also below a refuted version: an item that was never fetched is unknown, not absent.
    if (isBase) this.#startFilling(position);
    this.#refuted = (await loadPosition(store))?.refuted;
    if (this.#refuted !== undefined) {
      const { firstVersion, reason } = this.#refuted;
      logger.error(
        { firstVersion, reason },
        "the history stored here is not the network's: nothing is followed",
      );
      return;
    }
    const connect = (url: URL, i: number): Upstream => {
      if (isFolderUrl(url)) return this.#openFolder(url);
      return createRestUpstream(url, {
        upstreamRate: options.upstreamRate ?? FOLLOW_NUMBERS.upstreamRate.fallback,
        apiKey: apiKeyHeader(apiKeys[i]),
        userAgent: USER_AGENT,
      });
    };
    const upstreams = urls.map(this.#parts.connect ?? connect);
    this.#follower = new Follower({
      upstreams,
      committer,
      ledger: store,
      chainId: store.identity?.chainId ?? options.chainId,
      agree,
      waypoints: open,
      logger,
      pace: paceOf(options),
      mayPass,
      startVerifier:
        startVerifier === undefined || options.verifyingProcess === false
          ? undefined
          : ({ version }, signal) => startVerifier(version, committer.verification, signal),
      prepare:
        position === undefined && startVersion !== undefined
          ? async (upstream, ceiling, signal) => {
              const base =
                (await this.#proving?.locate(upstream, startVersion, isStateWhole, signal)) ??
                (await locateBase(upstream, startVersion, ceiling, signal));
              this.#chainId = base.chainId;
              committer.startAt(base);
            }
          : undefined,
      // Otherwise each new block would make the node refuse every answer until the next signature.
      ceiling: this.#plan.isProvenOnly ? () => this.#proving?.ceiling ?? -1n : undefined,
      goal: this.#plan.isProvenOnly ? () => this.#proving?.goal : undefined,
      noteMatch: async (waypoint) => {
        const isGiven = this.#plan.waypoints.some((given) => isSameWaypoint(given, waypoint));
        if (isGiven) await committer.noteMatchedWaypoint(waypoint);
        return isGiven;
      },
      onCommit: (progress) => {
        this.#proving?.committed(progress.position.version);
        this.#latest = progress.position;
        this.#first ??= progress.position.version;
        this.#count(progress);
        this.#parts.onCommit(progress);
        this.#look();
      },
      onRest: () => {
        onRest();
        this.#look();
      },
    });
    this.#proving?.attach(this.#follower);
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
    void this.#follower.faulted.then(onFault);
  }

  #openFolder(url: URL): Upstream {
    const { store } = this.#parts;
    const { chainId, pollTimeMs = FOLLOW_NUMBERS.pollTimeMs.fallback } = this.#plan.options;
    return createFolderUpstream(url, {
      chainId: () => store.identity?.chainId ?? this.#chainId ?? chainId,
      checkSigned: async (signed) => this.#proving?.checkSigned(signed),
      listAgeMs: FOLDER_POLLS * pollTimeMs,
      userAgent: USER_AGENT,
    });
  }

  /** The waypoints of versions still to come. */
  async #openAnchors(position: Position | undefined, isBase: boolean): Promise<readonly Waypoint[]> {
    const { waypoints } = this.#plan;
    const isMiddle = isBase || (position === undefined && this.#plan.startVersion !== undefined);
    if (isMiddle && this.#proving !== undefined) return [];
    if (isBase && waypoints.length > 0) {
      this.#parts.logger.warn(
        { waypoints: waypoints.map(formatWaypoint) },
        "waypoints are not compared: the ledger started in the middle, so this node has no accumulator of its own",
      );
      return [];
    }
    return position === undefined ? waypoints : this.#settleWaypoints(position.version);
  }

  /**
   * Compares the waypoints of stored versions and returns the others. One that contradicts the stored history refutes
   * it; one that contradicts a waypoint that matched throws LedgerError.
   */
  async #settleWaypoints(head: bigint): Promise<readonly Waypoint[]> {
    const { store, committer, logger } = this.#parts;
    const matched = await loadMatchedWaypoints(store);
    const waypoints = [...this.#plan.waypoints].sort((a, b) => (a.version < b.version ? -1 : 1));
    for (const [i, waypoint] of waypoints.entries()) {
      if (waypoint.version > head) return waypoints.slice(i);
      if (matched.some((known) => isSameWaypoint(known, waypoint))) continue;
      const known = matched.find(({ version }) => version === waypoint.version);
      const { position, computed } = await this.#computeWaypoint(waypoint.version);
      if (known === undefined && waypoint.version < position.oldestVersion) {
        // The chain of signatures begins with it.
        if (this.#proving !== undefined) continue;
        logger.warn(
          { waypoint: formatWaypoint(waypoint) },
          "the waypoint proves nothing: its version is pruned",
        );
        continue;
      }
      const found = computed ?? known;
      if (found !== undefined && isSameWaypoint(found, waypoint)) {
        await committer.noteMatchedWaypoint(waypoint);
        continue;
      }
      await this.#refute(position, waypoint, found);
      return [];
    }
    return [];
  }

  async #computeWaypoint(
    version: bigint,
  ): Promise<{ readonly position: Position; readonly computed: Waypoint | undefined }> {
    return withView(this.#parts.store.openView(), async (view) => ({
      position: view.position,
      computed: await waypointOfStored(view, version),
    }));
  }

  async #refute(position: Position, waypoint: Waypoint, found: Waypoint | undefined): Promise<void> {
    const confirmed = confirmedVersion(position) ?? -1n;
    const has =
      found === undefined ? `no block that ends at version ${waypoint.version}` : formatWaypoint(found);
    if (waypoint.version <= confirmed) {
      throw new LedgerError(
        "mismatch",
        `waypoint ${formatWaypoint(waypoint)} contradicts waypoint ${has}, which version ${confirmed} confirms`,
      );
    }
    await this.#parts.committer.refute({
      firstVersion: confirmed + 1n,
      reason: `waypoint ${formatWaypoint(waypoint)} contradicts the history stored here, which has ${has}`,
    });
  }

  #startFilling(position: Position | undefined): void {
    // Without an accumulator signatures prove nothing here, so no item that was not written since either.
    const proven = position === undefined || isAccumulatorKnown(position) ? this.#proving?.state : undefined;
    this.#isProven = proven !== undefined;
    this.#filler = new BaseFiller({
      store: this.#parts.store,
      pool: () => this.#follower?.pool,
      agree: this.#plan.agree,
      proven,
      timeoutMs: FILL_TIMEOUT_MS,
      logger: this.#parts.logger,
    });
  }

  /** Adds the base layer, if there is one. */
  viewOver(view: LedgerView): LedgerView {
    return this.#filler === undefined ? view : new LazyView(view, this.#filler);
  }

  status(): FollowerStatus | undefined {
    if (this.#refuted === undefined) return this.#follower?.status();
    return {
      state: "refuted",
      reason: this.#refuted.reason,
      levelAgeMs: undefined,
      headVersion: undefined,
      headTimestampUsec: undefined,
      upstreams: [],
      records: 0,
      receivedBytes: 0,
    };
  }

  /** Why the node should get no requests now; undefined when it should. */
  unreadyReason(): string | undefined {
    const status = this.status();
    return status && this.#readiness.look({ ...status, reason: explain(status), latest: this.#latest });
  }

  #look(): void {
    const unreadyReason = this.unreadyReason();
    const { headVersion, receivedBytes = 0 } = this.status() ?? {};
    this.#plan.options.onProgress?.({
      firstVersion: this.#first,
      version: this.#latest?.version,
      headVersion,
      receivedBytes,
      unreadyReason,
    });
  }

  /** Undefined without proof sources. */
  provingStatus(): ProvingStatus | undefined {
    return this.#proving?.status();
  }

  /** Items fetched from upstreams; undefined if the whole state is known. */
  fills(): Readonly<FillerStats> | undefined {
    return this.#filler?.stats;
  }

  /** True if items that are fetched on first use come with proofs. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** True if items are fetched from upstreams on first use. */
  get isLazy(): boolean {
    return this.#filler !== undefined;
  }

  /** Records and bytes per second, over the last few seconds. */
  rate(): { readonly recordsPerSecond: number; readonly bytesPerSecond: number } {
    this.#count(undefined);
    return this.#rate;
  }

  #count(progress: CommitProgress | undefined): void {
    const rate = this.#rate;
    rate.records += progress?.records ?? 0;
    rate.bytes += progress?.bytes ?? 0;
    const seconds = (performance.now() - rate.sinceMs) / 1000;
    if (seconds < 5) return;
    this.#rate = {
      sinceMs: performance.now(),
      records: 0,
      bytes: 0,
      recordsPerSecond: rate.records / seconds,
      bytesPerSecond: rate.bytes / seconds,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#proving?.close();
    await this.#follower?.close();
    await this.#filler?.close();
  }
}

/** The upstream that gets submitted transactions, and what it is sent with each; undefined without one. */
export function submissionTargetOf({
  upstreams: [first],
  apiKey,
  apiKeys: [key = apiKey] = [],
  forwardSubmissions,
}: FollowOptions): Pick<UpstreamSubmissionsOptions, "target" | "headers"> | undefined {
  if (forwardSubmissions !== true || first === undefined) return undefined;
  const header = apiKeyHeader(key);
  const headers = { "user-agent": USER_AGENT, ...(header && { [header.name]: header.value }) };
  return { target: parseUpstreamUrl(first), headers };
}

/** The header of a key. */
export function apiKeyHeader(key: UpstreamApiKey | undefined): ApiKeyHeader | undefined {
  if (key === undefined) return undefined;
  const { header, value } = key;
  return header === undefined ? { name: "authorization", value: `Bearer ${value}` } : { name: header, value };
}
