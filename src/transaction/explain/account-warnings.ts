// Warnings that need the accounts of the ledger: sequence number, balances, recipients. Nothing is executed.
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { shortenText } from "../../base/texts/text.ts";
import { type Address, formatAddress, parseAddress } from "../../move/address.ts";
import type { Submission } from "./decode.ts";
import type { Warning, WarningCode } from "./explanation.ts";
import { GAS_COIN, type Transfer } from "./transfer.ts";

/** The accounts of a ledger at one version. */
export interface AccountReader {
  /** The sequence number of an account; undefined where there is no account resource. */
  sequenceNumber(address: Address): MaybePromise<bigint | undefined>;
  /** The balance of a coin type or of a fungible asset by its metadata address; undefined for any other text. */
  balance(owner: Address, asset: string): MaybePromise<bigint | undefined>;
}

/** Recipients looked up at most. */
const MAX_RECIPIENTS = 100;
/** Metadata of the fungible asset that gas is paid in. */
const GAS_METADATA = "0xa";

/** What the accounts of the ledger say against a submission. What the reader throws passes through. */
export async function accountWarnings(
  submission: Submission,
  transfer: Transfer | undefined,
  accounts: AccountReader,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string): void => void warnings.push({ code, message });
  await checkSender(submission, accounts, warn);
  if (transfer !== undefined) await checkTransfer(submission, transfer, accounts, warn);
  await checkFee(submission, transfer, accounts, warn);
  return warnings;
}

type Warn = (code: WarningCode, message: string) => void;

async function checkSender(submission: Submission, accounts: AccountReader, warn: Warn): Promise<void> {
  const { transaction, parts } = submission;
  const sender = formatAddress(transaction.sender);
  const current = await accounts.sequenceNumber(transaction.sender);
  if (current === undefined) warn("sender_unknown", `sender: ${sender} has no account resource here`);
  if (parts.nonce !== undefined) return;
  const given = transaction.sequenceNumber;
  const next = current ?? 0n;
  if (given < next) {
    warn("sequence_number_used", `sequence_number: ${given} is used; the next of ${sender} is ${next}`);
  } else if (given > next) {
    warn(
      "sequence_number_ahead",
      `sequence_number: the next of ${sender} is ${next}; ${given} must wait for those before it`,
    );
  }
}

async function checkTransfer(
  { transaction, parts }: Submission,
  { asset, recipients, total }: Transfer,
  accounts: AccountReader,
  warn: Warn,
): Promise<void> {
  const distinct = [...new Set(recipients)];
  for (const recipient of distinct.slice(0, MAX_RECIPIENTS)) {
    const address = parseAddress(recipient);
    if ((await accounts.sequenceNumber(address)) !== undefined) continue;
    if (((await accounts.balance(address, asset)) ?? 0n) > 0n) continue;
    warn(
      "recipient_unknown",
      `${recipient} has no account resource and none of the asset here; check the address`,
    );
  }
  if (distinct.length > MAX_RECIPIENTS) {
    warn("recipients_not_checked", `only ${MAX_RECIPIENTS} of ${distinct.length} recipients were looked up`);
  }
  const owner = parts.multisigAddress ?? transaction.sender;
  const balance = await accounts.balance(owner, asset);
  if (balance !== undefined && total > balance) {
    warn(
      "amount_above_balance",
      `the transfer takes ${total} of ${shortenText(asset)}; the balance of ${formatAddress(owner)} is ${balance}`,
    );
  }
}

/** Gas is paid by the fee payer, else by the sender, who may need the same coin for the transfer. */
async function checkFee(
  { transaction, parts, feePayer }: Submission,
  transfer: Transfer | undefined,
  accounts: AccountReader,
  warn: Warn,
): Promise<void> {
  if (feePayer?.every((byte) => byte === 0)) {
    warn(
      "fee_payer_open",
      "fee_payer: 0x0 names no account; the fee payer signs the message with its own address",
    );
    return;
  }
  const payer = feePayer ?? transaction.sender;
  const isOwnTransfer =
    transfer !== undefined &&
    (transfer.asset === GAS_COIN || transfer.asset === GAS_METADATA) &&
    formatAddress(payer) === formatAddress(parts.multisigAddress ?? transaction.sender);
  const fee = transaction.maxGasAmount * transaction.gasUnitPrice;
  const needed = fee + (isOwnTransfer ? transfer.total : 0n);
  const balance = (await accounts.balance(payer, GAS_COIN)) ?? 0n;
  if (needed <= balance) return;
  const what = isOwnTransfer
    ? `fee of at most ${fee} and transfer come to ${needed}`
    : `the fee is at most ${fee}`;
  warn("fee_above_balance", `${what}; the balance of ${formatAddress(payer)} is ${balance}`);
}
