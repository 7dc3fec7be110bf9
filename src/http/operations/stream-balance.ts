// A balance, sent again whenever it changes.

import { toPrefixedHex } from "../../base/hex.ts";
import { balanceStreamRoute } from "../../interface/routes.ts";
import { type BalanceEvent, watchedBalance } from "../../ledger/watch/watched-balance.ts";
import type { Asker } from "../calls/asker.ts";
import type { WatchOptions } from "../calls/options.ts";
import type { JsonSchema } from "../field.ts";
import { operation } from "../operation.ts";
import { addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import {
  afterField,
  beginEvents,
  eventForm,
  streamRefusedQuery,
  TRUST_SCHEMA,
} from "../schemas/event-stream.ts";
import { AMOUNT_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";

const EVENT_SCHEMA: JsonSchema = named("BalanceEvent", {
  type: "object",
  required: ["version", "timestamp_usec", "balance", "trust"],
  properties: {
    version: { ...U64_SCHEMA, description: "The version of this balance." },
    timestamp_usec: { ...U64_SCHEMA, description: "Time of its block, in microseconds." },
    balance: AMOUNT_SCHEMA,
    before: { ...AMOUNT_SCHEMA, description: "In a change: the balance at the version before." },
    transaction_hash: { ...LONG_ADDRESS_SCHEMA, description: "In a change: the transaction." },
    trust: TRUST_SCHEMA,
  },
});

function toData({ version, timestampUsec, balance, before, transactionHash }: BalanceEvent): object {
  return {
    version: `${version}`,
    timestamp_usec: `${timestampUsec}`,
    balance: `${balance}`,
    ...(before === undefined ? {} : { before: `${before}` }),
    ...(transactionHash === undefined ? {} : { transaction_hash: toPrefixedHex(transactionHash) }),
  };
}

export interface WatchBalanceCall {
  /**
   * The balance now, and then every change of it. Ends with its signal, and rejects when the node closes. While the
   * caller is busy, nothing is kept for it: what it missed is read from the history.
   */
  watchBalance(address: string, asset: string, options?: WatchOptions): AsyncIterable<BalanceEvent>;
}

/** `GET /v1/accounts/{address}/balance/{asset_type}/stream` */
export const streamBalance = operation({
  id: "stream_balance",
  ...balanceStreamRoute,
  summary: "Changes of a balance as they happen",
  description:
    "Server-sent events: the balance now, then each change of it as soon as its version is committed. A client that connects again with `Last-Event-ID` gets what it missed. A client that reads too slowly is cut off and resumes in the same way. The stream has no end of its own.",
  ledger: "required",
  switchable: false,
  sendsEvents: true,
  params: { address: addressField, asset_type: assetTypeField },
  query: { after: afterField },
  refusedQuery: streamRefusedQuery,
  answer: { events: eventForm("balance", EVENT_SCHEMA, toData) },
  handle({ address: owner, asset_type: asset, after }, context) {
    return beginEvents(watchedBalance({ owner, asset }), context, after);
  },
  calls: (node: Asker): WatchBalanceCall => ({
    watchBalance: (address, asset, options = {}) =>
      node.watch(
        () => watchedBalance({ owner: node.args.address(address), asset: node.args.asset(asset) }),
        options,
      ),
  }),
});
