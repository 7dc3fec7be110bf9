import { equalBytes } from "../../base/bytes.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { primaryStoreAddress } from "../../ledger/balances/asset.ts";
import { OBJECT_GROUP_TAG } from "../../ledger/balances/balance-keys.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { contractEventCodec, eventHash } from "../../ledger/formats/block-event.ts";
import { stateValueData } from "../../ledger/formats/state-value.ts";
import { transactionCodec } from "../../ledger/formats/transaction.ts";
import { transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../../ledger/hash.ts";
import { findGroupMembers } from "../../ledger/items/resource-group.ts";
import { frameworkTag, fungibleStoreCodec, objectCoreCodec } from "../../ledger/items/resources.ts";
import { resourceGroupKeyHash } from "../../ledger/key-hash.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import type { Block, LedgerView } from "../../ledger/view.ts";
import { addressFromBytes } from "../../move/address.ts";
import { blockTimeOf, bundleOf, type Point, type ProofBundle } from "../../proof/bundle.ts";
import { depositStore, type EventClaim, TIME_KEYS } from "../../proof/claim.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import { KEPT_ACCUMULATOR, loadBlockEnd } from "../side-rows.ts";
import { proveItems, stateRootOf } from "./item-prover.ts";
import { PointReader } from "./point-reader.ts";
import { blockOf, ledgerOf, namedAfter, type ProofReader, signatureFor } from "./signed-points.ts";
import { TreeAt } from "./tree-history.ts";

const STORE_TAGS = [frameworkTag("object", "ObjectCore"), frameworkTag("fungible_asset", "FungibleStore")];

/** A transaction, or an event of it, with its time where the block's state can be proven. */
export async function proveTransaction(
  store: ProofReader,
  view: LedgerView,
  question: Exclude<ProofQuestion, { readonly kind: "state" }>,
  { fromWaypoint }: ProofOptions,
): Promise<ProofBundle> {
  const { version } = question;
  const block = await blockOf(view, version);
  const signed =
    (await namedAfter(store, view, fromWaypoint, version)) ??
    (await signatureFor(store, view, block, version));
  const points = new PointReader(store, view, signed, await KEPT_ACCUMULATOR.load(store));
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
  const to = await storeOf(view, event, version);
  const claim = { kind: "event", version, index, event, store: to, time } as const;
  return bundleOf(claim, spanning({ ...main, ...parts, eventSiblings }), ledger);
}

/** What proves the time of a version in the middle of a block: the block's beginning, and the time in its state. */
async function blockAround(
  store: ProofReader,
  view: LedgerView,
  points: PointReader,
  { height, firstVersion, lastVersion }: Block,
  version: bigint,
) {
  const end = await loadBlockEnd(store, height);
  const isStart = version === firstVersion;
  const left = await points.leftOf(firstVersion, await before(store, { height, firstVersion }));
  const start = await points.read(firstVersion, left);
  const timestampUsec = blockTimeOf(start.transaction && decodeWith(transactionCodec, start.transaction));
  if (timestampUsec === undefined) return undefined;
  if (isStart) return { timestampUsec };
  if (end === undefined || points.lastVersion < lastVersion) return undefined;
  const last = await points.readInfo(lastVersion, end.left);
  const tree = new TreeAt(store, end.version);
  const state = await proveItems(
    store,
    view,
    { height, end, stateRoot: stateRootOf(last.info), tree },
    TIME_KEYS,
  );
  return { timestampUsec, start, end: { ...last, state } };
}

/** The accumulator before a block, from the end of the block before. */
async function before(
  store: ProofReader,
  { height, firstVersion }: Pick<Block, "height" | "firstVersion">,
): Promise<AccumulatorState | undefined> {
  const end = height === 0n ? undefined : await loadBlockEnd(store, height - 1n);
  return end?.version === firstVersion - 1n ? { leafCount: end.version, frozen: end.left } : undefined;
}

/** The owner and the asset of the primary store that a deposit went to; undefined for any other event. */
async function storeOf(view: LedgerView, bytes: Uint8Array, version: bigint): Promise<EventClaim["store"]> {
  const address = depositStore(decodeWith(contractEventCodec, bytes));
  if (address === undefined) return undefined;
  const key = resourceGroupKeyHash(addressFromBytes(address), OBJECT_GROUP_TAG, undefined);
  const { oldestVersion } = view.position;
  // After the transaction; before it, if the transaction deleted the store as well. Both ends are kept with the event.
  for (const at of [version, version - 1n]) {
    const [item] = at < oldestVersion ? [] : await view.getItems([key], at);
    const found = item?.value && primaryStoreIn(item.value, address);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The owner and the asset of a store, if it is their primary store. */
function primaryStoreIn(value: Uint8Array, address: Uint8Array): EventClaim["store"] {
  const [core, store] = findGroupMembers(stateValueData(value), STORE_TAGS) ?? [];
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
