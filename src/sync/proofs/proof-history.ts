// What proofs of earlier block ends need, written and removed in the commits themselves: for each block end inside the window
// its place in the accumulator and its signed ledger info if it has one; how the nodes of the state tree changed; and
// subtrees of the accumulator, which lead from a version to a later signed one.
import { append } from "../../base/append.ts";
import type { Position } from "../../ledger/position.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { SideRow, StateWrite, Store } from "../../store/contract.ts";
import { cutoffUsec, type ProofWindow } from "../maintenance/prune-window.ts";
import {
  BLOCK_ENDS,
  type BlockEnd,
  decodeBlockEnd,
  encodeBlockEnd,
  endsGroup,
  GROUP_BLOCKS,
  loadBlockEnd,
  NODE_LOG,
  OLDEST_END,
  RECENT_BLOCK,
  SUBTREE,
} from "../side-rows.ts";
import { encodeSigned } from "../signatures/signed-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import type { RootedBlock } from "../verify/verified-page.ts";
import { loggedNodes, TreeHistory } from "./tree-history.ts";

/** A block, and how it changed the state tree. */
export type KeptBlock = Pick<RootedBlock, "position" | "leftOfLast" | "subtrees" | "changes" | "nodes">;

/** Most groups of block ends that leave at the end of one. */
const REMOVALS = 4;
/** Rows removed in one write when a whole history goes. */
const CLEARED_AT_ONCE = 1000;

/** What a commit adds to a history. */
export interface HistoryRows {
  readonly rows: SideRow[];
  /** Finished logs of tree nodes, in the order of versions. */
  readonly writes: StateWrite[];
}

/** The oldest kept block end. */
interface OldestEnd extends Pick<BlockEnd, "version"> {
  readonly height: bigint;
}

/** Keeps the history of one store, which has no other writer. Runs ahead of the store during a commit. */
export class ProofHistory {
  readonly #store: Store;
  readonly #window: ProofWindow;
  readonly #tree: TreeHistory;
  /** What is kept, up to a head. */
  #kept: { readonly head: bigint; readonly oldest: OldestEnd } | undefined;

  /** `logBytes`: the length from which on the log of a tree node is finished. */
  constructor(store: Store, window: ProofWindow, logBytes?: number) {
    this.#store = store;
    this.#window = window;
    this.#tree = new TreeHistory(store, logBytes);
  }

  /** What to write with the commit of blocks on a head. `signed` is what validators signed about the last one. */
  async rowsOf(
    head: Position | undefined,
    blocks: readonly KeptBlock[],
    signed: SignedLedgerInfo | undefined,
  ): Promise<HistoryRows> {
    const added: HistoryRows = { rows: [], writes: [] };
    const { rows } = added;
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (first === undefined || last === undefined) return added;
    const stored = await this.#begin(head);
    const start = stored ?? { ...first.position, height: first.position.blockHeight };
    for (const block of blocks) {
      const proof = block === last ? signed && encodeSigned(signed) : undefined;
      const end = encodeBlockEnd({ ...block.position, left: block.leftOfLast, signed: proof });
      // Before the first block of a ledger there is no state to ask for.
      const isFirst = head === undefined && block === first;
      const logged = isFirst ? { ...block, changes: new Uint8Array() } : block;
      append(added.writes, await this.#tree.log(logged, end, start.version));
      for (const { level, index, hash } of block.subtrees) rows.push(SUBTREE.row(hash, level, index));
    }
    append(rows, this.#tree.takeRows());
    let oldest = start;
    // Those of this commit are not stored yet; they leave in a later one.
    if (stored !== undefined && head !== undefined) {
      const groups = blocks.filter(({ position }) => endsGroup(position.blockHeight)).length;
      oldest = await this.#prune(stored, head, last.position, REMOVALS * groups);
    }
    for (let { height } = start; height < oldest.height; height += GROUP_BLOCKS)
      rows.push(BLOCK_ENDS.removal(height));
    if (oldest !== stored) rows.push(OLDEST_END.row(oldest.height));
    this.#kept = { head: last.position.version, oldest };
    return added;
  }

  /** Call when a commit failed. */
  forget(): void {
    this.#kept = undefined;
    this.#tree.forget();
  }

  /** The oldest kept end. A history that does not reach the head, because others wrote blocks, begins again. */
  async #begin(head: Position | undefined): Promise<OldestEnd | undefined> {
    if (this.#kept !== undefined && this.#kept.head === head?.version) return this.#kept.oldest;
    this.forget();
    const height = await OLDEST_END.load(this.#store);
    if (height === undefined) return undefined;
    const oldest = await loadBlockEnd(this.#store, height);
    const newest = head && (await loadBlockEnd(this.#store, head.blockHeight));
    if (oldest !== undefined && newest?.version === head?.version) return { ...oldest, height };
    await clearProofHistory(this.#store);
    return undefined;
  }

  /** The oldest block end after at most `most` groups that have none inside the window leave. That of the head stays. */
  async #prune(stored: OldestEnd, head: Position, newest: KeptBlock["position"], most: number) {
    let oldest = stored;
    for (let removed = 0; removed < most; removed++) {
      if (oldest.height / GROUP_BLOCKS === head.blockHeight / GROUP_BLOCKS) break;
      const last = (await BLOCK_ENDS.load(this.#store, oldest.height))?.ends.at(-1);
      if (last === undefined || this.#isInside(decodeBlockEnd(last), head, newest)) break;
      const height = (oldest.height / GROUP_BLOCKS + 1n) * GROUP_BLOCKS;
      const next = await loadBlockEnd(this.#store, height);
      if (next === undefined) break;
      oldest = { ...next, height };
    }
    return oldest;
  }

  #isInside(end: BlockEnd, { oldestVersion }: Position, newest: KeptBlock["position"]): boolean {
    const window = this.#window;
    if (end.version < oldestVersion) return false;
    if (window.kind === "count") return newest.version - end.version < window.versions;
    return window.kind !== "time" || end.timestampUsec >= cutoffUsec(window, newest.timestampUsec);
  }
}

/** Removes a history, in several writes. One that is interrupted is finished by the next. */
export async function clearProofHistory(store: Store): Promise<void> {
  let height = await OLDEST_END.load(store);
  if (height === undefined) return;
  const writer = new StoreWriter(store);
  let rows: SideRow[] = [];
  const remove = async (row: SideRow): Promise<void> => {
    rows.push(row);
    if (rows.length < CLEARED_AT_ONCE) return;
    await writer.write({ sideRows: [...rows, OLDEST_END.row(height ?? 0n)] });
    rows = [];
  };
  for (; (await BLOCK_ENDS.load(store, height)) !== undefined; height += GROUP_BLOCKS)
    await remove(BLOCK_ENDS.removal(height));
  for (let place = 0n; place < GROUP_BLOCKS; place++) await remove(RECENT_BLOCK.removal(place));
  const logged: Uint8Array[] = [];
  for await (const key of loggedNodes(store)) logged.push(key);
  // From the leaves up, so that an interrupted clearing finds the rest again.
  for (const key of logged.reverse()) await remove(NODE_LOG.removal(key));
  await writer.write({ sideRows: [...rows, OLDEST_END.removal()] });
}
