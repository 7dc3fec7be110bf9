// Deposits and withdrawals of many accounts as they are committed, or of a range.
import { toPrefixedHex } from "../../base/hex.ts";
import { WATCH_PATH } from "../../interface/route.ts";
import { readMovement, type WatchList } from "../../ledger/watch/watch-list.ts";
import { formatAddress } from "../../move/address.ts";
import { operation } from "../operation.ts";
import { ANSWER_ADDRESS_SCHEMA, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { streamRefusedQuery, TRUST_SCHEMA } from "../schemas/event-stream.ts";
import { AMOUNT_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { filterFromOptions, minTrustField } from "../schemas/record-filter.ts";
import { parseWatchList, watchListBody } from "../schemas/watch-list.ts";
import {
  endField,
  type RecordFeed,
  recordForms,
  sendRecords,
  streamStartField,
} from "./shared/record-operation.ts";
import { EVENTS, type RecordKind } from "./shared/record-stream.ts";

/** Balances that take one more place of a client's share of streams. */
const BALANCES_PER_PLACE = 1000;

const MEMBERS = {
  version: U64_SCHEMA,
  timestamp: { ...U64_SCHEMA, description: "Time of the block, in microseconds." },
  transaction_hash: LONG_ADDRESS_SCHEMA,
  type: { type: "string", enum: ["deposit", "withdrawal"] },
  address: ANSWER_ADDRESS_SCHEMA,
  asset_type: { type: "string", description: "As the request names it." },
  amount: {
    ...AMOUNT_SCHEMA,
    description: "By how much the transaction changed the balance, its fee included.",
  },
  balance: { ...AMOUNT_SCHEMA, description: "The balance after the transaction." },
};

const MOVEMENT_SCHEMA = named("Movement", {
  type: "object",
  required: [...Object.keys(MEMBERS), "trust"],
  properties: {
    ...MEMBERS,
    counterparty: {
      ...ANSWER_ADDRESS_SCHEMA,
      description:
        "The owner of the only other balance of the asset that the transaction changed in the other direction. Left out where there is none, or more than one.",
    },
    trust: TRUST_SCHEMA,
  },
});

/** What a list is told of a record. The index is the place of the balance's first write. */
function movementsOf(list: WatchList): RecordKind {
  return {
    ...EVENTS,
    matching: (_, facts) => new Set(list.touched(facts).keys()),
    print: async (printer, { version }, facts, view) => {
      const texts: string[] = facts.spans.writes.map(() => "");
      const timestamp = `${await printer.timeOf(version)}`;
      const transaction_hash = toPrefixedHex(facts.spans.info.transactionHash);
      for (const [index, pair] of list.touched(facts)) {
        const movement = await readMovement(view, version, facts, pair);
        if (movement === undefined) continue;
        const { before, after, counterparty } = movement;
        texts[index] = JSON.stringify({
          version: `${version}`,
          timestamp,
          transaction_hash,
          type: after > before ? "deposit" : "withdrawal",
          address: formatAddress(pair.owner),
          asset_type: pair.assetType,
          amount: `${after > before ? after - before : before - after}`,
          balance: `${after}`,
          counterparty,
        });
      }
      return texts;
    },
  };
}

/** Of a list, `printed` is that of `movementsOf`. */
const FEED: RecordFeed = {
  name: "movement",
  printed: EVENTS,
  raw: undefined,
  columns: [...Object.keys(MEMBERS), "counterparty", "trust"],
  tellsChanges: true,
};

const { bcs: _, ...forms } = recordForms(FEED, MOVEMENT_SCHEMA, "");

/** `POST /v1/watch` */
export const watchList = operation({
  id: "watch_list",
  method: "POST",
  path: WATCH_PATH,
  summary: "Deposits and withdrawals of many accounts",
  description:
    "Every change of the balances of up to 50,000 pairs of an account and an asset, once and in order: as soon as its transaction is committed, or up to `end`. Each balance counts as in `get_account_balance`. A client that connects again with the same list and `Last-Event-ID` misses nothing, and gets nothing twice. A list takes a place of its client's share of streams, and one more for each 1,000 balances.",
  switchable: false,
  sendsEvents: true,
  query: { start: streamStartField, end: endField, min_trust: minTrustField },
  refusedQuery: streamRefusedQuery,
  body: watchListBody,
  answer: forms,
  errors: ["invalid_page", "invalid_range", "version_not_found", "version_pruned"],
  async handle({ body, ...args }, context) {
    const list = await parseWatchList(body, context.slices);
    const feed = { ...FEED, printed: movementsOf(list) };
    const places = 1 + Math.floor(list.size / BALANCES_PER_PLACE);
    return { ...(await sendRecords(feed, context, filterFromOptions({}), args)), places };
  },
});
