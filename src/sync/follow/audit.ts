// Tells whose history is the network's when an upstream's differs from ours: recomputes the upstream's history, from
// the last version that is confirmed up to a waypoint that the operator gave or that validators signed. A match proves
// the upstream right, and our own history wrong.

import { equalBytes } from "../../base/bytes.ts";
import { transactionAccumulator } from "../../ledger/accumulator.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { decodePage, type RecordSpans } from "../../ledger/formats/record.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import type { Position } from "../../ledger/position.ts";
import { ALL_TRUSTED, confirmedVersion, type Refutation } from "../../ledger/trust.ts";
import { withView } from "../../ledger/view.ts";
import { formatWaypoint, type Waypoint } from "../../ledger/waypoint.ts";
import type { Store } from "../../store/contract.ts";
import { findStart } from "../maintenance/kept-accumulator.ts";
import { copyRecord, readRecords } from "../reading.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { RecordSource, Upstream } from "../upstream/upstream.ts";
import { explainUnverified } from "../verify/unverified.ts";
import { Verifier } from "../verify/verifier.ts";
import { isSameWaypoint, waypointOfBlock } from "../waypoints.ts";
import { onlyRecord } from "./agreement.ts";

/** What an audit reads. */
export interface AuditOptions {
  readonly store: Store;
  readonly upstream: RecordSource & Pick<Upstream, "name">;
  readonly waypoint: Waypoint;
  /** Records per page. */
  readonly pageLimit: number;
  readonly signal: AbortSignal;
}

/**
 * Returns what the upstream's history refutes of ours. Throws UpstreamError `unverified` if it does not lead to the
 * waypoint, and any other UpstreamError if it could not be read. Holds one page and one open block in memory.
 */
export async function auditHistory(options: AuditOptions): Promise<Refutation> {
  const { store, upstream, waypoint } = options;
  const position = await withView(store.openView(), (view) => view.position);
  const confirmed = confirmedVersion(position);
  const start = confirmed === undefined ? undefined : await confirmedPosition(options, position, confirmed);
  await assertLeadsTo(options, start);
  const first = await firstDifference(options, position);
  const firstVersion = first ?? (confirmed === undefined ? 0n : confirmed + 1n);
  return {
    firstVersion,
    reason: `waypoint ${formatWaypoint(waypoint)} confirms the history that ${upstream.name} serves, which differs from the one stored here from version ${firstVersion} on`,
  };
}

/** The position after a confirmed version: of that version itself, or of genesis if its records are pruned. */
async function confirmedPosition(
  { store, signal }: AuditOptions,
  position: Position,
  confirmed: bigint,
): Promise<Position | undefined> {
  const known = await findStart(store, position, confirmed + 1n);
  if (confirmed === 0n || known === undefined) return genesisOf(position, store.identity);
  const accumulator = transactionAccumulator(known);
  for await (const record of readRecords(store, known.leafCount, confirmed, signal)) {
    accumulator.append(transactionInfoHash(record.infoBytes));
  }
  const block = await withView(store.openView(), (view) => view.getBlockByVersion(confirmed));
  if (block?.lastVersion !== confirmed) return genesisOf(position, store.identity);
  return {
    ...position,
    version: confirmed,
    timestampUsec: block.timestampUsec,
    epoch: block.epoch,
    blockHeight: block.height,
    accumulator: accumulator.state(),
    stateRoot: undefined,
  };
}

/** The position after a genesis that is confirmed. */
function genesisOf(position: Position, identity: Store["identity"]): Position | undefined {
  if (identity === undefined) return undefined;
  return {
    ...ALL_TRUSTED,
    chainId: position.chainId,
    version: 0n,
    timestampUsec: 0n,
    epoch: 0n,
    blockHeight: 0n,
    oldestVersion: 0n,
    oldestBlockHeight: 0n,
    accumulator: { leafCount: 1n, frozen: [identity.genesisHash] },
    stateRoot: undefined,
  };
}

async function assertLeadsTo(options: AuditOptions, genesis: Position | undefined): Promise<void> {
  const { upstream, waypoint, pageLimit, signal } = options;
  const verifier = new Verifier(genesis);
  for (;;) {
    signal.throwIfAborted();
    const { bytes } = await upstream.getRecords(verifier.nextVersion, pageLimit, signal);
    for (const record of recordsOf(bytes)) {
      const block = pushRecord(verifier, record, bytes);
      if (record.version < waypoint.version) continue;
      if (block !== undefined && isSameWaypoint(waypointOfBlock(block), waypoint)) return;
      throw new UpstreamError(
        "unverified",
        `the history that it serves does not lead to waypoint ${formatWaypoint(waypoint)}`,
      );
    }
  }
}

function recordsOf(page: Uint8Array): readonly RecordSpans[] {
  try {
    const records = decodePage(page);
    if (records.length > 0) return records;
  } catch (error) {
    throw new UpstreamError("malformed", "a page of records does not decode", { cause: error });
  }
  throw new UpstreamError("malformed", "a page without records");
}

function pushRecord(verifier: Verifier, record: RecordSpans, page: Uint8Array): ReturnType<Verifier["push"]> {
  try {
    return verifier.push(record);
  } catch (error) {
    throw explainUnverified(error, [page]);
  }
}

/** The first of our stored versions that the upstream has otherwise; undefined if the difference begins before them. */
async function firstDifference(
  { store, upstream, signal }: AuditOptions,
  { oldestVersion, version }: Position,
): Promise<bigint | undefined> {
  const isDifferent = async (at: bigint): Promise<boolean> => {
    const own = await readRecord(store, at);
    const page = await upstream.getRecords(at, 1, signal);
    return own === undefined || !equalBytes(own, onlyRecord(page.bytes, at));
  };
  // A record's accumulator root commits to all before it: once two histories differ, they never meet again.
  let [low, high] = [oldestVersion, version];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await isDifferent(middle)) high = middle;
    else low = middle + 1n;
  }
  return low === oldestVersion && oldestVersion > 0n ? undefined : low;
}

async function readRecord(store: AuditOptions["store"], version: bigint): Promise<Uint8Array | undefined> {
  try {
    return await withView(store.openView(), (view) => copyRecord(view, version));
  } catch (error) {
    // The pruner removed it meanwhile.
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
