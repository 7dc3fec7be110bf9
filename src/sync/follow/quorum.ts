// Votes of upstreams on one question: what enough of them give alike wins, and who gave something else is judged, also by an
// answer that comes later.
import type { PoolEntry } from "../upstream/pool.ts";

export interface QuorumVote {
  readonly entry: PoolEntry;
}

export interface QuorumOptions<Vote extends QuorumVote> {
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
    return new Promise((resolve, reject) => {
      let open = entries.length;
      if (open === 0) resolve();
      for (const entry of entries) {
        void ask(entry)
          .then((vote) => {
            if (vote !== undefined) this.add(vote);
          })
          .catch(reject)
          .finally(() => {
            if (--open === 0 || this.#winner !== undefined) resolve();
          });
      }
    });
  }

  #count(vote: Vote): number {
    return this.votes.filter((other) => this.#options.isSame(vote, other)).length;
  }
}
