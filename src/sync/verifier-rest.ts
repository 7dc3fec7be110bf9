// How long a follower verifies by itself after a remote verifier that did not start, failed, or was not worth its start;
// twice as long each time, until one has served again.

/** Rests after which they grow no more. */
const MAX_RESTS = 20;

export class VerifierRest {
  /** Versions of the first rest. */
  readonly #versions: bigint;
  /** The first version after the rest. */
  #until = 0n;
  /** Rests since a remote verifier served. */
  #rests = 0;

  constructor(versions: bigint) {
    this.#versions = versions;
  }

  isOver(next: bigint): boolean {
    return next >= this.#until;
  }

  /** Rests for the page that begins the ledger, at the version `start`. */
  beginFirst(start: bigint): void {
    this.#until = start + 1n;
  }

  begin(version: bigint): void {
    this.#until = version + (this.#versions << BigInt(this.#rests));
    if (this.#rests < MAX_RESTS) this.#rests++;
  }

  /** A remote verifier served. */
  served(): void {
    this.#rests = 0;
  }
}
