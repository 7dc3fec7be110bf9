// Verifies pages in a second process while the first one commits; without it `Committer.appendPages` verifies.
import { nextTurn } from "../../base/wait.ts";
import { decodePage } from "../../ledger/formats/record.ts";
import { isWhole, type Position } from "../../ledger/position.ts";
import type { Store } from "../../store/contract.ts";
import { loadPosition } from "../reading.ts";
import { PendingTree } from "./pending-tree.ts";
import { encodeVerdict, type PageVerification, type RootedBlock, withRest } from "./verified-page.ts";
import { Verifier } from "./verifier.ts";

/** A part of the node that verifies pages while others are committed. */
export interface RemoteVerifier {
  /**
   * The verdict on the next page, for a VerdictReader, which checks the events. Undefined if it cannot be given, and then
   * on no later page either. Never rejects.
   */
  verify(page: Uint8Array): Promise<Uint8Array | undefined>;
  /** Call after each commit. */
  committed(version: bigint): void;
  /** Resolves when the pages given so far have left this process. */
  sent(): Promise<void>;
  /** Ends it. Open questions get no verdict. */
  close(): Promise<void>;
}

/** Starts a remote verifier that verifies pages after a position. Rejects if it cannot. */
export type StartVerifier = (position: Position, signal: AbortSignal) => Promise<RemoteVerifier>;

/** Blocks that are verified in one turn of the event loop. */
const BLOCKS_PER_TURN = 4;

type TreeReader = Pick<Store, "identity" | "openView" | "getTreeNodes">;

/** Verifies the pages after a position of a store that another process writes. Unusable after an error. */
export class RemotePageVerifier {
  readonly #store: TreeReader;
  readonly #verifier: Verifier;
  readonly #tree: PendingTree;
  /** The last version that was verified, and the last that was committed. */
  #verified: bigint;
  #committed: bigint;
  #onCommitted: () => void = () => {};

  /**
   * The store may be committed to meanwhile: a node that is not loaded yet is one that the pages verified so far did not
   * change, so that every commit in between has the same.
   */
  constructor(store: TreeReader, position: Position, verification: PageVerification) {
    this.#store = store;
    if (!isWhole(position)) throw new Error("the state before the pages is not known");
    this.#verifier = new Verifier(position, undefined, verification.bounds);
    const { treeBytes: maxBytes, keepsChanges } = verification;
    this.#tree = new PendingTree(store, { maxBytes, keepsChanges });
    this.#verified = position.version;
    this.#committed = position.version;
  }

  /** Verifies the next page and returns the verdict on it. Throws LedgerError or BcsError. One call at a time. */
  async verify(page: Uint8Array): Promise<Uint8Array> {
    await this.#shrink();
    const records = decodePage(page);
    const blocks: RootedBlock[] = [];
    for (const record of records) {
      // The reader of the verdict compares the events, so that both processes have as much to do.
      const block = this.#verifier.pushWithoutEvents(record);
      if (block === undefined) continue;
      const rooted = await this.#tree.assertRoot(block);
      // The next page comes in meanwhile: a channel between processes holds about one page.
      if (blocks.length % BLOCKS_PER_TURN === 0) await nextTurn("writer");
      blocks.push(rooted);
    }
    this.#verified = blocks.at(-1)?.position.version ?? this.#verified;
    return encodeVerdict(records, withRest(blocks, this.#tree));
  }

  /** Call when a version is committed. */
  committed(version: bigint): void {
    this.#committed = version;
    if (version >= this.#verified) this.#onCommitted();
  }

  /** Forgets the tree above its budget, when the store has all its nodes. */
  async #shrink(): Promise<void> {
    if (!this.#tree.isFull) return;
    if (this.#committed < this.#verified) {
      await new Promise<void>((resolve) => {
        this.#onCommitted = resolve;
      });
    }
    // A reader may see a commit some milliseconds later than its writer.
    while (((await loadPosition(this.#store))?.version ?? 0n) < this.#verified) await nextTurn("writer");
    this.#tree.settle();
  }
}
