// Checks a whole store: position, blocks, records, items, superseded values, the state tree and the index, each against the
// others and by hash wherever the ledger has one.
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { CHAIN_ID_KEY_HASH } from "../../../ledger/formats/genesis.ts";
import { stateValueData } from "../../../ledger/formats/state-value.ts";
import { mayOutliveItem, ownedRows } from "../../../ledger/indexes/owned-keys.ts";
import { isAccumulatorKnown } from "../../../ledger/position.ts";
import { ANCHORED, compareTrust, confirmedVersion, formatTrust } from "../../../ledger/trust.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import { type BaseRow, FETCHED_ITEM, kindOfRow, REWINDS } from "../../side-rows.ts";
import { CheckPace, type CheckProgress, Findings, Tally } from "./findings.ts";
import { IndexCheck, type IndexTables } from "./index-check.ts";
import { checkItems, DELETED } from "./item-check.ts";
import { checkRecords } from "./record-check.ts";

/** Result of a check. */
export interface StoreReport {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  readonly records: number;
  /** Records proven by the accumulator at the head. */
  readonly recordsAnchored: number;
  /** Writes of records compared with stored values. */
  readonly writes: number;
  readonly items: number;
  readonly values: number;
  readonly blocks: number;
  readonly treeNodes: number;
  /** Rows below the oldest version that the pruner has not removed yet; not a fault. */
  readonly leftovers: number;
  readonly indexRows: number;
  /** Texts of the first of `faults`. */
  readonly findings: readonly string[];
  readonly faults: number;
}

function checkPosition(walk: StoreWalk, findings: Findings): void {
  const { position, identity } = walk;
  // A ledger that began in the middle may not have it.
  const item = walk.peekNewestItem(CHAIN_ID_KEY_HASH);
  const stored = item?.value && stateValueData(item.value);
  findings.expect(stored === undefined || stored[0] === identity.chainId, () => {
    return `the state belongs to chain ${stored?.[0]}, the store to chain ${identity.chainId}`;
  });
  findings.expect(position.chainId === identity.chainId, () => {
    return `the position belongs to chain ${position.chainId}, the store to chain ${identity.chainId}`;
  });
  findings.expect(position.oldestVersion <= position.version, () => "the oldest version is above the head");
  const { leafCount } = position.accumulator;
  findings.expect(leafCount === 0n || isAccumulatorKnown(position), () => {
    return `the accumulator has ${leafCount} leaves at version ${position.version}`;
  });
}

function indexTablesOf(walk: StoreWalk): IndexTables {
  return {
    position: walk.position,
    indexedTo: walk.indexedTo(),
    transactionsIndexedTo: walk.indexedTo("transactions"),
    getRecord: (version) => walk.peekRecord(version),
    rows: () => walk.indexRows(),
    getRow: (row) => walk.peekIndexRow(row),
    getItem: (keyHash) => walk.peekNewestItem(keyHash),
  };
}

/** Checks a whole store. Rejects with the signal's reason once aborted. */
export async function checkStore(
  walk: StoreWalk,
  onProgress: CheckProgress = () => {},
  signal?: AbortSignal,
): Promise<StoreReport> {
  const findings = new Findings();
  walk.onDamage = (text) => findings.add(text);
  const { position, counts } = walk;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const pace = new CheckPace(total, onProgress, signal);
  checkPosition(walk, findings);
  const index = new IndexCheck(indexTablesOf(walk), findings, pace);
  const [written, deleted] = [new Tally(), new Tally()];
  const indexedTo = walk.indexedTo() ?? -1n;
  let writes = 0;
  // The rows of this engine are read at once.
  const records = await checkRecords(walk, findings, pace, ({ version, bytes, info, writes: own }) => {
    writes += own.length;
    for (const write of own) {
      const { key, keyHash, value } = write;
      written.expect(keyHash, version, value ?? DELETED);
      void index.checkWrite(version, write);
      if (value !== undefined || version > indexedTo) continue;
      for (const { owner, place } of ownedRows(key, keyHash, undefined)) {
        deleted.expect(version, owner, place, keyHash);
      }
    }
    void index.checkRecord(version, bytes, info.transactionHash);
  });
  await pace.each(walk.deletedRows(), ({ version, rows }) => {
    if (version < position.oldestVersion || version > indexedTo) return;
    // The row of a primary store is left out: only the deleted value tells it, and it may outlive its item.
    for (const { owner, place, keyHash } of rows) {
      if (!mayOutliveItem({ owner })) deleted.find(version, owner, place, keyHash);
    }
  });
  deleted.compare(findings, "list of deleted rows of the index");
  const indexRows = await index.checkRows();
  const items = await checkItems({
    walk,
    findings,
    pace,
    written,
    early: position.stateRoot && records.firstCheckpoint,
    onItem: (keyHash, version) => index.checkItem(keyHash, version),
  });
  written.compare(findings, "values of kept versions, as the records wrote them");
  await checkSideRows(walk, findings, pace);
  return {
    chainId: position.chainId,
    version: position.version,
    oldestVersion: position.oldestVersion,
    records: records.records,
    recordsAnchored: records.anchored,
    writes,
    items: items.live,
    values: items.values,
    blocks: records.blocks,
    treeNodes: items.treeNodes,
    leftovers: records.leftovers,
    indexRows,
    findings: findings.texts,
    faults: findings.count,
  };
}

/**
 * Finds side rows that no kind has or that do not decode, and fetched items that no history here confirms: no hash covers
 * them. Those of removed versions are never used, and no fault.
 */
async function checkSideRows(walk: StoreWalk, findings: Findings, pace: CheckPace): Promise<void> {
  const { position } = walk;
  const confirmed = confirmedVersion(position) ?? -1n;
  let rewoundTo: readonly bigint[] = [];
  await pace.each(walk.sideRows(), ({ key, value }) => {
    const name = toHex(key);
    try {
      const kind = kindOfRow(key);
      findings.expect(kind !== undefined, () => `side row ${name}: of no known kind`);
      kind?.decode(value);
      if (REWINDS.owns(key)) rewoundTo = REWINDS.decode(value);
    } catch (error) {
      findings.add(`side row ${name} does not decode: ${errorText(error)}`);
    }
  });
  // The walk is in the order of the keys, and that of REWINDS comes last.
  await pace.each(walk.sideRows(), ({ key, value }) => {
    if (!FETCHED_ITEM.owns(key)) return;
    const keyHash = key.slice(1);
    const fault = answerOf(FETCHED_ITEM.decode(value), walk.peekNewestItem(keyHash)?.version);
    findings.expect(fault === undefined, () => `fetched item ${toHex(keyHash)}: ${fault}`);
  });

  function answerOf({ fetched }: BaseRow, written: bigint | undefined): string | undefined {
    if (fetched === undefined) return "it does not say where it was read";
    const { at, level, rewinds } = fetched;
    if (rewoundTo.slice(Number(rewinds)).some((to) => at > to)) return undefined;
    if (at > position.version) return `read at version ${at}, above the head`;
    if (compareTrust(level, ANCHORED) >= 0 && at > confirmed) {
      return `${formatTrust(level)} at version ${at}, where nothing confirms the history`;
    }
    return written !== undefined && written <= at
      ? `read at version ${at}, but version ${written} wrote it before`
      : undefined;
  }
}
