// What a checked proof says, as a sentence for people.
import { formatTime } from "../base/texts/time-text.ts";
import type { VerifiedProof } from "./bundle.ts";
import type { ProvenClaim, ProvenStatement, ProvenSum, ProvenTransaction } from "./claim.ts";

/**
 * The statement that a proof proves. Amounts are in the smallest unit of their asset. `accounts` counts those of a proof that
 * holds only the last of them.
 */
export function statementOf(
  { claim, ledgerVersion, timestampUsec, nextTimestampUsec }: VerifiedProof,
  accounts = claim.kind === "balances" ? claim.accounts.length : 0,
): string {
  const time = timestampUsec === undefined ? "" : ` (${formatTime(timestampUsec)})`;
  if (claim.kind === "transaction" || claim.kind === "event") return `${eventText(claim, time)}.`;
  if (claim.kind === "statements") return claim.statements.map(statementText).join(" ");
  const next =
    nextTimestampUsec === undefined ? "" : ` It is the last version before ${formatTime(nextTimestampUsec)}.`;
  return `After version ${ledgerVersion}${time}, ${stateText(claim, accounts)}.${next}`;
}

function transactionText({ hash, version, sender }: ProvenTransaction, time: string): string {
  return `transaction ${hash}${sender === undefined ? "" : `, sent by ${sender}`}, version ${version}${time}`;
}

function eventText(claim: Extract<ProvenClaim, ProvenTransaction>, time: string): string {
  const transaction = transactionText(claim, time);
  if (claim.kind === "transaction") {
    const { transactionType: type, isSuccess, gasUsed } = claim;
    return `The ledger has ${transaction}, of type ${type}: it ${isSuccess ? "succeeded" : "failed"} and used ${gasUsed} units of gas`;
  }
  const { deposit, index, type, data } = claim;
  if (deposit === undefined) {
    return `Event ${index} of ${transaction}, is of type ${type} and has ${data.length} bytes`;
  }
  const { account, amount, asset } = deposit;
  return `Account ${account} received ${amount} of ${asset ?? "a coin that neither the event nor the transaction names"} by ${transaction}, event ${index}`;
}

/** A statement in words, with what it leaves open. */
export function statementText(proven: ProvenStatement): string {
  const { address, asset, opening, closing, openingVersion, closingVersion } = proven;
  const sum = ({ count, amount }: ProvenSum, one: string): string =>
    `${count} ${count === 1 ? one : `${one}s`} of ${amount}`;
  const changes = [
    sum(proven.deposits, "deposit"),
    sum(proven.withdrawals, "withdrawal"),
    sum(proven.fees, "fee"),
  ];
  return (
    `Account ${address}, ${asset}, from ${formatTime(proven.fromUsec)} to before ${formatTime(proven.toUsec)}: ` +
    `opened with ${opening} (after version ${openingVersion}), ${changes.join(", ")}, ` +
    `closed with ${closing} (after version ${closingVersion}). ` +
    "Each of these has a receipt, and they explain the difference of the balances exactly; " +
    "other changes are possible only where they cancel each other out."
  );
}

type StatesClaim = Exclude<ProvenClaim, ProvenTransaction | { readonly kind: "statements" }>;

function stateText(claim: StatesClaim, accounts: number): string {
  const has = (what: string, value: Uint8Array | undefined): string =>
    value === undefined ? `has no ${what}` : `has the ${what}, of ${value.length} bytes`;
  switch (claim.kind) {
    case "balances": {
      const [first] = claim.accounts;
      const sums = [...claim.totals].map(([asset, total]) => `${total} of ${asset}`).join(", ");
      return accounts === 1
        ? `account ${first?.address} has ${sums}`
        : `${accounts} accounts have together ${sums}`;
    }
    case "table_item":
      return `table ${claim.tableHandle} ${has("item under the key", claim.value)}`;
    case "module":
      return `account ${claim.address} ${has(`module ${claim.name}`, claim.value)}`;
    case "resource": {
      const { address, type, group, value } = claim;
      const where = group === undefined ? "stored by itself" : `in its resource group ${group}`;
      return `account ${address} ${has(`resource ${type} ${where}`, value)}`;
    }
  }
}
