// Proofs of a follower: asks its sources, and raises or refutes what the store holds by what validators signed.

import { ConfigError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { isAccumulatorKnown } from "../../ledger/position.ts";
import { computeWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { fastestBls } from "../../proof/native-bls.ts";
import type { Store } from "../../store/contract.ts";
import type { Committer } from "../../sync/committer.ts";
import type { Follower } from "../../sync/follow/follower.ts";
import { judgeHistory, provenVersion } from "../../sync/proofs/proven-history.ts";
import { ProvenState } from "../../sync/proofs/proven-state.ts";
import { loadPosition } from "../../sync/reading.ts";
import { connectProofSource, type ProofTarget, parseProofTarget } from "../../sync/signatures/connect.ts";
import { PROOF_NUMBERS, ProofKeeper, type ProofSourceStatus } from "../../sync/signatures/proof-keeper.ts";
import { SignedChain } from "../../sync/signatures/signed-chain.ts";
import type { SignatureSource } from "../../sync/signatures/source.ts";
import { UpstreamError } from "../../sync/upstream/errors.ts";
import type { Upstream } from "../../sync/upstream/upstream.ts";
import type { BaseStart } from "../../sync/verify/verifier.ts";
import { isSameWaypoint } from "../../sync/waypoints.ts";

/** Pause before records are asked for again whose signatures cannot be checked yet. */
const RETRY_MS = 200;

/** Checked options. */
export interface ProvingPlan {
  readonly targets: readonly ProofTarget[];
  /** Where the chain of epochs begins. */
  readonly waypoint: Waypoint;
  readonly pollTimeMs: number;
}

export interface ProvingParts {
  readonly store: Store;
  readonly committer: Committer;
  readonly logger: Logger;
  /** True for a transient fault of this node, which it notes. */
  readonly mayPass: (error: unknown) => boolean;
  readonly onFault: (error: unknown) => void;
}

/** What the sources have led to. */
export interface ProvingStatus {
  readonly sources: readonly ProofSourceStatus[];
  /** The epoch whose validators are known; undefined until a source told of the waypoint's epoch. */
  readonly epoch: bigint | undefined;
  /** The latest version that validators signed. */
  readonly signedVersion: bigint | undefined;
  /** The last version of the store that is proven with everything before it. */
  readonly provenVersion: bigint | undefined;
  readonly receivedBytes: number;
}

/** Checks the options. Throws ConfigError. */
export function planProving(
  urls: readonly string[],
  waypoints: readonly Waypoint[],
  pollTimeMs: number | undefined,
): ProvingPlan | undefined {
  const targets = urls.map((url) => parseProofTarget(url));
  if (targets.length === 0) return undefined;
  // The latest: fewest signatures lead from it to the present.
  const [waypoint] = [...waypoints].sort((a, b) => (a.version > b.version ? -1 : 1));
  if (waypoint === undefined) {
    throw new ConfigError("proofs: expected a waypoint too, where the chain of signatures begins");
  }
  return { targets, waypoint, pollTimeMs: pollTimeMs ?? PROOF_NUMBERS.proofPollTimeMs.fallback };
}

/** Runs from `start` until `close`. */
export class Proving {
  readonly #plan: ProvingPlan;
  readonly #parts: ProvingParts;
  readonly #sources: readonly SignatureSource[];
  #chain: SignedChain | undefined;
  #keeper: ProofKeeper | undefined;
  #state: ProvenState | undefined;
  #follower: Follower | undefined;
  /** The signed version that the follower waits for. */
  #expected: Waypoint | undefined;
  #provenVersion: bigint | undefined;
  /** The signed version that an empty store begins with; -1 if there is none. */
  #begin = -1n;
  /** True while the store has no ledger. */
  #isEmpty = true;
  #isWarned = false;
  /** Comparisons run one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(plan: ProvingPlan, parts: ProvingParts) {
    this.#plan = plan;
    this.#parts = parts;
    const connection = { userAgent: USER_AGENT, chainId: () => this.#chainId() };
    this.#sources = plan.targets.map((target) => connectProofSource(target, connection));
  }

  /** Compares the store with what it keeps, and starts asking for more. */
  async start(): Promise<void> {
    const { store, logger, mayPass, onFault } = this.#parts;
    const { waypoint, pollTimeMs } = this.#plan;
    const chain = await SignedChain.load(store, waypoint, fastestBls());
    this.#chain = chain;
    await this.#compare();
    this.#keeper = new ProofKeeper({
      sources: this.#sources,
      waypoint,
      chain,
      pollTimeMs,
      logger,
      onNews: () => this.#compare(),
      mayPass,
      onFault,
    });
    this.#state = new ProvenState({ chain, keeper: this.#keeper, logger });
  }

  /**
   * Where to begin in the middle; undefined before the start of this part. The follower is told of the next signature, so
   * that its first page is compared with it. Throws NotProvable, UpstreamError.
   */
  async locate(
    upstream: Upstream,
    wanted: bigint | "latest",
    isStateWhole: boolean,
    signal: AbortSignal,
  ): Promise<BaseStart | undefined> {
    const base = isStateWhole
      ? await this.#state?.fetchWhole(this.#parts, wanted, signal)
      : await this.#state?.locate(upstream, wanted, signal);
    if (this.#chain === undefined || base === undefined) return base;
    this.#begin = base.end?.waypoint.version ?? base.version - 1n;
    await this.#expectNext(this.#chain, this.#begin);
    return base;
  }

  /**
   * Checks who signed a ledger info that came with records. What was signed before the chain of epochs begins is confirmed by
   * the waypoint, once it is reached. Throws ProofError, UpstreamError.
   */
  async checkSigned(signed: SignedLedgerInfo): Promise<void> {
    if ((await this.#chain?.judge(signed)) !== "later") return;
    const { epoch } = signed.ledgerInfo;
    throw new UpstreamError("busy", `the validators of epoch ${epoch} are not known yet`, {
      retryAfterMs: RETRY_MS,
    });
  }

  /** The state at ends of epochs; undefined before the start. */
  get state(): ProvenState | undefined {
    return this.#state;
  }

  /** The store's, or what an upstream says until then: a peer of another chain proves nothing. */
  #chainId(): number | undefined {
    const claimed = this.#follower?.pool.entries.find(({ head }) => head !== undefined);
    return this.#parts.store.identity?.chainId ?? claimed?.head?.chainId;
  }

  /** The follower to tell of signed versions to come. */
  attach(follower: Follower): void {
    this.#follower = follower;
    follower.expectSigned(this.#expected);
  }

  /** Compares again once the store has the version that the follower waited for. */
  committed(version: bigint): void {
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    if (!isFirst && (this.#expected === undefined || version < this.#expected.version)) return;
    this.#compare().catch((error: unknown) => {
      if (!this.#parts.mayPass(error)) this.#parts.onFault(error);
    });
  }

  #compare(): Promise<void> {
    this.#turn = this.#turn.catch(() => {}).then(() => this.#compareNow());
    return this.#turn;
  }

  async #compareNow(): Promise<void> {
    const { store, committer, logger } = this.#parts;
    const chain = this.#chain;
    const position = await loadPosition(store);
    if (chain === undefined || position?.refuted !== undefined) return;
    if (position !== undefined && !isAccumulatorKnown(position)) {
      this.#isEmpty = false;
      this.#warnOfNoAccumulator();
      return;
    }
    if (position !== undefined) {
      this.#isEmpty = false;
      const { provenTo, refuted, contradictedAt } = await judgeHistory(store, chain);
      if (provenTo !== undefined) {
        await committer.noteProven(provenTo);
        logger.debug({ version: provenTo }, "signatures prove the history");
      }
      if (refuted !== undefined) {
        await committer.refute(refuted);
        this.#follower?.stopRefuted(refuted, contradictedAt);
        return;
      }
      this.#provenVersion = provenTo ?? provenVersion(position);
    }
    await this.#expectNext(chain, position?.version ?? this.#begin);
    const head = (await loadPosition(store))?.version ?? -1n;
    // Committed meanwhile: nobody would compare it before the next news.
    if (this.#expected !== undefined && head >= this.#expected.version) await this.#compareNow();
  }

  /** What the follower commits cannot be compared with signatures: it would blame upstreams for that. */
  #warnOfNoAccumulator(): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#parts.logger.warn(
      {},
      "signatures prove nothing here: the ledger started in the middle without proofs, so this node has no accumulator of its own; an empty directory would have one",
    );
  }

  /** Tells the follower of the next signed version, so that it refuses another history there. */
  async #expectNext(chain: SignedChain, head: bigint): Promise<void> {
    // What the waypoint itself names is anchored, not signed.
    const start = chain.startVersion ?? -1n;
    const signed = await chain.firstAbove(head < start ? start : head);
    const next = signed && computeWaypoint(signed.ledgerInfo);
    const before = this.#expected;
    if (next !== undefined && before !== undefined && isSameWaypoint(next, before)) return;
    // The follower is on its way to the one before: if a newer one took its place, nothing would prove what is committed.
    if (
      before !== undefined &&
      before.version > head &&
      (next === undefined || before.version <= next.version)
    )
      return;
    this.#expected = next;
    this.#follower?.expectSigned(next);
  }

  /** The last version that may be committed if everything must be signed; -1 for none. */
  get ceiling(): bigint {
    if (this.#isEmpty) return this.#chain?.latest?.ledgerInfo.version ?? -1n;
    return this.#expected?.version ?? -1n;
  }

  /**
   * The version that commits must lead to if everything must be signed. An empty store has none: it answers nothing yet, and
   * may begin below.
   */
  get goal(): bigint | undefined {
    return this.#isEmpty ? undefined : this.#expected?.version;
  }

  status(): ProvingStatus {
    return {
      sources: this.#keeper?.sources() ?? [],
      epoch: this.#chain?.epoch,
      signedVersion: this.#chain?.latest?.ledgerInfo.version,
      provenVersion: this.#provenVersion,
      receivedBytes: this.#keeper?.receivedBytes ?? 0,
    };
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    await this.#turn.catch(() => {});
    if (this.#keeper === undefined) for (const source of this.#sources) source.close();
  }
}
