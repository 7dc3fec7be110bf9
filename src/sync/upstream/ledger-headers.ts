// The ledger headers of an answer, under whatever brand the node puts into their names: `X-<brand>-…`.
import { UpstreamError } from "./errors.ts";
import type { ReceivedHeaders } from "./transport.ts";
import type { UpstreamHead } from "./upstream.ts";

const VERSION_SUFFIX = "-ledger-version";
const MAX_DIGITS = 20;
const U64_MAX = 0xffff_ffff_ffff_ffffn;

function brandOf(headers: ReceivedHeaders): string | undefined {
  for (const name of Object.keys(headers)) {
    if (!name.startsWith("x-") || !name.endsWith(VERSION_SUFFIX)) continue;
    const brand = name.slice(0, -VERSION_SUFFIX.length);
    if (headers[`${brand}-chain-id`] !== undefined) return brand;
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

/** The head that an answer's headers describe; undefined when it carries none. Throws `malformed`. */
export function findHead(headers: ReceivedHeaders): UpstreamHead | undefined {
  const brand = brandOf(headers);
  if (brand === undefined) return undefined;
  const read = (name: string): bigint => {
    const value = readU64(headers, `${brand}-${name}`);
    if (value === undefined) {
      throw new UpstreamError("malformed", `header ${brand}-${name}: expected a u64 in decimal digits`);
    }
    return value;
  };
  const chainId = read("chain-id");
  if (chainId > 255n) throw new UpstreamError("malformed", `header ${brand}-chain-id: expected at most 255`);
  return {
    chainId: Number(chainId),
    version: read("ledger-version"),
    oldestVersion: read("ledger-oldest-version"),
    timestampUsec: read("ledger-timestampusec"),
    epoch: read("epoch"),
    blockHeight: read("block-height"),
  };
}

/** As `findHead`, but an answer without ledger headers is `malformed`. */
export function requireHead(headers: ReceivedHeaders): UpstreamHead {
  const head = findHead(headers);
  if (head === undefined) throw new UpstreamError("malformed", "the answer carries no ledger headers");
  return head;
}

/** The version that an answer says it was read at, where it says so. */
export function findReadVersion(headers: ReceivedHeaders): bigint | undefined {
  const brand = brandOf(headers);
  return brand === undefined ? undefined : readU64(headers, `${brand}-read-version`);
}
