// Content negotiation by RFC 9110: quality values, wildcards, parameters. Among equals the more specific
// range wins, then the one named first, so that `application/x-bcs, */*` means BCS. JSON when nothing is
// said and when nothing matches: there is no 406.

import { BCS_TYPE, CSV_TYPE, EVENTS_TYPE, JSON_TYPE, NDJSON_TYPE } from "../../interface/media-types.ts";

/** Response forms and their media types. */
export const MEDIA_TYPES = {
  json: JSON_TYPE,
  bcs: BCS_TYPE,
  html: "text/html",
  yaml: "application/yaml",
  text: "text/plain",
  csv: CSV_TYPE,
  ndjson: NDJSON_TYPE,
  events: EVENTS_TYPE,
} as const;

/** A response form. */
export type Form = keyof typeof MEDIA_TYPES;

interface Range {
  /** Lower-case text before the parameters. */
  readonly name: string;
  readonly quality: number;
}

/** Cuts at a separator outside of quoted strings. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === "\\") i++;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** `0`, `1`, `0.5`, with at most three decimals; anything else counts as 1. */
function parseQuality(text: string): number {
  if (text.length === 0 || text.length > 5) return 1;
  const value = Number(text);
  return value >= 0 && value <= 1 ? value : 1;
}

/** Items of an `Accept` or `Accept-Encoding` header, in order. */
function parseRanges(header: string): Range[] {
  const ranges: Range[] = [];
  for (const item of splitOutsideQuotes(header, ",")) {
    const [name = "", ...parameters] = splitOutsideQuotes(item, ";");
    const bare = name.trim().toLowerCase();
    if (bare === "") continue;
    let quality = 1;
    for (const parameter of parameters) {
      const text = parameter.trim();
      if (text.startsWith("q=") || text.startsWith("Q=")) quality = parseQuality(text.slice(2).trim());
    }
    ranges.push({ name: bare, quality });
  }
  return ranges;
}

function specificity(range: string, mediaType: string): number {
  if (range === mediaType) return 3;
  if (range === "*/*") return 1;
  return range.endsWith("/*") && mediaType.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** True if an Accept header admits a form. */
export function isAccepted(accept: string | undefined, form: Form): boolean {
  if (accept === undefined) return true;
  const matching = parseRanges(accept).filter(({ name }) => specificity(name, MEDIA_TYPES[form]) > 0);
  return matching.some(({ quality }) => quality > 0);
}

/** Chooses among the forms of an operation; the first one is its default. */
export function negotiateForm(accept: string | undefined, forms: readonly Form[]): Form {
  const fallback = forms[0] ?? "json";
  if (forms.length < 2 || accept === undefined || accept === "*/*") return fallback;
  // Most clients name one type and nothing else.
  for (const form of forms) if (accept === MEDIA_TYPES[form]) return form;
  const ranges = parseRanges(accept);
  let best = fallback;
  let bestRank: readonly number[] = [0];
  for (const form of forms) {
    let specific = 0;
    let quality = 0;
    let place = 0;
    ranges.forEach((range, index) => {
      const match = specificity(range.name, MEDIA_TYPES[form]);
      if (match < specific || match === 0 || (match === specific && range.quality <= quality)) return;
      specific = match;
      quality = range.quality;
      place = index;
    });
    const rank = [quality, specific, -place];
    if (quality > 0 && isGreater(rank, bestRank)) {
      best = form;
      bestRank = rank;
    }
  }
  return best;
}

function isGreater(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Content codings offered for large responses, preferred first. */
const CODINGS = ["br", "gzip"] as const;

/** A content coding. */
export type Coding = (typeof CODINGS)[number];

/** Chooses the content coding; undefined for none. */
export function negotiateCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const ranges = parseRanges(acceptEncoding);
  const qualityOf = (name: string): number | undefined =>
    ranges.find((range) => range.name === name)?.quality;
  const any = qualityOf("*") ?? 0;
  let best: Coding | undefined;
  let bestQuality = qualityOf("identity") ?? 0;
  for (const coding of CODINGS) {
    const quality = qualityOf(coding) ?? any;
    if (quality > 0 && (best === undefined ? quality >= bestQuality : quality > bestQuality)) {
      best = coding;
      bestQuality = quality;
    }
  }
  return best;
}

/** True for `application/json` and `application/…+json`, with any parameters, in any case. */
export function isJsonMediaType(contentType: string): boolean {
  if (contentType === MEDIA_TYPES.json) return true;
  const semicolon = contentType.indexOf(";");
  const name = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  return name === MEDIA_TYPES.json || (name.startsWith("application/") && name.endsWith("+json"));
}
