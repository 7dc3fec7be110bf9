// Assembles modules: the binary format with real signatures and, unless a definition has code, trivial bodies.
// Deterministic: pools are filled by first use, and tables have the order that compilers write. Reads every result back
// before it returns it.
import { BcsWriter } from "../../src/bcs/writer.ts";
import { formatAddress } from "../../src/move/address.ts";
import { FLAVOUR_BITS, MAGIC, MAX_FORMAT_VERSION, TABLE } from "../../src/move/bytecode/directory.ts";
import { readModule } from "../../src/move/bytecode/reader.ts";
import { MoveError } from "../../src/move/errors.ts";
import { AssemblerPools, abilityBits } from "./assembler-pools.ts";
import { CodeWriter } from "./code-writer.ts";
import {
  type FieldDefinition,
  type FunctionDefinition,
  type ImportedFunction,
  importsOf,
  type ModuleDefinition,
  type StructDefinition,
} from "./definition.ts";
import { encodeMetadataTable } from "./metadata-writer.ts";

const MIN_VERSION = 5;
const VISIBILITY = { private: 0, public: 1, friend: 3 } as const;

// Load the u64 0, abort.
const ABORT = [2, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0x27];
const RETURN = [1, 0x02];

/** What a compiler writes about itself: not stable, then two names. */
const UNSTABLE = new BcsWriter()
  .text("compilation_metadata")
  .byteString(Uint8Array.of(1, 0, 0))
  .take();

function assertUnique(names: readonly { readonly name: string }[], what: string): void {
  const seen = new Set<string>();
  for (const { name } of names) {
    if (seen.has(name)) throw new MoveError("bytecode", `${what} ${name} is defined twice`);
    seen.add(name);
  }
}

function writeFunctionHandle(
  writer: BcsWriter,
  pools: AssemblerPools,
  fun: FunctionDefinition | ImportedFunction,
  version: number,
): void {
  const isOwn = !("module" in fun);
  writer.uleb(isOwn ? 0 : pools.module(fun.module)).uleb(pools.identifier(fun.name));
  writer.uleb(pools.signature(fun.params ?? []));
  writer.uleb(pools.signature(fun.returns ?? []));
  writer.vector(fun.typeParams ?? [], (out, constraints) => out.u8(abilityBits(constraints)));
  // No access specifiers. Public functions are marked as persistent, as by compilers.
  if (version >= 7) writer.u8(1);
  if (version < 8) return;
  const isPublic = isOwn && (fun.visibility ?? "public") === "public";
  const attributes = [...(isPublic ? [1] : []), ...(isOwn && fun.isModuleLock === true ? [2] : [])];
  writer.vector(attributes, (out, attribute) => out.u8(attribute));
}

function writeFields(writer: BcsWriter, pools: AssemblerPools, fields: readonly FieldDefinition[]): void {
  writer.vector(fields, (out, { name, type }) => {
    out.uleb(pools.identifier(name));
    pools.writeType(out, type);
  });
}

function writeStruct(
  writer: BcsWriter,
  pools: AssemblerPools,
  handle: number,
  struct: StructDefinition,
): void {
  writer.uleb(handle);
  if (struct.isNative === true) {
    writer.u8(1);
  } else if (struct.variants === undefined) {
    writer.u8(2);
    writeFields(writer, pools, struct.fields ?? []);
  } else {
    writer.u8(3).vector(struct.variants, (out, { name, fields }) => {
      out.uleb(pools.identifier(name));
      writeFields(out, pools, fields ?? []);
    });
  }
}

function writeFunction(
  writer: BcsWriter,
  pools: AssemblerPools,
  handle: number,
  fun: FunctionDefinition,
  bodies: CodeWriter,
): void {
  const isNative = fun.isNative === true;
  writer.uleb(handle).u8(VISIBILITY[fun.visibility ?? "public"]);
  writer.u8((isNative ? 2 : 0) | (fun.isEntry === true ? 4 : 0)).uleb(0);
  if (isNative) return;
  if (typeof fun.body === "object") {
    const { locals, code: source } = fun.body;
    const code = typeof source === "string" ? bodies.instructions(source) : source;
    writer.uleb(pools.signature(locals)).uleb(code.length).fixed(Uint8Array.from(code.flat()));
    return;
  }
  const returns = fun.body === "return";
  if (returns && (fun.returns ?? []).length > 0) {
    throw new MoveError("bytecode", `${fun.name} has results, so its body cannot just return`);
  }
  writer.uleb(pools.signature([])).fixed(Uint8Array.from(returns ? RETURN : ABORT));
}

function encodeFile(
  version: number,
  tables: readonly (readonly [kind: number, bytes: Uint8Array])[],
): Uint8Array {
  const present = tables.filter(([, bytes]) => bytes.length > 0);
  const writer = new BcsWriter(4096);
  writer.fixed(Uint8Array.from(MAGIC)).u32(version >= 7 ? FLAVOUR_BITS + version : version);
  writer.uleb(present.length);
  let offset = 0;
  for (const [kind, bytes] of present) {
    writer.u8(kind).uleb(offset).uleb(bytes.length);
    offset += bytes.length;
  }
  for (const [, bytes] of present) writer.fixed(bytes);
  // The module itself is always handle 0.
  return writer.uleb(0).take();
}

/** Assembles a module. Throws MoveError for a definition that the format cannot hold. */
export function assembleModule(definition: ModuleDefinition): Uint8Array {
  const version = definition.formatVersion ?? MAX_FORMAT_VERSION;
  if (!Number.isInteger(version) || version < MIN_VERSION || version > MAX_FORMAT_VERSION) {
    throw new MoveError(
      "bytecode",
      `format version ${version}, expected ${MIN_VERSION} to ${MAX_FORMAT_VERSION}`,
    );
  }
  const structs = definition.structs ?? [];
  const functions = definition.functions ?? [];
  assertUnique(functions, "function");
  const own = importsOf(definition);
  const pools = new AssemblerPools([...own, ...(definition.imports ?? [])]);
  pools.module(definition);
  const handles = own.map((struct) => pools.struct(struct));
  const functionHandles = new BcsWriter();
  const imported = definition.importedFunctions ?? [];
  for (const fun of [...functions, ...imported]) writeFunctionHandle(functionHandles, pools, fun, version);
  const names = [
    ...functions.map(({ name }) => name),
    ...imported.map(({ module, name }) => `${formatAddress(module.address)}::${module.name}::${name}`),
  ];
  const bodies = new CodeWriter(definition, pools, (name) => {
    if (!names.includes(name)) throw new MoveError("bytecode", `there is no function ${name}`);
    return names.indexOf(name);
  });
  const metadata = Buffer.concat([
    encodeMetadataTable(structs, functions, definition.errors ?? []),
    definition.isUnstable === true ? UNSTABLE : new Uint8Array(),
  ]);
  if (metadata.length > 0 && version < 6) {
    throw new MoveError("bytecode", "attributes such as view and event need format version 6");
  }
  const structTable = new BcsWriter();
  for (const [i, struct] of structs.entries()) writeStruct(structTable, pools, handles[i] ?? 0, struct);
  const functionTable = new BcsWriter();
  for (const [i, fun] of functions.entries()) writeFunction(functionTable, pools, i, fun, bodies);
  const friends = new BcsWriter();
  for (const friend of definition.friends ?? []) friends.fixed(pools.moduleHandle(friend));
  const bytes = encodeFile(version, [
    [TABLE.moduleHandles, pools.modules.take()],
    [TABLE.structHandles, pools.structs.take()],
    [TABLE.functionHandles, functionHandles.take()],
    [TABLE.signatures, pools.signatures.take()],
    [TABLE.identifiers, pools.identifiers.take()],
    [TABLE.addresses, pools.addresses.take()],
    [TABLE.metadata, metadata],
    [TABLE.structDefinitions, structTable.take()],
    [TABLE.functionDefinitions, functionTable.take()],
    [TABLE.friends, friends.take()],
    ...[...bodies.tables].map(([kind, pool]) => [kind, pool.take()] as const),
  ]);
  // Reading it back enforces every limit and version rule of the format in one place.
  readModule(bytes);
  return bytes;
}
