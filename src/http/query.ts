// Reads single parameters out of a raw query string. Unknown parameters are ignored.
import { decodeQueryText } from "./percent.ts";

/** What a query says about one parameter; `invalid` when its value is not UTF-8, `repeated` when it has several. */
export type QueryValue = { readonly text: string } | "absent" | "invalid" | "repeated";

/** Finds a parameter in the text behind the question mark. */
export function findQuery(search: string, name: string): QueryValue {
  let found: QueryValue = "absent";
  let start = 0;
  while (start < search.length) {
    const ampersand = search.indexOf("&", start);
    const end = ampersand < 0 ? search.length : ampersand;
    const equals = search.indexOf("=", start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    if (decodeQueryText(search.slice(start, nameEnd)) === name) {
      if (found !== "absent") return "repeated";
      const text = decodeQueryText(search.slice(Math.min(nameEnd + 1, end), end));
      found = text === undefined ? "invalid" : { text };
    }
    start = end + 1;
  }
  return found;
}
