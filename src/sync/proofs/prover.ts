// Makes proof bundles from the kept history: state items with their ways through the tree, the info of each version with its
// place in the accumulator, and the signatures that lead to it.
import { append } from "../../base/append.ts";
import { toHex } from "../../base/hex.ts";
import { Slices } from "../../base/wait.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { transactionCodec } from "../../ledger/formats/transaction.ts";
import type { LedgerPosition, LedgerView } from "../../ledger/view.ts";
import { historyOpener } from "../../ledger/watch/event-id.ts";
import { formatWaypoint } from "../../ledger/waypoint.ts";
import type { Address } from "../../move/address.ts";
import {
  blockTimeOf,
  bundleOf,
  type Point,
  type ProofBundle,
  type ProvenLedger,
} from "../../proof/bundle.ts";
import {
  type BalancesClaim,
  claimParts,
  type StateClaim,
  sortedKeys,
  stateKeysOf,
  withAmounts,
} from "../../proof/claim.ts";
import type { ProofOptions, ProofQuestion } from "../../proof/question.ts";
import type { BlockEnd } from "../side-rows.ts";
import { decodeSigned } from "../signatures/signed-rows.ts";
import { proveItems, stateRootOf, type TreeOfBlock } from "./item-prover.ts";
import { PointReader } from "./point-reader.ts";
import {
  findPoint,
  isNamedBy,
  ledgerOf,
  namedAfter,
  nextSignature,
  outsideWindow,
  type ProofReader,
} from "./signed-points.ts";
import { proveTransaction } from "./transaction-prover.ts";
import { TreeAt } from "./tree-history.ts";

/** What all proofs of one block end from one waypoint share. */
interface Frame extends TreeOfBlock {
  readonly point: Point;
  /** The beginning of the next block, and its time; undefined where no signature covers it yet. */
  readonly next: { readonly point: Point; readonly timestampUsec: bigint } | undefined;
  readonly ledger: ProvenLedger;
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

async function frameOf(store: ProofReader, view: LedgerView, options: ProofOptions): Promise<Frame> {
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
    (await namedAfter(store, view, fromWaypoint, end.version)) ??
    (isNamed ? undefined : await nextSignature(store, view, height)) ??
    found.signed;
  const points = new PointReader(store, view, signed);
  const point = await points.readInfo(end.version, end.left);
  const frame: Frame = {
    height,
    end,
    point,
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

/**
 * Proves answers of one view. The view may be released when the promise settles. Throws LedgerError; `unavailable` where the
 * ledger went back meanwhile.
 */
export async function prove(
  store: ProofReader,
  view: LedgerView,
  question: ProofQuestion,
  options: ProofOptions,
): Promise<ProofBundle> {
  const openAgain = await historyOpener(store, view, view.position.version);
  try {
    return question.kind === "state"
      ? await proveState(store, view, question.claim, options)
      : await proveTransaction(store, view, question, options);
  } catch (error) {
    const isKept = !(error instanceof LedgerError) || error.code !== "version_pruned";
    // Its way through the accumulator may lead past other versions that are not kept.
    throw isKept || question.kind === "state" ? error : outsideWindow(question.version);
  } finally {
    // Side rows and tree nodes are those of now, so they must still belong to the view's history.
    (await openAgain()).release();
  }
}

async function proveState(
  store: ProofReader,
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
  const accounts: { address: Address; amounts: BalancesClaim["accounts"][number]["amounts"][number][] }[] =
    [];
  for (const part of claimParts(asked)) {
    const filled = withAmounts(part, (keyHash) => values.get(toHex(keyHash)));
    for (const { address, amounts } of filled.kind === "balances" ? filled.accounts : []) {
      const last = accounts.at(-1);
      if (last?.address === address) append(last.amounts, amounts);
      else accounts.push({ address, amounts: [...amounts] });
    }
    await slices.pause();
  }
  const claim = asked.kind === "balances" ? { ...asked, accounts } : asked;
  const points = [{ ...frame.point, state }, ...(next === undefined ? [] : [next.point])];
  return bundleOf(claim, points, ledger);
}

async function nextPoint(points: PointReader, { version, left }: BlockEnd): Promise<Frame["next"]> {
  if (points.lastVersion <= version) return undefined;
  const next = version + 1n;
  const point = await points.read(next, await points.leftOf(next, { leafCount: version, frozen: left }));
  const timestampUsec = blockTimeOf(point.transaction && decodeWith(transactionCodec, point.transaction));
  return timestampUsec === undefined ? undefined : { point, timestampUsec };
}
