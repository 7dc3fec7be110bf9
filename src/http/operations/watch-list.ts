// Deposits and withdrawals of many accounts as they are committed, or of a range.
import { toPrefixedHex } from "../../base/hex.ts";
import type { Slices } from "../../base/wait.ts";
import { WATCH_PATH } from "../../interface/route.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import type { Asset } from "../../ledger/balances/asset.ts";
import { indexedId } from "../../ledger/watch/event-id.ts";
import { readMovement, WatchList } from "../../ledger/watch/watch-list.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import { type BodyField, operation } from "../operation.ts";
import { AnswerText } from "../printing/answer-text.ts";
import { ANSWER_ADDRESS_SCHEMA, addressField, LONG_ADDRESS_SCHEMA } from "../schemas/address.ts";
import { assetTypeField } from "../schemas/asset-type.ts";
import { isText, membersOf, refuse } from "../schemas/batch.ts";
import { TRUST_SCHEMA } from "../schemas/event-stream.ts";
import { AMOUNT_SCHEMA, U64_SCHEMA } from "../schemas/integer.ts";
import { named } from "../schemas/named.ts";
import { filterFromOptions, minTrustField } from "../schemas/record-filter.ts";
import { rangeFields, recordOperation, sendRecords } from "./shared/record-operation.ts";
import type { RecordFeed, RecordItem } from "./shared/record-stream.ts";

/** Balances of one list: accounts times assets. */
const MAX_BALANCES = 50_000;
/** Parsing a nested type costs more than watching a balance. */
const MAX_ASSETS = 1000;

const LISTS = {
  accounts: { field: addressField, most: MAX_BALANCES },
  assets: { field: assetTypeField, most: MAX_ASSETS },
};

/** What the texts of a list stand for, each text only once. */
async function listOf<T>(
  document: JsonDocument,
  list: number,
  name: keyof typeof LISTS,
  parse: (text: string) => T,
  slices: Slices,
): Promise<ReadonlyMap<string, T>> {
  const { most } = LISTS[name];
  const expected = `an array of 1 to ${most} strings`;
  if (list === ABSENT || document.kind(list) !== "array") refuse(name, expected, document, list);
  const found = new Map<string, T>();
  const end = document.end(list);
  for (let item = document.first(list); item < end; item = document.next(item)) {
    if (!isText(document, item)) refuse(`${name}[${found.size}]`, "a string", document, item);
    const text = document.string(item);
    if (!found.has(text)) {
      if (found.size === most) throw tooMany(name, most);
      found.set(text, parse(text));
    }
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  if (found.size === 0) throw new HttpError("malformed_request", `${name}: expected ${expected}, got none`);
  return found;
}

function tooMany(what: string, most: number): HttpError {
  return new HttpError("malformed_request", `${what}: expected at most ${most}, got more`);
}

/** Parsed by `parseWatchList`: only the answer's own slices end when the client leaves. */
const watchListBody: BodyField<Uint8Array> = {
  schema: named("WatchRequest", {
    type: "object",
    required: Object.keys(LISTS),
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(LISTS).map(([name, { field, most }]) => {
        const items = { type: "string", description: field.description };
        return [name, { type: "array", minItems: 1, maxItems: most, items }];
      }),
    ),
  }),
  description: `The accounts, and the assets of which their balances are watched: at most ${MAX_BALANCES} balances, accounts times assets, and ${MAX_ASSETS} assets.`,
  example: {
    accounts: ["0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce"],
    assets: ["0x1::aptos_coin::AptosCoin"],
  },
  parse: (bytes) => bytes,
};

/** The balances that a body names. */
async function parseWatchList(bytes: Uint8Array, slices: Slices): Promise<WatchList> {
  const document = await parseJsonInSlices(bytes);
  const members = membersOf(document, document.root, Object.keys(LISTS), () => "body");
  const [accounts = ABSENT, assets = ABSENT] = members;
  const toOwner = (text: string): Address => parseField("accounts", addressField, text);
  const owners = await listOf(document, accounts, "accounts", toOwner, slices);
  const textOf = new Map<string, string>();
  const toAsset = (text: string): Asset => {
    // A client finds its own text in what it is sent.
    if (text.trim() !== text) {
      throw new HttpError("malformed_request", `assets: ${JSON.stringify(text)} has spaces around it`);
    }
    const asset = parseField("assets", assetTypeField, text);
    // A store belongs to one balance of the list, or a movement would be told of one of two.
    const metadata = formatAddress(asset.metadata);
    const other = textOf.get(metadata);
    if (other !== undefined) {
      const message = `assets: ${text} counts the same stores as ${other}: name one`;
      throw new HttpError("malformed_request", message);
    }
    textOf.set(metadata, text);
    return asset;
  };
  const types = await listOf(document, assets, "assets", toAsset, slices);
  if (owners.size * types.size > MAX_BALANCES) throw tooMany("accounts times assets", MAX_BALANCES);
  const list = new WatchList();
  // Keys of one asset after another: they differ in the owner only.
  for (const [assetType, asset] of types) {
    for (const owner of owners.values()) {
      list.add({ owner, asset, assetType });
      const pausing = slices.pause();
      if (pausing !== undefined) await pausing;
    }
  }
  return list;
}

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

/** Without what depends on the list. */
const FEED = {
  name: "movement",
  idOf: indexedId,
  columns: [...Object.keys(MEMBERS), "counterparty", "trust"],
  tellsChanges: true,
} as const;

/** What a list is told of a record. The index is the place of the balance's first write. */
function movementsOf(list: WatchList): RecordFeed {
  const print: RecordFeed["print"]["json"] = async (printer, { version }, facts, view) => {
    const items: RecordItem[] = [];
    const timestamp = `${await printer.timeOf(version)}`;
    const transaction_hash = toPrefixedHex(facts.spans.info.transactionHash);
    for (const [index, pair] of list.touched(facts)) {
      await printer.slices.pause();
      const movement = await readMovement(view, version, facts, pair);
      if (movement === undefined) continue;
      const { before, after, counterparty } = movement;
      const json = JSON.stringify({
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
      items.push({ index, text: new AnswerText().add(json) });
    }
    return items;
  };
  return {
    ...FEED,
    matching: (_, facts) => new Set(list.touched(facts).keys()),
    print: { json: print },
  };
}

const { answer, ...shared } = recordOperation(FEED, MOVEMENT_SCHEMA, "");
const { bcs: _, ...forms } = answer;

/** `POST /v1/watch` */
export const watchList = operation({
  id: "watch_list",
  method: "POST",
  path: WATCH_PATH,
  summary: "Deposits and withdrawals of many accounts",
  description:
    "Every change of the balances of up to 50,000 pairs of an account and an asset, once and in order: as soon as its transaction is committed, or up to `end`. Each balance counts as in `get_account_balance`. A client that connects again with the same list and `Last-Event-ID` misses nothing, and gets nothing twice. A list takes a place of its client's share of streams, and one more for each 1,000 balances.",
  ...shared,
  query: { ...rangeFields, min_trust: minTrustField },
  body: watchListBody,
  answer: forms,
  async handle({ body, ...args }, context) {
    const list = await parseWatchList(body, context.slices);
    const places = 1 + Math.floor(list.size / BALANCES_PER_PLACE);
    return { ...(await sendRecords(movementsOf(list), context, filterFromOptions({}), args)), places };
  },
});
