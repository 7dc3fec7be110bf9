// Every view has a URL behind the #: the node serves one page for all of them, also behind a prefix, and no path of a
// view can hide a path of the API.
import { createStore } from "./store.ts";

export interface Route {
  /** `["account", "0x1"]` */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const segments = (mark < 0 ? text : text.slice(0, mark)).split("/").filter((part) => part !== "");
  const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(text.slice(mark + 1)));
  return { segments: segments.map(decode), query };
}

/** The link to a view; parameters without a value are left out. */
export function linkTo(
  segments: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, value);
  }
  const text = search.toString();
  return `#/${segments.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

export const route = createStore<Route>(parse(location.hash));

/** The link to the view that is open, with other parameters. Its name in the URL stays, and so does the focus. */
export function linkHere(query: Readonly<Record<string, string | undefined>>): string {
  return linkTo(route.get().segments, query);
}

addEventListener("hashchange", () => route.set(parse(location.hash)));

/** Goes to a view; back returns. */
export function go(link: string): void {
  if (location.hash !== link) location.hash = link;
}

/** Changes the URL of the same view without a new entry in the history, as while someone types. */
export function replace(link: string): void {
  if (location.hash === link) return;
  history.replaceState(null, "", link);
  route.set(parse(link));
}
