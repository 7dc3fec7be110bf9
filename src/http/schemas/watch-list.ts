// The body of a watch list: accounts and assets, whose balances are watched together.
import type { Slices } from "../../base/wait.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { type WatchedPair, WatchList } from "../../ledger/watch/watch-list.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { HttpError } from "../errors.ts";
import { parseField } from "../field.ts";
import type { BodyField } from "../operation.ts";
import { addressField } from "./address.ts";
import { assetTypeField } from "./asset-type.ts";
import { isText, membersOf, refuse } from "./batch.ts";
import { named } from "./named.ts";

/** Balances of one list: accounts times assets. */
const MAX_BALANCES = 50_000;
/** Parsing a nested type costs more than watching a balance. */
const MAX_ASSETS = 1000;

/** The texts of a list, each only once. */
async function textsOf(
  document: JsonDocument,
  list: number,
  name: string,
  most: number,
  slices: Slices,
): Promise<ReadonlySet<string>> {
  const expected = `an array of 1 to ${most} strings`;
  if (list === ABSENT || document.kind(list) !== "array") refuse(name, expected, document, list);
  const texts = new Set<string>();
  const end = document.end(list);
  for (let item = document.first(list); item < end; item = document.next(item)) {
    if (!isText(document, item)) refuse(`${name}[${texts.size}]`, "a string", document, item);
    texts.add(document.string(item));
    if (texts.size > most) throw tooMany(name, most);
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  if (texts.size === 0) throw new HttpError("malformed_request", `${name}: expected ${expected}, got none`);
  return texts;
}

function tooMany(what: string, most: number): HttpError {
  return new HttpError("malformed_request", `${what}: expected at most ${most}, got more`);
}

/** Parsed by `parseWatchList`: only the answer's own slices end when the client leaves. */
export const watchListBody: BodyField<Uint8Array> = {
  schema: named("WatchRequest", {
    type: "object",
    required: ["accounts", "assets"],
    additionalProperties: false,
    properties: {
      accounts: {
        type: "array",
        minItems: 1,
        maxItems: MAX_BALANCES,
        items: { type: "string", description: addressField.description },
      },
      assets: {
        type: "array",
        minItems: 1,
        maxItems: MAX_ASSETS,
        items: { type: "string", description: assetTypeField.description },
      },
    },
  }),
  description: `The accounts, and the assets of which their balances are watched: at most ${MAX_BALANCES} balances, accounts times assets, and ${MAX_ASSETS} assets.`,
  example: {
    accounts: ["0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce"],
    assets: ["0x1::aptos_coin::AptosCoin"],
  },
  parse: (bytes) => bytes,
};

/** The balances that a body names. */
export async function parseWatchList(bytes: Uint8Array, slices: Slices): Promise<WatchList> {
  const document = await parseJsonInSlices(bytes);
  const names = ["accounts", "assets"];
  const [accounts = ABSENT, assets = ABSENT] = membersOf(document, document.root, names, () => "body");
  const owners = await textsOf(document, accounts, "accounts", MAX_BALANCES, slices);
  const types = await textsOf(document, assets, "assets", MAX_ASSETS, slices);
  if (owners.size * types.size > MAX_BALANCES) throw tooMany("accounts times assets", MAX_BALANCES);
  const parsed: Address[] = [];
  for (const text of owners) {
    parsed.push(parseField("accounts", addressField, text));
    const pausing = slices.pause();
    if (pausing !== undefined) await pausing;
  }
  const pairs: WatchedPair[] = [];
  const textOf = new Map<string, string>();
  for (const text of types) {
    const asset = parseField("assets", assetTypeField, text);
    // A store belongs to one balance of the list, or a movement would be told of one of two.
    const metadata = formatAddress(asset.metadata);
    const other = textOf.get(metadata);
    if (other !== undefined) {
      const message = `assets: ${text} counts the same stores as ${other}: name one`;
      throw new HttpError("malformed_request", message);
    }
    textOf.set(metadata, text);
    // Keys of one asset after another: they differ in the owner only.
    for (const owner of parsed) {
      pairs.push({ owner, asset, assetType: text });
      const pausing = slices.pause();
      if (pausing !== undefined) await pausing;
    }
  }
  return WatchList.of(pairs, slices);
}
