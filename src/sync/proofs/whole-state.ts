// The whole state of one version from backup services and folders, in ranges in the order of key hashes. A range is stored once it is
// proven: the tree of all items so far and the siblings on the right of the last one lead to the state root. So nothing
// before it is missing or false, and what is stored is the progress: an interrupted fetch goes on after its last range.
import { compareBytes, equalBytes } from "../../base/bytes.ts";
import type { Logger } from "../../base/log.ts";
import { Slices } from "../../base/wait.ts";
import { CHAIN_ID_KEY_HASH } from "../../ledger/formats/genesis.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { stateValueData, stateValueHash } from "../../ledger/formats/state-value.ts";
import { SPARSE_MERKLE_PLACEHOLDER } from "../../ledger/hash.ts";
import { foldWay } from "../../ledger/state-tree/key-way.ts";
import { readTreePath } from "../../ledger/state-tree/path.ts";
import { leafHashOf, treeNodeName } from "../../ledger/state-tree/tree-node.ts";
import { StateTree, type TreeNodeReader } from "../../ledger/state-tree/update.ts";
import type { StateWrite, Store, TreeNodeWrite } from "../../store/contract.ts";
import type { Committer } from "../committer.ts";
import { STATE_FETCH } from "../side-rows.ts";
import { type StateRange as GivenRange, isLie, lieAbout, type WholeStates } from "../signatures/source.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { depthOf, fractionOf, type StatePoint } from "./state-prover.ts";

/** Ranges that are asked for at once. */
const AT_ONCE = 4;
/** Items of a range; fewer where an answer with all of them has too many bytes, or does not come in time. */
const RANGE_ITEMS = 1000;
const MIN_RANGE_ITEMS = 4;
/** Ranges in a row after which twice as many items are asked for again. */
const GROW_AFTER = 64;
/** Nodes of the tree kept in memory, at about four kilobytes each. */
const MAX_KEPT_NODES = 10_000;
/** Time between two log lines about the progress. */
const REPORT_MS = 10_000;

/** Items from an index on, unchecked. */
interface StateRange {
  readonly given: GivenRange;
  readonly asked: number;
  readonly items: readonly RangeItem[];
  /** Sets the source of this range aside. */
  readonly blame: (lie: unknown) => void;
}

type RangeItem = StateWrite & { readonly value: Uint8Array };

/** A source of ranges, and how to set it aside. */
export interface BlamedStates {
  readonly states: Pick<WholeStates, "stateRange">;
  readonly blame: StateRange["blame"];
}

export interface WholeStateOptions {
  /** Without a ledger. */
  readonly store: Store;
  readonly committer: Pick<Committer, "writeBase">;
  readonly point: StatePoint;
  /** Asks one source after the other, beginning with another one each turn. */
  readonly fromSources: <T>(turn: number, ask: (source: BlamedStates) => Promise<T>) => Promise<T>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Items of a range. */
  readonly rangeItems?: number | undefined;
}

/** The version whose state an unfinished fetch of this store has a part of. */
export async function fetchedVersion(store: Store): Promise<bigint | undefined> {
  return (await STATE_FETCH.load(store))?.version;
}

/**
 * Fetches what an empty store lacks of the state at a version, and returns the chain id in it. Throws what `fromSources`
 * throws.
 */
export async function fetchWholeState(options: WholeStateOptions): Promise<number | undefined> {
  return new StateFetch(options).run();
}

class StateFetch {
  readonly #options: WholeStateOptions;
  readonly #slices = new Slices("writer");
  #tree: StateTree;
  /** Items that are stored, and the key hash of the last one. */
  #count = 0n;
  #lastKey: Uint8Array | undefined;
  #chainId: number | undefined;
  #root = SPARSE_MERKLE_PLACEHOLDER;
  readonly #mostItems: number;
  #rangeItems: number;
  /** Ranges that were taken since the size last changed. */
  #taken = 0;
  #reportedMs = performance.now();

  constructor(options: WholeStateOptions) {
    this.#options = options;
    this.#mostItems = options.rangeItems ?? RANGE_ITEMS;
    this.#rangeItems = this.#mostItems;
    this.#tree = this.#storedTree();
  }

  async run(): Promise<number | undefined> {
    const { store, point, logger, signal } = this.#options;
    const mark = await STATE_FETCH.load(store);
    if (mark !== undefined) ({ count: this.#count, lastKey: this.#lastKey, chainId: this.#chainId } = mark);
    const fields = { version: `${point.version}` };
    logger.info({ ...fields, items: `${this.#count}` }, "fetching the whole state");
    let ahead: { readonly end: bigint; readonly range: Promise<StateRange | undefined> }[] = [];
    this.#root = await this.#tree.apply([]);
    let isWhole = equalBytes(this.#root, point.root);
    while (!isWhole) {
      signal.throwIfAborted();
      while (ahead.length < AT_ONCE) {
        const start = ahead.at(-1)?.end ?? this.#count;
        const range = this.#fetch(start);
        // Looked at in its turn.
        range.catch(() => {});
        ahead.push({ end: start + BigInt(this.#rangeItems), range });
      }
      const range = await ahead.shift()?.range;
      if (range !== undefined && (await this.#take(range))) {
        isWhole = equalBytes(this.#root, point.root);
        if (++this.#taken >= GROW_AFTER) this.#resize(Math.min(2 * this.#rangeItems, this.#mostItems));
      } else {
        const others = ahead;
        ahead = [];
        if (range === undefined) {
          this.#resize(this.#rangeItems >> 1);
          // A slow source should not make answers that nobody waits for beside the next ones.
          await Promise.allSettled(others.map((other) => other.range));
        }
      }
    }
    logger.info({ ...fields, items: `${this.#count}` }, "the whole state is here");
    return this.#chainId;
  }

  #resize(items: number): void {
    this.#rangeItems = items;
    this.#taken = 0;
  }

  #storedTree(): StateTree {
    return new StateTree((keys) => this.#options.store.getTreeNodes(keys));
  }

  /** Undefined if an answer of that many items has too many bytes, or no source sends it in time. */
  #fetch(start: bigint): Promise<StateRange | undefined> {
    const { point, fromSources, signal } = this.#options;
    const { version } = point;
    const asked = this.#rangeItems;
    const maySplit = asked > MIN_RANGE_ITEMS;
    let isLate = false;
    return fromSources(Number(start / BigInt(asked)), async ({ states, blame }) => {
      const range = await states.stateRange(version, start, asked, signal).catch((error: unknown) => {
        if (error instanceof UpstreamError && error.isLate) isLate = true;
        if (!(error instanceof UpstreamError) || error.code !== "too_large") throw error;
        if (maySplit) return undefined;
        throw new UpstreamError("endless", `${asked} items of the state have more bytes than any`);
      });
      if (range === undefined) return undefined;
      const items: RangeItem[] = [];
      for (const { key, value } of range.items) {
        await this.#slices.pause();
        items.push({ key, keyHash: stateKeyHashOfBcs(key), version, value });
      }
      return { given: range, asked, items, blame };
    }).catch((error: unknown) => {
      if (isLate && maySplit && !signal.aborted) return undefined;
      throw error;
    });
  }

  /** Checks and stores a range; false if it is false, and its source set aside. */
  async #take(range: StateRange): Promise<boolean> {
    try {
      await this.#check(range);
      return true;
    } catch (error) {
      if (!isLie(error)) throw error;
      // It has what is false.
      this.#tree = this.#storedTree();
      range.blame(lieAbout(range.given, error));
      return false;
    }
  }

  async #check({ items, asked, given: { right } }: StateRange): Promise<void> {
    const { point, committer } = this.#options;
    const lastItem = this.#assertOrder(items);
    const updates = items.map(({ keyHash, value }) => ({ keyHash, valueHash: stateValueHash(value) }));
    const root = await this.#tree.apply(updates);
    const nodes = this.#tree.takeChanges();
    await this.#assertLeadsToRoot(lastItem, nodes, right);
    if (items.length < asked && !equalBytes(root, point.root)) {
      throw new UpstreamError("gap", `asked for ${asked} items of the state, got ${items.length}`);
    }
    this.#count += BigInt(items.length);
    this.#lastKey = lastItem.keyHash;
    const chainItem = items.find(({ keyHash }) => equalBytes(keyHash, CHAIN_ID_KEY_HASH));
    if (chainItem !== undefined) [this.#chainId] = stateValueData(chainItem.value);
    const { version } = point;
    const mark = STATE_FETCH.row({
      version,
      count: this.#count,
      lastKey: this.#lastKey,
      chainId: this.#chainId,
    });
    await committer.writeBase({ writes: items, treeNodes: nodes, sideRows: [mark] });
    if (this.#tree.size > MAX_KEPT_NODES) this.#tree.forget();
    this.#root = root;
    this.#report();
  }

  /** Returns the last item. */
  #assertOrder(items: readonly RangeItem[]): RangeItem {
    let before = this.#lastKey;
    for (const { keyHash } of items) {
      if (before !== undefined && compareBytes(before, keyHash) >= 0) {
        throw new UpstreamError("malformed", "the items are not in the order of their hashes");
      }
      before = keyHash;
    }
    const last = items.at(-1);
    if (last === undefined) throw new UpstreamError("gap", "the state ends before its root is reached");
    return last;
  }

  /** The tree of all items up to the last one, and what is on its right, must have the state root. Throws UpstreamError. */
  async #assertLeadsToRoot(
    { keyHash, value }: RangeItem,
    nodes: readonly TreeNodeWrite[],
    right: readonly Uint8Array[],
  ): Promise<void> {
    const { store, point } = this.#options;
    const changed = new Map(nodes.map((node) => [treeNodeName(node.key), node.value]));
    const getNodes: TreeNodeReader = (keys) =>
      Promise.all(
        keys.map(async (key) => changed.get(treeNodeName(key)) ?? (await store.getTreeNodes([key]))[0]),
      );
    const { siblings: left } = await readTreePath(keyHash, getNodes);
    // Deeper than among the items so far if the next one shares more with it.
    const bottom = Math.max(left.length, depthOf(keyHash, right.length));
    let used = 0;
    const hash = foldWay(keyHash, leafHashOf(keyHash, stateValueHash(value)), { bottom }, (depth, isLeft) =>
      isLeft ? left[depth] : right[used++],
    );
    if (used !== right.length || !equalBytes(hash, point.root)) {
      throw new UpstreamError("malformed", "a range of the state does not lead to the state root");
    }
  }

  #report(): void {
    if (performance.now() - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = performance.now();
    const share = Math.floor(100 * fractionOf(this.#lastKey ?? SPARSE_MERKLE_PLACEHOLDER));
    this.#options.logger.info({ items: `${this.#count}`, percent: share }, "fetching the whole state");
  }
}
