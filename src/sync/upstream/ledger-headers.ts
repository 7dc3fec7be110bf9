// The ledger headers of a response, under any brand in their names: `X-<brand>-…`.
import { U64_MAX } from "../../base/numbers.ts";
import {
  brandedHeader,
  CURSOR,
  LEDGER_HEADERS,
  type LedgerHeader,
  READ_VERSION,
} from "../../interface/ledger-headers.ts";
import { UpstreamError } from "./errors.ts";
import type { ReceivedHeaders } from "./transport.ts";
import type { UpstreamHead } from "./upstream.ts";

const MAX_DIGITS = 20;

/** Received header names are lower case. */
function receivedName(brand: string, name: LedgerHeader): string {
  return brandedHeader(brand, name).toLowerCase();
}

const VERSION_SUFFIX = receivedName("", LEDGER_HEADERS.version).slice("x-".length);

function brandOf(headers: ReceivedHeaders): string | undefined {
  for (const name of Object.keys(headers)) {
    if (!name.startsWith("x-") || !name.endsWith(VERSION_SUFFIX)) continue;
    const brand = name.slice("x-".length, -VERSION_SUFFIX.length);
    if (headers[receivedName(brand, LEDGER_HEADERS.chainId)] !== undefined) return brand;
  }
  return undefined;
}

function readU64(headers: ReceivedHeaders, name: string): bigint | undefined {
  const text = headers[name];
  if (typeof text !== "string" || text.length === 0 || text.length > MAX_DIGITS) return undefined;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return undefined;
  }
  const value = BigInt(text);
  return value <= U64_MAX ? value : undefined;
}

/** The head in a response's headers; undefined without ledger headers. Throws `malformed`. */
export function findHead(headers: ReceivedHeaders): UpstreamHead | undefined {
  const brand = brandOf(headers);
  if (brand === undefined) return undefined;
  const read = (field: keyof UpstreamHead): bigint => {
    const name = receivedName(brand, LEDGER_HEADERS[field]);
    const value = readU64(headers, name);
    if (value === undefined || (field === "chainId" && value > 255n)) {
      const expected = field === "chainId" ? "a u8" : "a u64";
      throw new UpstreamError("malformed", `header ${name}: expected ${expected} in decimal digits`);
    }
    return value;
  };
  return {
    chainId: Number(read("chainId")),
    version: read("version"),
    oldestVersion: read("oldestVersion"),
    timestampUsec: read("timestampUsec"),
    epoch: read("epoch"),
    blockHeight: read("blockHeight"),
  };
}

/** As `findHead`, but a response without ledger headers is `malformed`. */
export function requireHead(headers: ReceivedHeaders): UpstreamHead {
  const head = findHead(headers);
  if (head === undefined) throw new UpstreamError("malformed", "the response has no ledger headers");
  return head;
}

const MAX_CURSOR_LENGTH = 1024;

/** Where the next page begins; undefined at the end. Throws `malformed`. */
export function findCursor(headers: ReceivedHeaders): string | undefined {
  const brand = brandOf(headers);
  const cursor = brand === undefined ? undefined : headers[receivedName(brand, CURSOR)];
  if (typeof cursor !== "string" || cursor === "") return undefined;
  if (cursor.length <= MAX_CURSOR_LENGTH) return cursor;
  throw new UpstreamError("malformed", `a cursor has over ${MAX_CURSOR_LENGTH} characters`);
}

/** The version that a response was read at, if a header says so. */
export function findReadVersion(headers: ReceivedHeaders): bigint | undefined {
  const brand = brandOf(headers);
  return brand === undefined ? undefined : readU64(headers, receivedName(brand, READ_VERSION));
}
