// Checks and simulations on a framework with code, by the framework's own functions.
import { readAccount } from "../../ledger/account.ts";
import { parseAsset } from "../../ledger/asset.ts";
import { readBalance } from "../../ledger/balance.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Address } from "../../move/address.ts";
import { refuseCode } from "../../transaction/submission-error.ts";
import type { UserTransaction } from "../../transaction/user-transaction.ts";
import type { LedgerTransactions } from "../../vm/ledger-transactions.ts";
import { mintGrant } from "../mint-grant.ts";
import { assertUnsigned, type SimulatedFields, simulatedRecord, withEstimates } from "./simulated.ts";
import type { Submitted } from "./submitted.ts";

const NATIVE = parseAsset("0x1::aptos_coin::AptosCoin");
const TOO_NEW = 4;

/** A transaction that a block may take. */
export interface Checked {
  readonly submitted: Submitted;
  /** The sender's sequence number on the ledger that it was checked against. */
  readonly sequenceNumber: bigint;
}

/** Checks a transaction whose signatures are valid. Throws SubmissionError for one that no block can take. */
export async function checkOnMachine(
  head: LedgerTransactions,
  view: LedgerView,
  submitted: Submitted,
  faucet: Address,
): Promise<Checked> {
  const { transaction, isFree } = submitted;
  const { sender } = transaction.raw;
  const grant = isFree ? await mintGrant(head, faucet, sender) : undefined;
  if (grant !== undefined) await head.apply(grant);
  const options = { areSignaturesValid: true, isOwners: isFree };
  // On a fork the whole run fetches what a block will need, or finds the network out of reach.
  const { discardCode } =
    view.position.fork === undefined && !isFree
      ? await head.validate(transaction, options)
      : await head.execute({ kind: "user", transaction }, options);
  // The mempool keeps a transaction until its turn.
  if (discardCode !== undefined && discardCode !== TOO_NEW) throw refuseCode(discardCode);
  const account = await readAccount(view, sender, view.position.version);
  return { submitted, sequenceNumber: account?.sequenceNumber ?? 0n };
}

/** Runs a transaction and keeps nothing; returns the record that it would leave. Throws SubmissionError if it is signed. */
export async function simulateOnMachine(
  head: LedgerTransactions,
  view: LedgerView,
  given: UserTransaction,
  fields: SimulatedFields,
): Promise<Uint8Array> {
  await assertUnsigned(given);
  const held = fields.maxGasAmount
    ? await readBalance(view, given.raw.sender, NATIVE, view.position.version)
    : 0n;
  const transaction = { ...given, raw: withEstimates(given.raw, fields, held, head.mostGas) };
  const output = await head.execute(
    { kind: "user", transaction },
    { areSignaturesValid: true, isSimulation: true },
  );
  const { status, discardCode, gasUsed, events, writeSet } = output;
  return simulatedRecord(view, transaction, {
    status: status ?? { kind: "miscellaneous", statusCode: BigInt(discardCode ?? 0) },
    gasUsed: BigInt(gasUsed),
    events,
    changes: writeSet,
  });
}
