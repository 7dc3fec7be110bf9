// Waypoints: computed from blocks and from stored records, expected of versions to come, and kept once they matched. One match
// authenticates all history before it, because the accumulator root that a waypoint hashes commits to it.

import { toHex } from "../base/hex.ts";
import { transactionAccumulator } from "../ledger/accumulator.ts";
import { LedgerError } from "../ledger/errors.ts";
import { findNewEpoch } from "../ledger/formats/block-event.ts";
import { findWrittenData } from "../ledger/formats/genesis.ts";
import { decodeRecord } from "../ledger/formats/record.ts";
import { decodeVoters, VALIDATOR_SET_KEY_HASH } from "../ledger/formats/validator-set.ts";
import { PROVEN, type TrustLevel } from "../ledger/trust.ts";
import type { LedgerView } from "../ledger/view.ts";
import { computeWaypoint, formatWaypoint, type Waypoint, type WaypointPreimage } from "../ledger/waypoint.ts";
import type { SideRow, Store } from "../store/contract.ts";
import { MATCHED_WAYPOINTS, type SideRowReader } from "./side-rows.ts";
import type { VerifiedBlock } from "./verify/verifier.ts";

/** The waypoint of a verified block's last version. */
export function waypointOfBlock(block: VerifiedBlock): Waypoint {
  const last = block.records.at(-1);
  if (last === undefined) throw new Error("a verified block without records");
  return computeWaypoint({
    epoch: block.start.epoch,
    accumulatorRoot: transactionAccumulator(block.position.accumulator).root(),
    version: block.position.version,
    timestampUsec: block.start.timestampUsec,
    nextEpoch: nextEpochOf(last.bytes),
  });
}

/** The next epoch and its voters if the record ends an epoch. */
export function nextEpochOf(bytes: Uint8Array): WaypointPreimage["nextEpoch"] {
  const record = decodeRecord(bytes);
  let epoch: bigint | undefined;
  for (const event of record.events) epoch = findNewEpoch(event)?.epoch ?? epoch;
  if (epoch === undefined) return undefined;
  const data = findWrittenData(record.writes, VALIDATOR_SET_KEY_HASH);
  if (data === undefined) {
    throw new LedgerError("mismatch", `version ${record.version} ends an epoch but writes no validator set`);
  }
  return { epoch, voters: decodeVoters(data) };
}

function waypointMismatch(expected: Waypoint, computed: string): LedgerError {
  return new LedgerError(
    "mismatch",
    `the served history gives waypoint ${computed}, expected ${formatWaypoint(expected)}: it is another history than the waypoint's`,
    { details: { version: expected.version, field: "waypoint" } },
  );
}

/**
 * Compares the blocks with the waypoints inside their versions and returns those that matched. Throws
 * LedgerError `mismatch`.
 */
function checkWaypoints(waypoints: readonly Waypoint[], blocks: readonly VerifiedBlock[]): Waypoint[] {
  const matched: Waypoint[] = [];
  for (const waypoint of waypoints) {
    const block = blocks.find(
      ({ start, position }) => start.firstVersion <= waypoint.version && waypoint.version <= position.version,
    );
    if (block === undefined) continue;
    assertEndsBlock(waypoint, block);
    matched.push(waypoint);
  }
  return matched;
}

/** Throws LedgerError `mismatch` unless the block ends with the version that a waypoint names. */
export function assertEndsBlock(waypoint: Waypoint, block: VerifiedBlock): void {
  if (block.position.version !== waypoint.version) {
    throw waypointMismatch(waypoint, `none: version ${waypoint.version} does not end that block`);
  }
  const computed = formatWaypoint(waypointOfBlock(block));
  if (computed !== formatWaypoint(waypoint)) throw waypointMismatch(waypoint, computed);
}

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
    this.#matched = checkWaypoints(this.#all, blocks);
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

/** The waypoints that matched so far. */
export async function loadMatchedWaypoints(store: SideRowReader): Promise<readonly Waypoint[]> {
  return (await MATCHED_WAYPOINTS.load(store)) ?? [];
}

/** The row that adds a waypoint to those that matched; undefined if it is among them. */
export async function matchedWaypointRow(store: Store, waypoint: Waypoint): Promise<SideRow | undefined> {
  const known = await loadMatchedWaypoints(store);
  if (known.some((other) => isSameWaypoint(other, waypoint))) return undefined;
  return MATCHED_WAYPOINTS.row([...known, waypoint]);
}

export function isSameWaypoint(a: Waypoint, b: Waypoint): boolean {
  return a.version === b.version && toHex(a.hash) === toHex(b.hash);
}

/** The waypoint of a stored version; undefined if its record is pruned or it does not end a block. */
export async function waypointOfStored(view: LedgerView, version: bigint): Promise<Waypoint | undefined> {
  const { oldestVersion, version: head } = view.position;
  if (version < oldestVersion || version > head) return undefined;
  const block = await view.getBlockByVersion(version);
  const [stored] = await view.getRecords(version, 1, 1);
  if (block?.lastVersion !== version || stored === undefined) return undefined;
  return computeWaypoint({
    epoch: block.epoch,
    accumulatorRoot: decodeRecord(stored.bytes).accumulatorRoot,
    version,
    timestampUsec: block.timestampUsec,
    nextEpoch: nextEpochOf(stored.bytes),
  });
}
