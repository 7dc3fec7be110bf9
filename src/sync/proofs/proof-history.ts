// What proofs of earlier block ends need, as side rows written and removed in the commits themselves: for each block end
// inside the window its place in the accumulator, its signed ledger info if it has one, and its state tree; and
// subtrees of the accumulator, which lead from a version to a later signed one.
import { append } from "../../base/append.ts";
import type { Position } from "../../ledger/position.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { SideRow, Store, TreeNodeWrite } from "../../store/contract.ts";
import { cutoffUsec, type PruneWindow } from "../maintenance/prune-window.ts";
import {
  BLOCK_END,
  type BlockEnd,
  CHANGED_NODES,
  KEPT_NODE,
  PROOF_REACH,
  type ProofReach,
  type SideRowReader,
  SUBTREE,
} from "../side-rows.ts";
import { encodeSigned } from "../signatures/signed-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import type { VerifiedBlock } from "../verify/verifier.ts";
import { TreeHistory, walkRows } from "./tree-history.ts";

/** How far back proofs can be made. `off`: no history is kept. */
export type ProofWindow = PruneWindow;

/** A block and the nodes that it changed. */
export interface KeptBlock extends Pick<VerifiedBlock, "start" | "leftOfLast" | "subtrees"> {
  readonly position: Pick<Position, "version" | "timestampUsec" | "blockHeight">;
  readonly changes: readonly TreeNodeWrite[];
}

/** Block ends leave by this many at once: neighbours share pages, so one commit then changes fewer. */
const REMOVED_AT_ONCE = 16;
/** Most block ends that one commit removes for each that it adds, beyond those. */
const REMOVALS = 2;
/** Rows removed in one write when a whole history goes. */
const CLEARED_AT_ONCE = 1000;

/** Keeps the history of one store, which has no other writer. Runs ahead of the store during a commit. */
export class ProofHistory {
  readonly #store: Store;
  readonly #window: ProofWindow;
  readonly #tree: TreeHistory;
  #newest: (BlockEnd & ProofReach) | undefined;
  #pending: (BlockEnd & ProofReach) | undefined;
  #asked: ({ readonly height: bigint } & Pick<BlockEnd, "version" | "timestampUsec">) | undefined;

  constructor(store: Store, window: ProofWindow) {
    this.#store = store;
    this.#window = window;
    this.#tree = new TreeHistory(store);
  }

  /** Rows to write with the commit of blocks on a head. `signed` is what validators signed about the last one. */
  async rowsOf(
    head: Position | undefined,
    blocks: readonly KeptBlock[],
    signed: SignedLedgerInfo | undefined,
  ): Promise<SideRow[]> {
    const rows: SideRow[] = [];
    let last = await this.#begin(head);
    for (const [i, block] of blocks.entries()) {
      const { version, timestampUsec, blockHeight } = block.position;
      const base = last?.base ?? head?.version ?? version;
      const rootBefore = last === undefined ? head && base : last.rootVersion;
      const isFirst = last === undefined;
      const tree = await this.#tree.rowsOf(block.changes, {
        version,
        rootVersion: rootBefore,
        base,
        isFirst,
      });
      const root = block.changes.find(({ key }) => key[0] === 0);
      last = {
        version,
        timestampUsec,
        left: [...block.leftOfLast],
        signed: signed !== undefined && i === blocks.length - 1 ? encodeSigned(signed) : undefined,
        rootVersion: root === undefined ? rootBefore : root.value && version,
        base,
        oldest: last?.oldest ?? blockHeight,
        newest: blockHeight,
      };
      append(rows, tree.rows);
      append(
        rows,
        block.subtrees.map(({ level, index, hash }) => SUBTREE.row(hash, level, index)),
      );
      rows.push(BLOCK_END.row(last, blockHeight), CHANGED_NODES.row(tree.changed, blockHeight));
    }
    if (last === undefined) return rows;
    const pruned = await this.#prune(last, blocks.length);
    append(rows, pruned.rows);
    this.#pending = { ...last, oldest: pruned.oldest };
    rows.push(PROOF_REACH.row(this.#pending));
    return rows;
  }

  /** Call when the rows are stored. */
  settle(): void {
    this.#newest = this.#pending;
    this.#tree.settle();
  }

  /** Call when a commit failed. */
  forget(): void {
    this.#newest = undefined;
    this.#asked = undefined;
    this.#tree.forget();
  }

  /** The newest block end. A history that does not reach the head, because others wrote blocks, begins again. */
  async #begin(head: Position | undefined): Promise<(BlockEnd & ProofReach) | undefined> {
    if (this.#newest !== undefined && this.#newest.version === head?.version) return this.#newest;
    this.#tree.forget();
    const reach = await PROOF_REACH.load(this.#store);
    if (reach === undefined) return undefined;
    const end = await BLOCK_END.load(this.#store, reach.newest);
    if (end !== undefined && reach.version === head?.version) return { ...end, ...reach };
    await clearProofHistory(this.#store);
    return undefined;
  }

  /** Removes block ends outside of the window, and the nodes that only they needed. The newest always stays. */
  async #prune(
    newest: BlockEnd & ProofReach,
    added: number,
  ): Promise<{ readonly rows: SideRow[]; readonly oldest: bigint }> {
    const rows: SideRow[] = [];
    let { oldest } = newest;
    // Those of this commit are not stored yet; they leave in a later one.
    const stored = this.#newest?.newest ?? (await PROOF_REACH.load(this.#store))?.newest ?? -1n;
    const next = oldest + BigInt(REMOVED_AT_ONCE) - 1n;
    if (next >= stored || (await this.#staysAt(next, newest))) return { rows, oldest };
    const most = REMOVED_AT_ONCE + REMOVALS * added;
    for (let i = 0; i < most && oldest < stored; i++) {
      if (i >= REMOVED_AT_ONCE && (await this.#staysAt(oldest, newest))) break;
      rows.push(BLOCK_END.removal(oldest), CHANGED_NODES.removal(oldest));
      oldest += 1n;
      // What the next block replaced, nobody can ask for any more.
      append(rows, await replacedRows(this.#store, oldest));
    }
    return { rows, oldest };
  }

  async #staysAt(height: bigint, newest: BlockEnd): Promise<boolean> {
    // Asked for the same one by many commits.
    if (this.#asked?.height !== height) {
      const end = await BLOCK_END.load(this.#store, height);
      if (end === undefined) return false;
      this.#asked = { height, version: end.version, timestampUsec: end.timestampUsec };
    }
    return this.#isInside(this.#asked, newest);
  }

  #isInside(end: Pick<BlockEnd, "version" | "timestampUsec">, newest: BlockEnd): boolean {
    const window = this.#window;
    if (window.kind === "count") return newest.version - end.version < window.versions;
    return window.kind === "off" || end.timestampUsec >= cutoffUsec(window, newest.timestampUsec);
  }
}

/** Removals of the nodes that a block replaced. */
async function replacedRows(store: SideRowReader, height: bigint): Promise<SideRow[]> {
  const changed = (await CHANGED_NODES.load(store, height)) ?? [];
  return changed.flatMap(({ key, before }) => (before === undefined ? [] : [KEPT_NODE.removal(key, before)]));
}

/** Removes a history, in several writes. One that is interrupted is finished by the next. */
export async function clearProofHistory(store: Store): Promise<void> {
  const reach = await PROOF_REACH.load(store);
  if (reach === undefined) return;
  const writer = new StoreWriter(store);
  let rows: SideRow[] = [];
  const write = async (): Promise<void> => {
    await writer.write({ sideRows: rows });
    rows = [];
  };
  const newest = await BLOCK_END.load(store, reach.newest);
  // From the oldest on: the root of the newest leads to all that is left.
  for (let height = reach.oldest; height < reach.newest; height++) {
    rows.push(
      BLOCK_END.removal(height),
      CHANGED_NODES.removal(height),
      ...(await replacedRows(store, height + 1n)),
      PROOF_REACH.row({ ...reach, oldest: height + 1n }),
    );
    if (rows.length > CLEARED_AT_ONCE) await write();
  }
  const left: Uint8Array[] = [];
  for await (const key of walkRows(store, newest?.rootVersion)) left.push(key);
  // From the leaves up, so that an interrupted clearing finds the rest again.
  for (const key of left.reverse()) {
    rows.push({ key, value: undefined });
    if (rows.length > CLEARED_AT_ONCE) await write();
  }
  rows.push(BLOCK_END.removal(reach.newest), CHANGED_NODES.removal(reach.newest), PROOF_REACH.removal());
  await write();
}
