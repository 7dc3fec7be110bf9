// The chain of epochs: from a waypoint that the operator trusts, each epoch's validators sign who the next ones are.
import { equalBytes } from "../base/bytes.ts";
import { computeWaypoint, formatWaypoint, type Waypoint, type WaypointPreimage } from "../ledger/waypoint.ts";
import type { Bls } from "./bls.ts";
import { ProofError } from "./errors.ts";
import type { EpochState, SignedLedgerInfo } from "./ledger-info.ts";
import { Validators } from "./validators.ts";

/** The last epoch whose validators are known, reached from a waypoint without a gap. */
export class EpochChain {
  readonly #bls: Bls;
  #validators: Validators;
  #lastVersion: bigint;

  private constructor(nextEpoch: EpochState, lastVersion: bigint, bls: Bls) {
    this.#bls = bls;
    this.#validators = new Validators(nextEpoch, bls);
    this.#lastVersion = lastVersion;
  }

  /** Begins at the end of an epoch that the waypoint commits to. Throws ProofError. */
  static begin(waypoint: Waypoint, start: WaypointPreimage, bls: Bls): EpochChain {
    assertNamed(waypoint, start);
    return new EpochChain(nextEpochOf(start), start.version, bls);
  }

  /** The epoch whose validators are known. */
  get epoch(): bigint {
    return this.#validators.epoch;
  }

  /** Version of the last epoch end. */
  get lastVersion(): bigint {
    return this.#lastVersion;
  }

  /** Checks a ledger info of the present epoch. Throws ProofError. */
  check(signed: SignedLedgerInfo): void {
    const { version } = signed.ledgerInfo;
    if (version <= this.#lastVersion) {
      throw new ProofError(
        "wrong_epoch",
        `version ${version} is not after the epoch's beginning at ${this.#lastVersion}`,
      );
    }
    this.#validators.check(signed);
  }

  /** Goes on to the next epoch with the signed end of the present one. Throws ProofError. */
  advance(signed: SignedLedgerInfo): void {
    this.check(signed);
    const nextEpoch = nextEpochOf(signed.ledgerInfo);
    this.#validators = new Validators(nextEpoch, this.#bls);
    this.#lastVersion = signed.ledgerInfo.version;
  }
}

/** Checks that a waypoint commits to these parts of a ledger info. Throws ProofError. */
export function assertNamed(waypoint: Waypoint, preimage: WaypointPreimage): void {
  const own = computeWaypoint(preimage);
  if (own.version === waypoint.version && equalBytes(own.hash, waypoint.hash)) return;
  throw new ProofError(
    "waypoint",
    `the proof begins at ${formatWaypoint(own)}, not at the waypoint ${formatWaypoint(waypoint)}`,
  );
}

function nextEpochOf({ epoch, nextEpoch, version }: WaypointPreimage): EpochState {
  if (nextEpoch === undefined)
    throw new ProofError("wrong_epoch", `version ${version} does not end epoch ${epoch}`);
  if (nextEpoch.epoch !== epoch + 1n) {
    throw new ProofError(
      "wrong_epoch",
      `epoch ${epoch} is followed by ${epoch + 1n}, not by ${nextEpoch.epoch}`,
    );
  }
  return nextEpoch;
}
