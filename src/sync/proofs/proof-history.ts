// What proofs of earlier block ends need, written and removed in the commits themselves: for each block end inside the window
// its place in the accumulator and its signed ledger info if it has one; how the nodes of the state tree changed; and
// subtrees of the accumulator, which lead from a version to a later signed one.
import { append } from "../../base/append.ts";
import type { Position } from "../../ledger/position.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { SideRow, StateWrite, Store, TreeNodeWrite } from "../../store/contract.ts";
import { cutoffUsec, type ProofWindow } from "../maintenance/prune-window.ts";
import {
  BLOCK_CHANGES,
  BLOCK_END,
  type BlockEnd,
  NODE_LOG,
  PROOF_REACH,
  type ProofReach,
  recentHeights,
  SUBTREE,
} from "../side-rows.ts";
import { encodeSigned } from "../signatures/signed-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import type { VerifiedBlock } from "../verify/verifier.ts";
import { loggedNodes, TreeHistory } from "./tree-history.ts";

/** A block and the nodes that it changed. */
export interface KeptBlock extends Pick<VerifiedBlock, "start" | "leftOfLast" | "subtrees"> {
  readonly position: Pick<Position, "version" | "timestampUsec" | "blockHeight">;
  readonly changes: readonly TreeNodeWrite[];
}

/** Most block ends that one commit removes for each that it adds. */
const REMOVALS = 4;
/** Rows removed in one write when a whole history goes. */
const CLEARED_AT_ONCE = 1000;

/** What a commit adds to a history. */
export interface HistoryRows {
  readonly rows: SideRow[];
  /** Finished logs of tree nodes, in the order of versions. */
  readonly writes: StateWrite[];
}

/** Keeps the history of one store, which has no other writer. Runs ahead of the store during a commit. */
export class ProofHistory {
  readonly #store: Store;
  readonly #window: ProofWindow;
  readonly #tree: TreeHistory;
  #reach: ProofReach | undefined;
  #pending: ProofReach | undefined;
  /** The oldest block end. Many commits ask whether it is still inside. */
  #oldest: ({ readonly height: bigint } & Pick<BlockEnd, "version" | "timestampUsec">) | undefined;

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
    const stored = await this.#begin(head);
    let before = head?.version;
    let reach = stored;
    for (const [i, block] of blocks.entries()) {
      const { version, timestampUsec, blockHeight } = block.position;
      const base = reach?.base ?? before ?? version;
      if (before === undefined) this.#tree.begin(block.changes);
      else {
        const oldest = this.#oldest?.version ?? base;
        append(
          added.writes,
          await this.#tree.log(block.changes, { version, height: blockHeight, before, base, oldest }),
        );
      }
      const isSigned = signed !== undefined && i === blocks.length - 1;
      const end = { version, timestampUsec, left: [...block.leftOfLast] };
      rows.push(
        ...block.subtrees.map(({ level, index, hash }) => SUBTREE.row(hash, level, index)),
        BLOCK_END.row({ ...end, signed: isSigned ? encodeSigned(signed) : undefined }, blockHeight),
      );
      reach = { base, version, oldest: reach?.oldest ?? blockHeight, newest: blockHeight };
      before = version;
    }
    const last = blocks.at(-1);
    if (reach === undefined || last === undefined) return added;
    append(rows, this.#tree.takeRows());
    // Those of this commit are not stored yet; they leave in a later one.
    const newest = { ...last.position, oldestVersion: head?.oldestVersion ?? 0n };
    const oldest = await this.#prune(reach.oldest, stored?.newest, newest, REMOVALS * blocks.length);
    for (let height = reach.oldest; height < oldest; height++) rows.push(BLOCK_END.removal(height));
    this.#pending = { ...reach, oldest };
    rows.push(PROOF_REACH.row(this.#pending));
    return added;
  }

  /** Call when the rows are stored. */
  settle(): void {
    this.#reach = this.#pending;
    this.#tree.settle();
  }

  /** Call when a commit failed. */
  forget(): void {
    this.#reach = undefined;
    this.#oldest = undefined;
    this.#tree.forget();
  }

  /** The kept block ends. A history that does not reach the head, because others wrote blocks, begins again. */
  async #begin(head: Position | undefined): Promise<ProofReach | undefined> {
    if (this.#reach !== undefined && this.#reach.version === head?.version) return this.#reach;
    this.forget();
    const reach = await PROOF_REACH.load(this.#store);
    if (reach === undefined || reach.version === head?.version) return reach;
    await clearProofHistory(this.#store);
    return undefined;
  }

  /** The height of the oldest block end inside the window, at most `most` above. The newest stored one stays. */
  async #prune(
    oldest: bigint,
    newest: bigint | undefined,
    head: Pick<Position, "version" | "timestampUsec" | "oldestVersion">,
    most: number,
  ): Promise<bigint> {
    const last = newest === undefined || newest - oldest < most ? newest : oldest + BigInt(most);
    for (let height = oldest; ; height++) {
      if (this.#oldest?.height !== height) {
        const end = await BLOCK_END.load(this.#store, height);
        this.#oldest = end && { height, version: end.version, timestampUsec: end.timestampUsec };
      }
      const isInside = this.#oldest !== undefined && this.#isInside(this.#oldest, head);
      if (last === undefined || height >= last || isInside) return height;
    }
  }

  #isInside(
    end: Pick<BlockEnd, "version" | "timestampUsec">,
    newest: Pick<Position, "version" | "timestampUsec" | "oldestVersion">,
  ): boolean {
    const window = this.#window;
    if (end.version < newest.oldestVersion) return false;
    if (window.kind === "count") return newest.version - end.version < window.versions;
    return window.kind !== "time" || end.timestampUsec >= cutoffUsec(window, newest.timestampUsec);
  }
}

/** Removes a history, in several writes. One that is interrupted is finished by the next. */
export async function clearProofHistory(store: Store): Promise<void> {
  const reach = await PROOF_REACH.load(store);
  if (reach === undefined) return;
  const writer = new StoreWriter(store);
  let rows: SideRow[] = [];
  const remove = async (row: SideRow): Promise<void> => {
    rows.push(row);
    if (rows.length < CLEARED_AT_ONCE) return;
    await writer.write({ sideRows: rows });
    rows = [];
  };
  for (let height = reach.oldest; height <= reach.newest; height++) await remove(BLOCK_END.removal(height));
  for (const height of recentHeights(reach.newest)) await remove(BLOCK_CHANGES.removal(height));
  const logged: Uint8Array[] = [];
  for await (const key of loggedNodes(store)) logged.push(key);
  // From the leaves up, so that an interrupted clearing finds the rest again.
  for (const key of logged.reverse()) await remove(NODE_LOG.removal(key));
  await writer.write({ sideRows: [...rows, PROOF_REACH.removal()] });
}
