import { firstPassing } from "../../base/search.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { LedgerError } from "../../ledger/errors.ts";
import type { Block, LedgerView } from "../../ledger/view.ts";
import {
  computeWaypoint,
  formatWaypoint,
  type Waypoint,
  waypointPreimageCodec,
} from "../../ledger/waypoint.ts";
import { MAX_EPOCH_CHANGES, type ProvenLedger } from "../../proof/bundle.ts";
import type { Store } from "../../store/contract.ts";
import { type BlockEnd, loadBlockEnd, readSignedHead } from "../side-rows.ts";
import { decodeSigned, loadEpochEnds, loadNewestBytes } from "../signatures/signed-rows.ts";
import { isSameWaypoint } from "../waypoints.ts";

export type ProofReader = Pick<Store, "getSideRows" | "getTreeNodes" | "openView" | "openRawView">;

/** A block end that can be proven, and BCS of a signed ledger info that covers it. */
export interface ProvablePoint {
  readonly height: bigint;
  readonly end: BlockEnd;
  readonly signed: Uint8Array;
}

/** The block end to prove, and a signed ledger info at or after it, of the same epoch. */
export async function findPoint(
  store: ProofReader,
  view: LedgerView,
  version: bigint | undefined,
): Promise<ProvablePoint> {
  const { version: latest, blockHeight } = view.position;
  if (version === undefined || version === latest) {
    // Where every block is signed, this is all there is to find.
    const end = await loadBlockEnd(store, blockHeight);
    if (end?.version === latest && end.signed !== undefined) {
      return { height: blockHeight, end, signed: end.signed };
    }
  }
  const head = readSignedHead(await newestSignature(store, view));
  // A follower's sources may be ahead of its ledger.
  const isAhead = head.version > latest;
  const wanted = version ?? (isAhead ? latest : head.version);
  const block = await blockEndingAt(view, wanted);
  const { height } = block;
  const end = await loadBlockEnd(store, height);
  if (end === undefined && wanted === 0n) {
    throw new LedgerError(
      "unprovable",
      "ledger_version: expected a version from 1 on, because no validator signed version 0; sextant verify-genesis checks a genesis",
    );
  }
  if (end?.version !== wanted) throw outsideWindow(wanted);
  return { height, end, signed: end.signed ?? (await signatureFor(store, view, block, wanted)) };
}

/** The block of a version. */
export async function blockOf(view: LedgerView, version: bigint): Promise<Block> {
  const { oldestVersion, version: latest } = view.position;
  if (version > latest) {
    throw new LedgerError("version_not_found", `version ${version} is above the latest version ${latest}`);
  }
  if (version < oldestVersion) throw outsideWindow(version);
  const block = await view.getBlockByVersion(version);
  if (block === undefined) throw outsideWindow(version);
  return block;
}

async function blockEndingAt(view: LedgerView, version: bigint): Promise<Block> {
  const block = await blockOf(view, version);
  if (block.lastVersion === version) return block;
  const { oldestVersion } = view.position;
  const before = block.firstVersion > oldestVersion ? `${block.firstVersion - 1n} or ` : "";
  throw new LedgerError(
    "unprovable",
    `ledger_version: expected the last version of a block, ${before}${block.lastVersion}, got ${version}`,
  );
}

export function outsideWindow(version: bigint): LedgerError {
  return new LedgerError(
    "version_pruned",
    `version ${version} is outside of the window in which this node can make proofs; to prove versions of this age, start one that has the whole state with a longer --proof-window, and a --prune-window at least as long`,
  );
}

async function newestSignature(store: ProofReader, { position }: LedgerView): Promise<Uint8Array> {
  const newest = await loadNewestBytes(store);
  if (newest !== undefined) return newest;
  // A rewind removed the newest; the head has its own.
  const end = await loadBlockEnd(store, position.blockHeight);
  if (end?.signed !== undefined) return end.signed;
  throw new LedgerError(
    "no_signatures",
    "this node has no validator signatures, so it cannot prove anything",
  );
}

/** A signed ledger info at or after a version, of the same epoch. Throws LedgerError. */
export async function signatureFor(
  store: ProofReader,
  view: LedgerView,
  block: Block,
  version: bigint,
): Promise<Uint8Array> {
  const end = await loadBlockEnd(store, block.height);
  const signed = end?.signed ?? (await laterSignature(store, view, block, version));
  if (signed !== undefined) return signed;
  throw new LedgerError(
    "unavailable",
    `no validator signature that this node has covers version ${version} yet`,
  );
}

async function laterSignature(
  store: ProofReader,
  view: LedgerView,
  { epoch }: Block,
  version: bigint,
): Promise<Uint8Array | undefined> {
  const newest = await newestSignature(store, view);
  const [signed] =
    readSignedHead(newest).epoch === epoch ? [newest] : await loadEpochEnds(store, epoch, epoch);
  const covered = signed === undefined ? -1n : readSignedHead(signed).version;
  return covered >= version && covered <= view.position.version ? signed : undefined;
}

/** A signature that covers the beginning of the block after one; undefined where there is none. */
export async function nextSignature(
  store: ProofReader,
  view: LedgerView,
  height: bigint,
): Promise<Uint8Array | undefined> {
  if (height >= view.position.blockHeight) return undefined;
  const end = await loadBlockEnd(store, height + 1n);
  if (end?.signed !== undefined) return end.signed;
  // By its height: a version is searched for among all blocks.
  const block = await view.getBlockByHeight(height + 1n);
  return block && laterSignature(store, view, block, block.firstVersion);
}

/** Whether a waypoint is that of a signed ledger info. */
export function isNamedBy(waypoint: Waypoint, signed: Uint8Array): boolean {
  if (waypoint.version !== readSignedHead(signed).version) return false;
  return isSameWaypoint(computeWaypoint(decodeSigned(signed).ledgerInfo), waypoint);
}

/** The end of an epoch that a waypoint names, where it is after a version: it proves all that is before. */
export async function namedAfter(
  store: ProofReader,
  view: LedgerView,
  waypoint: Waypoint | undefined,
  version: bigint,
): Promise<Uint8Array | undefined> {
  if (waypoint === undefined || waypoint.version <= version) return undefined;
  const { epoch } = readSignedHead(await newestSignature(store, view));
  return epochEndAt(store, epoch + 1n, waypoint);
}

/** How a waypoint leads to a signed ledger info. */
export async function ledgerOf(
  store: ProofReader,
  signed: Uint8Array,
  from: Waypoint | undefined,
): Promise<ProvenLedger> {
  const { epoch } = readSignedHead(signed);
  // Nobody signed epoch 0: its end is named by its waypoint alone.
  if (from === undefined ? epoch === 0n : isNamedBy(from, signed)) {
    return { kind: "named", ledgerInfo: preimageOf(signed) };
  }
  const start = from === undefined ? await epochBefore(store, epoch) : await epochEndAt(store, epoch, from);
  const first = readSignedHead(start).epoch + 1n;
  if (epoch - first > MAX_EPOCH_CHANGES) {
    throw new LedgerError(
      "unprovable",
      `from_waypoint: expected one at most ${MAX_EPOCH_CHANGES} epochs back, got one of ${epoch - first + 1n} epochs before`,
    );
  }
  const epochChanges = await loadEpochEnds(store, first, epoch - 1n);
  if (BigInt(epochChanges.length) !== epoch - first) throw gapAt(first + BigInt(epochChanges.length));
  return { kind: "signed", start: preimageOf(start), epochChanges, last: signed };
}

function gapAt(epoch: bigint): LedgerError {
  return new LedgerError("unprovable", `this node has no signed end of epoch ${epoch}`);
}

async function epochBefore(store: ProofReader, epoch: bigint): Promise<Uint8Array> {
  const [found] = await loadEpochEnds(store, epoch - 1n, epoch - 1n);
  if (found === undefined) throw gapAt(epoch - 1n);
  return found;
}

/** The end of an epoch before another, by its waypoint. Epochs end in order. */
async function epochEndAt(store: ProofReader, before: bigint, waypoint: Waypoint): Promise<Uint8Array> {
  const endOf = async (epoch: bigint): Promise<Uint8Array | undefined> =>
    (await loadEpochEnds(store, epoch, epoch))[0];
  // The latest epoch may be open, as the first may be unsigned, which is what a missing end means below.
  const above = (await endOf(before - 1n)) === undefined ? before - 1n : before;
  const epoch = await firstPassing(0n, above, async (at) => {
    const end = await endOf(at);
    // A chain whose first epochs nobody signed has none at the beginning.
    return end !== undefined && readSignedHead(end).version >= waypoint.version;
  });
  const found = epoch === above ? undefined : await endOf(epoch);
  if (found !== undefined && isNamedBy(waypoint, found)) return found;
  throw new LedgerError(
    "unprovable",
    `from_waypoint: expected the waypoint of an epoch's end that this node knows, before epoch ${before}, got ${formatWaypoint(waypoint)}; any other waypoint proves only what is at or before its own version`,
  );
}

/** BCS of what the waypoint of a signed ledger info hashes. */
function preimageOf(signed: Uint8Array): Uint8Array {
  return encodeWith(waypointPreimageCodec, decodeSigned(signed).ledgerInfo);
}
