// Members of a request: each reads one member in the form the request demands, or says what is wrong with it.
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { parseHexBytes, parseInteger } from "../../move/scalar-text.ts";
import { TransactionError } from "../errors.ts";

const U64 = 'a u64 as a string of decimal digits such as "5"';
const ADDRESS = 'an address string such as "0x1"';

/** An object of the request, and what it is called in messages: empty for the request itself. */
export interface RequestObject<in out Name extends string = string> {
  readonly document: JsonDocument;
  readonly path: string;
  /** Names of the members that are read. */
  readonly names: readonly Name[];
  /** Their tape indices, collected in one walk; ABSENT where there is none. */
  readonly values: readonly number[];
}

function collectMembers<Name extends string>(
  document: JsonDocument,
  value: number,
  path: string,
  names: readonly Name[],
): RequestObject<Name> {
  return { document, path, names, values: document.members(value, names) };
}

/** Tape index of a member; ABSENT where there is none. */
export function memberOf<Name extends string>({ names, values }: RequestObject<Name>, name: Name): number {
  return values[names.indexOf(name)] ?? ABSENT;
}

/** Path of a member, for messages. */
export function memberPath(object: Pick<RequestObject, "path">, name: string): string {
  return object.path === "" ? name : `${object.path}.${name}`;
}

/** Throws the error of a member that is absent or of the wrong form. */
export function failMember<Name extends string>(
  object: RequestObject<Name>,
  name: Name,
  expected: string,
  fix?: string,
): never {
  const value = memberOf(object, name);
  const path = memberPath(object, name);
  const what =
    value === ABSENT
      ? `${path} is missing: expected ${expected}`
      : `${path}: expected ${expected}, got ${object.document.excerpt(value)}`;
  throw new TransactionError("request", fix === undefined ? what : `${what}; ${fix}`);
}

/** Tape index of a member that is there and not null; ABSENT otherwise. */
export function presentMember<Name extends string>(object: RequestObject<Name>, name: Name): number {
  const value = memberOf(object, name);
  return value === ABSENT || object.document.kind(value) === "null" ? ABSENT : value;
}

/** Takes the outermost value or an item as an object of which the named members are read. */
export function asObject<Name extends string>(
  document: JsonDocument,
  value: number,
  path: string,
  names: readonly Name[],
): RequestObject<Name> {
  if (document.kind(value) === "object") return collectMembers(document, value, path, names);
  throw new TransactionError(
    "request",
    `${path === "" ? "the body" : path}: expected an object, got ${document.excerpt(value)}`,
  );
}

/** A member that must be an object, of which the named members are read. */
export function objectMember<Name extends string, Inner extends string>(
  object: RequestObject<Name>,
  name: Name,
  names: readonly Inner[],
): RequestObject<Inner> {
  const value = memberOf(object, name);
  if (value === ABSENT || object.document.kind(value) !== "object") failMember(object, name, "an object");
  return collectMembers(object.document, value, memberPath(object, name), names);
}

/** A member that must be an array: its tape index. */
export function arrayMember<Name extends string>(
  object: RequestObject<Name>,
  name: Name,
  items: string,
): number {
  const value = memberOf(object, name);
  if (value === ABSENT || object.document.kind(value) !== "array") {
    failMember(
      object,
      name,
      `an array of ${items}`,
      value === ABSENT ? "write [] when there are none" : undefined,
    );
  }
  return value;
}

/** A member that must be an array of strings: its tape index. */
export function stringArrayMember<Name extends string>(
  object: RequestObject<Name>,
  name: Name,
  items: string,
): number {
  const { document } = object;
  const array = arrayMember(object, name, items);
  for (let item = document.first(array), i = 0; item < document.end(array); item = document.next(item), i++) {
    if (document.kind(item) !== "string") {
      throw new TransactionError(
        "request",
        `${memberPath(object, name)}[${i}]: expected a string, got ${document.excerpt(item)}`,
      );
    }
  }
  return array;
}

/** A member that must be a string. */
export function stringMember<Name extends string>(
  object: RequestObject<Name>,
  name: Name,
  expected: string,
): string {
  const value = memberOf(object, name);
  if (value === ABSENT || object.document.kind(value) !== "string") {
    const isNumber = value !== ABSENT && object.document.kind(value) === "number";
    failMember(object, name, expected, isNumber ? "put the number in quotes" : undefined);
  }
  return object.document.string(value);
}

/** A member that must be true or false. */
export function booleanMember<Name extends string>(object: RequestObject<Name>, name: Name): boolean {
  const value = memberOf(object, name);
  if (value === ABSENT || object.document.kind(value) !== "boolean")
    failMember(object, name, "true or false");
  return object.document.boolean(value);
}

function parsedMember<Name extends string, T>(
  object: RequestObject<Name>,
  name: Name,
  expected: string,
  parse: (text: string) => T,
): T {
  const text = stringMember(object, name, expected);
  try {
    return parse(text);
  } catch (error) {
    throw toRequestError(error, memberPath(object, name), expected);
  }
}

function toRequestError(error: unknown, path: string, expected: string): unknown {
  if (!(error instanceof MoveError)) return error;
  return new TransactionError("request", `${path}: expected ${expected}: ${error.message}`, { cause: error });
}

function parseU64(text: string): bigint {
  return parseInteger(text, "u64");
}

/** A u64, written as a string. */
export function u64Member<Name extends string>(object: RequestObject<Name>, name: Name): bigint {
  return parsedMember(object, name, U64, parseU64);
}

/** An account address. */
export function addressMember<Name extends string>(object: RequestObject<Name>, name: Name): Address {
  return parsedMember(object, name, ADDRESS, parseAddress);
}

/** Bytes, written in hex. */
export function bytesMember<Name extends string>(
  object: RequestObject<Name>,
  name: Name,
  expected: string,
): Uint8Array {
  return parsedMember(object, name, expected, parseHexBytes);
}

/** One address of a list. */
export function addressItem(document: JsonDocument, item: number, path: string): Address {
  if (document.kind(item) !== "string") {
    throw new TransactionError("request", `${path}: expected ${ADDRESS}, got ${document.excerpt(item)}`);
  }
  const text = document.string(item);
  try {
    return parseAddress(text);
  } catch (error) {
    throw toRequestError(error, path, ADDRESS);
  }
}
