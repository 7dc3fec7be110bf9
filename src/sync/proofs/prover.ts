// Makes proof bundles from the kept history: state items with their ways through the tree, the info of each version with its
// place in the accumulator, and the signatures that lead to it.
import { append } from "../../base/append.ts";
import { equalBytes } from "../../base/bytes.ts";
import { toHex } from "../../base/hex.ts";
import { Slices } from "../../base/wait.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { primaryStoreAddress } from "../../ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../../ledger/balances/balance-keys.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { contractEventCodec, eventHash } from "../../ledger/formats/event.ts";
import { decodeRecord } from "../../ledger/formats/record.ts";
import { stateValueData, stateValueHash } from "../../ledger/formats/state-value.ts";
import { hashedTransaction, transactionCodec } from "../../ledger/formats/transaction.ts";
import { transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../../ledger/hash.ts";
import { findGroupMembers } from "../../ledger/items/resource-group.ts";
import { frameworkTag, fungibleStoreCodec, objectCoreCodec } from "../../ledger/items/resources.ts";
import { resourceGroupKeyHash } from "../../ledger/key-hash.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import { readTreePath } from "../../ledger/state-tree/path.ts";
import type { Block, LedgerPosition, LedgerView } from "../../ledger/view.ts";
import {
  computeWaypoint,
  formatWaypoint,
  type Waypoint,
  waypointPreimageCodec,
} from "../../ledger/waypoint.ts";
import { addressFromBytes } from "../../move/address.ts";
import {
  blockTimeOf,
  hashOfClaim,
  type Point,
  type ProofBundle,
  type ProvenLedger,
} from "../../proof/bundle.ts";
import {
  type BalancesClaim,
  type Claim,
  claimParts,
  depositStore,
  type EventClaim,
  type StateClaim,
  sortedKeys,
  stateKeysOf,
  TIME_KEYS,
  withAmounts,
} from "../../proof/claim.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import {
  checkStateProof,
  joinStateProofs,
  type StateItems,
  type StateProof,
} from "../../proof/state-proof.ts";
import type { Store } from "../../store/contract.ts";
import { BLOCK_END, type BlockEnd, readSignedHead } from "../side-rows.ts";
import { decodeSigned, loadEpochEnds, loadNewestBytes } from "../signatures/signed-rows.ts";
import { isSameWaypoint } from "../waypoints.ts";
import { AccumulatorNodes } from "./accumulator-nodes.ts";
import { TreeAt } from "./tree-history.ts";

/** Most changes of epoch in one bundle. */
const MAX_EPOCH_CHANGES = 1000;
/** Users' transactions have less; genesis may have more. */
const MAX_TRANSACTION_BYTES = 1 << 20;
/** Items that are read at once. */
const RUN = 256;
const STORE_TAGS = [frameworkTag("object", "ObjectCore"), frameworkTag("fungible_asset", "FungibleStore")];
/** A commit may replace a node while it is read. */
const ATTEMPTS = 3;

type Reader = Pick<Store, "getSideRows" | "getTreeNodes" | "openRawView">;

/** A block end that can be proven, and BCS of a signed ledger info that covers it. */
interface ProvablePoint {
  readonly height: bigint;
  readonly end: BlockEnd;
  readonly signed: Uint8Array;
}

/** What all proofs of one block end from one waypoint share. */
interface Frame extends Omit<ProvablePoint, "signed"> {
  readonly point: Point;
  readonly stateRoot: Uint8Array;
  /** The beginning of the next block, and its time; undefined where no signature covers it yet. */
  readonly next: { readonly point: Point; readonly timestampUsec: bigint } | undefined;
  readonly ledger: ProvenLedger;
  /** Remembers the nodes near the root. */
  readonly tree: TreeAt;
}

/**
 * The last frame of each head that a view has. Not by version, because a rewound ledger has other blocks there. Others may
 * ask for the same head a thousand times a second.
 */
const frames = new WeakMap<LedgerPosition, { readonly asked: string; readonly frame: Frame; uses: number }>();
/** Its tree remembers a little of every proof. */
const MAX_USES = 1000;
/** Longer proofs are read again each time. */
const MAX_KEPT_CHANGES = 100;

async function frameOf(store: Reader, view: LedgerView, options: ProofOptions): Promise<Frame> {
  const { version, fromWaypoint } = options;
  const asked = `${version ?? ""} ${fromWaypoint === undefined ? "" : formatWaypoint(fromWaypoint)}`;
  const known = frames.get(view.position);
  if (known?.asked === asked && known.uses++ < MAX_USES) return known.frame;
  const found = await findPoint(store, view, version);
  const { height, end } = found;
  // The time of the next block is proven by the next epoch, if the waypoint leads there.
  const { nextEpoch } = decodeSigned(found.signed).ledgerInfo;
  const isNamed =
    nextEpoch === undefined && fromWaypoint !== undefined && isNamedBy(fromWaypoint, found.signed);
  const signed =
    (await namedAfter(store, fromWaypoint, end.version)) ??
    (isNamed ? undefined : await nextSignature(store, view, end.version)) ??
    found.signed;
  const points = new PointReader(store, view, signed);
  const point = await points.read(end.version, end.left);
  const frame: Frame = {
    height,
    end,
    point: { ...point, transaction: undefined },
    stateRoot: stateRootOf(point.info),
    next: await nextPoint(points, end),
    ledger: await ledgerOf(store, signed, fromWaypoint),
    tree: new TreeAt(store, end.version),
  };
  const { ledger } = frame;
  const isShort = ledger.kind !== "signed" || ledger.epochChanges.length <= MAX_KEPT_CHANGES;
  // A follower's newest signature may come without a new block.
  const isSettled = version !== undefined || end.version === view.position.version;
  if (isShort && isSettled) {
    frames.set(view.position, { asked, frame, uses: 0 });
  }
  return frame;
}

/** Proves answers of one view. The view may be released when the promise settles. Throws LedgerError. */
export function prove(
  store: Reader,
  view: LedgerView,
  question: ProofQuestion,
  options: ProofOptions,
): Promise<ProofBundle> {
  if (question.kind === "state") return proveState(store, view, question.claim, options);
  return proveTransaction(store, view, question, options);
}

async function proveState(
  store: Reader,
  view: LedgerView,
  asked: StateClaim,
  options: ProofOptions,
): Promise<ProofBundle> {
  const frame = await frameOf(store, view, options);
  const { next, ledger } = frame;
  const slices = new Slices();
  const some: Uint8Array[] = [];
  for (const part of claimParts(asked)) {
    append(some, stateKeysOf(part));
    await slices.pause();
  }
  const keys = sortedKeys(some);
  const state = await proveItems(store, view, frame, keys);
  const values = new Map(keys.map((key, i) => [toHex(key), state.values[i]]));
  const accounts: BalancesClaim["accounts"][number][] = [];
  for (const part of claimParts(asked)) {
    const filled = withAmounts(part, (keyHash) => values.get(toHex(keyHash)));
    if (filled.kind === "balances") append(accounts, filled.accounts);
    await slices.pause();
  }
  const claim = asked.kind === "balances" ? { ...asked, accounts } : asked;
  const points = [{ ...frame.point, state }, ...(next === undefined ? [] : [next.point])];
  return bundleOf(claim, points, ledger);
}

function bundleOf(claim: Claim, points: readonly Point[], ledger: ProvenLedger): ProofBundle {
  return { kind: "v0", claim, claimHash: hashOfClaim(claim), points, ledger };
}

/** A transaction, or an event of it, with its time where the block's state can be proven. */
async function proveTransaction(
  store: Reader,
  view: LedgerView,
  question: Exclude<ProofQuestion, { readonly kind: "state" }>,
  { fromWaypoint }: ProofOptions,
): Promise<ProofBundle> {
  const { version } = question;
  const block = await blockOf(view, version);
  const signed =
    (await namedAfter(store, fromWaypoint, version)) ?? (await signatureFor(store, view, block, version));
  const points = new PointReader(store, view, signed);
  const left = await points.leftOf(version, await before(store, block));
  const { events, ...main } = await points.readEvents(version, left);
  const ledger = await ledgerOf(store, signed, fromWaypoint);
  const around = await blockAround(store, view, points, block, version);
  const time = around?.timestampUsec;
  const isEnd = version === block.lastVersion;
  const parts = { state: isEnd ? around?.end?.state : undefined };
  const spanning = (point: Point): Point[] => [
    ...(around?.start === undefined ? [] : [around.start]),
    point,
    ...(around?.end === undefined || isEnd ? [] : [around.end]),
  ];
  if (question.kind === "transaction") {
    const { transactionHash: hash } = decodeWith(transactionInfoCodec, main.info);
    const claim = { kind: "transaction", version, hash, time } as const;
    return bundleOf(claim, spanning({ ...main, ...parts }), ledger);
  }
  const { index } = question;
  const event = events[Number(index)];
  if (event === undefined) {
    throw new LedgerError(
      "unprovable",
      `event: version ${version} has ${events.length} events, none of number ${index}`,
    );
  }
  const eventSiblings = siblingsOf(events.map(eventHash), Number(index));
  const claim = { kind: "event", version, index, event, store: await storeOf(view, event), time } as const;
  return bundleOf(claim, spanning({ ...main, ...parts, eventSiblings }), ledger);
}

/** What proves the time of a version in the middle of a block: the block's beginning, and the time in its state. */
async function blockAround(
  store: Reader,
  view: LedgerView,
  points: PointReader,
  { height, firstVersion, lastVersion }: Block,
  version: bigint,
) {
  const end = await BLOCK_END.load(store, height);
  const isStart = version === firstVersion;
  const left = await points.leftOf(firstVersion, await before(store, { height, firstVersion }));
  const start = await points.read(firstVersion, left);
  const timestampUsec = blockTimeOf(start.transaction && decodeWith(transactionCodec, start.transaction));
  if (timestampUsec === undefined) return undefined;
  if (isStart) return { timestampUsec };
  if (end === undefined || points.lastVersion < lastVersion) return undefined;
  const last = await points.read(lastVersion, end.left);
  const tree = new TreeAt(store, end.version);
  const state = await proveItems(
    store,
    view,
    { height, end, stateRoot: stateRootOf(last.info), tree },
    TIME_KEYS,
  );
  return { timestampUsec, start, end: { ...last, transaction: undefined, state } };
}

/** The accumulator before a block, from the end of the block before. */
async function before(
  store: Reader,
  { height, firstVersion }: Pick<Block, "height" | "firstVersion">,
): Promise<AccumulatorState | undefined> {
  const end = height === 0n ? undefined : await BLOCK_END.load(store, height - 1n);
  return end?.version === firstVersion - 1n ? { leafCount: end.version, frozen: end.left } : undefined;
}

/** The owner and the asset of the primary store that a deposit went to; undefined for any other event. */
async function storeOf(view: LedgerView, bytes: Uint8Array): Promise<EventClaim["store"]> {
  const address = depositStore(decodeWith(contractEventCodec, bytes));
  if (address === undefined) return undefined;
  const key = resourceGroupKeyHash(addressFromBytes(address), OBJECT_GROUP_TAG, undefined);
  const [item] = await view.getItems([key], view.position.version);
  const [core, store] = (item?.value && findGroupMembers(stateValueData(item.value), STORE_TAGS)) ?? [];
  if (core === undefined || store === undefined) return undefined;
  // Later fields are not read.
  const [{ owner }, { metadata }] = [
    { owner: decodeWith(objectCoreCodec, core).owner },
    decodeWith(fungibleStoreCodec, store),
  ];
  return equalBytes(primaryStoreAddress(owner, metadata), address) ? { owner, metadata } : undefined;
}

/** Siblings of a leaf in an accumulator of a few leaves, from the bottom up. */
function siblingsOf(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  const siblings: Uint8Array[] = [];
  let [nodes, at] = [leaves, index];
  while (nodes.length > 1) {
    const level = nodes;
    const nodeAt = (i: number): Uint8Array => level[i] ?? ACCUMULATOR_PLACEHOLDER;
    siblings.push(nodeAt(at ^ 1));
    nodes = Array.from({ length: (level.length + 1) >> 1 }, (_, i) =>
      hashPair(SEEDS.eventAccumulator, nodeAt(2 * i), nodeAt(2 * i + 1)),
    );
    at >>= 1;
  }
  return siblings;
}

/** Reads versions of the ledger that a signed ledger info covers. */
class PointReader {
  readonly lastVersion: bigint;
  readonly #view: LedgerView;
  readonly #nodes: AccumulatorNodes;

  constructor(store: Reader, view: LedgerView, signed: Uint8Array) {
    this.lastVersion = readSignedHead(signed).version;
    this.#view = view;
    this.#nodes = new AccumulatorNodes({
      store,
      view,
      lastVersion: this.lastVersion,
      missingSubtree: "corrupt",
    });
  }

  /** Roots of the full subtrees before a version; undefined where they have to be read. */
  async leftOf(
    version: bigint,
    state: AccumulatorState | undefined,
  ): Promise<readonly Uint8Array[] | undefined> {
    return state && (await this.#nodes.leftOf(version, state));
  }

  async read(version: bigint, left: readonly Uint8Array[] | undefined): Promise<Point> {
    const { events: _, ...point } = await this.readEvents(version, left);
    return point;
  }

  async readEvents(
    version: bigint,
    left: readonly Uint8Array[] | undefined,
  ): Promise<Point & { readonly events: readonly Uint8Array[] }> {
    const [record] = await this.#view.getRecords(version, 1, 1);
    if (record === undefined) throw new LedgerError("corrupt", `version ${version} has no record`);
    // Stored bytes are valid only until the view is released.
    const { transaction, infoBytes: info, events } = decodeRecord(new Uint8Array(record.bytes));
    if (transaction.length > MAX_TRANSACTION_BYTES) {
      throw new LedgerError(
        "unprovable",
        `the transaction of version ${version} has ${transaction.length} bytes; at most ${MAX_TRANSACTION_BYTES} can be proven`,
      );
    }
    const siblings = await this.#nodes.siblings(version, left);
    const hashed = hashedTransaction(transaction);
    return {
      version,
      info,
      siblings,
      transaction: hashed,
      eventSiblings: undefined,
      state: undefined,
      events,
    };
  }
}

/** A signature that covers the beginning of the block after a version; undefined where there is none. */
async function nextSignature(
  store: Reader,
  view: LedgerView,
  version: bigint,
): Promise<Uint8Array | undefined> {
  if (version >= view.position.version) return undefined;
  const block = await view.getBlockByVersion(version + 1n);
  return block && findSignature(store, view, block, version + 1n);
}

async function nextPoint(points: PointReader, { version, left }: BlockEnd): Promise<Frame["next"]> {
  if (points.lastVersion <= version) return undefined;
  const next = version + 1n;
  const point = await points.read(next, await points.leftOf(next, { leafCount: version, frozen: left }));
  const timestampUsec = blockTimeOf(point.transaction && decodeWith(transactionCodec, point.transaction));
  return timestampUsec === undefined ? undefined : { point, timestampUsec };
}

/** Values of items and their ways through the tree, in the order of their key hashes. */
async function proveItems(
  store: Reader,
  view: LedgerView,
  tree: TreeOfBlock,
  keys: readonly Uint8Array[],
): Promise<StateItems> {
  const slices = new Slices();
  const values: (Uint8Array | undefined)[] = [];
  const proofs: StateProof[] = [];
  for (let at = 0; at < keys.length; at += RUN) {
    const some = keys.slice(at, at + RUN);
    for (const item of await view.getItems(some, tree.end.version)) {
      // Stored bytes are valid only until the view is released.
      values.push(item?.value && new Uint8Array(item.value));
    }
    for (const [i, key] of some.entries()) {
      proofs.push(await proveItem(store, view, tree, key, values[at + i]));
      const pause = slices.pause();
      if (pause !== undefined) await pause;
    }
  }
  return joinStateProofs(keys, values, proofs);
}

type TreeOfBlock = Pick<Frame, "height" | "end" | "stateRoot" | "tree">;

async function proveItem(
  store: Reader,
  view: LedgerView,
  { height, end, stateRoot, tree: first }: TreeOfBlock,
  keyHash: Uint8Array,
  value: Uint8Array | undefined,
): Promise<StateProof> {
  let tree = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const { leaf, siblings } = await readTreePath(keyHash, tree.getNodes, tree.decode);
      const valueHash = value && stateValueHash(value);
      const proof = {
        leaf: leaf && {
          keyHash: leaf.keyHash,
          valueHash: valueHash ?? (await valueHashOf(view, leaf.keyHash, end.version)),
        },
        siblings: [...siblings],
      };
      if (tree.usesCurrent) checkStateProof(proof, stateRoot, keyHash, valueHash);
      return proof;
    } catch (error) {
      tree = new TreeAt(store, end.version);
      if (attempt < ATTEMPTS) continue;
      // Pruned meanwhile, or damaged.
      if ((await BLOCK_END.load(store, height)) === undefined) throw outsideWindow(end.version);
      throw error;
    }
  }
}

function stateRootOf(info: Uint8Array): Uint8Array {
  const root = decodeWith(transactionInfoCodec, info).stateCheckpointHash;
  if (root === undefined) throw new LedgerError("corrupt", "the end of a block has no state root");
  return root;
}

/** The value hash of another item, which a proof of absence ends in. */
async function valueHashOf(view: LedgerView, keyHash: Uint8Array, version: bigint): Promise<Uint8Array> {
  const [item] = await view.getItems([keyHash], version);
  if (item?.value === undefined) {
    throw new LedgerError("corrupt", "the state tree has an item that the store lacks");
  }
  return stateValueHash(item.value);
}

/** The block of a version. */
async function blockOf(view: LedgerView, version: bigint): Promise<Block> {
  const { oldestVersion, version: latest } = view.position;
  if (version > latest) {
    throw new LedgerError("version_not_found", `version ${version} is above the latest version ${latest}`);
  }
  if (version < oldestVersion) throw outsideWindow(version);
  const block = await view.getBlockByVersion(version);
  if (block === undefined) throw outsideWindow(version);
  return block;
}

async function blockEndingAt(view: LedgerView, version: bigint): Promise<Block> {
  const block = await blockOf(view, version);
  if (block.lastVersion === version) return block;
  const { oldestVersion } = view.position;
  const before = block.firstVersion > oldestVersion ? `${block.firstVersion - 1n} or ` : "";
  throw new LedgerError(
    "unprovable",
    `ledger_version: expected the last version of a block, ${before}${block.lastVersion}, got ${version}`,
  );
}

function outsideWindow(version: bigint): LedgerError {
  return new LedgerError(
    "version_pruned",
    `version ${version} is outside of the window in which this node can make proofs; to prove versions of this age, start it with a longer --proof-window, and a --prune-window at least as long`,
  );
}

/** The block end to prove, and a signed ledger info at or after it, of the same epoch. */
async function findPoint(
  store: Reader,
  view: LedgerView,
  version: bigint | undefined,
): Promise<ProvablePoint> {
  const { version: latest, blockHeight } = view.position;
  if (version === undefined || version === latest) {
    // Where every block is signed, this is all there is to find.
    const end = await BLOCK_END.load(store, blockHeight);
    if (end?.version === latest && end.signed !== undefined) {
      return { height: blockHeight, end, signed: end.signed };
    }
  }
  const head = readSignedHead(await newestSignature(store));
  // A follower's sources may be ahead of its ledger.
  const isAhead = head.version > latest;
  const wanted = version ?? (isAhead ? latest : head.version);
  const block = await blockEndingAt(view, wanted);
  const { height } = block;
  const end = await BLOCK_END.load(store, height);
  if (end?.version !== wanted) throw outsideWindow(wanted);
  return { height, end, signed: await signatureFor(store, view, block, wanted) };
}

async function newestSignature(store: Reader): Promise<Uint8Array> {
  const newest = await loadNewestBytes(store);
  if (newest !== undefined) return newest;
  throw new LedgerError(
    "no_signatures",
    "this node has no validator signatures, so it cannot prove anything",
  );
}

/** A signed ledger info at or after a version, of the same epoch. Throws LedgerError. */
async function signatureFor(
  store: Reader,
  view: LedgerView,
  block: Block,
  version: bigint,
): Promise<Uint8Array> {
  const signed = await findSignature(store, view, block, version);
  if (signed !== undefined) return signed;
  throw new LedgerError(
    "unavailable",
    `no validator signature that this node has covers version ${version} yet`,
  );
}

async function findSignature(
  store: Reader,
  view: LedgerView,
  { height, epoch }: Block,
  version: bigint,
): Promise<Uint8Array | undefined> {
  const end = await BLOCK_END.load(store, height);
  if (end?.signed !== undefined) return end.signed;
  const newest = await newestSignature(store);
  const [signed] =
    readSignedHead(newest).epoch === epoch ? [newest] : await loadEpochEnds(store, epoch, epoch);
  const covered = signed === undefined ? -1n : readSignedHead(signed).version;
  return covered >= version && covered <= view.position.version ? signed : undefined;
}

/** Whether a waypoint is that of a signed ledger info. */
function isNamedBy(waypoint: Waypoint, signed: Uint8Array): boolean {
  if (waypoint.version !== readSignedHead(signed).version) return false;
  return isSameWaypoint(computeWaypoint(decodeSigned(signed).ledgerInfo), waypoint);
}

/** The end of an epoch that a waypoint names, where it is after a version: it proves all that is before. */
async function namedAfter(
  store: Reader,
  waypoint: Waypoint | undefined,
  version: bigint,
): Promise<Uint8Array | undefined> {
  if (waypoint === undefined || waypoint.version <= version) return undefined;
  const { epoch } = readSignedHead(await newestSignature(store));
  return epochEndAt(store, epoch + 1n, waypoint);
}

/** How a waypoint leads to a signed ledger info. */
async function ledgerOf(
  store: Reader,
  signed: Uint8Array,
  from: Waypoint | undefined,
): Promise<ProvenLedger> {
  const { epoch } = readSignedHead(signed);
  if (from !== undefined && isNamedBy(from, signed)) {
    return { kind: "named", ledgerInfo: preimageOf(signed) };
  }
  const start = from === undefined ? await epochBefore(store, epoch) : await epochEndAt(store, epoch, from);
  const first = readSignedHead(start).epoch + 1n;
  if (epoch - first > MAX_EPOCH_CHANGES) {
    throw new LedgerError(
      "unprovable",
      `from_waypoint: expected one at most ${MAX_EPOCH_CHANGES} epochs back, got one of ${epoch - first + 1n} epochs before`,
    );
  }
  const epochChanges = await loadEpochEnds(store, first, epoch - 1n);
  if (BigInt(epochChanges.length) !== epoch - first) throw gapAt(first + BigInt(epochChanges.length));
  return { kind: "signed", start: preimageOf(start), epochChanges, last: signed };
}

function gapAt(epoch: bigint): LedgerError {
  return new LedgerError("unprovable", `this node has no signed end of epoch ${epoch}`);
}

async function epochBefore(store: Reader, epoch: bigint): Promise<Uint8Array> {
  const [found] = await loadEpochEnds(store, epoch - 1n, epoch - 1n);
  if (found === undefined) throw gapAt(epoch - 1n);
  return found;
}

/** The end of an epoch before another, by its waypoint. Epochs end in order. */
async function epochEndAt(store: Reader, before: bigint, waypoint: Waypoint): Promise<Uint8Array> {
  let [low, high] = [0n, before - 1n];
  while (low <= high) {
    const middle = (low + high) / 2n;
    const [found] = await loadEpochEnds(store, middle, middle);
    // A chain whose first epochs nobody signed has none at the beginning.
    const version = found === undefined ? -1n : readSignedHead(found).version;
    if (found === undefined || version < waypoint.version) low = middle + 1n;
    else if (version > waypoint.version) high = middle - 1n;
    else if (isSameWaypoint(computeWaypoint(decodeSigned(found).ledgerInfo), waypoint)) return found;
    else break;
  }
  throw new LedgerError(
    "unprovable",
    `from_waypoint: expected the waypoint of an epoch's end that this node knows, before epoch ${before}, got ${formatWaypoint(waypoint)}`,
  );
}

/** BCS of what the waypoint of a signed ledger info hashes. */
function preimageOf(signed: Uint8Array): Uint8Array {
  return encodeWith(waypointPreimageCodec, decodeSigned(signed).ledgerInfo);
}
