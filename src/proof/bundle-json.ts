// Bundles in JSON: what people ask about in words, what only programs read as hex of its BCS. Only the text that
// `bundleToText` gives is taken, and a newline behind it: no other byte of a proof can be changed, and no two readers of
// the file can read two claims.
import { fromHex, toPrefixedHex } from "../base/hex.ts";
import { U64_MAX } from "../base/numbers.ts";
import { sha3 } from "../base/sha3.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { type Address, formatAddress, parseAddress } from "../move/address.ts";
import { MoveError } from "../move/errors.ts";
import {
  MAX_EPOCH_CHANGES,
  MAX_POINTS,
  MAX_SIBLINGS,
  type Point,
  type ProofBundle,
  type ProvenLedger,
} from "./bundle.ts";
import { type BalancesClaim, type Claim, MAX_PAIRS } from "./claim.ts";
import { ProofError } from "./errors.ts";
import { MAX_VALUES, type StateItems } from "./state-proof.ts";

/** How a value is written and read. */
interface Form<T> {
  /** The text in pieces, because that of a thousand balances takes long. */
  readonly write: (value: T) => Iterable<string>;
  /** `name` is where the value stands. */
  readonly read: (given: unknown, name: string) => T;
}

function fail(name: string, expected: string): never {
  throw new ProofError("malformed", `not a proof bundle: ${name}: expected ${expected}`);
}

const U64_DIGITS = /^(0|[1-9][0-9]{0,19})$/;

const json = (value: unknown): Iterable<string> => [JSON.stringify(value)];
const hex = (value: Uint8Array): Iterable<string> => [`"${toPrefixedHex(value)}"`];

const text: Form<string> = {
  write: json,
  read: (given, name) => (typeof given === "string" ? given : fail(name, "a text")),
};

const flag: Form<boolean> = {
  write: json,
  read: (given, name) => (typeof given === "boolean" ? given : fail(name, "true or false")),
};

const place: Form<number> = {
  write: json,
  read: (given, name) =>
    Number.isInteger(given) && (given as number) >= 0 && (given as number) <= 0xffff
      ? (given as number)
      : fail(name, "a number of 16 bits"),
};

const bytes: Form<Uint8Array> = {
  write: hex,
  read: (given, name) => {
    const digits = text.read(given, name);
    const found = digits.startsWith("0x") ? fromHex(digits.slice(2)) : undefined;
    return found ?? fail(name, "hex digits after 0x");
  },
};

const hash: Form<Uint8Array> = {
  write: hex,
  read: (given, name) => {
    const found = bytes.read(given, name);
    return found.length === 32 ? found : fail(name, "a hash of 32 bytes");
  },
};

const u64: Form<bigint> = {
  write: (value) => json(`${value}`),
  read: (given, name) => {
    const digits = text.read(given, name);
    if (!U64_DIGITS.test(digits) || BigInt(digits) > U64_MAX) fail(name, "the digits of a number of 64 bits");
    return BigInt(digits);
  },
};

const address: Form<Address> = {
  write: (value) => json(formatAddress(value)),
  read: (given, name) => parseAddress(text.read(given, name)),
};

function list<T>(item: Form<T>, most = Number.POSITIVE_INFINITY): Form<readonly T[]> {
  return {
    write: function* (values) {
      yield "[";
      for (let i = 0; i < values.length; i++) {
        if (i > 0) yield ",";
        yield* item.write(values[i] as T);
      }
      yield "]";
    },
    read: (given, name) =>
      Array.isArray(given) && given.length <= most
        ? given.map((one, i) => item.read(one, `${name}[${i}]`))
        : fail(name, `a list of at most ${most}`),
  };
}

function optional<T>(inner: Form<T>): Form<T | undefined> {
  return {
    write: (value) => (value === undefined ? json(null) : inner.write(value)),
    read: (given, name) => (given === null ? undefined : inner.read(given, name)),
  };
}

type Fields<T> = { readonly [K in keyof T]: readonly [name: string, form: Form<T[K]>] };

/** An object: the name of each member in JSON, in the order in which they are written. */
function object<T extends object>(fields: Fields<T>): Form<T> {
  const entries = Object.entries(fields) as [keyof T & string, readonly [string, Form<unknown>]][];
  return {
    write: function* (value) {
      for (const [i, [key, [name, form]]] of entries.entries()) {
        yield `${i === 0 ? "{" : ","}"${name}":`;
        yield* form.write(value[key]);
      }
      yield "}";
    },
    read: (given, at) => {
      if (typeof given !== "object" || given === null) fail(at, "an object");
      const members = given as Readonly<Record<string, unknown>>;
      const read = ([key, [name, form]]: (typeof entries)[number]) => [
        key,
        form.read(members[name], `${at}.${name}`),
      ];
      return Object.fromEntries(entries.map(read)) as T;
    },
  };
}

type FieldsOf<T extends { readonly kind: string }> = {
  readonly [K in T["kind"]]: Fields<Omit<Extract<T, { readonly kind: K }>, "kind">>;
};

/** Objects of several kinds; the member `type` tells which. */
function union<T extends { readonly kind: string }>(kinds: FieldsOf<T>): Form<T> {
  // No field of a kind is called so.
  const typed = (fields: object) => object<object>({ $type: ["type", text], ...fields } as Fields<object>);
  const typeOf = (kind: string) => kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const forms = new Map(Object.entries(kinds).map(([kind, fields]) => [kind, typed(fields as object)]));
  return {
    write: (value) => forms.get(value.kind)?.write({ ...value, $type: typeOf(value.kind) }) ?? [],
    read: (given, name) => {
      const { type } = object({ type: ["type", text] }).read(given, name);
      for (const [kind, form] of forms) {
        if (typeOf(kind) !== type) continue;
        const { $type: _, ...fields } = form.read(given, name) as { readonly $type: string };
        return { kind, ...fields } as unknown as T;
      }
      return fail(`${name}.type`, [...forms.keys()].map(typeOf).join(" or "));
    },
  };
}

const version = ["version", u64] as const;
const time = ["timestamp_usec", optional(u64)] as const;
const account = ["address", address] as const;

const claim: Form<Claim> = union<Claim>({
  balances: {
    assets: ["asset_types", list(text, MAX_PAIRS)],
    accounts: [
      "accounts",
      list(
        object<BalancesClaim["accounts"][number]>({
          address: account,
          amounts: [
            "balances",
            list(object({ asset: ["asset", place], amount: ["balance", u64] }), MAX_PAIRS),
          ],
        }),
        MAX_PAIRS,
      ),
    ],
    hasKeys: ["authentication_keys", flag],
  },
  tableItem: { handle: ["table_handle", address], key: ["key", bytes] },
  resource: { address: account, type: ["resource_type", text], group: ["group_type", optional(text)] },
  module: { address: account, name: ["module_name", text] },
  transaction: { version, hash: ["hash", hash], time },
  event: {
    version,
    index: ["index", u64],
    event: ["event", bytes],
    store: ["store", optional(object({ owner: ["owner", address], metadata: ["metadata", address] }))],
    time,
  },
});

const point: Form<Point> = object<Point>({
  version,
  info: ["transaction_info", bytes],
  siblings: ["accumulator_siblings", list(hash, MAX_SIBLINGS)],
  transaction: ["transaction", optional(bytes)],
  eventSiblings: ["event_siblings", optional(list(hash, MAX_SIBLINGS))],
  state: [
    "state",
    optional(
      object<StateItems>({
        values: ["values", list(optional(bytes), MAX_VALUES)],
        nodes: ["nodes", bytes],
        hashes: ["hashes", list(hash)],
      }),
    ),
  ],
});

const ledger: Form<ProvenLedger> = union<ProvenLedger>({
  named: { ledgerInfo: ["ledger_info", bytes] },
  signed: {
    start: ["start", bytes],
    epochChanges: ["epoch_changes", list(bytes, MAX_EPOCH_CHANGES)],
    last: ["last", bytes],
  },
  above: {},
});

const bundle: Form<Omit<ProofBundle, "kind">> = object<Omit<ProofBundle, "kind">>({
  claim: ["claim", claim],
  claimHash: ["claim_hash", hash],
  points: ["points", list(point, MAX_POINTS)],
  ledger: ["ledger", ledger],
});

/** JSON of a bundle, in its one spelling, in pieces. */
export function bundlePieces(made: ProofBundle): Iterator<string> {
  return bundle.write(made)[Symbol.iterator]();
}

/** JSON of a bundle, in its one spelling. */
export function bundleToText(made: ProofBundle): string {
  return [...bundle.write(made)].join("");
}

/** Why a text is not JSON. The engine's own message may quote the text, so only its place is taken. */
function jsonFault(given: string, error: unknown): string {
  const end = given.trimEnd();
  if (end === "{")
    return "it is formatted over several lines; take the file as it was written, one bundle on a line";
  if (given.startsWith("{") && !end.endsWith("}"))
    return `the text is cut: it ends after ${end.length} characters, before the bundle does`;
  const at = Number.parseInt(`${error}`.split(" position ")[1] ?? "", 10);
  return `the text is not JSON${Number.isNaN(at) ? "" : ` from character ${at + 1} on`}`;
}

/** The first moment of a statement and the first one after it, in microseconds since 1970. */
export interface StatementPeriod {
  readonly fromUsec: bigint;
  readonly toUsec: bigint;
}

interface StatementHead {
  readonly period: StatementPeriod;
  /** SHA3-256 of both numbers in BCS. The proofs hold for other periods too: without it, a changed digit might not be noticed. */
  readonly periodHash: Uint8Array;
}

const head = object<StatementHead>({
  period: ["statement", object({ fromUsec: ["from_usec", u64], toUsec: ["to_usec", u64] })],
  periodHash: ["statement_hash", hash],
});

const HEAD_START = '{"statement":';

/** Whether a line of a file begins a statement. The bundles of its balances and receipts follow. */
export function isStatementHead(line: string): boolean {
  return line.startsWith(HEAD_START);
}

/** The line that begins a statement. */
export function statementHead(period: StatementPeriod): string {
  const { fromUsec, toUsec } = period;
  const periodHash = sha3(new BcsWriter().u64(fromUsec).u64(toUsec).take());
  return [...head.write({ period, periodHash })].join("");
}

/** Reads the line that begins a statement. Throws ProofError. */
export function decodeStatementHead(given: string): StatementPeriod {
  const { period } = decodeText(head, "statement", given);
  if (given === statementHead(period)) return period;
  throw new ProofError("claim", "the statement's period was changed: it has another hash than the file says");
}

/** Reads a bundle in JSON. Throws ProofError `malformed`. */
export function decodeBundleJson(given: string): ProofBundle {
  return { kind: "v0", ...decodeText(bundle, "bundle", given) };
}

/**
 * Characters outside of texts that a bundle of any length may have: two dozen for each of a thousand balances. For the
 * commas of its hashes it may have one more for every 32 of its length.
 */
const FREE_MARKS = 100_000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Throws ProofError for what takes minutes and gigabytes to parse, such as a file of brackets. */
function assertFewParts(given: string): void {
  let left = FREE_MARKS + given.length / 32;
  let isInText = false;
  for (let i = 0; i < given.length; i++) {
    const char = given.charCodeAt(i);
    if (char === QUOTE) isInText = !isInText;
    else if (char === BACKSLASH) i++;
    else if (!isInText) left--;
  }
  if (left < 0) throw new ProofError("malformed", "not a proof bundle: it has more parts than any bundle");
}

function decodeText<T>(form: Form<T>, name: string, given: string): T {
  assertFewParts(given);
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (cause) {
    throw new ProofError("malformed", `not a proof bundle: ${jsonFault(given, cause)}`, { cause });
  }
  let read: T;
  try {
    read = form.read(value, name);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new ProofError("malformed", `not a proof bundle: ${error.message}`, { cause: error });
  }
  const written = [...form.write(read)].join("");
  if (given === written || given === `${written}\n`) return read;
  throw new ProofError(
    "malformed",
    "not a proof bundle: it has another member, order, spelling or white space than this program writes; take the file as it was written",
  );
}
