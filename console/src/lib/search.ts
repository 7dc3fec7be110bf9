// What a searched text may mean.
import { fullAddress } from "./format.ts";
import { demoName, type Info } from "./live.ts";
import { linkTo } from "./router.ts";

/** One reading of a text. */
export interface Meaning {
  readonly text: string;
  readonly link: string;
}

const HASH_DIGITS = 64;
const FUNCTION = /^0x[0-9a-f]{1,64}::\w+::\w+$/i;

/** Every reading of a text; the likeliest first. */
export function meaningsOf(given: string, info: Info | undefined): Meaning[] {
  const text = given.trim();
  const named = info?.demo_accounts?.[text.toLowerCase()];
  if (named !== undefined) return [{ text: `Account ${text}`, link: linkTo(["account", named]) }];
  const table = info?.demo_tables?.[text.toLowerCase()];
  if (table !== undefined) return [{ text: `Table ${text}`, link: linkTo(["table", table]) }];
  if (FUNCTION.test(text)) {
    return [{ text: `Encode a call of ${text}`, link: linkTo(["encode"], { function: text }) }];
  }
  const digits = text.replace(/[,_ ]/g, "");
  if (/^\d{1,20}$/.test(digits)) {
    return [
      { text: `Transaction at version ${digits}`, link: linkTo(["transaction", digits]) },
      { text: `Block ${digits}`, link: linkTo(["block", digits]) },
    ];
  }
  const address = fullAddress(text);
  if (address === undefined) return [];
  const account = { text: "Account or object with this address", link: linkTo(["account", address]) };
  const isWhole = text.replace(/^0x/i, "").length === HASH_DIGITS;
  if (!isWhole || demoName(info, address) !== undefined) return [account];
  return [
    account,
    { text: "Transaction with this hash", link: linkTo(["transaction", address]) },
    { text: "Table with this handle", link: linkTo(["table", address]) },
  ];
}

/** The link of a text with one meaning. */
export function targetOf(text: string, info: Info | undefined): string | undefined {
  const meanings = meaningsOf(text, info);
  return meanings.length === 1 ? meanings[0]?.link : undefined;
}
