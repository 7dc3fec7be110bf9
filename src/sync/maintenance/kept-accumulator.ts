// Accumulators of earlier versions. The frozen subtrees of a later head do not contain those of an earlier one, so they
// are recomputed from records: from version 0, from the subtrees that both have, or from the accumulator that the pruner
// keeps before it removes the records below.

import { EMPTY_ACCUMULATOR, transactionAccumulator } from "../../ledger/accumulator.ts";
import { transactionInfoHash } from "../../ledger/formats/transaction-info.ts";
import { type AccumulatorState, isAccumulatorKnown, type Position } from "../../ledger/position.ts";
import { withView } from "../../ledger/view.ts";
import type { Store } from "../../store/contract.ts";
import { readRecords } from "../reading.ts";
import { KEPT_ACCUMULATOR } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";

/**
 * Keeps the accumulator of the versions below `floor`. Call it before pruning up to there. A store that was pruned
 * before any was kept keeps the head's, so that at least the versions after it can be rewound.
 */
export async function keepAccumulator(store: Store, floor: bigint, signal: AbortSignal): Promise<void> {
  const position = await withView(store.openView(), (view) => view.position);
  if (floor === 0n || !isAccumulatorKnown(position) || position.refuted !== undefined) return;
  const kept = await KEPT_ACCUMULATOR.load(store);
  if (kept !== undefined && kept.leafCount >= floor) return;
  const state = (await accumulatorOf(store, position, floor, signal)) ?? position.accumulator;
  await new StoreWriter(store).write({ sideRows: [KEPT_ACCUMULATOR.row(state)] });
}

/** The accumulator of the versions below one; undefined if records that it follows from are pruned. */
export async function accumulatorOf(
  store: Store,
  position: Position,
  leafCount: bigint,
  signal: AbortSignal,
): Promise<AccumulatorState | undefined> {
  const start = await findStart(store, position, leafCount);
  if (start === undefined) return undefined;
  const accumulator = transactionAccumulator(start);
  for await (const record of readRecords(store, start.leafCount, leafCount - 1n, signal)) {
    accumulator.append(transactionInfoHash(record.infoBytes));
  }
  return accumulator.state();
}

/**
 * The latest known accumulator with at most `leafCount` leaves whose later records are all kept; undefined if those are
 * pruned.
 */
export async function findStart(
  store: Store,
  { accumulator: head, oldestVersion }: Position,
  leafCount: bigint,
): Promise<AccumulatorState | undefined> {
  const starts = [EMPTY_ACCUMULATOR, sharedSubtrees(head, leafCount), await KEPT_ACCUMULATOR.load(store)];
  let best: AccumulatorState | undefined;
  for (const start of starts) {
    const fits = start !== undefined && start.leafCount >= oldestVersion && start.leafCount <= leafCount;
    if (fits && (best === undefined || start.leafCount > best.leafCount)) best = start;
  }
  return best;
}

/** The subtrees of an accumulator that it shares with the one of its first leaves: those of the leading equal bits. */
function sharedSubtrees({ leafCount: all, frozen }: AccumulatorState, leafCount: bigint): AccumulatorState {
  let bits = 0n;
  while (all >> bits !== leafCount >> bits) bits++;
  const shared = (leafCount >> bits) << bits;
  const count = [...shared.toString(2)].filter((bit) => bit === "1").length;
  return { leafCount: shared, frozen: frozen.slice(0, count) };
}
