// Signed ledger infos as side rows: the end of every epoch, by epoch, and the newest. A local chain writes its own with
// each block; a follower writes those that it got from its sources and checked.

import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { decodeRecord } from "../../ledger/formats/record.ts";
import { isAccumulatorKnown } from "../../ledger/position.ts";
import { withView } from "../../ledger/view.ts";
import { type LedgerInfo, type SignedLedgerInfo, signedLedgerInfoCodec } from "../../proof/ledger-info.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { copyRecord } from "../reading.ts";
import { EPOCH_END, FIRST_EPOCH, NEWEST_SIGNED, type SideRowReader } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import { nextEpochOf } from "../waypoints.ts";

/** Most rows read at once. */
const ROWS_AT_ONCE = 200;
const NO_HASH = new Uint8Array(32);

export function encodeSigned(signed: SignedLedgerInfo): Uint8Array {
  return encodeWith(signedLedgerInfoCodec, signed);
}

/** Decodes a copy: stored bytes are valid only until the next read. */
export function decodeSigned(bytes: Uint8Array): SignedLedgerInfo {
  return decodeWith(signedLedgerInfoCodec, new Uint8Array(bytes));
}

/** The row of a ledger info that ends its epoch. */
export function epochEndRow(signed: SignedLedgerInfo): SideRow {
  const { epoch, nextEpoch, version } = signed.ledgerInfo;
  if (nextEpoch === undefined) throw new Error(`version ${version} does not end epoch ${epoch}`);
  return EPOCH_END.row(signed, epoch);
}

/** The newest signed ledger info, and whether our own validators signed it. */
export interface NewestSigned {
  readonly signed: SignedLedgerInfo;
  readonly isOwn: boolean;
}

export function newestRow({ signed, isOwn }: NewestSigned): SideRow {
  return NEWEST_SIGNED.row({ isOwn, signed: encodeSigned(signed) });
}

/** The rows of a block that our own validators signed. */
export function ownSignedRows(signed: SignedLedgerInfo): SideRow[] {
  const newest = newestRow({ signed, isOwn: true });
  return signed.ledgerInfo.nextEpoch === undefined ? [newest] : [newest, epochEndRow(signed)];
}

/** BCS of the newest signed ledger info. */
export async function loadNewestBytes(store: SideRowReader): Promise<Uint8Array | undefined> {
  return (await NEWEST_SIGNED.load(store))?.signed;
}

export async function loadNewestSigned(store: SideRowReader): Promise<NewestSigned | undefined> {
  const newest = await NEWEST_SIGNED.load(store);
  return newest && { isOwn: newest.isOwn, signed: decodeSigned(newest.signed) };
}

/** The ends of the epochs from one to another, both included, as far as they are known without a gap: BCS of each. */
export async function loadEpochEnds(
  store: SideRowReader,
  first: bigint,
  last: bigint,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (let next = first; next <= last; ) {
    const count = Math.min(Number(last - next) + 1, ROWS_AT_ONCE);
    const keys = Array.from({ length: count }, (_, i) => EPOCH_END.key(next + BigInt(i)));
    for (const row of await store.getSideRows(keys)) {
      if (row === undefined) return found;
      found.push(new Uint8Array(row));
    }
    next += BigInt(count);
  }
  return found;
}

/** The end of one epoch. */
export async function loadEpochEnd(
  store: SideRowReader,
  epoch: bigint,
): Promise<SignedLedgerInfo | undefined> {
  return EPOCH_END.load(store, epoch);
}

/** The ledger info of genesis, which nobody signs. Undefined if its record is pruned. */
export async function genesisLedgerInfo(store: Store): Promise<SignedLedgerInfo | undefined> {
  const bytes = await withView(store.openRawView(), (view) =>
    view.position.oldestVersion > 0n || !isAccumulatorKnown(view.position) ? undefined : copyRecord(view, 0n),
  );
  if (bytes === undefined) return undefined;
  const ledgerInfo: LedgerInfo = {
    epoch: 0n,
    round: 0n,
    blockId: NO_HASH,
    accumulatorRoot: decodeRecord(bytes).accumulatorRoot,
    version: 0n,
    timestampUsec: 0n,
    nextEpoch: nextEpochOf(bytes),
    consensusDataHash: NO_HASH,
  };
  return { kind: "v0", ledgerInfo, signatures: { signers: new Uint8Array(0), signature: undefined } };
}

/** Stores the ledger info of genesis, from which every chain of epochs begins, unless it is stored or pruned. */
export async function keepGenesisLedgerInfo(store: Store): Promise<void> {
  if ((await loadEpochEnd(store, 0n)) !== undefined) return;
  const genesis = await genesisLedgerInfo(store);
  if (genesis !== undefined) await new StoreWriter(store).write({ sideRows: [epochEndRow(genesis)] });
}

export interface EpochSpan {
  readonly first: bigint;
  readonly last: bigint;
}

/** The epochs whose ends a follower keeps, without gaps: what a local chain signed itself is not among them. */
export async function loadSpan(store: SideRowReader): Promise<EpochSpan | undefined> {
  const first = await FIRST_EPOCH.load(store);
  const newest = await loadNewestSigned(store);
  if (first === undefined || newest === undefined) return undefined;
  const { epoch, nextEpoch } = newest.signed.ledgerInfo;
  return { first, last: nextEpoch === undefined ? epoch - 1n : epoch };
}

/** Keeps ends of epochs that follow those that are kept, and a later ledger info of the epoch after them. */
export async function keepSigned(
  store: Store,
  epochEnds: readonly SignedLedgerInfo[],
  latest: SignedLedgerInfo | undefined,
): Promise<void> {
  const rows: SideRow[] = epochEnds.map(epochEndRow);
  const first = epochEnds[0]?.ledgerInfo.epoch;
  if (first !== undefined && (await loadSpan(store)) === undefined) rows.push(FIRST_EPOCH.row(first));
  const newest = latest ?? epochEnds.at(-1);
  if (newest !== undefined) rows.push(newestRow({ signed: newest, isOwn: false }));
  await new StoreWriter(store).write({ sideRows: rows });
}
