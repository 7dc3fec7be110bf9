// Agreement between upstreams: before a page is committed, its last record must come the same, byte for byte,
// from a number of them. The accumulator root in it commits to every record before, so one record stands for
// all. Those that say otherwise are named and set aside.
import { equalBytes } from "../base/bytes.ts";
import { toHex } from "../base/hex.ts";
import { decodePage, decodeRecord } from "../ledger/record.ts";
import { pause } from "./upstream/backoff.ts";
import { BeyondHead, UpstreamError } from "./upstream/errors.ts";
import type { PoolEntry, UpstreamPool } from "./upstream/pool.ts";

/** How often those who lag are asked again before it is called a dispute. */
const MAX_ROUNDS = 20;

/** How many of how many upstreams must agree. */
export interface AgreementRule {
  readonly needed: number;
  readonly of: number;
}

/** What is to be agreed upon. */
export interface Claim {
  readonly version: bigint;
  /** The record of that version. */
  readonly bytes: Uint8Array;
}

/** Not enough upstreams agree, and which of them is wrong cannot be told. */
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
   * Resolves when enough upstreams gave the record that `source` gave. Throws UpstreamError `disagrees` when
   * they agree on another one, and NoAgreement when they agree on none.
   */
  async confirm(source: PoolEntry, claim: Claim): Promise<void> {
    const own = voteOf(source, claim.bytes);
    const votes: Vote[] = [own];
    const silent = new Set(this.#pool.entries.filter((entry) => entry !== source));
    let winner = this.#winner(votes);
    for (let round = 0; winner === undefined; round++) {
      const asked = [...silent].filter((entry) => this.#pool.isReady(entry));
      const answered = await this.#round(asked, claim.version, (vote) => {
        votes.push(vote);
        silent.delete(vote.entry);
        winner ??= this.#winner(votes);
        if (winner !== undefined) this.#blame(winner, [vote], claim.version);
        return winner !== undefined;
      });
      if (winner !== undefined) break;
      // Those who lag or rest may still decide it; once all have spoken nobody can.
      const isLost = silent.size === 0 || (answered === 0 && !this.#isOpen(votes, silent));
      if (isLost || round === MAX_ROUNDS) {
        throw new NoAgreement(this.#describe(votes, claim.version));
      }
      await pause(this.#pollMs, this.#signal);
      this.#signal.throwIfAborted();
    }
    this.#blame(winner, votes, claim.version, source);
    if (!equalBytes(winner.bytes, own.bytes)) throw disagreement(own, winner, claim.version);
  }

  /** True while the silent ones could still make enough equal votes and some of them are only late. */
  #isOpen(votes: readonly Vote[], silent: ReadonlySet<PoolEntry>): boolean {
    const most = Math.max(...votes.map((vote) => this.#equal(votes, vote)));
    const late = [...silent].filter((entry) => entry.state !== "set_aside");
    return most + late.length >= this.#rule.needed;
  }

  /** Asks all at once; resolves when `take` says that it is decided, or when all have answered. */
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

  /** Sets aside those who said otherwise; the source itself is dealt with by its follower. */
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
    const said = votes.map(({ entry, root }) => `${entry.upstream.name} says ${toHex(root).slice(0, 16)}…`);
    return `fewer than ${this.#rule.needed} of ${this.#rule.of} upstreams agree at version ${version}: ${said.join(", ")}`;
  }
}

function disagreement(vote: Vote, winner: Vote, version: bigint): UpstreamError {
  const what = equalBytes(vote.root, winner.root)
    ? "a record that differs from the one that others give"
    : `accumulator root ${toHex(vote.root)}, others say ${toHex(winner.root)}`;
  return new UpstreamError("disagrees", `at version ${version}: ${what}`);
}

/** The record of a page that must hold the one version. Throws UpstreamError `malformed`. */
export function onlyRecord(page: Uint8Array, version: bigint): Uint8Array {
  try {
    const [record] = decodePage(page);
    if (record?.version === version) return record.bytes;
  } catch (error) {
    throw new UpstreamError("malformed", `version ${version}: the record does not decode`, { cause: error });
  }
  throw new UpstreamError("malformed", `asked for version ${version}, got another one`);
}

function voteOf(entry: PoolEntry, bytes: Uint8Array): Vote {
  return { entry, bytes, root: decodeRecord(bytes).accumulatorRoot };
}
