// Response headers. The ledger headers are built once per position and reused by every response at it; a response
// copies the prepared list and adds its own. Lists are flat: name, value, name, value.
import { createHash } from "node:crypto";
import {
  brandedHeader,
  CURSOR,
  FORK,
  LEDGER_HEADERS,
  type LedgerHeader,
  READ_TIMESTAMP,
  READ_VERSION,
  TRUST,
} from "../../interface/ledger-headers.ts";
import { formatTrust, type TrustLevel, trustAt } from "../../ledger/trust.ts";
import { formatFork, type LedgerPosition } from "../../ledger/view.ts";
import { PAGE_STYLE } from "../pages/plain-pages.ts";
import type { HeaderSet } from "../transport/exchange.ts";
import { type Form, MEDIA_TYPES } from "./negotiation.ts";

const CONTENT_TYPES: Readonly<Record<Form, string>> = {
  ...MEDIA_TYPES,
  html: `${MEDIA_TYPES.html}; charset=utf-8`,
  text: `${MEDIA_TYPES.text}; version=0.0.4; charset=utf-8`,
  csv: `${MEDIA_TYPES.csv}; charset=utf-8; header=present`,
};

/** Headers of every response. All three request headers in Vary change the response. */
const ALWAYS = ["Vary", "Accept, Accept-Encoding, Origin", "X-Content-Type-Options", "nosniff"] as const;

/** What no page may do, whatever else it may. */
const FRAMING = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** A plain page has one style element, and loads nothing but the icon. */
const PAGE_POLICY = `default-src 'none'; style-src '${styleHash(PAGE_STYLE)}'; img-src 'self'; ${FRAMING}`;
/** Files of the package load files of the package, and ask this node. */
const FILE_POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; ${FRAMING}`;

function safeguards(policy: string): string[] {
  return ["Content-Security-Policy", policy, "X-Frame-Options", "DENY", "Referrer-Policy", "no-referrer"];
}

/** Headers of every static file, beyond its type and caching. */
export const STATIC_HEADERS: readonly string[] = [
  ...ALWAYS,
  ...safeguards(FILE_POLICY),
  ...["Cross-Origin-Resource-Policy", "same-origin"],
];

const POSITION_FIELDS = Object.keys(LEDGER_HEADERS) as readonly (keyof typeof LEDGER_HEADERS)[];

/** Further headers that cross-origin pages may read. */
const EXPOSED = [
  "ETag",
  "Retry-After",
  "X-Request-Id",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;

/** Names of the ledger headers under a brand, for documentation. */
export function ledgerHeaderNames(brand: string): string[] {
  const names: readonly LedgerHeader[] = [
    ...POSITION_FIELDS.map((field) => LEDGER_HEADERS[field]),
    READ_VERSION,
    READ_TIMESTAMP,
  ];
  return names.map((name) => brandedHeader(brand, name));
}

/** Names of the header that tells what a response rests on. */
export function trustHeaderNames(brands: readonly string[]): string[] {
  return brands.map((brand) => brandedHeader(brand, TRUST));
}

/** Names of the header that pages carry. */
export function cursorHeaderNames(brands: readonly string[]): string[] {
  return brands.map((brand) => brandedHeader(brand, CURSOR));
}

/** Flat header list as lines. */
export function headerLines(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

/** Names a style in a Content-Security-Policy. */
function styleHash(style: string): string {
  return `sha256-${createHash("sha256").update(style).digest("base64")}`;
}

/** A list in both forms. Lines in one piece: V8 keeps joined texts as trees of their parts, and would walk over them in every response. */
export function toHeaderSet(list: readonly string[]): HeaderSet {
  return { list, lines: Buffer.from(headerLines(list), "latin1").toString("latin1") };
}

function makePlain(form: Form): string[] {
  const headers = ["Content-Type", CONTENT_TYPES[form], ...ALWAYS];
  if (form === "html") headers.push(...safeguards(PAGE_POLICY));
  return headers;
}

const PLAIN: Readonly<Record<Form, HeaderSet>> = byForm((form) => toHeaderSet(makePlain(form)));

/** Headers of a response without a ledger. */
export function plainHeaders(form: Form): HeaderSet {
  return PLAIN[form];
}

/** Prepared headers of one position. */
export interface PositionHeaders {
  readonly position: LedgerPosition;
  /** Level of the latest version. */
  readonly trust: TrustLevel;
  /** By form, for responses at the latest version: complete but for the length. */
  readonly latest: Readonly<Record<Form, HeaderSet>>;
  /** By form, for other responses: without caching rule, read version and trust. */
  readonly other: Readonly<Record<Form, HeaderSet>>;
}

function samePosition(a: LedgerPosition, b: LedgerPosition): boolean {
  return (
    a === b ||
    (a.version === b.version &&
      a.oldestVersion === b.oldestVersion &&
      a.timestampUsec === b.timestampUsec &&
      a.blockHeight === b.blockHeight &&
      a.oldestBlockHeight === b.oldestBlockHeight &&
      a.epoch === b.epoch &&
      a.trust === b.trust &&
      a.fork === b.fork &&
      a.chainId === b.chainId)
  );
}

function byForm<T>(make: (form: Form) => T): Record<Form, T> {
  return {
    json: make("json"),
    bcs: make("bcs"),
    html: make("html"),
    yaml: make("yaml"),
    text: make("text"),
    csv: make("csv"),
    ndjson: make("ndjson"),
    events: make("events"),
  };
}

/** What an answer may tell in headers of its own. */
export interface AboutAnswer {
  readonly timestampUsec?: bigint | undefined;
  readonly cursor?: string | undefined;
}

const NOTHING: readonly string[] = [];

/** Makes header lists under the configured brands. */
export class HeaderMaker {
  readonly #brands: readonly string[];
  #prepared: PositionHeaders | undefined;
  /** Value of Access-Control-Expose-Headers. */
  readonly exposed: string;

  constructor(brands: readonly string[]) {
    this.#brands = brands;
    const branded = [
      ...brands.flatMap(ledgerHeaderNames),
      ...trustHeaderNames(brands),
      ...cursorHeaderNames(brands),
      ...brands.map((brand) => brandedHeader(brand, FORK)),
    ];
    this.exposed = [...branded, ...EXPOSED].join(", ");
  }

  /** The lists of a position; cached for the last one. */
  prepare(position: LedgerPosition): PositionHeaders {
    const last = this.#prepared;
    if (last !== undefined && samePosition(last.position, position)) return last;
    const ledger = this.#brands.flatMap((brand) =>
      POSITION_FIELDS.flatMap((field) => [
        brandedHeader(brand, LEDGER_HEADERS[field]),
        String(position[field]),
      ]),
    );
    if (position.fork !== undefined) this.#add(ledger, FORK, formatFork(position.fork));
    const trust = trustAt(position.trust, position.version);
    const read: string[] = [];
    this.addReadVersion(read, position.version);
    this.addTrust(read, trust);
    const prepared: PositionHeaders = {
      position,
      trust,
      latest: byForm((form) =>
        toHeaderSet([...plainHeaders(form).list, "Cache-Control", "no-cache", ...ledger, ...read]),
      ),
      other: byForm((form) => toHeaderSet([...plainHeaders(form).list, ...ledger])),
    };
    this.#prepared = prepared;
    return prepared;
  }

  /** Adds the version that was read. */
  addReadVersion(headers: string[], version: bigint): void {
    this.#add(headers, READ_VERSION, String(version));
  }

  /** Adds what the response rests on. */
  addTrust(headers: string[], trust: TrustLevel): void {
    this.#add(headers, TRUST, formatTrust(trust));
  }

  /** What an answer tells beside its body: the time it was read at and where the next page begins, where it has them. */
  about({ timestampUsec, cursor }: AboutAnswer): readonly string[] {
    if (timestampUsec === undefined && cursor === undefined) return NOTHING;
    const headers: string[] = [];
    if (timestampUsec !== undefined) this.#add(headers, READ_TIMESTAMP, String(timestampUsec));
    if (cursor !== undefined) this.#add(headers, CURSOR, cursor);
    return headers;
  }

  #add(headers: string[], name: LedgerHeader, value: string): void {
    for (const brand of this.#brands) headers.push(brandedHeader(brand, name), value);
  }
}
