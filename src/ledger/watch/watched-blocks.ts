// The blocks of the ledger, watched.
import { nextTurn } from "../../base/turns.ts";
import type { OpenView } from "../balance-history.ts";
import { LedgerError } from "../errors.ts";
import { blockOf } from "../read-point.ts";
import { assertNotRefuted } from "../trust.ts";
import type { VersionRange } from "../version-range.ts";
import type { Block, LedgerView } from "../view.ts";
import { WatchKind } from "./topic.ts";
import type { WatchEvent, Watched } from "./watched.ts";

/** A block. Its version is its last one. */
export interface BlockEvent extends WatchEvent, Omit<Block, "lastVersion"> {}

/** Blocks read in one piece. */
const BLOCKS_AT_ONCE = 64;

function toEvent({ lastVersion: version, ...block }: Block): BlockEvent {
  return { version, ...block };
}

/** The first blocks that end in a range. */
async function readBlocks(view: LedgerView, { from, to }: VersionRange): Promise<BlockEvent[]> {
  const { oldestVersion } = view.position;
  assertNotRefuted(view.position, to);
  if (from < oldestVersion) {
    throw new LedgerError("version_pruned", `version ${from} is below the oldest kept, ${oldestVersion}`);
  }
  const blocks: BlockEvent[] = [];
  let next: Block | undefined = await blockOf(view, from);
  while (next !== undefined && next.lastVersion <= to) {
    blocks.push(toEvent(next));
    if (blocks.length === BLOCKS_AT_ONCE) break;
    next = await view.getBlockByHeight(next.height + 1n);
  }
  return blocks;
}

async function* blocksOf(
  openView: OpenView,
  { from, to }: VersionRange,
): AsyncGenerator<readonly BlockEvent[]> {
  for (let next = from; next <= to; ) {
    await nextTurn();
    const view = await openView();
    let blocks: BlockEvent[];
    try {
      blocks = await readBlocks(view, { from: next, to });
    } finally {
      view.release();
    }
    const last = blocks.at(-1);
    if (last === undefined) return;
    yield blocks;
    next = last.version + 1n;
  }
}

export const watchedBlocks: Watched<BlockEvent> = {
  kind: new WatchKind(),
  id: "blocks",
  keys: undefined,
  current: async (view) => {
    assertNotRefuted(view.position, view.position.version);
    return toEvent(await blockOf(view, view.position.version));
  },
  changes: blocksOf,
};
