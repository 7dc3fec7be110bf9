// The only way for versions into a store: the committer verifies records, recomputes and compares the state root of every block,
// and commits complete blocks with their items, indexes and tree nodes in one write.

import { append } from "../base/append.ts";
import type { CacheStats } from "../base/cache-stats.ts";
import type { Logger } from "../base/log.ts";
import { type NumberOptions, numbersOf } from "../base/settings.ts";
import { Slices } from "../base/wait.ts";
import { BcsError } from "../bcs/errors.ts";
import { LedgerError } from "../ledger/errors.ts";
import { type GenesisCheck, UNKNOWN_GENESIS } from "../ledger/formats/genesis.ts";
import { decodePage, decodeRecord, type RecordSpans } from "../ledger/formats/record.ts";
import { isAccumulatorKnown, isWhole, type Position } from "../ledger/position.ts";
import {
  ANCHORED,
  CHAINED,
  compareTrust,
  cutTrust,
  extendTrust,
  isMadeHere,
  PROVEN,
  type Refutation,
  raiseTrust,
  TRUSTED,
  type TrustFacts,
  type TrustLevel,
  trustAt,
} from "../ledger/trust.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import type { SignedLedgerInfo } from "../proof/ledger-info.ts";
import type {
  BaseBatch,
  BlockStart,
  CommitBatch,
  RawRecord,
  SideRow,
  Store,
  StoreIdentity,
} from "../store/contract.ts";
import type { ProofHistory } from "./proofs/proof-history.ts";
import { loadPosition } from "./reading.ts";
import { KEPT_ACCUMULATOR, STATE_FETCH } from "./side-rows.ts";
import { ownSignedRows } from "./signatures/signed-rows.ts";
import { type IndexProgress, type LedgerCommit, StoreWriter } from "./store-writer.ts";
import { PendingTree, TREE_CACHE_BYTES } from "./verify/pending-tree.ts";
import { lastOfEach, type PageVerification, type RootedBlock, withRest } from "./verify/verified-page.ts";
import { type BaseStart, OPEN_BLOCK_NUMBERS, type VerifiedBlock, Verifier } from "./verify/verifier.ts";
import { assertEndsBlock, matchedWaypointRow } from "./waypoints.ts";

/** Inspects verified blocks before their commit and returns the level that this earned them; throwing prevents it. */
export type BlockCheck = (blocks: readonly VerifiedBlock[]) => Promise<TrustLevel | undefined>;

/** Options of a committer. */
export interface CommitterOptions {
  readonly store: Store;
  /** False writes no index of items. */
  readonly index?: boolean | undefined;
  /** False writes no index of transactions. */
  readonly transactionIndex?: boolean | undefined;
  readonly logger: Logger;
  /** Writes an index although the ledger began in the middle: a fork asks its network for the rest. */
  readonly indexesPart?: boolean | undefined;
  /** Called after each commit. */
  readonly onCommit?: ((batch: CommitBatch) => void) | undefined;
  /** Keeps what proofs of earlier block ends need. */
  readonly history?: ProofHistory | undefined;
  /** The level of blocks that no check raises: `trusted` unless given. */
  readonly level?: TrustLevel;
  readonly bounds?: NumberOptions<typeof OPEN_BLOCK_NUMBERS> | undefined;
}

function decodeRecords(input: Uint8Array | readonly Uint8Array[]): RecordSpans[] {
  try {
    return input instanceof Uint8Array ? decodePage(input) : input.map(decodeRecord);
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `records do not decode: ${error.message}`, {
      details: error.details,
      cause: error,
    });
  }
}

/** Blocks to commit, and what was found about them. */
interface CommitInput {
  readonly progress: Progress;
  readonly blocks: readonly VerifiedBlock[];
  readonly earned: TrustLevel | undefined;
  readonly signed?: SignedLedgerInfo | undefined;
  /** The same blocks with what they changed in the tree; undefined while the state is not known as a whole. */
  readonly rooted: readonly RootedBlock[] | undefined;
}

/** Records that one step of building an index reads. */
const INDEX_STEP_RECORDS = 500;

/** A verifier and the position it started from. */
interface Progress {
  readonly position: Position | undefined;
  readonly verifier: Verifier;
}

/** Commits records to a store that has no other writer. Runs calls one after the other. */
export class Committer {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #writer: StoreWriter;
  readonly #onCommit: ((batch: CommitBatch) => void) | undefined;
  readonly #level: TrustLevel;
  readonly #bounds: CommitterOptions["bounds"];
  readonly #history: ProofHistory | undefined;
  /** Undefined until read from the store, and after a failure. */
  #progress: Progress | undefined;
  /** Ahead of the store only during a commit; undefined after a failure. */
  #tree: PendingTree | undefined;
  #base: BaseStart | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #slices = new Slices("writer");

  constructor(options: CommitterOptions) {
    const {
      store,
      logger,
      index = true,
      indexesPart = false,
      transactionIndex = true,
      level = TRUSTED,
      bounds,
      onCommit,
      history,
    } = options;
    this.#store = store;
    this.#writer = new StoreWriter(store, {
      items: index,
      transactions: transactionIndex,
      isPart: indexesPart,
    });
    this.#history = history;
    this.#bounds = bounds;
    this.#onCommit = onCommit;
    this.#level = level;
    this.#logger = logger;
  }

  /** The version that `append` expects next: after the head and after the held-back records of an open block. */
  nextVersion(): Promise<bigint> {
    return this.#serialize(async () => (await this.#loadProgress()).verifier.nextVersion);
  }

  /**
   * Verifies and commits a page or a list of records. Returns the store's position afterwards, undefined while it
   * is empty. Holds back the records of an unfinished block in memory; callers may also pass them again, starting
   * after the head. `signed` is what our own validators signed about the last record. Throws LedgerError `corrupt` or
   * `mismatch` and then writes nothing. Other work of the process does not wait for all records.
   */
  append(
    input: Uint8Array | readonly Uint8Array[],
    check?: BlockCheck,
    signed?: SignedLedgerInfo,
  ): Promise<Position | undefined> {
    return this.#serialize(() => this.#append(decodeRecords(input), check, signed));
  }

  /** As `append`, for pages of an upstream and the records of an open block before them that are not held back here. */
  appendPages(
    pages: readonly Uint8Array[],
    openRecords: readonly Uint8Array[],
    check: BlockCheck,
  ): Promise<Position | undefined> {
    return this.#serialize(async () => {
      const records: RecordSpans[] = [];
      // There may be thousands of them, unlike in a page.
      for (const record of openRecords) {
        await this.#slices.pause();
        records.push(...decodeRecords([record]));
      }
      for (const page of pages) append(records, decodeRecords(page));
      return this.#append(records, check);
    });
  }

  /**
   * Commits blocks that a RemotePageVerifier verified up to their state roots. They must follow the head. Returns the store's
   * position afterwards. Forgets held-back records.
   */
  commitVerified(blocks: readonly RootedBlock[], check?: BlockCheck): Promise<Position> {
    return this.#serialize(async () => {
      const progress = await this.#loadProgress();
      const { position } = progress;
      if (position?.stateRoot === undefined) throw new Error("the state before verified blocks is not known");
      // Its nodes are of the head before these blocks.
      this.#tree = undefined;
      const earned = await check?.(blocks);
      await this.#commit({ progress, blocks, earned, rooted: blocks });
      const after = await this.#loadProgress();
      this.#progress = { ...after, verifier: new Verifier(after.position, this.#base, this.#bounds) };
      return await this.#position();
    });
  }

  /** What a RemotePageVerifier must be told to do the work of this committer. */
  get verification(): PageVerification {
    return {
      // The numbers alone: the options of a node may have functions, which cannot go to another process.
      bounds: numbersOf(OPEN_BLOCK_NUMBERS, this.#bounds ?? {}),
      keepsChanges: this.#history !== undefined,
      treeBytes: TREE_CACHE_BYTES,
    };
  }

  /** Runs a change that replaces the content of the store between two commits. */
  replaceContent(change: () => void): Promise<void> {
    return this.#serialize(async () => {
      change();
      this.#progress = undefined;
      this.#tree = undefined;
      this.#writer.forget();
      this.#history?.forget();
    });
  }

  /** The held-back records of an unfinished block. */
  heldBack(): Promise<readonly RawRecord[]> {
    return this.#serialize(async () => (await this.#loadProgress()).verifier.openRecords);
  }

  /** Forgets held-back records: `append` expects the version after the head again. */
  dropHeldBack(): Promise<void> {
    return this.#serialize(async () => {
      const progress = await this.#loadProgress();
      if (progress.verifier.openRecords.length === 0) return;
      this.#progress = { ...progress, verifier: new Verifier(progress.position, this.#base, this.#bounds) };
    });
  }

  /** Makes an empty store start at a base instead of version 0. */
  startAt(base: BaseStart): void {
    this.#base = base;
    this.#progress = undefined;
  }

  /** Writes a part of the state that an empty store is to begin with. The caller has proven it. */
  writeBase(base: BaseBatch): Promise<void> {
    return this.#serialize(() => this.#writer.writeBase(base));
  }

  /** Commits a checked genesis to an empty store: as `append` of its record, but reuses what the check computed. */
  commitGenesis(genesis: GenesisCheck): Promise<Position> {
    return this.#serialize(async () => {
      const identity = { chainId: genesis.chainId, genesisHash: genesis.infoHash };
      const batch = await this.#writer.commit(genesisCommit(genesis, this.#level), identity);
      this.#progress = undefined;
      this.#tree = undefined;
      this.#onCommit?.(batch);
      return await this.#position();
    });
  }

  /** Indexes the next part of the stored records that no index covers. Commits wait meanwhile. */
  indexMore(maxRecords: number = INDEX_STEP_RECORDS): Promise<IndexProgress> {
    return this.#serialize(async () => {
      const { position } = await this.#loadProgress();
      return this.#writer.indexMore(position, maxRecords);
    });
  }

  /**
   * Raises the trust of every version up to a waypoint that equals our own: `anchored`, and `chained` above it, because
   * the waypoint also confirms genesis. The caller has compared it with hashes that this node computed.
   */
  noteMatchedWaypoint(waypoint: Waypoint): Promise<void> {
    return this.#serialize(async () => {
      const position = await this.#position();
      if (!isWhole(position)) {
        throw new Error("a waypoint matched a ledger whose hashes this node did not compute");
      }
      const chained = raiseTrust(position.trust, position.version, CHAINED);
      const trust = waypoint.version === 0n ? chained : raiseTrust(chained, waypoint.version, ANCHORED);
      const row = await matchedWaypointRow(this.#store, waypoint);
      await this.#setTrust({ trust, refuted: position.refuted }, row === undefined ? [] : [row]);
    });
  }

  /**
   * Raises the trust of every version up to one whose accumulator root validators signed: `proven`, and `chained` above
   * it. The caller has compared the root with our own.
   */
  noteProven(version: bigint): Promise<void> {
    return this.#serialize(async () => {
      const position = await this.#position();
      if (!isAccumulatorKnown(position)) {
        throw new Error("signatures matched a ledger whose accumulator this node does not have");
      }
      const chained = raiseTrust(position.trust, position.version, CHAINED);
      const trust = raiseTrust(chained, version, PROVEN);
      await this.#setTrust({ trust, refuted: position.refuted }, []);
    });
  }

  /** Marks the stored history as not the network's from a version on. */
  refute(refuted: Refutation): Promise<void> {
    return this.#serialize(async () => {
      const { trust } = await this.#position();
      await this.#setTrust({ trust, refuted }, []);
    });
  }

  async #setTrust(facts: TrustFacts, sideRows: readonly SideRow[]): Promise<void> {
    await this.#writer.write({ trust: facts, sideRows });
    // Keeps the verifier, which may hold back records of an open block.
    const progress = this.#progress;
    if (progress?.position !== undefined) {
      this.#progress = { ...progress, position: { ...progress.position, ...facts } };
    }
  }

  /** Memory used by state tree nodes kept for the next commit. */
  treeCache(): Pick<CacheStats, "bytes" | "maxBytes"> {
    return { bytes: this.#tree?.bytes ?? 0, maxBytes: TREE_CACHE_BYTES };
  }

  #serialize<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(step);
    this.#queue = turn.catch(() => {
      // A verifier that threw is unusable, and after a failed commit the head is unknown.
      this.#progress = undefined;
      this.#tree = undefined;
      this.#writer.forget();
      this.#history?.forget();
    });
    return turn;
  }

  async #position(): Promise<Position> {
    const position = await loadPosition(this.#store);
    if (position === undefined) throw new LedgerError("no_ledger", "nothing is committed yet");
    return position;
  }

  async #loadProgress(): Promise<Progress> {
    if (this.#progress === undefined) {
      const position = await loadPosition(this.#store);
      this.#progress = {
        position,
        verifier: new Verifier(position, this.#base, this.#bounds),
      };
    }
    return this.#progress;
  }

  async #append(
    records: readonly RecordSpans[],
    check?: BlockCheck,
    signed?: SignedLedgerInfo,
  ): Promise<Position | undefined> {
    let progress = await this.#loadProgress();
    const { position } = progress;
    const first = records[0]?.version;
    const start = position === undefined ? (this.#base?.version ?? 0n) : position.version + 1n;
    if (first !== undefined && first !== progress.verifier.nextVersion && first === start) {
      progress = { ...progress, verifier: new Verifier(position, this.#base, this.#bounds) };
      this.#progress = progress;
    }
    const blocks: VerifiedBlock[] = [];
    for (const record of records) {
      await this.#slices.pause();
      const block = await this.#slices.do(progress.verifier.pushInPieces(record));
      if (block !== undefined) blocks.push(block);
    }
    if (blocks.length > 0) {
      this.#assertSignedStart(position, blocks);
      const earned = await check?.(blocks);
      const rooted = await this.#applyToTree(position, blocks);
      // A commit cannot be cut, so it begins early in a slice.
      await this.#slices.pause();
      await this.#commit({ progress, blocks, earned, signed, rooted });
      this.#tree?.settle();
    }
    return await loadPosition(this.#store);
  }

  /** Compares the first block of an empty store with what is known of it, so that a liar spoils nothing. */
  #assertSignedStart(position: Position | undefined, [first]: readonly VerifiedBlock[]): void {
    const end = this.#base?.end;
    if (position === undefined && end !== undefined && first !== undefined) {
      assertEndsBlock(end.waypoint, first);
    }
  }

  /** Recomputes the state root of each block. With a partly known state it cannot be computed. */
  async #applyToTree(
    position: Position | undefined,
    blocks: readonly VerifiedBlock[],
  ): Promise<readonly RootedBlock[] | undefined> {
    const isPart =
      position === undefined
        ? this.#base !== undefined && this.#base.hasState !== true
        : position.stateRoot === undefined;
    if (isPart) return undefined;
    const tree = this.#tree ?? new PendingTree(this.#store, { keepsChanges: this.#history !== undefined });
    this.#tree = tree;
    const rooted: RootedBlock[] = [];
    for (const block of blocks) {
      await this.#slices.pause();
      rooted.push(await tree.assertRoot(block));
    }
    return withRest(rooted, tree);
  }

  async #commit({ progress, blocks, earned, signed, rooted }: CommitInput): Promise<void> {
    const { position, verifier } = progress;
    const last = blocks[blocks.length - 1];
    if (last === undefined) return;
    const hasRoot = rooted !== undefined;
    const writes = blocks.flatMap((block) => block.writes);
    const history = hasRoot ? this.#history : undefined;
    const sideRows: SideRow[] = [];
    const records = blocks.flatMap((block) => block.records);
    const { version } = last.position;
    const hashes = blocks.flatMap((block) => block.transactionHashes);
    const before = position === undefined ? this.#base?.accumulator : undefined;
    // Without it, nothing could ever be rewound.
    if (before !== undefined) sideRows.push(KEPT_ACCUMULATOR.row(before));
    if (position === undefined && this.#base?.hasState === true) sideRows.push(STATE_FETCH.removal());
    if (signed !== undefined) sideRows.push(...ownSignedRows(signed));
    const kept = await history?.rowsOf(position, rooted ?? [], signed);
    append(sideRows, kept?.rows ?? []);
    const commit: LedgerCommit = {
      previous: position?.version,
      position: {
        ...last.position,
        // Without the whole state the position claims no root.
        stateRoot: hasRoot ? last.claimedStateRoot : undefined,
        trust: this.#extendTrust(position, blocks, hasRoot, earned),
        refuted: position?.refuted,
      },
      writes,
      blocks: blocks.map((block) => block.start),
      records,
      treeNodes: lastOfEach((rooted ?? []).map(({ nodes }) => nodes)),
      hashes,
      logs: kept?.writes ?? [],
      sideRows,
    };
    const identity = position === undefined ? this.#identity(blocks[0]) : undefined;
    const batch = await this.#writer.commit(commit, identity);
    this.#progress = { position: batch.position, verifier };
    this.#onCommit?.(batch);
    this.#logger.debug({ version, blocks: blocks.length, writes: batch.writes.length }, "committed");
  }

  /**
   * Blocks above a chained head are chained too: each hash was recomputed from it. So are those above a first block whose
   * end is signed. With our own accumulator and state
   * root, a check of the last version also holds for every version before it.
   */
  #extendTrust(
    head: Position | undefined,
    blocks: readonly VerifiedBlock[],
    hasRoot: boolean,
    earned: TrustLevel = this.#level,
  ): TrustFacts["trust"] {
    const [block, ...rest] = blocks;
    const first = block?.start.firstVersion ?? 0n;
    const level = compareTrust(earned, CHAINED) < 0 && !isMadeHere(earned) ? CHAINED : earned;
    const start = head === undefined ? this.#base?.end?.level : undefined;
    if (start !== undefined) {
      const [next] = rest;
      const known = [{ first, level: start }];
      return next === undefined ? known : extendTrust(known, next.start.firstVersion, level);
    }
    const isChained =
      head === undefined
        ? this.#base?.hasState === true
        : isAccumulatorKnown(head) && compareTrust(trustAt(head.trust, head.version), CHAINED) >= 0;
    const extended = extendTrust(head?.trust ?? [], first, isChained ? level : earned);
    const last = blocks.at(-1)?.position.version ?? first;
    return hasRoot ? cutTrust(raiseTrust(extended, last, earned), last) : extended;
  }

  #identity(first: VerifiedBlock | undefined): StoreIdentity | undefined {
    if (this.#base === undefined) return identityOf(first);
    return { chainId: this.#base.chainId, genesisHash: UNKNOWN_GENESIS };
  }
}

function genesisCommit(genesis: GenesisCheck, level: TrustLevel): LedgerCommit {
  const { chainId, infoHash, record, stateRoot, treeNodes, writes } = genesis;
  const start: BlockStart = { height: 0n, firstVersion: 0n, timestampUsec: 0n, epoch: 0n };
  return {
    previous: undefined,
    position: {
      chainId,
      version: 0n,
      timestampUsec: start.timestampUsec,
      epoch: start.epoch,
      blockHeight: start.height,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      accumulator: { leafCount: 1n, frozen: [infoHash] },
      stateRoot,
      trust: [{ first: 0n, level }],
      refuted: undefined,
    },
    writes: writes.map((write) => ({ ...write, version: 0n })),
    blocks: [start],
    records: [{ version: 0n, bytes: record }],
    treeNodes,
  };
}

/** Version 0 is a whole block, so the accumulator after it is the hash of its info. */
function identityOf(genesis: VerifiedBlock | undefined): StoreIdentity | undefined {
  const genesisHash = genesis?.position.accumulator.frozen[0];
  if (genesis?.position.accumulator.leafCount !== 1n || genesisHash === undefined) {
    throw new LedgerError("mismatch", "version 0: state checkpoint hash must be present, got none", {
      details: { version: 0n, field: "state checkpoint hash" },
    });
  }
  return { chainId: genesis.position.chainId, genesisHash };
}
