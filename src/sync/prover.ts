// Makes proof bundles from the kept history: state items with their ways through the tree, the info of the block end, its
// place in the accumulator, and the signatures that lead to it.
import { equalBytes } from "../base/bytes.ts";
import { decodeWith, encodeWith } from "../bcs/codec.ts";
import { type Asset, primaryStoreAddress } from "../ledger/asset.ts";
import { addParts, amountOfPart } from "../ledger/balance.ts";
import { balanceKeys, OBJECT_GROUP_TAG } from "../ledger/balance-keys.ts";
import { LedgerError } from "../ledger/errors.ts";
import { tableItemKeyHash } from "../ledger/key-hash.ts";
import { readInfoBytes } from "../ledger/record.ts";
import { stateKeyCodec } from "../ledger/state-key.ts";
import { readTreePath } from "../ledger/state-tree/path.ts";
import { stateValueData, stateValueHash } from "../ledger/state-value.ts";
import { transactionInfoCodec } from "../ledger/transaction-info.ts";
import type { Block, LedgerView, StateItem } from "../ledger/view.ts";
import { computeWaypoint, formatWaypoint, type Waypoint, type WaypointPreimage } from "../ledger/waypoint.ts";
import { formatAddress } from "../move/address.ts";
import { formatStructTag, structTagCodec } from "../move/type-tag.ts";
import type { Claim, ProvenItem } from "../proof/bundle.ts";
import type { SignedLedgerInfo } from "../proof/ledger-info.ts";
import type { MadeBundle, MadeLedger } from "../proof/made-bundle.ts";
import type { ProofOptions, ProofQuestion } from "../proof/question.ts";
import { checkStateProof } from "../proof/state-proof.ts";
import type { Store } from "../store/contract.ts";
import { readAccumulatorSiblings } from "./accumulator-path.ts";
import { isSameWaypoint } from "./matched-waypoints.ts";
import { type BlockEnd, loadBlockEnd } from "./proof-history.ts";
import { decodeSigned, encodeSigned, loadEpochEnd, loadEpochEnds, loadNewestSigned } from "./signed-rows.ts";
import { TreeAt } from "./tree-history.ts";

/** Most changes of epoch in one bundle. */
const MAX_EPOCH_CHANGES = 1000;
/** A commit may replace a node while it is read. */
const ATTEMPTS = 3;

type Reader = Pick<Store, "getSideRows" | "getTreeNodes">;

/** A block end that can be proven, and the signed ledger that it is in. */
interface ProvablePoint {
  readonly end: BlockEnd;
  readonly signed: SignedLedgerInfo;
}

/** Proves answers of one view. The view may be released when the promise settles. Throws LedgerError. */
export async function prove(
  store: Reader,
  view: LedgerView,
  question: ProofQuestion,
  { version, fromWaypoint }: ProofOptions,
): Promise<MadeBundle> {
  const { end, signed } = await findPoint(store, view, version);
  const [record] = await view.getRecords(end.version, 1, 1);
  if (record === undefined) throw new LedgerError("corrupt", `version ${end.version} has no record`);
  const info = decodeWith(transactionInfoCodec, new Uint8Array(readInfoBytes(record.bytes)));
  const root = info.stateCheckpointHash;
  if (root === undefined) throw new LedgerError("corrupt", `version ${end.version} has no state root`);
  const { keys, keyHashes } = keysOf(question);
  const values = (await view.getItems(keyHashes, end.version)).map(copyOf);
  const items: ProvenItem[] = [];
  for (const [i, keyHash] of keyHashes.entries()) {
    const proof = await proveItem(store, view, { end, root, keyHash, value: values[i]?.value });
    items.push({ key: keys[i] ?? keyHash, value: values[i]?.value, proof });
  }
  return {
    kind: "v0",
    claim: claimOf(question, values),
    version: end.version,
    items,
    info,
    siblings: await readAccumulatorSiblings(store, view, end, signed.ledgerInfo.version),
    ledger: await ledgerOf(store, signed, fromWaypoint),
  };
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
  const group = { address: primaryStoreAddress(address, asset.metadata), path: [2, ...OBJECT_GROUP_TAG] };
  const coin = asset.coinStoreTag && { address, path: [1, ...asset.coinStoreTag] };
  const parts = coin === undefined ? [group] : [group, coin];
  return {
    keys: parts.map((part) =>
      encodeWith(stateKeyCodec, {
        kind: "accessPath",
        address: part.address,
        path: Uint8Array.from(part.path),
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

/** The one spelling of an asset. */
function assetText({ coinStoreTag, metadata }: Asset): string {
  if (coinStoreTag === undefined) return formatAddress(metadata);
  const [coin] = decodeWith(structTagCodec, coinStoreTag).typeArgs;
  if (coin?.kind !== "struct") throw new Error("a coin store without a coin type");
  return formatStructTag(coin.struct);
}

async function proveItem(
  store: Reader,
  view: LedgerView,
  item: {
    readonly end: BlockEnd;
    readonly root: Uint8Array;
    readonly keyHash: Uint8Array;
    readonly value: Uint8Array | undefined;
  },
): Promise<ProvenItem["proof"]> {
  const { end, root, keyHash, value } = item;
  for (let attempt = 1; ; attempt++) {
    try {
      const tree = new TreeAt(store, end.rootVersion);
      const { leaf, siblings } = await readTreePath(keyHash, tree.getNodes);
      const valueHash = value && stateValueHash(value);
      const proof = {
        leaf: leaf && {
          keyHash: new Uint8Array(leaf.keyHash),
          valueHash: valueHash ?? (await valueHashOf(view, leaf.keyHash, end.version)),
        },
        siblings: siblings.map((sibling) => new Uint8Array(sibling)),
      };
      if (tree.usesCurrent) checkStateProof(proof, root, keyHash, valueHash);
      return proof;
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      // Pruned meanwhile, or damaged.
      if ((await loadBlockEnd(store, await heightOf(view, end.version))) === undefined) {
        throw outsideWindow(end.version);
      }
      throw error;
    }
  }
}

/** The value hash of another item, which a proof of absence ends in. */
async function valueHashOf(view: LedgerView, keyHash: Uint8Array, version: bigint): Promise<Uint8Array> {
  const [item] = await view.getItems([keyHash], version);
  if (item?.value === undefined) {
    throw new LedgerError("corrupt", "the state tree has an item that the store lacks");
  }
  return stateValueHash(item.value);
}

async function heightOf(view: LedgerView, version: bigint): Promise<bigint> {
  return (await blockEndingAt(view, version)).height;
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
    `version ${version} is outside of the window in which this node can make proofs`,
  );
}

/** The block end to prove, and a signed ledger info at or after it, of the same epoch. */
async function findPoint(
  store: Reader,
  view: LedgerView,
  version: bigint | undefined,
): Promise<ProvablePoint> {
  const newest = (await loadNewestSigned(store))?.signed;
  if (newest === undefined) {
    throw new LedgerError(
      "no_signatures",
      "this node has no validator signatures, so it cannot prove anything",
    );
  }
  const { version: latest } = view.position;
  // A follower's sources may be ahead of its ledger.
  const isAhead = newest.ledgerInfo.version > latest;
  const wanted = version ?? (isAhead ? latest : newest.ledgerInfo.version);
  const block = await blockEndingAt(view, wanted);
  const end = await loadBlockEnd(store, block.height);
  if (end?.version !== wanted) throw outsideWindow(wanted);
  if (end.signed !== undefined) return { end, signed: decodeSigned(end.signed) };
  const covering = newest.ledgerInfo.epoch === block.epoch ? newest : await loadEpochEnd(store, block.epoch);
  const covered = covering?.ledgerInfo.version;
  if (covering === undefined || covered === undefined || covered < wanted || covered > latest) {
    throw new LedgerError(
      "unavailable",
      `no validator signature that this node has covers version ${wanted} yet`,
    );
  }
  return { end, signed: covering };
}

/** How a waypoint leads to a signed ledger info. */
async function ledgerOf(
  store: Reader,
  signed: SignedLedgerInfo,
  from: Waypoint | undefined,
): Promise<MadeLedger> {
  const { epoch, version } = signed.ledgerInfo;
  if (
    from !== undefined &&
    from.version === version &&
    isSameWaypoint(computeWaypoint(signed.ledgerInfo), from)
  ) {
    return { kind: "named", ledgerInfo: preimageOf(signed) };
  }
  const start = from === undefined ? await epochBefore(store, epoch) : await epochEndAt(store, epoch, from);
  const first = start.ledgerInfo.epoch + 1n;
  if (epoch - first > MAX_EPOCH_CHANGES) {
    throw new LedgerError(
      "unprovable",
      `from_waypoint: expected one at most ${MAX_EPOCH_CHANGES} epochs back, got one of ${epoch - first + 1n} epochs before`,
    );
  }
  const epochChanges = await loadEpochEnds(store, first, epoch - 1n);
  if (BigInt(epochChanges.length) !== epoch - first) throw gapAt(first + BigInt(epochChanges.length));
  return { kind: "signed", start: preimageOf(start), epochChanges, last: encodeSigned(signed) };
}

function gapAt(epoch: bigint): LedgerError {
  return new LedgerError("unprovable", `this node has no signed end of epoch ${epoch}`);
}

async function epochBefore(store: Reader, epoch: bigint): Promise<SignedLedgerInfo> {
  const found = await loadEpochEnd(store, epoch - 1n);
  if (found === undefined) throw gapAt(epoch - 1n);
  return found;
}

/** The end of an epoch before another, by its waypoint. Epochs end in order. */
async function epochEndAt(store: Reader, before: bigint, waypoint: Waypoint): Promise<SignedLedgerInfo> {
  let [low, high] = [0n, before - 1n];
  while (low <= high) {
    const middle = (low + high) / 2n;
    const found = await loadEpochEnd(store, middle);
    // A chain whose first epochs nobody signed has none at the beginning.
    if (found === undefined || found.ledgerInfo.version < waypoint.version) low = middle + 1n;
    else if (found.ledgerInfo.version > waypoint.version) high = middle - 1n;
    else if (equalBytes(computeWaypoint(found.ledgerInfo).hash, waypoint.hash)) return found;
    else break;
  }
  throw new LedgerError(
    "unprovable",
    `from_waypoint: expected the waypoint of an epoch's end that this node knows, before epoch ${before}, got ${formatWaypoint(waypoint)}`,
  );
}

/** Only what the waypoint hashes. */
function preimageOf({ ledgerInfo }: SignedLedgerInfo): WaypointPreimage {
  const { epoch, accumulatorRoot, version, timestampUsec, nextEpoch } = ledgerInfo;
  return { epoch, accumulatorRoot, version, timestampUsec, nextEpoch };
}
