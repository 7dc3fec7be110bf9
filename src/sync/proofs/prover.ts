// Makes proof bundles from the kept history: state items with their ways through the tree, the info of the block end, its
// place in the accumulator, and the signatures that lead to it.
import { concatBytes } from "../../base/bytes.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { type Asset, primaryStoreAddress } from "../../ledger/balances/asset.ts";
import { balanceKeys, OBJECT_GROUP_TAG } from "../../ledger/balances/balance-keys.ts";
import { addParts, amountOfPart } from "../../ledger/balances/balance-parts.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { readInfoBytes } from "../../ledger/formats/record.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { stateValueData, stateValueHash } from "../../ledger/formats/state-value.ts";
import { transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { tableItemKeyHash } from "../../ledger/key-hash.ts";
import { readTreePath } from "../../ledger/state-tree/path.ts";
import type { Block, LedgerPosition, LedgerView, StateItem } from "../../ledger/view.ts";
import {
  computeWaypoint,
  formatWaypoint,
  type Waypoint,
  waypointPreimageCodec,
} from "../../ledger/waypoint.ts";
import { formatAddress } from "../../move/address.ts";
import { formatStructTag, structTagCodec } from "../../move/type-tag.ts";
import type { Claim, ProvenItem } from "../../proof/bundle.ts";
import type { MadeBundle, MadeLedger } from "../../proof/made-bundle.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import { checkStateProof } from "../../proof/state-proof.ts";
import type { Store } from "../../store/contract.ts";
import { BLOCK_END, type BlockEnd, readSignedHead } from "../side-rows.ts";
import { decodeSigned, loadEpochEnds, loadNewestBytes } from "../signatures/signed-rows.ts";
import { isSameWaypoint } from "../waypoints.ts";
import { AccumulatorNodes } from "./accumulator-nodes.ts";
import { TreeAt } from "./tree-history.ts";

/** Most changes of epoch in one bundle. */
const MAX_EPOCH_CHANGES = 1000;
/** First bytes of access paths. */
const [RESOURCE_PATH, GROUP_PATH] = [Uint8Array.of(1), Uint8Array.of(2)];
/** A commit may replace a node while it is read. */
const ATTEMPTS = 3;

type Reader = Pick<Store, "getSideRows" | "getTreeNodes" | "openRawView">;

/** A block end that can be proven, and BCS of the signed ledger info that covers it. */
interface ProvablePoint {
  readonly height: bigint;
  readonly end: BlockEnd;
  readonly signed: Uint8Array;
}

/** What all proofs of one block end from one waypoint share. */
interface Frame extends Omit<ProvablePoint, "signed"> {
  readonly info: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly siblings: readonly Uint8Array[];
  readonly ledger: MadeLedger;
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
  const { height, end, signed } = await findPoint(store, view, version);
  const [record] = await view.getRecords(end.version, 1, 1);
  if (record === undefined) throw new LedgerError("corrupt", `version ${end.version} has no record`);
  const { version: lastVersion } = readSignedHead(signed);
  const nodes = new AccumulatorNodes({ store, view, lastVersion, missingSubtree: "corrupt" });
  const info = new Uint8Array(readInfoBytes(record.bytes));
  const frame: Frame = {
    height,
    end,
    info,
    stateRoot: stateRootOf(info),
    siblings: await nodes.siblings(end.version, end.left),
    ledger: await ledgerOf(store, signed, fromWaypoint),
    tree: new TreeAt(store, end.version),
  };
  const { ledger } = frame;
  const isShort = ledger.kind === "named" || ledger.epochChanges.length <= MAX_KEPT_CHANGES;
  // A follower's newest signature may come without a new block.
  const isSettled = version !== undefined || end.version === view.position.version;
  if (isShort && isSettled) {
    frames.set(view.position, { asked, frame, uses: 0 });
  }
  return frame;
}

/** Proves answers of one view. The view may be released when the promise settles. Throws LedgerError. */
export async function prove(
  store: Reader,
  view: LedgerView,
  question: ProofQuestion,
  options: ProofOptions,
): Promise<MadeBundle> {
  const frame = await frameOf(store, view, options);
  const { end, info, siblings, ledger } = frame;
  const { keys, keyHashes } = keysOf(question);
  const values = (await view.getItems(keyHashes, end.version)).map(copyOf);
  const items: ProvenItem[] = [];
  for (const [i, keyHash] of keyHashes.entries()) {
    const value = values[i]?.value;
    const proof = await proveItem(store, view, frame, keyHash, value);
    items.push({ key: keys[i] ?? keyHash, value, proof });
  }
  const claim = claimOf(question, values);
  return { kind: "v0", claim, version: end.version, items, info, siblings, ledger };
}

/** Stored bytes are valid only until the view is released. */
function copyOf(item: StateItem | undefined): StateItem | undefined {
  return item?.value === undefined ? undefined : { ...item, value: new Uint8Array(item.value) };
}

/** State keys in BCS and their hashes, in the order of the balance rule. */
function keysOf(question: ProofQuestion): { readonly keys: Uint8Array[]; readonly keyHashes: Uint8Array[] } {
  if (question.kind === "tableItem") {
    const { handle, key } = question;
    return {
      keys: [encodeWith(stateKeyCodec, { kind: "tableItem", handle, key })],
      keyHashes: [tableItemKeyHash(handle, key, undefined)],
    };
  }
  const { address, asset } = question;
  const group = {
    address: primaryStoreAddress(address, asset.metadata),
    path: concatBytes(GROUP_PATH, OBJECT_GROUP_TAG),
  };
  const coin = asset.coinStoreTag && { address, path: concatBytes(RESOURCE_PATH, asset.coinStoreTag) };
  const parts = coin === undefined ? [group] : [group, coin];
  return {
    keys: parts.map((part) =>
      encodeWith(stateKeyCodec, {
        kind: "accessPath",
        address: part.address,
        path: part.path,
      }),
    ),
    keyHashes: [...balanceKeys(address, asset, undefined)],
  };
}

function claimOf(question: ProofQuestion, values: readonly (StateItem | undefined)[]): Claim {
  if (question.kind === "tableItem") {
    const value = values[0]?.value;
    return { ...question, value: value && stateValueData(value) };
  }
  const { address, asset } = question;
  const amount = addParts(values.map((value, place) => amountOfPart(place, value)));
  return { kind: "balance", address, asset: assetText(asset), amount };
}

const assetTexts = new WeakMap<Asset, string>();

/** The one spelling of an asset. Most questions are about a few assets, which are parsed once. */
function assetText(asset: Asset): string {
  const known = assetTexts.get(asset);
  if (known !== undefined) return known;
  const text = formatAsset(asset);
  assetTexts.set(asset, text);
  return text;
}

function formatAsset({ coinStoreTag, metadata }: Asset): string {
  if (coinStoreTag === undefined) return formatAddress(metadata);
  const [coin] = decodeWith(structTagCodec, coinStoreTag).typeArgs;
  if (coin?.kind !== "struct") throw new Error("a coin store without a coin type");
  return formatStructTag(coin.struct);
}

async function proveItem(
  store: Reader,
  view: LedgerView,
  frame: Frame,
  keyHash: Uint8Array,
  value: Uint8Array | undefined,
): Promise<ProvenItem["proof"]> {
  const { height, end, stateRoot } = frame;
  let { tree } = frame;
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

async function blockEndingAt(view: LedgerView, version: bigint): Promise<Block> {
  const { oldestVersion, version: latest } = view.position;
  if (version > latest) {
    throw new LedgerError("version_not_found", `version ${version} is above the latest version ${latest}`);
  }
  if (version < oldestVersion) throw outsideWindow(version);
  const block = await view.getBlockByVersion(version);
  if (block === undefined) throw outsideWindow(version);
  if (block.lastVersion === version) return block;
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
  const newest = await loadNewestBytes(store);
  if (newest === undefined) {
    throw new LedgerError(
      "no_signatures",
      "this node has no validator signatures, so it cannot prove anything",
    );
  }
  const head = readSignedHead(newest);
  // A follower's sources may be ahead of its ledger.
  const isAhead = head.version > latest;
  const wanted = version ?? (isAhead ? latest : head.version);
  const { height, epoch } = await blockEndingAt(view, wanted);
  const end = await BLOCK_END.load(store, height);
  if (end?.version !== wanted) throw outsideWindow(wanted);
  if (end.signed !== undefined) return { height, end, signed: end.signed };
  const [signed] = head.epoch === epoch ? [newest] : await loadEpochEnds(store, epoch, epoch);
  const covered = signed && readSignedHead(signed).version;
  if (signed === undefined || covered === undefined || covered < wanted || covered > latest) {
    throw new LedgerError(
      "unavailable",
      `no validator signature that this node has covers version ${wanted} yet`,
    );
  }
  return { height, end, signed };
}

/** How a waypoint leads to a signed ledger info. */
async function ledgerOf(store: Reader, signed: Uint8Array, from: Waypoint | undefined): Promise<MadeLedger> {
  const { epoch, version } = readSignedHead(signed);
  if (from?.version === version && isSameWaypoint(computeWaypoint(decodeSigned(signed).ledgerInfo), from)) {
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
