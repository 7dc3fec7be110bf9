// Compares the stored history with what validators signed: where our own accumulator root is the signed one, everything
// up to there is proven; where it is not, our history is not the network's.

import { equalBytes } from "../../base/bytes.ts";
import { transactionAccumulator } from "../../ledger/accumulator.ts";
import { decodeRecord } from "../../ledger/formats/record.ts";
import { isAccumulatorKnown, type Position } from "../../ledger/position.ts";
import { confirmedVersion, PROVEN, type Refutation, trustAt } from "../../ledger/trust.ts";
import { withView } from "../../ledger/view.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { Store, StoreView } from "../../store/contract.ts";
import type { SignedChain } from "../signatures/signed-chain.ts";

/** What signatures say about the stored history. */
export interface SignedVerdict {
  /** Everything up to this version is newly proven. */
  readonly provenTo: bigint | undefined;
  readonly refuted: Refutation | undefined;
  /** The lowest signed version at which the stored history is another one. */
  readonly contradictedAt: bigint | undefined;
}

const NOTHING: SignedVerdict = { provenTo: undefined, refuted: undefined, contradictedAt: undefined };

/** The last version that is proven with everything before it; undefined if none is. */
export function provenVersion(position: Position): bigint | undefined {
  const { trust, version } = position;
  const open = trust.find(({ level }) => level.kind !== PROVEN.kind);
  if (trustAt(trust, trust[0]?.first ?? 0n).kind !== PROVEN.kind) return undefined;
  return open === undefined || open.first > version ? version : open.first - 1n;
}

/** Compares the stored versions above the proven ones with the ledger infos of the chain. */
export async function judgeHistory(store: Store, chain: SignedChain): Promise<SignedVerdict> {
  return withView(store.openView(), (view) => judge(view, chain));
}

async function judge(view: StoreView, chain: SignedChain): Promise<SignedVerdict> {
  const { position } = view;
  if (!isAccumulatorKnown(position) || position.refuted !== undefined) return NOTHING;
  const proven = provenVersion(position) ?? chain.startVersion ?? -1n;
  let contradicting: SignedLedgerInfo | undefined;
  let signed = await chain.lastUpTo(position.version);
  // Downwards: the highest one that fits proves the most, and the lowest that does not fit refutes the most.
  while (signed !== undefined && signed.ledgerInfo.version > proven) {
    const { version, accumulatorRoot } = signed.ledgerInfo;
    const own = await rootAt(view, version);
    if (own === undefined) break;
    if (equalBytes(own, accumulatorRoot)) {
      return verdictOf(position, version, contradicting);
    }
    contradicting = signed;
    signed = version === 0n ? undefined : await chain.lastUpTo(version - 1n);
  }
  return verdictOf(position, undefined, contradicting);
}

function verdictOf(
  position: Position,
  provenTo: bigint | undefined,
  contradicting: SignedLedgerInfo | undefined,
): SignedVerdict {
  if (contradicting === undefined) return { ...NOTHING, provenTo };
  const { version, epoch } = contradicting.ledgerInfo;
  const confirmed = confirmedVersion(position) ?? -1n;
  const last = provenTo !== undefined && provenTo > confirmed ? provenTo : confirmed;
  const reason = `the validators of epoch ${epoch} signed version ${version} of another history`;
  return { provenTo, refuted: { firstVersion: last + 1n, reason }, contradictedAt: version };
}

/** Our own root after a version; undefined if its record is pruned. */
async function rootAt(view: StoreView, version: bigint): Promise<Uint8Array | undefined> {
  const { position } = view;
  if (version === position.version) return transactionAccumulator(position.accumulator).root();
  if (version < position.oldestVersion) return undefined;
  const [stored] = await view.getRecords(version, 1, 1);
  return stored && decodeRecord(stored.bytes).accumulatorRoot;
}
