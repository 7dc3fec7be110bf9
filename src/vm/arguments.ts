// Arguments from outside: bytes to values. Some types are made by functions of the framework, which run and are charged.
import { isUtf8 } from "node:buffer";
import { toHex } from "../base/hex.ts";
import type { Pieces } from "../base/pieces.ts";
import { BcsError } from "../bcs/errors.ts";
import { BcsReader } from "../bcs/reader.ts";
import type { Ability, AbiStructType, AbiType } from "../move/abi.ts";
import { aborted, STATUS, VmError } from "./errors.ts";
import type { Interpreter } from "./interpreter.ts";
import { decodeInPieces, decodeValue } from "./layout.ts";
import type { Linker } from "./linker.ts";
import { abilitiesOf, abilityBits } from "./publishing/verify-types.ts";
import { FRAMEWORK, partsOf } from "./types.ts";
import { byteVec, itemKindOf, Ref, Struct, signerOf, type Value, Vec } from "./values.ts";

const MAX_CALLS = 10;
const MAX_BYTES = 1_000_000;
/** A transaction has no room for half as many; a walk through their values is not in pieces. */
const MAX_ITEMS = 1 << 17;
const ITEMS_OF_PIECE = 1024;

/** Functions that make a value of a type, with the type of what they take. */
const MAKERS: Readonly<Record<string, { readonly name: string; takes(type: AbiStructType): AbiType }>> = {
  "option::Option": {
    name: "from_vec",
    takes: ({ typeArgs }) => ({ kind: "vector", item: typeArgs[0] ?? { kind: "bool" } }),
  },
  "object::Object": { name: "address_to_object", takes: () => ({ kind: "address" }) },
  "fixed_point32::FixedPoint32": { name: "create_from_raw_value", takes: () => ({ kind: "u64" }) },
  "fixed_point64::FixedPoint64": { name: "create_from_raw_value", takes: () => ({ kind: "u128" }) },
};

/** Throws VmError unless the type arguments are as many as asked for and have the abilities asked for, as have their own. */
export function assertTypeArgs(
  linker: Linker,
  typeParams: readonly (readonly Ability[])[],
  typeArgs: readonly AbiType[],
): void {
  for (const type of typeArgs) assertInnerTypeArgs(linker, type);
  if (typeParams.length !== typeArgs.length)
    throw new VmError(
      STATUS.wrongTypeArgumentCount,
      `expected ${typeParams.length} type arguments, got ${typeArgs.length}`,
    );
  typeParams.forEach((constraints, i) => {
    const wanted = abilityBits(constraints);
    const found = abilitiesOf(typeArgs[i] as AbiType, [], (type) => linker.struct(type).abi);
    if ((found & wanted) !== wanted)
      throw new VmError(STATUS.constraintNotSatisfied, `type argument ${i} lacks an ability`);
  });
}

function assertInnerTypeArgs(linker: Linker, type: AbiType): void {
  if (type.kind === "struct") {
    const constraints = linker.struct(type).abi.typeParams.map((param) => param.constraints);
    assertTypeArgs(linker, constraints, type.typeArgs);
  } else for (const part of partsOf(type)) assertInnerTypeArgs(linker, part);
}

function failed(): VmError {
  return new VmError(STATUS.failedToDeserializeArgument, "an argument does not decode");
}

/** True for types whose values need no code to be made. */
export function isPlain(type: AbiType): boolean {
  return type.kind === "vector"
    ? isPlain(type.item)
    : type.kind !== "struct" &&
        type.kind !== "function" &&
        type.kind !== "reference" &&
        type.kind !== "parameter" &&
        type.kind !== "signer";
}

function frameworkName(type: AbiStructType): string | undefined {
  return toHex(type.address) === FRAMEWORK ? `${type.module}::${type.name}` : undefined;
}

/** Throws VmError for a type that no argument can have. Type arguments of structs are checked when one is made. */
export function assertArgumentType(type: AbiType): void {
  if (isPlain(type)) return;
  if (type.kind === "vector") {
    assertArgumentType(type.item);
    return;
  }
  if (type.kind === "struct") {
    const name = frameworkName(type);
    if (name !== undefined && (name === "string::String" || MAKERS[name] !== undefined)) return;
  }
  throw new VmError(STATUS.invalidMainSignature, "a parameter has a type that no argument can have");
}

/** What one argument made so far. */
interface Budget {
  calls: number;
  /** As the vectors say. */
  items: number;
  /** Items that were read. */
  read: number;
}

/** Makes a value that needs no code to be made. */
export function plainArgument(linker: Linker, type: AbiType, bytes: Uint8Array): Value {
  const value = decodeValue(bytes, linker.layout(type));
  if (value === undefined) throw failed();
  return value;
}

/** Makes values of bytes from outside. */
export class ArgumentMaker {
  readonly #linker: Linker;
  readonly #makeInterpreter: () => Interpreter;

  constructor(linker: Linker, makeInterpreter: () => Interpreter) {
    this.#linker = linker;
    this.#makeInterpreter = makeInterpreter;
  }

  /** Makes a value that needs code to run; a plain one is made later, when the result is called. */
  *prepare(type: AbiType, bytes: Uint8Array): Pieces<() => Value> {
    if (isPlain(type)) return () => plainArgument(this.#linker, type, bytes);
    const value = yield* this.make(type, bytes);
    return () => value;
  }

  /** Makes a value; yields while code of the framework runs. */
  *make(type: AbiType, bytes: Uint8Array): Pieces<Value> {
    if (type.kind === "reference") return new Ref([yield* this.make(type.to, bytes)], 0);
    if (type.kind === "signer") {
      if (bytes.length !== 33 || bytes[0] !== 0) throw failed();
      return signerOf(toHex(bytes.subarray(1)));
    }
    if (isPlain(type)) {
      const value = yield* decodeInPieces(bytes, this.#linker.layout(type));
      if (value === undefined) throw failed();
      return value;
    }
    if (bytes.length > MAX_BYTES) throw failed();
    try {
      const reader = new BcsReader(bytes);
      const value = yield* this.#read(reader, type, { calls: 0, items: 0, read: 0 });
      reader.finish();
      return value;
    } catch (error) {
      if (error instanceof BcsError) throw failed();
      throw error;
    }
  }

  *#read(reader: BcsReader, type: AbiType, budget: Budget): Pieces<Value> {
    switch (type.kind) {
      case "vector": {
        const count = reader.count();
        budget.items += count;
        if (budget.items > MAX_ITEMS) throw failed();
        const items: Value[] = [];
        for (let i = 0; i < count; i++) {
          // Counted over all vectors: many short ones take as long as a long one.
          if (++budget.read % ITEMS_OF_PIECE === 0) yield;
          items.push(yield* this.#read(reader, type.item, budget));
        }
        return new Vec(itemKindOf(type.item), items);
      }
      case "struct":
        return yield* this.#struct(reader, type, budget);
      case "address":
        return toHex(reader.fixed(32));
      case "signer":
      case "function":
      case "reference":
      case "parameter":
        throw new VmError(STATUS.invalidMainSignature, "a parameter has a type that no argument can have");
      default:
        return reader[type.kind]();
    }
  }

  *#struct(reader: BcsReader, type: AbiStructType, budget: Budget): Pieces<Value> {
    const name = frameworkName(type) ?? "";
    if (name === "string::String") {
      const bytes = reader.byteString();
      if (!isUtf8(bytes)) throw aborted(1).at(`${FRAMEWORK}::string`, undefined, undefined);
      return new Struct([byteVec(bytes)]);
    }
    const maker = MAKERS[name];
    if (maker === undefined)
      throw new VmError(STATUS.invalidMainSignature, "a parameter has a type that no argument can have");
    if (++budget.calls > MAX_CALLS) throw failed();
    const taken = yield* this.#read(reader, maker.takes(type), budget);
    const makes = this.#linker.function(
      { module: { address: type.address, name: type.module }, name: maker.name },
      type.typeArgs,
    );
    const [made] = yield* this.#makeInterpreter().callInPieces(makes, [taken]);
    if (made === undefined) throw failed();
    return made;
  }
}
