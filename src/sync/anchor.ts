// Waypoints of later versions ("anchors"): the follower recomputes them from a verified block once it reaches their
// version. One match authenticates all history before it, because the waypoint's accumulator root commits to it.

import { transactionAccumulator } from "../ledger/accumulator.ts";
import { findNewEpoch } from "../ledger/block-event.ts";
import { LedgerError } from "../ledger/errors.ts";
import { findWrittenData } from "../ledger/genesis.ts";
import { decodeRecord } from "../ledger/record.ts";
import { decodeVoters, VALIDATOR_SET_KEY_HASH } from "../ledger/validator-set.ts";
import { computeWaypoint, formatWaypoint, type Waypoint, type WaypointPreimage } from "../ledger/waypoint.ts";
import type { VerifiedBlock } from "./verifier.ts";

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

function anchorMismatch(expected: Waypoint, computed: string): LedgerError {
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
export function checkAnchors(anchors: readonly Waypoint[], blocks: readonly VerifiedBlock[]): Waypoint[] {
  const matched: Waypoint[] = [];
  for (const anchor of anchors) {
    const block = blocks.find(
      ({ start, position }) => start.firstVersion <= anchor.version && anchor.version <= position.version,
    );
    if (block === undefined) continue;
    assertEndsBlock(anchor, block);
    matched.push(anchor);
  }
  return matched;
}

/** Throws LedgerError `mismatch` unless the block ends with the version that a waypoint names. */
export function assertEndsBlock(anchor: Waypoint, block: VerifiedBlock): void {
  if (block.position.version !== anchor.version) {
    throw anchorMismatch(anchor, `none: version ${anchor.version} does not end that block`);
  }
  const computed = formatWaypoint(waypointOfBlock(block));
  if (computed !== formatWaypoint(anchor)) throw anchorMismatch(anchor, computed);
}
