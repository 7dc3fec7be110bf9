// The body of a view request, in JSON or BCS.
import { RecentMap } from "../../base/recent.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJson, parseJsonInSlices } from "../../json/parse.ts";
import type { ModuleId } from "../../move/abi.ts";
import { parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { entryFunctionCodec } from "../../transaction/entry-function.ts";
import { HttpError } from "../errors.ts";
import type { BodyField } from "../operation.ts";
import { assertBodySize } from "./body-size.ts";
import { MOVE_VALUE_SCHEMA } from "./move-type.ts";
import { list, named, object } from "./named.ts";
import { FUNCTION_PATTERN } from "./patterns.ts";

/** Above the largest transaction of a user, which is what a function's arguments are made for. */
const MAX_BODY_BYTES = 256 * 1024;
/** More are parsed between other requests. */
const MAX_STEP_BYTES = 64 * 1024;
/** The chain takes no function with more. */
const MAX_COUNTS = { type_arguments: 32, arguments: 128 } as const;

/** Arguments in JSON, which are read by the types of the function's parameters. */
export interface JsonArguments {
  readonly document: JsonDocument;
  /** Tape index of each. */
  readonly values: readonly number[];
}

export interface ViewRequest {
  readonly module: ModuleId;
  readonly name: string;
  readonly typeArgs: readonly TypeTag[];
  /** BCS of each argument, or all in JSON. */
  readonly args: readonly Uint8Array[] | JsonArguments;
}

function member(document: JsonDocument, name: string, kind: "string" | "array", expected: string): number {
  if (document.kind(document.root) !== "object") {
    const got = document.excerpt(document.root);
    throw new HttpError("malformed_request", `body: expected an object, got ${got}`);
  }
  const value = document.member(document.root, name);
  if (value !== ABSENT && document.kind(value) === kind) return value;
  const got = value === ABSENT ? "none" : document.excerpt(value);
  throw new HttpError("malformed_request", `${name}: expected ${expected}, got ${got}`);
}

function assertCount(name: keyof typeof MAX_COUNTS, count: number): void {
  const most = MAX_COUNTS[name];
  if (count <= most) return;
  throw new HttpError("malformed_request", `${name}: expected at most ${most} items, got ${count}`);
}

function items(document: JsonDocument, name: keyof typeof MAX_COUNTS): number[] {
  const array = member(document, name, "array", "an array");
  assertCount(name, document.count(array));
  const found: number[] = [];
  for (let at = document.first(array); at < document.end(array); at = document.next(at)) found.push(at);
  return found;
}

const CACHE_BYTES = 2 ** 18;
/** Bytes of an entry besides its text. */
const ENTRY_BYTES = 512;
const MAX_KEPT_TEXT_LENGTH = 256;

/** Keeps what recent texts were parsed to: most requests call one of a few functions. */
function kept<T>(parse: (text: string) => T): (text: string) => T {
  const known = new RecentMap<string, T>({
    maxBytes: CACHE_BYTES,
    sizeOf: (text) => ENTRY_BYTES + 4 * text.length,
  });
  return (text) => {
    if (text.length > MAX_KEPT_TEXT_LENGTH) return parse(text);
    let parsed = known.get(text);
    if (parsed === undefined) {
      parsed = parse(text);
      known.set(text, parsed);
    }
    return parsed;
  };
}

const parseKeptType = kept(parseTypeTag);
const parseKeptFunction = kept(parseFunction);

function parseFunction(id: string): Pick<ViewRequest, "module" | "name"> {
  const parts = id.split("::");
  const [address = "", module = "", name = ""] = parts;
  try {
    if (parts.length === 3) return { module: { address: parseAddress(address), name: module }, name };
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
  }
  throw new HttpError(
    "malformed_request",
    `function: expected a function such as "0x1::coin::balance", got ${JSON.stringify(id.slice(0, 120))}`,
  );
}

function parseType(document: JsonDocument, value: number, index: number): TypeTag {
  const name = `type_arguments[${index}]`;
  if (document.kind(value) !== "string") {
    throw new HttpError("malformed_request", `${name}: expected a type, got ${document.excerpt(value)}`);
  }
  try {
    return parseKeptType(document.string(value));
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new HttpError("invalid_view", `${name}: ${error.message}`, { cause: error });
  }
}

function readCall(document: JsonDocument): ViewRequest {
  return {
    ...parseKeptFunction(document.string(member(document, "function", "string", "a function"))),
    typeArgs: items(document, "type_arguments").map((value, i) => parseType(document, value, i)),
    args: { document, values: items(document, "arguments") },
  };
}

/** A view request. */
export const viewBody: BodyField<ViewRequest> = {
  schema: named(
    "ViewRequest",
    object({
      function: { type: "string", pattern: FUNCTION_PATTERN, description: "The function to call." },
      type_arguments: { type: "array", items: { type: "string", format: "move-type" } },
      arguments: list(MOVE_VALUE_SCHEMA),
    }),
  ),
  description: "The function and its arguments.",
  example: {
    function: "0x1::coin::balance",
    type_arguments: ["0x1::aptos_coin::AptosCoin"],
    arguments: ["0x1"],
  },
  parse(bytes) {
    assertBodySize(bytes, MAX_BODY_BYTES);
    return bytes.length > MAX_STEP_BYTES
      ? parseJsonInSlices(bytes).then(readCall)
      : readCall(parseJson(bytes));
  },
  bcs: {
    mediaType: "application/x.aptos.view_function+bcs",
    description:
      "BCS of the module id, the function's name, the type arguments and the BCS of each argument.",
    parse(bytes) {
      assertBodySize(bytes, MAX_BODY_BYTES);
      try {
        const { module, function: name, typeArgs, args } = decodeWith(entryFunctionCodec, bytes);
        assertCount("type_arguments", typeArgs.length);
        assertCount("arguments", args.length);
        return { module, name, typeArgs, args };
      } catch (error) {
        if (!(error instanceof BcsError)) throw error;
        throw new HttpError("malformed_request", `body: expected BCS of a view function: ${error.message}`, {
          cause: error,
        });
      }
    },
  },
};
