// Type strings of a request to types, within the limits of the chain's own parser.
import { shortenText } from "../../base/texts/text.ts";
import type { JsonDocument } from "../../json/document.ts";
import type { AbiType } from "../../move/abi.ts";
import { MoveError } from "../../move/errors.ts";
import { type FunctionParamTag, formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { parseTypeTag } from "../../move/type-text.ts";
import { TransactionError } from "../errors.ts";

/** Deepest nesting of a type argument; a struct counts once for itself and once more for its arguments. */
const MAX_TYPE_ARGUMENT_DEPTH = 8;
/** More text than this does not fit a transaction that the chain takes in. */
const MAX_TYPE_TEXT_BYTES = 64 * 1024;

/** Parses the strings of an array as type arguments. */
export function parseTypeArguments(document: JsonDocument, array: number, path: string): TypeTag[] {
  return parseTypeTexts(document, array, path, (text, itemPath) => {
    if (text.startsWith("&")) {
      fail(itemPath, `a reference cannot be a type argument, got ${JSON.stringify(shortenText(text))}`);
    }
    const tag = parseType(text, itemPath);
    assertDepth(tag, 0, itemPath);
    return tag;
  });
}

/** Parses the strings of an array as parameter types, which may be references. */
export function parseParameterTypes(document: JsonDocument, array: number, path: string): AbiType[] {
  return parseTypeTexts(document, array, path, (text, itemPath) => {
    if (!text.startsWith("&")) return typeOfTag(parseType(text, itemPath));
    const isMutable = text.startsWith("&mut ");
    const to = typeOfTag(parseType(text.slice(isMutable ? 5 : 1), itemPath));
    return { kind: "reference", mutable: isMutable, to };
  });
}

const types = new WeakMap<TypeTag, AbiType>();

/** The same type as it would stand in a signature; one for each tag, because much is kept by types. */
export function typeOfTag(tag: TypeTag): AbiType {
  let type = types.get(tag);
  if (type === undefined) {
    type = createType(tag);
    types.set(tag, type);
  }
  return type;
}

/**
 * The same, not remembered, and nothing that is in it: for thousands of types that nobody asks for again, the memory would
 * hold the event loop whenever it grows.
 */
export function createType(tag: TypeTag): AbiType {
  switch (tag.kind) {
    case "vector":
      return { kind: "vector", item: createType(tag.item) };
    case "struct":
      return {
        kind: "struct",
        address: tag.struct.address,
        module: tag.struct.module,
        name: tag.struct.name,
        typeArgs: tag.struct.typeArgs.map(createType),
      };
    case "function":
      return {
        kind: "function",
        args: tag.args.map(typeOfParam),
        results: tag.results.map(typeOfParam),
        abilities: tag.abilities,
      };
    default:
      return tag;
  }
}

function typeOfParam({ as, type }: FunctionParamTag): AbiType {
  const to = createType(type);
  return as === "value" ? to : { kind: "reference", mutable: as === "mutable", to };
}

function parseTypeTexts<T>(
  document: JsonDocument,
  array: number,
  path: string,
  parse: (text: string, path: string) => T,
): T[] {
  const out: T[] = [];
  const end = document.end(array);
  let size = 0;
  for (let item = document.first(array); item < end; item = document.next(item)) {
    const text = document.string(item);
    size += text.length + 1;
    if (size > MAX_TYPE_TEXT_BYTES) fail(path, `more than ${MAX_TYPE_TEXT_BYTES} characters of type strings`);
    out.push(parse(text, `${path}[${out.length}]`));
  }
  return out;
}

function parseType(text: string, path: string): TypeTag {
  try {
    return parseTypeTag(text);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    return fail(path, `${error.message}${isType(`0x${text}`) ? "; the address needs 0x in front" : ""}`);
  }
}

function isType(text: string): boolean {
  try {
    parseTypeTag(text);
    return true;
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    return false;
  }
}

function assertDepth(tag: TypeTag, depth: number, path: string): void {
  if (tag.kind === "vector") assertDepth(tag.item, depth + 1, path);
  else if (tag.kind === "struct") {
    for (const arg of tag.struct.typeArgs) assertDepth(arg, depth + 2, path);
  }
  if ((tag.kind === "struct" ? depth + 1 : depth) > MAX_TYPE_ARGUMENT_DEPTH) {
    fail(
      path,
      `${shortenText(formatTypeTag(tag))} is nested deeper than ${MAX_TYPE_ARGUMENT_DEPTH}; a vector counts once, a struct with arguments twice`,
    );
  }
}

function fail(path: string, reason: string): never {
  throw new TransactionError("invalid", `${path}: ${reason}`);
}
