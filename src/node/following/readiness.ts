// Whether a follower should get requests: derived from when it was last level with the head that upstreams claimed, and
// from the time of its own latest block. Either bounds how old its answers can be; no upstream's claim about time does.

import type { Logger } from "../../base/log.ts";
import { USEC_PER_MS } from "../../base/numbers.ts";
import { spanText } from "../../base/settings.ts";
import type { FollowerStatus, FollowState } from "../../sync/follow/follower-state.ts";

/** What a follower's readiness is derived from. */
export interface FollowFacts extends Pick<FollowerStatus, "state" | "reason" | "levelAgeMs" | "headVersion"> {
  /** Our own latest block; undefined without a ledger. */
  readonly latest: { readonly version: bigint; readonly timestampUsec: bigint } | undefined;
}

/** Why a follower does not move: its reason, and the last faults of the upstreams that are not in use. */
export function explain({ reason, upstreams }: FollowerStatus): string | undefined {
  const faults = upstreams.flatMap(({ name, state, fault }) =>
    state === "ok" || fault === undefined ? [] : [`${name}: ${fault}`],
  );
  const parts = [...(reason === undefined ? [] : [reason]), ...faults];
  return parts.length === 0 ? undefined : parts.join("; ");
}

export interface ReadinessOptions {
  /** How old the answers may be. */
  readonly readyLagMs: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly logger: Logger;
}

/** States in which the age of the ledger does not matter. */
const NEVER_READY: readonly FollowState[] = ["ahead_of_upstreams", "refuted", "faulted"];

/**
 * Remembers whether the node was ready, and logs each change once. A node that fell behind is ready again at the head, or
 * at half the allowed lag: else one that hovers about the limit would change with every block.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  #isReady = false;
  #wasReady = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Why the node is not ready; undefined when it is. */
  look(facts: FollowFacts): string | undefined {
    const reason = this.#reasonOf(facts);
    const isReady = reason === undefined;
    if (isReady === this.#isReady) return reason;
    this.#isReady = isReady;
    const { logger } = this.#options;
    if (isReady) logger.info({ version: facts.latest?.version, state: facts.state }, "the node is ready");
    else logger.warn({ reason }, "the node is not ready any more");
    this.#wasReady = true;
    return reason;
  }

  #reasonOf(facts: FollowFacts): string | undefined {
    const { state, reason, latest } = facts;
    if (NEVER_READY.includes(state)) return reason ?? state;
    if (latest === undefined) return reason === undefined ? "no ledger yet" : `no ledger yet: ${reason}`;
    const { readyLagMs } = this.#options;
    const allowedMs = this.#wasReady && !this.#isReady ? readyLagMs / 2 : readyLagMs;
    if (state === "at_head" || this.#ageMs(facts) <= allowedMs) return undefined;
    return [distanceText(facts), this.#ageText(facts), reason]
      .filter((part) => part !== undefined)
      .join("; ");
  }

  /** How old an answer can be at most. A block from the future says nothing. */
  #ageMs({ latest, levelAgeMs = Number.POSITIVE_INFINITY }: FollowFacts): number {
    const blockAgeMs = this.#options.clock() - Number((latest?.timestampUsec ?? 0n) / USEC_PER_MS);
    return blockAgeMs < -this.#options.readyLagMs
      ? levelAgeMs
      : Math.min(Math.max(blockAgeMs, 0), levelAgeMs);
  }

  #ageText(facts: FollowFacts): string {
    const { readyLagMs } = this.#options;
    return `its ledger may be ${spanText(this.#ageMs(facts))} old, more than the ready-lag of ${spanText(readyLagMs)}`;
  }
}

function distanceText({ latest, headVersion }: FollowFacts): string {
  if (latest === undefined || headVersion === undefined) return "the node does not know the head";
  const behind = headVersion - latest.version;
  return behind > 0n
    ? `the node is ${behind} versions behind`
    : "the node does not know whether it is at the head";
}
