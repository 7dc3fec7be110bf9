// Which transactions an account sent, with sequence numbers and with nonces, without what is in them.
import { toPrefixedHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { API_ROOT } from "../../interface/route.ts";
import { readAccount } from "../../ledger/items/account.ts";
import { readSentBetween, type SentSummary } from "../../ledger/transaction-finder.ts";
import { formatAddress } from "../../move/address.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { ANSWER_ADDRESS_SCHEMA, addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { ledgerVersionField, limitField, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { transactionCount } from "./shared/transaction-page.ts";

const MAX_IN_FLIGHT = 64;

const SUMMARY_SCHEMA = named("TransactionSummary", {
  type: "object",
  required: ["sender", "version", "transaction_hash", "replay_protector"],
  properties: {
    sender: ANSWER_ADDRESS_SCHEMA,
    version: U64_SCHEMA,
    transaction_hash: LONG_ADDRESS_SCHEMA,
    replay_protector: named("ReplayProtector", {
      type: "object",
      required: ["type", "value"],
      properties: { type: { type: "string", enum: ["sequence_number", "nonce"] }, value: U64_SCHEMA },
    }),
  },
});

function toObject({ sender, version, hash, nonce, sequenceNumber }: SentSummary): object {
  return {
    sender: formatAddress(sender),
    version: `${version}`,
    transaction_hash: toPrefixedHex(hash),
    replay_protector:
      nonce === undefined
        ? { type: "sequence_number", value: `${sequenceNumber}` }
        : { type: "nonce", value: `${nonce}` },
  };
}

/** BCS of the only variant of a summary; that of a nonce comes before that of a sequence number. */
function toBcs(summaries: readonly SentSummary[]): Uint8Array {
  const writer = new BcsWriter(4096).uleb(summaries.length);
  for (const { sender, version, hash, nonce, sequenceNumber } of summaries) {
    writer.uleb(0).fixed(sender).u64(version).byteString(hash);
    writer.uleb(nonce === undefined ? 1 : 0).u64(nonce ?? sequenceNumber);
  }
  return writer.take();
}

/** `GET /v1/accounts/{address}/transaction_summaries` */
export const getTransactionSummaries = operation({
  id: "get_account_transaction_summaries",
  method: "GET",
  path: `${API_ROOT}/accounts/{address}/transaction_summaries`,
  summary: "Transactions of an account in short",
  description:
    "Version, hash and sequence number or nonce of the kept transactions that an account sent, in the order of their versions: from `start_version` on, else the last ones up to `end_version`. 403 on a node without an index of transactions, 503 while it builds one.",
  ledger: "required",
  switchable: true,
  switch: "transactionIndex",
  maxInFlight: MAX_IN_FLIGHT,
  params: { address: addressField },
  query: {
    start_version: { ...ledgerVersionField, description: "The least version." },
    end_version: { ...ledgerVersionField, description: "The greatest version. The latest when left out." },
    limit: limitField,
  },
  answer: encodedAnswer(
    { schema: { type: "array", items: SUMMARY_SCHEMA }, description: "The summaries." },
    "A BCS vector of IndexedTransactionSummary.",
  ),
  errors: ["invalid_page"],
  async handle({ address, start_version: from, end_version: to, limit }, { view, form }) {
    const { version: head } = view.position;
    const account = await readAccount(view, address, head);
    const summaries = await readSentBetween(view, {
      sender: address,
      nextSequenceNumber: account?.sequenceNumber ?? 0n,
      from,
      to: to === undefined || to > head ? head : to,
      limit: transactionCount(limit),
    });
    const data = form === "bcs" ? toBcs(summaries) : JSON.stringify(summaries.map(toObject));
    return { data, version: undefined };
  },
});
