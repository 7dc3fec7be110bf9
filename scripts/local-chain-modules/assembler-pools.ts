// The deduplicated pools of a module that is assembled. Elements are numbered by first use.

import { toHex } from "../../src/base/hex.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import type { Ability, AbiType, ModuleId } from "../../src/move/abi.ts";
import { ABILITIES } from "../../src/move/bytecode/abilities.ts";
import { PRIMITIVE_TOKENS, TOKEN } from "../../src/move/bytecode/types.ts";
import { MoveError } from "../../src/move/errors.ts";
import { isIdentifier } from "../../src/move/identifier.ts";
import type { ImportedStruct, TypeSource } from "./definition.ts";
import { parseAbiType } from "./notation.ts";

const PRIMITIVE_TAGS = new Map<string, number>(PRIMITIVE_TOKENS.map(([tag, name]) => [name, tag]));

/** The bits of a list of abilities. */
export function abilityBits(abilities: readonly Ability[]): number {
  let bits = 0;
  for (const ability of abilities) bits |= 1 << ABILITIES.indexOf(ability);
  return bits;
}

/** Distinct elements in order of first use. */
export class Pool {
  readonly #indices = new Map<string, number>();
  readonly #writer = new BcsWriter();

  /** Index of an element; adds a new one. */
  index(element: Uint8Array): number {
    const key = toHex(element);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = this.#indices.size;
    this.#indices.set(key, index);
    this.#writer.fixed(element);
    return index;
  }

  /** The table's bytes. Nothing may be added afterwards. */
  take(): Uint8Array {
    return this.#writer.take();
  }
}

function structKey(struct: {
  readonly address: Uint8Array;
  readonly module: string;
  readonly name: string;
}): string {
  return `${toHex(struct.address)}::${struct.module}::${struct.name}`;
}

/** The pools that handles, types and definitions refer to. */
export class AssemblerPools {
  readonly identifiers = new Pool();
  readonly addresses = new Pool();
  readonly modules = new Pool();
  readonly structs = new Pool();
  readonly signatures = new Pool();
  readonly #known = new Map<string, ImportedStruct>();
  readonly #structIndices = new Map<string, number>();
  readonly #signatureIndices = new Map<readonly TypeSource[], number>();

  constructor(structs: readonly ImportedStruct[]) {
    for (const struct of structs) {
      const key = structKey(struct);
      if (this.#known.has(key)) throw new MoveError("bytecode", `struct ${key} is declared twice`);
      this.#known.set(key, struct);
    }
  }

  identifier(name: string): number {
    if (!isIdentifier(name))
      throw new MoveError("identifier", `not a name: ${JSON.stringify(name.slice(0, 100))}`);
    return this.identifiers.index(new BcsWriter().text(name).take());
  }

  /** Bytes of a module handle or a friend declaration, which have the same form. */
  moduleHandle({ address, name }: ModuleId): Uint8Array {
    const addressIndex = this.addresses.index(address);
    return new BcsWriter().uleb(addressIndex).uleb(this.identifier(name)).take();
  }

  module(module: ModuleId): number {
    return this.modules.index(this.moduleHandle(module));
  }

  struct(struct: {
    readonly address: ImportedStruct["address"];
    readonly module: string;
    readonly name: string;
  }): number {
    const key = structKey(struct);
    const index = this.#structIndices.get(key);
    if (index !== undefined) return index;
    const known = this.#known.get(key);
    if (known === undefined) {
      throw new MoveError("bytecode", `struct ${key} is neither defined nor imported`);
    }
    const writer = new BcsWriter();
    writer.uleb(this.module({ address: known.address, name: known.module }));
    writer.uleb(this.identifier(known.name)).u8(abilityBits(known.abilities));
    writer.vector(known.typeParams, (out, { constraints, phantom }) =>
      out.u8(abilityBits(constraints)).bool(phantom),
    );
    const added = this.structs.index(writer.take());
    this.#structIndices.set(key, added);
    return added;
  }

  signature(types: readonly TypeSource[]): number {
    const known = this.#signatureIndices.get(types);
    if (known !== undefined) return known;
    const writer = new BcsWriter();
    writer.vector(types, (out, type) => this.writeType(out, type));
    const index = this.signatures.index(writer.take());
    this.#signatureIndices.set(types, index);
    return index;
  }

  writeType(writer: BcsWriter, source: TypeSource): void {
    const type = typeof source === "string" ? parseAbiType(source) : source;
    switch (type.kind) {
      case "vector":
        writer.u8(TOKEN.vector);
        this.writeType(writer, type.item);
        return;
      case "reference":
        writer.u8(type.mutable ? TOKEN.mutableReference : TOKEN.reference);
        this.writeType(writer, type.to);
        return;
      case "parameter":
        writer.u8(TOKEN.parameter).uleb(type.index);
        return;
      case "struct":
        writer.u8(type.typeArgs.length === 0 ? TOKEN.struct : TOKEN.genericStruct).uleb(this.struct(type));
        if (type.typeArgs.length > 0) writer.uleb(type.typeArgs.length);
        this.#writeTypes(writer, type.typeArgs);
        return;
      case "function":
        writer.u8(TOKEN.function).u8(type.abilities).uleb(type.args.length).uleb(type.results.length);
        this.#writeTypes(writer, type.args);
        this.#writeTypes(writer, type.results);
        return;
      default:
        writer.u8(primitiveTag(type));
    }
  }

  #writeTypes(writer: BcsWriter, types: readonly AbiType[]): void {
    for (const type of types) this.writeType(writer, type);
  }
}

function primitiveTag(type: AbiType): number {
  const tag = PRIMITIVE_TAGS.get(type.kind);
  if (tag === undefined) throw new Error(`no token for ${type.kind}`);
  return tag;
}
