// Waypoints of versions that a follower has not committed yet: those that the operator gave, and one that validators signed.
import { PROVEN, type TrustLevel } from "../ledger/trust.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import { checkAnchors } from "./anchor.ts";
import type { VerifiedBlock } from "./verifier.ts";

export class ExpectedWaypoints {
  #all: readonly Waypoint[];
  /** The one of them that validators signed. */
  #signed: Waypoint | undefined;

  /** Those that the blocks of the last check reached. */
  #matched: readonly Waypoint[] = [];

  constructor(given: readonly Waypoint[]) {
    this.#all = given;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The one of the lowest version. */
  get next(): Waypoint | undefined {
    return [...this.#all].sort((a, b) => (a.version < b.version ? -1 : 1))[0];
  }

  /** Expects a waypoint that validators signed, in the place of the last one. */
  expectSigned(waypoint: Waypoint | undefined): void {
    const others = this.#all.filter((one) => one !== this.#signed);
    this.#signed = waypoint;
    this.#all = waypoint === undefined ? others : [...others, waypoint];
  }

  /** Compares blocks with the waypoints that they reach: `proven` if validators signed the last block. Throws LedgerError `mismatch`. */
  check(blocks: readonly VerifiedBlock[]): TrustLevel | undefined {
    this.#matched = checkAnchors(this.#all, blocks);
    const signed = this.#matched.find((waypoint) => waypoint === this.#signed);
    return signed !== undefined && blocks.at(-1)?.position.version === signed.version ? PROVEN : undefined;
  }

  /** Takes the waypoints that matched, when their blocks are committed. */
  takeMatched(): readonly Waypoint[] {
    const matched = this.#matched;
    this.#matched = [];
    return matched;
  }

  /** Expects a waypoint no longer: its version is committed. */
  remove(waypoint: Waypoint): void {
    this.#all = this.#all.filter((one) => one !== waypoint);
  }
}
