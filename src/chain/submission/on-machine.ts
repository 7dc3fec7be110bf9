// Simulations and checks, by the framework's own functions.
import { equalBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { u8 } from "../../bcs/scalars.ts";
import { parseAsset } from "../../ledger/balances/asset.ts";
import { readBalance } from "../../ledger/balances/balance.ts";
import { encodeRecord } from "../../ledger/formats/record.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { transactionCodec, transactionHash } from "../../ledger/formats/transaction.ts";
import { type ExecutionStatus, transactionInfoCodec } from "../../ledger/formats/transaction-info.ts";
import { writeSetCodec } from "../../ledger/formats/write-set.ts";
import { readAccount } from "../../ledger/items/account.ts";
import { accountCodec, coinStoreCodec } from "../../ledger/items/resources.ts";
import type { LedgerView } from "../../ledger/view.ts";
import type { Address } from "../../move/address.ts";
import type { RawTransaction } from "../../transaction/raw.ts";
import { refuseCode, SubmissionError } from "../../transaction/submission-error.ts";
import type { SimulationEstimates, UserTransaction } from "../../transaction/user-transaction.ts";
import type { LedgerTransactions } from "../../vm/ledger/ledger-transactions.ts";
import type { Tracer } from "../../vm/session.ts";
import type { TransactionOutput } from "../../vm/transaction/status.ts";
import { type Item, resourceItem } from "../item.ts";
import { newAccount } from "../new-account.ts";
import { areSignaturesValid } from "./signatures.ts";
import type { Submitted } from "./submitted.ts";

/** Least gas that an estimate gives, in whole units. */
const LEAST_ESTIMATE = 2n;
const NO_HASH = new Uint8Array(32);

/** Throws SubmissionError for a transaction that is signed: one could submit it. */
async function assertUnsigned(transaction: UserTransaction): Promise<void> {
  const isSigned = await areSignaturesValid(transaction).catch((error: unknown) => {
    // A scheme that is not checked here has no valid signature here either.
    if (error instanceof SubmissionError && error.code === "unmodelled") return false;
    throw error;
  });
  if (isSigned) throw new SubmissionError("signed", "Simulated transactions must not have a valid signature");
}

/** The transaction with the fields that it is simulated with; its sender has so much of the native coin. */
function withEstimates(
  raw: RawTransaction,
  fields: SimulationEstimates,
  held: bigint,
  mostGas: bigint,
): RawTransaction {
  const { gasUnitPrice = raw.gasUnitPrice } = fields;
  let { maxGasAmount } = raw;
  if (fields.maxGasAmount) {
    maxGasAmount = gasUnitPrice === 0n ? held : held / gasUnitPrice;
    if (maxGasAmount > mostGas) maxGasAmount = mostGas;
    if (maxGasAmount < LEAST_ESTIMATE) maxGasAmount = LEAST_ESTIMATE;
  }
  return { ...raw, gasUnitPrice, maxGasAmount };
}

/** What a simulation found. */
interface Simulated {
  readonly status: ExecutionStatus;
  readonly gasUsed: bigint;
  /** Each in BCS. */
  readonly events: readonly Uint8Array[];
  /** BCS of the write set. */
  readonly changes: Uint8Array;
}

/** The record that the transaction would leave, with zeros for the hashes. */
function simulatedRecord(
  { position: { version } }: LedgerView,
  transaction: UserTransaction,
  { status, gasUsed, events, changes }: Simulated,
): Uint8Array {
  const bytes = encodeWith(transactionCodec, { kind: "user", transaction });
  const info = encodeWith(transactionInfoCodec, {
    kind: "v0",
    status,
    gasUsed,
    transactionHash: transactionHash(bytes),
    eventRootHash: NO_HASH,
    stateChangeHash: NO_HASH,
    stateCheckpointHash: undefined,
    auxiliaryInfoHash: undefined,
  });
  return encodeRecord({ version, transaction: bytes, info, events, accumulatorRoot: NO_HASH, changes });
}

/**
 * What lets the faucet mint on a framework with code, where nobody has the capability any more: the write set that makes it
 * an account with the capability; undefined if it is one, or is not the sender.
 */
export async function mintGrant(
  transactions: LedgerTransactions,
  faucet: Address,
  sender: Address,
): Promise<Uint8Array | undefined> {
  if (!equalBytes(faucet, sender)) return undefined;
  const has = async (item: Item<unknown>): Promise<boolean> =>
    (await transactions.item(encodeWith(stateKeyCodec, item.key))) !== undefined;
  const account = resourceItem(faucet, "0x1::account::Account", accountCodec);
  // A struct without fields has one byte.
  const capability = resourceItem(faucet, "0x1::aptos_coin::MintCapStore", u8);
  if (await has(capability as Item<unknown>)) return undefined;
  const created = [[capability.key, { kind: "creation", data: encodeWith(u8, 0) }] as const];
  const isNew = !(await has(account as Item<unknown>));
  if (isNew) {
    const create = <T>(item: Item<T>, value: T): void =>
      void created.push([item.key, { kind: "creation", data: encodeWith(item.codec, value) }]);
    const handle = (creationNumber: bigint) => ({ counter: 0n, creationNumber, account: faucet });
    create(account, { ...newAccount(faucet), guidCreationNumber: 4n });
    // Older frameworks want a coin store of every payer, also of one that pays nothing.
    create(resourceItem(faucet, "0x1::coin::CoinStore<0x1::aptos_coin::AptosCoin>", coinStoreCodec), {
      value: 0n,
      frozen: false,
      depositEvents: handle(2n),
      withdrawEvents: handle(3n),
    });
  }
  return encodeWith(writeSetCodec, { kind: "v0", writes: created });
}

const NATIVE = parseAsset("0x1::aptos_coin::AptosCoin");
const TOO_NEW = 4;

/** A transaction that a block may take. */
export interface Checked {
  readonly submitted: Submitted;
  /** The sender's sequence number on the ledger that it was checked against. */
  readonly sequenceNumber: bigint;
}

/** Refuses a run that takes more time or more fetched items than this node gives it. */
async function withinLimits(run: Promise<TransactionOutput>): Promise<TransactionOutput> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof CodedError && error.code === "vm")
      throw new SubmissionError(
        "unmodelled",
        `a limit of this node for one run is reached: ${error.message}`,
      );
    throw error;
  }
}

/** Checks a transaction whose signatures are valid; those after it on this head see what the owner's change. Throws SubmissionError for one that no block can take. */
export async function checkOnMachine(
  head: LedgerTransactions,
  view: LedgerView,
  submitted: Submitted,
  faucet: Address,
): Promise<Checked> {
  const { transaction, isOwners } = submitted;
  const { sender } = transaction.raw;
  const grant = isOwners ? await mintGrant(head, faucet, sender) : undefined;
  if (grant !== undefined) await head.apply(grant);
  const options = { areSignaturesValid: true, isOwners };
  // On a fork the whole run fetches what a block will need, or finds the network out of reach. Where the framework has no
  // code, it finds what this node has no native for.
  const { discardCode, writeSet } = await withinLimits(
    view.position.fork === undefined && !isOwners && !head.isInterface
      ? head.validate(transaction, options)
      : head.execute({ kind: "user", transaction }, options),
  );
  // The mempool keeps a transaction until its turn.
  if (discardCode !== undefined && discardCode !== TOO_NEW) throw refuseCode(discardCode);
  if (isOwners) await head.apply(writeSet);
  const account = await readAccount(view, sender, view.position.version);
  return { submitted, sequenceNumber: account?.sequenceNumber ?? 0n };
}

/** Runs a transaction and keeps nothing; returns the record that it would leave. Throws SubmissionError if it is signed. */
export async function simulateOnMachine(
  head: LedgerTransactions,
  view: LedgerView,
  given: UserTransaction,
  fields: SimulationEstimates,
  tracer?: Tracer,
): Promise<Uint8Array> {
  await assertUnsigned(given);
  const held = fields.maxGasAmount
    ? await readBalance(view, given.raw.sender, NATIVE, view.position.version)
    : 0n;
  const transaction = { ...given, raw: withEstimates(given.raw, fields, held, head.mostGas) };
  const options = { areSignaturesValid: true, isSimulation: true, tracer };
  const output = await withinLimits(head.execute({ kind: "user", transaction }, options));
  const { status, discardCode, gasUsed, events, writeSet } = output;
  return simulatedRecord(view, transaction, {
    status: status ?? { kind: "miscellaneous", statusCode: BigInt(discardCode ?? 0) },
    gasUsed: BigInt(gasUsed),
    events,
    changes: writeSet,
  });
}
