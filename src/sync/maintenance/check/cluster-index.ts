// Checks the index of a ledger in a cluster. The other tables of a cluster are checked by its own means.
import { decodeRecord } from "../../../ledger/formats/record.ts";
import { isNodeLogKey } from "../../../ledger/state-tree/tree-node.ts";
import type { ClusterIndexWalk } from "../../../store/cassandra/index-walk.ts";
import type { Store } from "../../../store/contract.ts";
import { CheckPace, Findings } from "./findings.ts";
import { IndexCheck } from "./index-check.ts";

/** Result of a check of the index alone. */
export interface IndexReport {
  readonly chainId: number;
  readonly version: bigint;
  readonly oldestVersion: bigint;
  /** Up to this version every write should be in the index; undefined without an index. */
  readonly indexedTo: bigint | undefined;
  readonly indexRows: number;
  /** Rows that a commit left behind which never finished, or of items written since the check began; not a fault. */
  readonly withoutItem: number;
  /** Texts of the first of them. */
  readonly leftovers: readonly string[];
  /** Texts of the first of `faults`. */
  readonly findings: readonly string[];
  readonly faults: number;
}

const RECORDS_AT_ONCE = 100;
const RECORD_BYTES = 4 << 20;

/** Checks the index of a cluster. Rejects with the signal's reason once aborted. */
export async function checkClusterIndex(
  store: Store & { openIndexWalk(): Promise<ClusterIndexWalk> },
  signal?: AbortSignal,
): Promise<IndexReport> {
  const [findings, leftovers] = [new Findings(), new Findings()];
  const walk = await store.openIndexWalk();
  const { chainId, version, oldestVersion } = walk.position;
  const pace = new CheckPace(0, () => {}, signal);
  const check = new IndexCheck(walk, findings, pace, (text) => leftovers.add(text));
  for (let from = oldestVersion; from <= version; ) {
    signal?.throwIfAborted();
    const view = await store.openView();
    try {
      const left = Number(version - from) + 1;
      const records = await view.getRecords(from, Math.min(RECORDS_AT_ONCE, left), RECORD_BYTES);
      // The pruner has moved on.
      if (records.length === 0) break;
      for (const { version: at, bytes } of records) {
        const { writes, info } = decodeRecord(bytes);
        for (const write of writes) await check.checkWrite(at, write);
        await check.checkRecord(at, bytes, info.transactionHash);
      }
      from += BigInt(records.length);
    } finally {
      view.release();
    }
  }
  const indexRows = await check.checkRows();
  for await (const item of walk.items()) {
    signal?.throwIfAborted();
    if (!isNodeLogKey(item.keyHash)) check.checkItem(item.keyHash, item.version);
  }
  return {
    ...{ chainId, version, oldestVersion, indexedTo: walk.indexedTo, indexRows },
    withoutItem: leftovers.count,
    leftovers: leftovers.texts,
    findings: findings.texts,
    faults: findings.count,
  };
}
