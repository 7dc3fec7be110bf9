// The verdict on a page: what its verification computed and its records do not say, as flat bytes, so that a process
// can verify pages for another one. The receiver has the page itself: it reads the records, and hashes
// the events, which the other process leaves out.
import { equalBytes } from "../../base/bytes.ts";
import type { NumberOptions } from "../../base/settings.ts";
import { Slices } from "../../base/wait.ts";
import { decodeWith, encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { byteString, hash, u8, u32, u64 } from "../../bcs/scalars.ts";
import { option, vector } from "../../bcs/sequences.ts";
import { transactionAccumulator } from "../../ledger/accumulator.ts";
import { decodePage, type RecordSpans } from "../../ledger/formats/record.ts";
import { treeNodeName } from "../../ledger/state-tree/tree-node.ts";
import type { RawRecord, StateWrite, TreeNodeWrite } from "../../store/contract.ts";
import { checkEvents, type OPEN_BLOCK_NUMBERS, type VerifiedBlock } from "./verifier.ts";

const HASH_BYTES = hash.minBytes;

const verifiedEndCodec = struct({
  /** Records of the block, some of which may be of earlier pages. */
  recordCount: u32,
  height: u64,
  timestampUsec: u64,
  epoch: u64,
  /** Roots of the full subtrees of the accumulator. */
  frozen: vector(hash),
  leftOfLast: vector(hash),
  subtrees: vector(struct({ level: u8, index: u64, hash })),
  changes: byteString,
  nodes: vector(struct({ key: byteString, value: option(byteString) })),
});

const verdictCodec = struct({
  /** Of every write of the page, in their order. */
  keyHashes: byteString,
  /** The blocks that end in the page. */
  ends: vector(verifiedEndCodec),
});

/** How a committer wants its pages verified. */
export interface PageVerification {
  readonly bounds: NumberOptions<typeof OPEN_BLOCK_NUMBERS>;
  /** True if it keeps how each block changed the nodes of the tree. */
  readonly keepsChanges: boolean;
  /** Budget for nodes of the state tree. */
  readonly treeBytes: number;
}

/** A block that is verified up to its state root. */
export interface RootedBlock extends VerifiedBlock {
  /** How it changed the nodes of the tree, if the committer keeps that; see proofs/node-log.ts. */
  readonly changes: Uint8Array;
  /** The nodes that it and blocks before it changed, as they are after it. Not every block names them. */
  readonly nodes: readonly TreeNodeWrite[];
}

/** Blocks of which the last one names the changed nodes that no other one does. */
export function withRest(
  blocks: readonly RootedBlock[],
  tree: { takeChanges(): readonly TreeNodeWrite[] },
): readonly RootedBlock[] {
  const last = blocks.at(-1);
  if (last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, nodes: lastOfEach([last.nodes, tree.takeChanges()]) }];
}

/** The last change of each node. */
export function lastOfEach(given: readonly (readonly TreeNodeWrite[])[]): readonly TreeNodeWrite[] {
  const lists = given.filter((list) => list.length > 0);
  const [only = []] = lists;
  if (lists.length <= 1) return only;
  const changes = new Map<string, TreeNodeWrite>();
  for (const list of lists) for (const change of list) changes.set(treeNodeName(change.key), change);
  return [...changes.values()];
}

/** Encodes what verification found about a page with these records. */
export function encodeVerdict(records: readonly RecordSpans[], blocks: readonly RootedBlock[]): Uint8Array {
  const keyHashes = records.flatMap(({ writes }) => writes.map(({ keyHash }) => keyHash));
  const ends = blocks.map((block) => ({
    ...block,
    ...block.start,
    recordCount: block.records.length,
    frozen: block.position.accumulator.frozen,
  }));
  return encodeWith(verdictCodec, { keyHashes: Buffer.concat(keyHashes), ends });
}

/**
 * Puts pages and the verdicts on them together, in their order. Holds the records of an unfinished block. Takes the starts
 * of blocks, key hashes, accumulators and tree nodes from a verdict, and checks it against the events, the ends of blocks
 * and the last accumulator root of the records.
 */
export class VerdictReader {
  readonly #chainId: number;
  readonly #slices = new Slices("writer");
  #records: RawRecord[] = [];
  #writes: StateWrite[] = [];
  #transactionHashes: Uint8Array[] = [];

  constructor(chainId: number) {
    this.#chainId = chainId;
  }

  /** Gives away the records of an unfinished block. */
  takeOpenRecords(): readonly Uint8Array[] {
    const records = this.#records.map(({ bytes }) => bytes);
    this.#forget();
    return records;
  }

  /**
   * The blocks that end in a page. Throws if the verdict is not about this page, and then holds what it held before. Other
   * work of the process does not wait for the whole page. One call at a time.
   */
  async read(page: Uint8Array, verdict: Uint8Array): Promise<readonly RootedBlock[]> {
    const [records, writes, hashes] = [[...this.#records], [...this.#writes], [...this.#transactionHashes]];
    try {
      return await this.#read(page, verdict);
    } catch (error) {
      [this.#records, this.#writes, this.#transactionHashes] = [records, writes, hashes];
      throw error;
    }
  }

  async #read(page: Uint8Array, verdict: Uint8Array): Promise<readonly RootedBlock[]> {
    const { keyHashes, ends } = decodeWith(verdictCodec, verdict);
    let end = 0;
    const records = decodePage(page, () => {
      end += HASH_BYTES;
      return keyHashes.subarray(end - HASH_BYTES, end);
    });
    if (end !== keyHashes.length) throw new Error("a verdict has another number of writes than its page");
    const blocks: RootedBlock[] = [];
    let last: RecordSpans | undefined;
    for (const record of records) {
      await this.#slices.pause();
      await this.#slices.do(checkEvents(record));
      this.#hold(record);
      if (record.info.stateCheckpointHash === undefined) continue;
      blocks.push(this.#takeBlock(ends[blocks.length], record, record.info.stateCheckpointHash));
      last = record;
    }
    if (blocks.length !== ends.length) throw new Error("a verdict has a block that its page does not end");
    if (last !== undefined) assertAccumulator(blocks.at(-1), last);
    return blocks;
  }

  #forget(): void {
    this.#records = [];
    this.#writes = [];
    this.#transactionHashes = [];
  }

  #hold({ version, bytes, info, writes }: RecordSpans): void {
    this.#records.push({ version, bytes });
    this.#transactionHashes.push(info.transactionHash);
    for (const { key, keyHash, value } of writes) this.#writes.push({ key, keyHash, version, value });
  }

  /** The block that a record ends. */
  #takeBlock(
    end: ValueOf<typeof verifiedEndCodec> | undefined,
    { version }: RecordSpans,
    claimedStateRoot: Uint8Array,
  ): RootedBlock {
    const [records, writes, transactionHashes] = [this.#records, this.#writes, this.#transactionHashes];
    if (end?.recordCount !== records.length) throw new Error("a verdict has another block than its page");
    this.#forget();
    const { height, timestampUsec, epoch, frozen, leftOfLast, subtrees, changes, nodes } = end;
    return {
      start: { height, firstVersion: records[0]?.version ?? version, timestampUsec, epoch },
      writes,
      records,
      transactionHashes,
      position: {
        chainId: this.#chainId,
        version,
        timestampUsec,
        epoch,
        blockHeight: height,
        oldestVersion: 0n,
        oldestBlockHeight: 0n,
        accumulator: { leafCount: version + 1n, frozen },
      },
      leftOfLast,
      subtrees,
      claimedStateRoot,
      changes,
      nodes,
    };
  }
}

/** The store goes on from this accumulator, so its root is compared once more. */
function assertAccumulator(block: RootedBlock | undefined, { accumulatorRoot }: RecordSpans): void {
  const root = transactionAccumulator(block?.position.accumulator).root();
  if (!equalBytes(root, accumulatorRoot)) throw new Error("a verdict has another accumulator than its page");
}
