// Waypoints of versions that a follower has not committed yet: those that the operator gave, and one that validators signed.
import type { Waypoint } from "../ledger/waypoint.ts";
import { checkAnchors } from "./anchor.ts";
import type { VerifiedBlock } from "./verifier.ts";

export class ExpectedWaypoints {
  #all: readonly Waypoint[];
  /** The one of them that validators signed. */
  #signed: Waypoint | undefined;

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

  /** The waypoints that these blocks reach and match. Throws LedgerError `mismatch`. */
  check(blocks: readonly VerifiedBlock[]): Waypoint[] {
    return checkAnchors(this.#all, blocks);
  }

  /** True if validators signed the last of these blocks. */
  isSigned(matched: readonly Waypoint[], blocks: readonly VerifiedBlock[]): boolean {
    const signed = this.#signed;
    return (
      signed !== undefined && matched.includes(signed) && blocks.at(-1)?.position.version === signed.version
    );
  }

  /** Expects a waypoint no longer: its version is committed. */
  remove(waypoint: Waypoint): void {
    this.#all = this.#all.filter((one) => one !== waypoint);
  }
}
