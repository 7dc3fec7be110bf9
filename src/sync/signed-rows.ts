// Signed ledger infos as side rows: the end of every epoch, by epoch, and the newest. A local chain writes its own with
// each block; a follower writes those that it got from its sources and checked.
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { bool, byteString, u64 } from "../bcs/scalars.ts";
import { isAccumulatorKnown, type Position } from "../ledger/position.ts";
import { decodeRecord } from "../ledger/record.ts";
import { type LedgerInfo, type SignedLedgerInfo, signedLedgerInfoCodec } from "../proof/ledger-info.ts";
import type { SideRow, Store } from "../store/contract.ts";
import { nextEpochOf } from "./anchor.ts";
import { SIDE_KEYS } from "./base-rows.ts";
import type { EpochSpan, SignedRows } from "./proofs/signed-chain.ts";

/** Second bytes of the keys. */
const KINDS = {
  epochEnd: 0,
  subtree: 1,
  changed: 2,
  blockEnd: 3,
  reach: 4,
  newest: 5,
  firstEpoch: 8,
} as const;
const NEWEST_KEY = signedKey("newest");
const newestCodec = struct({ isOwn: bool, signed: byteString });

/** Most rows read at once. */
const ROWS_AT_ONCE = 200;
const NO_HASH = new Uint8Array(32);

/** Key of a row, with a number where there is one row for each epoch or block. */
export function signedKey(kind: keyof typeof KINDS, number?: bigint): Uint8Array {
  const key = Buffer.alloc(number === undefined ? 2 : 10);
  key[0] = SIDE_KEYS.signed;
  key[1] = KINDS[kind];
  if (number !== undefined) key.writeBigUInt64BE(number, 2);
  return key;
}

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
  return { key: signedKey("epochEnd", epoch), value: encodeSigned(signed) };
}

/** The newest signed ledger info, and whether our own validators signed it. */
export interface NewestSigned {
  readonly signed: SignedLedgerInfo;
  readonly isOwn: boolean;
}

export function newestRow({ signed, isOwn }: NewestSigned): SideRow {
  return { key: NEWEST_KEY, value: encodeWith(newestCodec, { isOwn, signed: encodeSigned(signed) }) };
}

/** The rows of a block that our own validators signed. */
export function ownSignedRows(signed: SignedLedgerInfo): SideRow[] {
  const newest = newestRow({ signed, isOwn: true });
  return signed.ledgerInfo.nextEpoch === undefined ? [newest] : [newest, epochEndRow(signed)];
}

/** What is read of a signed ledger info without decoding it. */
export interface SignedHead {
  readonly epoch: bigint;
  readonly version: bigint;
}

/** After the variant: epoch, round, block id and accumulator root. */
const [EPOCH_AT, VERSION_AT] = [1, 1 + 8 + 8 + 32 + 32];

/** Epoch and version of a stored signed ledger info. */
export function readSignedHead(bytes: Uint8Array): SignedHead {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { epoch: buffer.readBigUInt64LE(EPOCH_AT), version: buffer.readBigUInt64LE(VERSION_AT) };
}

/** BCS of the newest signed ledger info. */
export async function loadNewestBytes(store: Pick<Store, "getSideRows">): Promise<Uint8Array | undefined> {
  const [bytes] = await store.getSideRows([NEWEST_KEY]);
  return bytes && decodeWith(newestCodec, new Uint8Array(bytes)).signed;
}

export async function loadNewestSigned(store: Pick<Store, "getSideRows">): Promise<NewestSigned | undefined> {
  const [bytes] = await store.getSideRows([NEWEST_KEY]);
  if (bytes === undefined) return undefined;
  const { isOwn, signed } = decodeWith(newestCodec, new Uint8Array(bytes));
  return { isOwn, signed: decodeSigned(signed) };
}

/** The ends of the epochs from one to another, both included, as far as they are known without a gap: BCS of each. */
export async function loadEpochEnds(
  store: Pick<Store, "getSideRows">,
  first: bigint,
  last: bigint,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (let next = first; next <= last; ) {
    const count = Math.min(Number(last - next) + 1, ROWS_AT_ONCE);
    const keys = Array.from({ length: count }, (_, i) => signedKey("epochEnd", next + BigInt(i)));
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
  store: Pick<Store, "getSideRows">,
  epoch: bigint,
): Promise<SignedLedgerInfo | undefined> {
  const [bytes] = await loadEpochEnds(store, epoch, epoch);
  return bytes && decodeSigned(bytes);
}

/** The ledger info of genesis, which nobody signs. Undefined if its record is pruned. */
export async function genesisLedgerInfo(store: Store): Promise<SignedLedgerInfo | undefined> {
  const view = await store.openRawView();
  try {
    if (view.position.oldestVersion > 0n || !isAccumulatorKnown(view.position)) return undefined;
    const [stored] = await view.getRecords(0n, 1, 1);
    if (stored === undefined) return undefined;
    const bytes = new Uint8Array(stored.bytes);
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
  } finally {
    view.release();
  }
}

/** Stores the ledger info of genesis, from which every chain of epochs begins, unless it is stored or pruned. */
export async function keepGenesisLedgerInfo(store: Store): Promise<void> {
  if ((await loadEpochEnd(store, 0n)) !== undefined) return;
  const genesis = await genesisLedgerInfo(store);
  if (genesis !== undefined) await store.putSideRows([epochEndRow(genesis)]);
}

/**
 * Changes of the rows when a ledger is rewound to a position. What our own validators signed above it goes, because they
 * will sign other blocks there. What others signed stays: it is true whatever this store holds.
 */
export async function rewoundSignedRows(
  store: Store,
  position: Pick<Position, "version" | "epoch">,
): Promise<SideRow[]> {
  const newest = await loadNewestSigned(store);
  if (newest === undefined || !newest.isOwn || newest.signed.ledgerInfo.version <= position.version)
    return [];
  const ends = await loadEpochEnds(store, position.epoch, newest.signed.ledgerInfo.epoch);
  const gone = ends.map(decodeSigned).filter(({ ledgerInfo }) => ledgerInfo.version > position.version);
  return [
    // The next block writes it again.
    { key: NEWEST_KEY, value: undefined },
    ...gone.map(({ ledgerInfo }) => ({ key: signedKey("epochEnd", ledgerInfo.epoch), value: undefined })),
  ];
}

const FIRST_KEY = signedKey("firstEpoch");

async function loadSpan(store: Store): Promise<EpochSpan | undefined> {
  const [bytes] = await store.getSideRows([FIRST_KEY]);
  const newest = await loadNewestSigned(store);
  if (bytes === undefined || newest === undefined) return undefined;
  const { epoch, nextEpoch } = newest.signed.ledgerInfo;
  return {
    first: decodeWith(u64, new Uint8Array(bytes)),
    last: nextEpoch === undefined ? epoch - 1n : epoch,
  };
}

/** The rows of a store that follows: what a local chain signed itself is not among them. */
export function signedRowsOf(store: Store): SignedRows {
  return {
    range: () => loadSpan(store),
    epochEnd: (epoch) => loadEpochEnd(store, epoch),
    latest: async () => (await loadNewestSigned(store))?.signed,
    add: async (epochEnds, latest) => {
      const rows: SideRow[] = epochEnds.map(epochEndRow);
      const first = epochEnds[0]?.ledgerInfo.epoch;
      if (first !== undefined && (await loadSpan(store)) === undefined) {
        rows.push({ key: FIRST_KEY, value: encodeWith(u64, first) });
      }
      const newest = latest ?? epochEnds.at(-1);
      if (newest !== undefined) rows.push(newestRow({ signed: newest, isOwn: false }));
      await store.putSideRows(rows);
    },
  };
}
