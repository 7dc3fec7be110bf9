// The blocks of the ledger, watched.
import { nextTurn } from "../../base/wait.ts";
import type { OpenView } from "../balances/balance-history.ts";
import { LedgerError } from "../errors.ts";
import { blockOf } from "../read-point.ts";
import { assertNotRefuted, trustAt } from "../trust.ts";
import type { VersionRange } from "../version-range.ts";
import { type Block, type LedgerView, withView } from "../view.ts";
import { assertKept, eventIdAt } from "./event-id.ts";
import { type WatchEvent, type Watched, WatchKind } from "./watched.ts";

/** A block. Its version is its last one. */
export interface BlockEvent extends WatchEvent, Omit<Block, "lastVersion"> {}

/** Blocks read in one piece. */
const BLOCKS_AT_ONCE = 64;

async function toEvent(view: LedgerView, { lastVersion: version, ...block }: Block): Promise<BlockEvent> {
  const { trust } = view.position;
  return { version, ...block, trust: trustAt(trust, version), id: await eventIdAt(view, version) };
}

/** The first blocks that end in a range. */
async function readBlocks(view: LedgerView, { from, to }: VersionRange): Promise<BlockEvent[]> {
  assertNotRefuted(view.position, to);
  assertKept(view, { version: from });
  const blocks: BlockEvent[] = [];
  let next: Block | undefined = await blockOf(view, from);
  while (next !== undefined && next.lastVersion <= to) {
    blocks.push(await toEvent(view, next));
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
    const blocks = await withView(openView(), (view) => readBlocks(view, { from: next, to }));
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
  current: async (view, version) => {
    assertNotRefuted(view.position, version);
    const block = await blockOf(view, version);
    // A block counts when all of it does.
    const whole = block.lastVersion <= version ? block : await view.getBlockByHeight(block.height - 1n);
    if (whole === undefined)
      throw new LedgerError("unavailable", `no whole block ends by version ${version}`);
    return toEvent(view, whole);
  },
  changes: blocksOf,
};
