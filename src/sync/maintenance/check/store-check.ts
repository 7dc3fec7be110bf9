// Checks a whole store: position, blocks, records, items, superseded values, the state tree and the index, each against the
// others and by hash wherever the ledger has one.
import { equalBytes } from "../../../base/bytes.ts";
import { errorText } from "../../../base/errors.ts";
import { toHex } from "../../../base/hex.ts";
import { CHAIN_ID_KEY_HASH } from "../../../ledger/formats/genesis.ts";
import { stateValueData } from "../../../ledger/formats/state-value.ts";
import { isAccumulatorKnown } from "../../../ledger/position.ts";
import { ANCHORED, compareTrust, confirmedVersion, formatTrust } from "../../../ledger/trust.ts";
import type { StoreWalk } from "../../../store/lmdb/walk.ts";
import { type BaseRow, FETCHED_ITEM, kindOfRow, REWINDS } from "../../side-rows.ts";
import { CheckPace, type CheckProgress, Findings } from "./findings.ts";
import { DeletionCheck, IndexCheck, type IndexTables } from "./index-check.ts";
import { ItemCheck } from "./item-check.ts";
import { RecordCheck } from "./record-check.ts";
import { checkTree, rootOf } from "./tree-check.ts";

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
  const { leafCount, frozen } = position.accumulator;
  const bits = [...leafCount.toString(2)].filter((bit) => bit === "1").length;
  findings.expect(frozen.length === bits && (leafCount === 0n || isAccumulatorKnown(position)), () => {
    return `the accumulator has ${leafCount} leaves and ${frozen.length} subtrees at version ${position.version}`;
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
  const deletions = new DeletionCheck(walk, findings, pace);
  // The rows of this engine are read at once.
  const records = await new RecordCheck(walk, findings, pace, ({ version, bytes, info, writes }) => {
    for (const write of writes) {
      void index.checkWrite(version, write);
      deletions.checkWrite(version, write);
    }
    void index.checkRecord(version, bytes, info.transactionHash);
  }).run();
  await deletions.run();
  const indexRows = await index.checkRows();
  const early = records.firstCheckpoint;
  const isWhole = position.stateRoot !== undefined;
  const onItem = (keyHash: Uint8Array, version: bigint): void => index.checkItem(keyHash, version);
  const items = await new ItemCheck(walk, findings, pace, isWhole ? early?.version : undefined, onItem).run();
  findings.expect(items.kept === records.writes, () => {
    return `${items.kept} values are of kept versions, the records wrote ${records.writes}`;
  });
  let treeNodes = 0;
  await checkSideRows(walk, findings, pace);
  if (isWhole) {
    treeNodes = await checkTree(walk, items.head, findings, pace);
    const earlyRoot = await rootOf(items.early, pace);
    findings.expect(early !== undefined && equalBytes(earlyRoot, early.stateRoot), () => {
      return `state root as of version ${early?.version}: the items give ${toHex(earlyRoot)}, the record has another root`;
    });
  }
  return {
    chainId: position.chainId,
    version: position.version,
    oldestVersion: position.oldestVersion,
    records: records.records,
    recordsAnchored: records.anchored,
    writes: records.writes,
    items: items.live,
    values: items.values,
    blocks: records.blocks,
    treeNodes,
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
  for (const { key, value } of walk.sideRows()) {
    pace.row();
    const turn = pace.turn();
    if (turn !== undefined) await turn;
    const name = toHex(key);
    try {
      const kind = kindOfRow(key);
      findings.expect(kind !== undefined, () => `side row ${name}: of no known kind`);
      kind?.decode(value);
      if (REWINDS.owns(key)) rewoundTo = REWINDS.decode(value);
    } catch (error) {
      findings.add(`side row ${name} does not decode: ${errorText(error)}`);
    }
  }
  // The walk is in the order of the keys, and that of REWINDS comes last.
  for (const { key, value } of walk.sideRows()) {
    const turn = pace.turn();
    if (turn !== undefined) await turn;
    if (!FETCHED_ITEM.owns(key)) continue;
    const keyHash = key.slice(1);
    const fault = answerOf(FETCHED_ITEM.decode(value), walk.peekNewestItem(keyHash)?.version);
    findings.expect(fault === undefined, () => `fetched item ${toHex(keyHash)}: ${fault}`);
  }

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
