// Agreement between upstreams: before blocks are committed, a quorum of upstreams must serve the same bytes for every
// record that our own accumulator does not confirm. The follower logs and sets aside upstreams that serve other bytes.
// A quorum votes on one question: what enough upstreams give alike wins, and who gave something else is judged, also by
// an answer that comes later.
import { createHash } from "node:crypto";
import { equalBytes } from "../../base/bytes.ts";
import { pause, untilEnough } from "../../base/wait.ts";
import { isAccumulatorKnown } from "../../ledger/position.ts";
import type { TrustLevel } from "../../ledger/trust.ts";
import type { RawRecord } from "../../store/contract.ts";
import { askInTime, BeyondHead, UpstreamError } from "../upstream/errors.ts";
import type { PoolEntry, UpstreamPool } from "../upstream/pool.ts";
import { readPage } from "../upstream/record-pages.ts";
import type { VerifiedBlock } from "../verify/verifier.ts";

export interface QuorumVote {
  readonly entry: PoolEntry;
}

interface QuorumOptions<Vote extends QuorumVote> {
  /** Votes alike that win. */
  readonly needed: number;
  readonly isSame: (a: Vote, b: Vote) => boolean;
  /** Called once for every vote, as soon as there is a winner. */
  readonly judge: (vote: Vote, winner: Vote) => void;
}

export class Quorum<Vote extends QuorumVote> {
  readonly votes: Vote[] = [];
  readonly #options: QuorumOptions<Vote>;
  #winner: Vote | undefined;

  constructor(options: QuorumOptions<Vote>) {
    this.#options = options;
  }

  get winner(): Vote | undefined {
    return this.#winner;
  }

  /** Most votes that are alike. */
  get most(): number {
    return Math.max(0, ...this.votes.map((vote) => this.#count(vote)));
  }

  add(vote: Vote): void {
    const { needed, judge } = this.#options;
    this.votes.push(vote);
    if (this.#winner !== undefined) {
      judge(vote, this.#winner);
    } else if (this.#count(vote) >= needed) {
      this.#winner = vote;
      for (const given of this.votes) judge(given, vote);
    }
  }

  /** Asks all at once; undefined is no vote. Resolves when there is a winner, or when all have answered. Rejects as `ask` does. */
  ask(entries: readonly PoolEntry[], ask: (entry: PoolEntry) => Promise<Vote | undefined>): Promise<void> {
    const asked = entries.map(async (entry) => {
      const vote = await ask(entry);
      if (vote !== undefined) this.add(vote);
    });
    return untilEnough(asked, () => this.#winner !== undefined);
  }

  #count(vote: Vote): number {
    return this.votes.filter((other) => this.#options.isSame(vote, other)).length;
  }
}

/** Rounds of asking lagging upstreams again before `confirm` throws NoAgreement. */
const MAX_ROUNDS = 20;
/** Records per question. */
const PAGE_LIMIT = 100n;
/** For all the records that one upstream is asked for in a round. */
const ROUND_DEADLINE_MS = 60_000;

/** Quorum: `needed` of `of` upstreams must agree. */
export interface AgreementRule {
  readonly needed: number;
  readonly of: number;
}

/** The level that agreement earns; undefined without a rule, and if the rule takes one upstream's word. */
export function levelOfRule(rule: AgreementRule | undefined): TrustLevel | undefined {
  return rule === undefined || rule.needed < 2 ? undefined : { kind: "agreed", ...rule };
}

/** Consecutive records of one chain for the upstreams to agree on. */
export interface PageClaim {
  readonly chainId: number;
  readonly records: readonly RawRecord[];
}

/**
 * What upstreams must agree on before blocks are committed. The last record's accumulator root commits to every record
 * before it, but only if it is the root of our own accumulator; otherwise every record is compared.
 */
function pageClaimOf(blocks: readonly VerifiedBlock[]): PageClaim | undefined {
  const last = blocks.at(-1);
  if (last === undefined) return undefined;
  const { chainId } = last.position;
  const records = isAccumulatorKnown(last.position)
    ? last.records.slice(-1)
    : blocks.flatMap((block) => block.records);
  return { chainId, records };
}

/** Too few upstreams agree to tell which of them is wrong. */
export class NoAgreement extends Error {
  /** False if those that answered agree, and the others did not answer. */
  readonly isDispute: boolean;

  constructor(message: string, isDispute: boolean) {
    super(message);
    this.isDispute = isDispute;
  }
}

interface Vote extends QuorumVote {
  /** Chain id and digest of the records. */
  readonly ballot: string;
  /** First version at which its records differ from the claim. */
  readonly differsAt: bigint | undefined;
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
   * Resolves when a quorum serves the same records as `source`. Throws UpstreamError `disagrees` when a quorum
   * serves other records, and NoAgreement when there is no quorum.
   */
  async confirm(source: PoolEntry, claim: PageClaim): Promise<void> {
    const sourceVote = ownVote(source, claim);
    const quorum = new Quorum<Vote>({
      needed: this.#rule.needed,
      isSame: (a, b) => a.ballot === b.ballot,
      judge: (vote, winner) => {
        if (vote.entry === source) return;
        if (vote.ballot === winner.ballot) this.#pool.succeed(vote.entry);
        // Sets aside an upstream that voted against the winner.
        else this.#pool.fail(vote.entry, disagreement(vote.differsAt ?? winner.differsAt, claim));
      },
    });
    quorum.add(sourceVote);
    const isOpen = (entry: PoolEntry): boolean => !quorum.votes.some((vote) => vote.entry === entry);
    for (let round = 0; quorum.winner === undefined; round++) {
      const asked = this.#pool.voters.filter((entry) => isOpen(entry) && this.#pool.isReady(entry));
      await quorum.ask(asked, (entry) => this.#ask(entry, claim));
      if (quorum.winner !== undefined) break;
      // Lagging or resting upstreams may still make a quorum.
      const { most, votes } = quorum;
      const open = this.#pool.voters.filter(isOpen).length;
      if (most + open < this.#rule.needed || round === MAX_ROUNDS) {
        throw new NoAgreement(this.#describe(votes, claim), most < votes.length);
      }
      await pause(this.#pollMs, this.#signal);
      this.#signal.throwIfAborted();
    }
    const { winner } = quorum;
    if (winner.ballot !== sourceVote.ballot) throw disagreement(winner.differsAt, claim);
  }

  /** Confirms blocks of a source; returns the level that agreement earns. Throws as `confirm`. */
  async check(blocks: readonly VerifiedBlock[], source: PoolEntry): Promise<TrustLevel | undefined> {
    const claim = pageClaimOf(blocks);
    if (claim === undefined) return undefined;
    await this.confirm(source, claim);
    return levelOfRule(this.#rule);
  }

  /** Reads the same records from another upstream, page by page, and keeps only their digest. */
  async #ask(entry: PoolEntry, claim: PageClaim): Promise<Vote | undefined> {
    const ballot = new Ballot(claim);
    try {
      await askInTime(ROUND_DEADLINE_MS, this.#signal, async (signal) => {
        while (ballot.missing > 0n) {
          const limit = ballot.missing < PAGE_LIMIT ? ballot.missing : PAGE_LIMIT;
          const { head, records } = await readPage(entry.upstream, ballot.next, Number(limit), signal);
          this.#pool.noteHead(entry, head);
          ballot.add(head.chainId, records);
        }
      });
      return ballot.vote(entry);
    } catch (error) {
      const fault = error instanceof BeyondHead ? this.#faultOfHead(entry, error) : error;
      if (fault instanceof UpstreamError) this.#pool.fail(entry, fault);
      return undefined;
    }
  }

  #faultOfHead(entry: PoolEntry, { head }: BeyondHead): unknown {
    try {
      this.#pool.noteHead(entry, head);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #describe(votes: readonly Vote[], { records }: PageClaim): string {
    const { needed, of } = this.#rule;
    const given = votes.map(({ entry, ballot }) => `${entry.upstream.name} gave ${ballot.slice(0, 16)}…`);
    return `fewer than ${needed} of ${of} upstreams agree at version ${records.at(-1)?.version}: ${given.join(", ")}`;
  }
}

/** The records that an upstream gives for a claim. Holds no more than their digest. */
class Ballot {
  readonly #records: readonly RawRecord[];
  readonly #hash = createHash("sha256");
  #chainId: number;
  #taken = 0;
  #differsAt: bigint | undefined;

  constructor({ chainId, records }: PageClaim) {
    this.#records = records;
    this.#chainId = chainId;
  }

  /** Version to ask for next. */
  get next(): bigint {
    return this.#records[this.#taken]?.version ?? 0n;
  }

  get missing(): bigint {
    return BigInt(this.#records.length - this.#taken);
  }

  add(chainId: number, records: readonly Pick<RawRecord, "bytes">[]): void {
    if (chainId !== this.#chainId) this.#differsAt ??= this.next;
    this.#chainId = chainId;
    for (const { bytes } of records) {
      const own = this.#records[this.#taken++];
      if (own === undefined) throw new Error("more records than the claim has");
      if (own.bytes !== bytes && !equalBytes(own.bytes, bytes)) this.#differsAt ??= own.version;
      this.#hash.update(bytes);
    }
  }

  vote(entry: PoolEntry): Vote {
    return { entry, ballot: `${this.#hash.digest("hex")} ${this.#chainId}`, differsAt: this.#differsAt };
  }
}

function ownVote(entry: PoolEntry, claim: PageClaim): Vote {
  const ballot = new Ballot(claim);
  ballot.add(claim.chainId, claim.records);
  return ballot.vote(entry);
}

function disagreement(version: bigint | undefined, { records }: PageClaim): UpstreamError {
  const at = version ?? records.at(-1)?.version;
  return new UpstreamError(
    "disagrees",
    `at version ${at}: its record differs from the one that other upstreams serve`,
    { version: at },
  );
}
