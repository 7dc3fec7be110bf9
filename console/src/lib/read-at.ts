// Which state a view reads: the latest, a version, or a time. It is part of the URL.
import type { Query } from "./api.ts";

export type ReadAt =
  | { readonly kind: "now" }
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "time"; readonly at: string };

export function readAtOf({ version, at }: Readonly<Record<string, string>>): ReadAt {
  if (version !== undefined) return { kind: "version", version };
  return at === undefined ? { kind: "now" } : { kind: "time", at };
}

/** As parameters of the API. */
export function apiQuery(read: ReadAt): Query {
  if (read.kind === "version") return { ledger_version: read.version };
  return read.kind === "time" ? { at: read.at } : {};
}

/** As parameters of a view's URL. */
export function viewQuery(read: ReadAt): Readonly<Record<string, string | undefined>> {
  if (read.kind === "version") return { version: read.version };
  return read.kind === "time" ? { at: read.at } : {};
}

/** The text of an `input` for a time in the reader's zone. */
export function toLocalInput(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** Such a text as RFC 3339 in UTC; undefined if it is no time. */
export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(".000Z", "Z");
}
