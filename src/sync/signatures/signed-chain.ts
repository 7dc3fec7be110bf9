// The chain of epochs of a store: begins at the operator's waypoint, grows by ledger infos whose signatures were checked,
// and keeps every one, so that a restart asks sources only for later ones.
import { equalBytes } from "../../base/bytes.ts";
import { firstPassing } from "../../base/search.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { computeWaypoint, formatWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { Bls } from "../../proof/bls.ts";
import { assertNamed, EpochChain } from "../../proof/epoch-chain.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { Validators } from "../../proof/validators.ts";
import type { Store } from "../../store/contract.ts";
import { type EpochSpan, keepSigned, loadEpochEnd, loadNewestSigned, loadSpan } from "./signed-rows.ts";

/** Ends of epochs that are written together. */
const BATCH = 64;

/** Checked ledger infos. The store has no other writer of them; calls may overlap. */
export class SignedChain {
  readonly #store: Store;
  readonly #waypoint: Waypoint;
  readonly #bls: Bls;
  #chain: EpochChain | undefined;
  /** The epochs whose ends were checked. */
  #span: EpochSpan | undefined;
  #startVersion: bigint | undefined;
  #latest: SignedLedgerInfo | undefined;
  /** Checked, but not written yet. */
  #ends: SignedLedgerInfo[] = [];
  #isLatestWritten = true;
  #writing: Promise<void> = Promise.resolve();

  private constructor(store: Store, waypoint: Waypoint, bls: Bls) {
    this.#store = store;
    this.#waypoint = waypoint;
    this.#bls = bls;
  }

  /** Goes on where the store ends. Throws LedgerError if its signatures contradict the waypoint. */
  static async load(store: Store, waypoint: Waypoint, bls: Bls): Promise<SignedChain> {
    const chain = new SignedChain(store, waypoint, bls);
    await chain.#load();
    return chain;
  }

  async #load(): Promise<void> {
    const span = await loadSpan(this.#store);
    this.#span = span;
    const last = span && (await loadEpochEnd(this.#store, span.last));
    if (span === undefined || last === undefined) return;
    this.#chain = EpochChain.begin(computeWaypoint(last.ledgerInfo), last.ledgerInfo, this.#bls);
    this.#latest = (await loadNewestSigned(this.#store))?.signed ?? last;
    this.#startVersion = (await loadEpochEnd(this.#store, span.first))?.ledgerInfo.version;
    const kept = await this.#search(span, (version) => version >= this.#waypoint.version);
    if (kept === undefined) return;
    const own = formatWaypoint(computeWaypoint(kept.ledgerInfo));
    const given = formatWaypoint(this.#waypoint);
    if (kept.ledgerInfo.version === this.#waypoint.version && own !== given) {
      throw new LedgerError(
        "mismatch",
        `waypoint ${given} contradicts ${own}, which the signatures kept here confirm`,
      );
    }
  }

  /** The epoch whose end comes next; undefined until the chain has begun. */
  get epoch(): bigint | undefined {
    return this.#chain?.epoch;
  }

  /** Where the chain of epochs began: a waypoint named this version, so no signature of it was checked. Undefined until then. */
  get startVersion(): bigint | undefined {
    return this.#startVersion;
  }

  /** The latest checked ledger info. */
  get latest(): SignedLedgerInfo | undefined {
    return this.#latest;
  }

  /**
   * Takes the end of an epoch: the one that the waypoint names, or that of the present epoch. True if it is news; false
   * for an earlier one. Throws ProofError.
   */
  async advance(signed: SignedLedgerInfo): Promise<boolean> {
    const { ledgerInfo } = signed;
    const { epoch, version } = ledgerInfo;
    if (this.#chain === undefined) {
      this.#chain = EpochChain.begin(this.#waypoint, ledgerInfo, this.#bls);
      this.#span = { first: epoch, last: epoch };
      this.#startVersion = version;
    } else {
      if (epoch < this.#chain.epoch) return false;
      if (version === this.#waypoint.version) assertNamed(this.#waypoint, ledgerInfo);
      this.#chain.advance(signed);
      this.#span = { first: this.#span?.first ?? epoch, last: epoch };
    }
    this.#ends.push(signed);
    if (version > (this.#latest?.ledgerInfo.version ?? -1n)) this.#setLatest(signed);
    if (this.#ends.length >= BATCH) await this.flush();
    return true;
  }

  /**
   * Takes a ledger info of the present epoch. True if it is news; false for an earlier one. Throws ProofError, also for
   * one of a later epoch, whose validators are not known.
   */
  async takeLatest(signed: SignedLedgerInfo): Promise<boolean> {
    const { epoch, version, nextEpoch } = signed.ledgerInfo;
    const isOld = version <= (this.#latest?.ledgerInfo.version ?? -1n);
    if (this.#chain === undefined || epoch < this.#chain.epoch || isOld) return false;
    if (nextEpoch !== undefined) return this.advance(signed);
    this.#chain.check(signed);
    this.#setLatest(signed);
    return true;
  }

  /**
   * Checks a ledger info of any epoch. `earlier` and `later` mean that the validators of its epoch are not known: the chain
   * began after it, or has not reached it. Throws ProofError.
   */
  async judge(signed: SignedLedgerInfo): Promise<"signed" | "earlier" | "later"> {
    const { epoch, version, accumulatorRoot } = signed.ledgerInfo;
    const span = this.#span;
    if (span === undefined || epoch > span.last + 1n) return "later";
    await this.flush();
    const end = (await loadEpochEnd(this.#store, epoch))?.ledgerInfo;
    if (end?.version === version && equalBytes(end.accumulatorRoot, accumulatorRoot)) return "signed";
    const validators = (await loadEpochEnd(this.#store, epoch - 1n))?.ledgerInfo.nextEpoch;
    if (epoch <= span.first || validators === undefined) return "earlier";
    new Validators(validators, this.#bls).check(signed);
    return "signed";
  }

  #setLatest(signed: SignedLedgerInfo): void {
    this.#latest = signed;
    this.#isLatestWritten = false;
  }

  /** Writes what was checked. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const ends = this.#ends;
    if (ends.length === 0 && this.#isLatestWritten) return;
    const latest = this.#isLatestWritten ? undefined : this.#latest;
    this.#ends = [];
    this.#isLatestWritten = true;
    try {
      await keepSigned(this.#store, ends, latest);
    } catch (error) {
      this.#ends = [...ends, ...this.#ends];
      this.#isLatestWritten = false;
      throw error;
    }
  }

  /** The lowest checked ledger info above a version. */
  async firstAbove(version: bigint): Promise<SignedLedgerInfo | undefined> {
    const span = this.#span;
    await this.flush();
    const end = span && (await this.#search(span, (at) => at > version));
    if (end !== undefined) return end;
    const latest = this.#latest;
    return latest !== undefined && latest.ledgerInfo.version > version ? latest : undefined;
  }

  /** The highest checked ledger info at or below a version. */
  async lastUpTo(version: bigint): Promise<SignedLedgerInfo | undefined> {
    const latest = this.#latest;
    if (latest !== undefined && latest.ledgerInfo.version <= version) return latest;
    return this.lastEpochEndUpTo(version);
  }

  /** The highest checked end of an epoch at or below a version, or of all. */
  async lastEpochEndUpTo(version: bigint | undefined): Promise<SignedLedgerInfo | undefined> {
    // What comes while rows are read is not written yet.
    const span = this.#span;
    await this.flush();
    if (span === undefined) return undefined;
    const above = version === undefined ? undefined : await this.#search(span, (at) => at > version);
    const last = above === undefined ? span.last : above.ledgerInfo.epoch - 1n;
    return last < span.first ? undefined : loadEpochEnd(this.#store, last);
  }

  /** The first end of an epoch whose version fits, among those that are written. Once one version fits, all later ones must. */
  async #search(
    { first, last }: EpochSpan,
    fits: (version: bigint) => boolean,
  ): Promise<SignedLedgerInfo | undefined> {
    const epoch = await firstPassing(first, last + 1n, async (at) => {
      const end = await loadEpochEnd(this.#store, at);
      return end !== undefined && fits(end.ledgerInfo.version);
    });
    return epoch > last ? undefined : loadEpochEnd(this.#store, epoch);
  }
}
