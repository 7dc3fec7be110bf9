// Bodies of assembled functions, from text: one instruction on each line, by its name in the table of instructions, with
// what it refers to. `again:` marks a place to branch to. A semicolon stands for the end of a line.
//   copy local 0 / load u64 5 / branch again / call f / call generic 0x1::m::f<u64> / pack S / pack generic S<u64>
//   borrow field S.a / pack variant E.Dot / borrow variant field E.Dot|Square.side / vector pack u64 3
//   load constant vector<u8> 0x0161 / pack closure f 0b01 / call closure fn(u64):(bool)+drop
import { fromHex } from "../../src/base/hex.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { TABLE } from "../../src/move/bytecode/directory.ts";
import { OPCODES, type Opcode } from "../../src/move/bytecode/opcodes.ts";
import { MoveError } from "../../src/move/errors.ts";
import { type AssemblerPools, Pool } from "./assembler-pools.ts";
import type { ModuleDefinition, StructDefinition, TypeSource } from "./definition.ts";
import { parseAbiType } from "./notation.ts";

/** Instructions by name; of two names, the longer one is tried first. */
const BY_NAME: readonly (readonly [name: string, code: number, opcode: Opcode])[] = [...OPCODES.entries()]
  .flatMap(([code, opcode]) => (opcode === undefined ? [] : [[opcode.name, code, opcode] as const]))
  .sort(([a], [b]) => b.length - a.length);

/** Instantiations, and the table of what each instantiates. */
const INSTANTIATED: Readonly<Record<number, number>> = {
  [TABLE.functionInstantiations]: TABLE.functionHandles,
  [TABLE.structInstantiations]: TABLE.structDefinitions,
  [TABLE.fieldInstantiations]: TABLE.fieldHandles,
  [TABLE.variantFieldInstantiations]: TABLE.variantFieldHandles,
  [TABLE.structVariantInstantiations]: TABLE.structVariantHandles,
};

function refuse(what: string): never {
  throw new MoveError("bytecode", what);
}

function indexIn(list: readonly { readonly name: string }[] | undefined, name: string): number {
  const index = (list ?? []).findIndex((one) => one.name === name);
  return index < 0 ? refuse(`there is no ${name}`) : index;
}

/** A text before and after the last separator. */
function cut(text: string, separator: string): readonly [string, string] {
  const at = text.lastIndexOf(separator);
  return at < 0 ? refuse(`no ${separator} in ${text}`) : [text.slice(0, at), text.slice(at + 1)];
}

/** Writes bodies, and the tables that only bodies refer to. */
export class CodeWriter {
  readonly #definition: ModuleDefinition;
  readonly #pools: AssemblerPools;
  readonly #functionIndex: (name: string) => number;
  readonly tables: ReadonlyMap<number, Pool> = new Map(
    [
      ...Object.keys(INSTANTIATED).map(Number),
      TABLE.constants,
      TABLE.fieldHandles,
      TABLE.variantFieldHandles,
      TABLE.structVariantHandles,
    ].map((kind) => [kind, new Pool()]),
  );

  /** `functionIndex` gives the handle of a function by its name, with the module if it is another one. */
  constructor(definition: ModuleDefinition, pools: AssemblerPools, functionIndex: (name: string) => number) {
    this.#definition = definition;
    this.#pools = pools;
    this.#functionIndex = functionIndex;
  }

  /** The instructions of a body, each as its bytes. */
  instructions(text: string): readonly (readonly number[])[] {
    const labels = new Map<string, number>();
    const lines: string[] = [];
    for (const raw of text.split(/[\n;]/)) {
      const line = raw.trim();
      if (line.endsWith(":")) labels.set(line.slice(0, -1), lines.length);
      else if (line !== "") lines.push(line);
    }
    return lines.map((line) => this.#instruction(line, labels));
  }

  #instruction(line: string, labels: ReadonlyMap<string, number>): readonly number[] {
    const found =
      BY_NAME.find(([name]) => line === name || line.startsWith(`${name} `)) ??
      refuse(`no instruction: ${line}`);
    const [name, code, { operand, table }] = found;
    const rest = line.slice(name.length + 1);
    const writer = new BcsWriter(16).u8(code);
    switch (operand) {
      case "none":
        break;
      case "local":
        writer.uleb(Number(rest));
        break;
      case "branch":
        writer.uleb(labels.get(rest) ?? refuse(`no label: ${rest}`));
        break;
      case "index":
        writer.uleb(this.#element(table, rest));
        break;
      case "index+8":
      case "index+mask": {
        const [element, number] = cut(rest, " ");
        writer.uleb(this.#element(table, element));
        if (operand === "index+8") writer.u64(BigInt(number));
        else writeMask(writer, BigInt(number));
        break;
      }
      default: {
        const value = BigInt.asUintN(8 * operand, BigInt(rest));
        for (let i = 0; i < operand; i++) writer.u8(Number((value >> BigInt(8 * i)) & 0xffn));
      }
    }
    return [...writer.take()];
  }

  /** The place of what an instruction names in its table. */
  #element(table: number, text: string): number {
    const of = INSTANTIATED[table];
    if (table === TABLE.signatures) return this.#pools.signature([text]);
    if (table === TABLE.constants) {
      const [type, hex] = cut(text, " ");
      const writer = new BcsWriter();
      this.#pools.writeType(writer, type);
      return this.#add(table, writer.byteString(fromHex(hex.slice(2)) ?? refuse(`no hex: ${hex}`)));
    }
    const { name, typeArgs, rest } = splitArgs(text);
    const index = this.#plain(of ?? table, name, rest);
    if (of === undefined) return index;
    return this.#add(table, new BcsWriter().uleb(index).uleb(this.#pools.signature(typeArgs)));
  }

  #plain(table: number, name: string, rest: string): number {
    const { structs = [] } = this.#definition;
    if (table === TABLE.functionHandles) return this.#functionIndex(name);
    const owner = indexIn(structs, name);
    const struct = structs[owner] as StructDefinition;
    if (table === TABLE.structDefinitions) return owner;
    const writer = new BcsWriter().uleb(owner);
    if (table === TABLE.fieldHandles) return this.#add(table, writer.uleb(indexIn(struct.fields, rest)));
    if (table === TABLE.structVariantHandles)
      return this.#add(table, writer.uleb(indexIn(struct.variants, rest)));
    const [variants, field] = cut(rest, ".");
    const named = variants.split("|").filter((one) => one !== "");
    const indices = named.map((one) => indexIn(struct.variants, one));
    const fields = struct.variants?.[indices[0] ?? 0]?.fields;
    writer.uleb(indexIn(fields, field)).vector(indices, (out, index) => out.uleb(index));
    return this.#add(table, writer);
  }

  #add(table: number, element: BcsWriter): number {
    const pool = this.tables.get(table) ?? refuse(`no table ${table}`);
    return pool.index(element.take());
  }
}

function writeMask(writer: BcsWriter, mask: bigint): void {
  let left = mask;
  for (; left >= 0x80n; left >>= 7n) writer.u8(Number(left & 0x7fn) | 0x80);
  writer.u8(Number(left));
}

/** `f<u64>`, `S<T0>.field` or the like: the name, its type arguments, and what comes after the dot. */
function splitArgs(text: string): {
  readonly name: string;
  readonly typeArgs: readonly TypeSource[];
  readonly rest: string;
} {
  const open = text.indexOf("<");
  const close = text.lastIndexOf(">");
  const end = text.indexOf(".", Math.max(0, close));
  const rest = end < 0 ? "" : text.slice(end + 1);
  if (open < 0) return { name: end < 0 ? text : text.slice(0, end), typeArgs: [], rest };
  const type = parseAbiType(`0x0::m::f${text.slice(open, close + 1)}`);
  return { name: text.slice(0, open), typeArgs: type.kind === "struct" ? type.typeArgs : [], rest };
}
