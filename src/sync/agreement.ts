// Agreement between upstreams: before a page is committed, a quorum of upstreams must serve the same bytes for its
// last record. That record's accumulator root commits to every record before it, so one record stands for all.
// The follower logs and sets aside upstreams that serve other bytes.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { decodePage, decodeRecord } from "../ledger/record.ts";
import { pause } from "./upstream/backoff.ts";
import { BeyondHead, UpstreamError } from "./upstream/errors.ts";
import type { PoolEntry, UpstreamPool } from "./upstream/pool.ts";

/** Rounds of asking lagging upstreams again before `confirm` throws NoAgreement. */
const MAX_ROUNDS = 20;

/** Quorum: `needed` of `of` upstreams must agree. */
export interface AgreementRule {
  readonly needed: number;
  readonly of: number;
}

/** A record for the upstreams to agree on. */
export interface Claim {
  readonly version: bigint;
  readonly bytes: Uint8Array;
}

/** Too few upstreams agree to tell which of them is wrong. */
export class NoAgreement extends Error {}

interface Vote {
  readonly entry: PoolEntry;
  readonly bytes: Uint8Array;
  readonly root: Uint8Array;
}

/** Parses `2/3`. */
export function parseAgreement(text: string): AgreementRule | undefined {
  const [needed, of, ...rest] = text
    .split("/")
    .map((part) => (/^\d{1,3}$/.test(part) ? Number.parseInt(part, 10) : 0));
  if (needed === undefined || of === undefined || rest.length > 0) return undefined;
  return needed >= 1 && of >= needed ? { needed, of } : undefined;
}

/** Asks upstreams until enough of them agree. */
export class Agreement {
  readonly #rule: AgreementRule;
  readonly #pool: UpstreamPool;
  readonly #pollMs: number;
  readonly #signal: AbortSignal;

  constructor(rule: AgreementRule, pool: UpstreamPool, pollMs: number, signal: AbortSignal) {
    this.#rule = rule;
    this.#pool = pool;
    this.#pollMs = pollMs;
    this.#signal = signal;
  }

  /**
   * Resolves when a quorum serves the same record as `source`. Throws UpstreamError `disagrees` when a quorum
   * serves another record, and NoAgreement when there is no quorum.
   */
  async confirm(source: PoolEntry, claim: Claim): Promise<void> {
    const sourceVote = voteOf(source, claim.bytes);
    const votes: Vote[] = [sourceVote];
    const unheard = new Set(this.#pool.entries.filter((entry) => entry !== source));
    let winner = this.#winner(votes);
    for (let round = 0; winner === undefined; round++) {
      const asked = [...unheard].filter((entry) => this.#pool.isReady(entry));
      const answered = await this.#round(asked, claim.version, (vote) => {
        votes.push(vote);
        unheard.delete(vote.entry);
        winner ??= this.#winner(votes);
        if (winner !== undefined) this.#blame(winner, [vote], claim.version);
        return winner !== undefined;
      });
      if (winner !== undefined) break;
      // Lagging or resting upstreams may still make a quorum; once all have voted, none is left to.
      const isUndecidable = unheard.size === 0 || (answered === 0 && !this.#canStillAgree(votes, unheard));
      if (isUndecidable || round === MAX_ROUNDS) {
        throw new NoAgreement(this.#describe(votes, claim.version));
      }
      await pause(this.#pollMs, this.#signal);
      this.#signal.throwIfAborted();
    }
    this.#blame(winner, votes, claim.version, source);
    if (!equalBytes(winner.bytes, sourceVote.bytes)) throw disagreement(sourceVote, winner, claim.version);
  }

  /** True while upstreams that have not voted and are not set aside could still complete a quorum. */
  #canStillAgree(votes: readonly Vote[], unheard: ReadonlySet<PoolEntry>): boolean {
    const most = Math.max(...votes.map((vote) => this.#equal(votes, vote)));
    const late = [...unheard].filter((entry) => entry.state !== "set_aside");
    return most + late.length >= this.#rule.needed;
  }

  /** Asks all at once. Resolves with the number of votes when `take` returns true, or when all requests ended. */
  #round(entries: readonly PoolEntry[], version: bigint, take: (vote: Vote) => boolean): Promise<number> {
    return new Promise((resolve) => {
      let open = entries.length;
      let answered = 0;
      if (open === 0) resolve(0);
      for (const entry of entries) {
        this.#ask(entry, version)
          .then((vote) => {
            if (vote === undefined) return;
            answered++;
            if (take(vote)) resolve(answered);
          })
          .finally(() => {
            if (--open === 0) resolve(answered);
          });
      }
    });
  }

  async #ask(entry: PoolEntry, version: bigint): Promise<Vote | undefined> {
    try {
      const page = await entry.upstream.getRecords(version, 1, this.#signal);
      entry.head = page.head;
      return voteOf(entry, onlyRecord(page.bytes, version));
    } catch (error) {
      if (error instanceof BeyondHead) entry.head = error.head;
      else if (error instanceof UpstreamError) this.#pool.fail(entry, error);
      return undefined;
    }
  }

  #equal(votes: readonly Vote[], vote: Vote): number {
    return votes.filter((other) => equalBytes(other.bytes, vote.bytes)).length;
  }

  #winner(votes: readonly Vote[]): Vote | undefined {
    return votes.find((vote) => this.#equal(votes, vote) >= this.#rule.needed);
  }

  /** Sets aside upstreams that voted against the winner, except the source: the follower handles that one. */
  #blame(winner: Vote, votes: readonly Vote[], version: bigint, source?: PoolEntry): void {
    for (const vote of votes) {
      if (vote.entry === source) continue;
      if (equalBytes(vote.bytes, winner.bytes)) {
        if (vote.entry.state !== "set_aside" || source !== undefined) this.#pool.succeed(vote.entry);
      } else if (vote.entry.state !== "set_aside") {
        this.#pool.fail(vote.entry, disagreement(vote, winner, version));
      }
    }
  }

  #describe(votes: readonly Vote[], version: bigint): string {
    const roots = votes.map(
      ({ entry, root }) => `${entry.upstream.name} has root ${toHex(root).slice(0, 16)}…`,
    );
    return `fewer than ${this.#rule.needed} of ${this.#rule.of} upstreams agree at version ${version}: ${roots.join(", ")}`;
  }
}

function disagreement(vote: Vote, winner: Vote, version: bigint): UpstreamError {
  const what = equalBytes(vote.root, winner.root)
    ? "its record differs from the one that other upstreams serve"
    : `its accumulator root is ${toHex(vote.root)}, other upstreams have ${toHex(winner.root)}`;
  return new UpstreamError("disagrees", `at version ${version}: ${what}`);
}

/** Returns the record of a page that must start with `version`. Throws UpstreamError `malformed`. */
export function onlyRecord(page: Uint8Array, version: bigint): Uint8Array {
  try {
    const [record] = decodePage(page);
    if (record?.version === version) return record.bytes;
  } catch (error) {
    throw new UpstreamError("malformed", `version ${version}: the record does not decode`, { cause: error });
  }
  throw new UpstreamError("malformed", `asked for version ${version}, got another version`);
}

function voteOf(entry: PoolEntry, bytes: Uint8Array): Vote {
  return { entry, bytes, root: decodeRecord(bytes).accumulatorRoot };
}
