// Finds the code that a run uses: modules, functions with their type arguments, structs and the layouts of types. The
// first use of a module is charged.
import { toHex } from "../base/hex.ts";
import type { AbiStructType, AbiType, StructAbi } from "../move/abi.ts";
import type {
  CodeOperand,
  FunctionDefinition,
  FunctionReference,
  Program,
  ScriptProgram,
} from "../move/bytecode/program.ts";
import { STATUS, VmError } from "./errors.ts";
import type { Meter } from "./gas.ts";
import { integerKinds } from "./instructions.ts";
import type { Layout } from "./layout.ts";
import { linkFault } from "./publishing/verify-types.ts";
import { countNodes, FRAMEWORK, moduleKey, partsOf, substitute, typeKey, typesKey } from "./types.ts";
import { countWork, itemKindOf, type Value } from "./values.ts";

/** A module of the ledger, or a script. */
export interface LoadedModule {
  /** `address::name`, or "script". */
  readonly key: string;
  readonly address: string;
  readonly name: string;
  readonly program: Pick<Program, "functions" | "metadata"> & Partial<Pick<Program, "abi" | "dependencies">>;
  readonly codeBytes: number;
}

/** Reads a module; undefined if there is none. May throw NeedsItem. */
export type ModuleSource = (address: string, name: string) => LoadedModule | undefined;

/** Finds a native function by its module and name. */
export type NativeSource = (key: string) => NativeCode | undefined;

/** A native function as the interpreter calls it; natives.ts has its types. */
export type NativeCode = (context: never, args: readonly Value[], typeArgs: readonly AbiType[]) => unknown;

const NO_CODE = new Uint8Array(0);
const NO_STRUCTS: readonly StructAbi[] = [];
const MAX_LAYOUT_NODES = 512;
const MAX_LAYOUT_DEPTH = 128;
/** Addresses of the chain's own code begin with these digits. */
const SPECIAL = "0".repeat(63);

/** True for addresses 0x0 to 0xf. */
export function isSpecialAddress(address: string): boolean {
  return address.startsWith(SPECIAL);
}

const kindsOfFunctions = new WeakMap<FunctionDefinition, Uint8Array>();
interface Named {
  readonly name: string;
}

const namesOf = new WeakMap<readonly Named[], Map<string, Named>>();

/** One of a module's functions or structs. The names of a list are put in order once. */
export function named<T extends Named>(list: readonly T[], name: string): T | undefined {
  let names = namesOf.get(list);
  if (names === undefined) {
    names = new Map();
    for (const one of list) names.set(one.name, one);
    namesOf.set(list, names);
  }
  return names.get(name) as T | undefined;
}

/** A function with its type arguments. */
export class FunctionInstance {
  readonly module: LoadedModule;
  /** Of the module. */
  readonly key: string;
  readonly definition: FunctionDefinition;
  readonly opcodes: Uint8Array;
  readonly operands: readonly CodeOperand[];
  readonly returnCount: number;
  readonly typeArgs: readonly AbiType[];
  readonly native: NativeCode | undefined;
  /** True for code of the chain itself that several runs use. */
  readonly isShared: boolean;
  readonly kinds: Uint8Array;
  /** What instructions refer to, by their place, once they ran: functions found, types with their arguments. */
  readonly resolved: unknown[] = [];
  /** Generic calls by what the code names, once they ran. */
  readonly calls = new Map<object, unknown>();
  /** Parts of the types of all locals. */
  readonly localNodes: number;
  readonly localCount: number;

  constructor(
    module: LoadedModule,
    definition: FunctionDefinition,
    typeArgs: readonly AbiType[],
    native: NativeCode | undefined,
    isShared: boolean,
  ) {
    this.isShared = isShared;
    this.module = module;
    this.key = module.key;
    this.definition = definition;
    this.opcodes = definition.body?.opcodes ?? NO_CODE;
    this.operands = definition.body?.operands ?? [];
    this.returnCount = definition.returns.length;
    this.typeArgs = typeArgs;
    this.native = native;
    let kinds = kindsOfFunctions.get(definition);
    if (kinds === undefined) {
      kinds = integerKinds(definition);
      kindsOfFunctions.set(definition, kinds);
    }
    this.kinds = kinds;
    const locals = definition.body === undefined ? [] : [...definition.params, ...definition.body.locals];
    this.localCount = locals.length;
    this.localNodes = locals.reduce((sum, type) => sum + countNodes(substitute(type, typeArgs)), 0);
  }
}

/** What calls between modules were found to be, by what the code names: two loaded modules are compared once. */
const links = new WeakMap<FunctionReference, FunctionDefinition>();

const ownCode = new WeakMap<object, boolean>();

/** True for a module of the chain itself that uses only such modules: nothing in it is ever charged for being used. */
function isOwnCode({ address, program }: LoadedModule): boolean {
  if (!isSpecialAddress(address)) return false;
  let isOwn = ownCode.get(program);
  if (isOwn === undefined) {
    isOwn = program.dependencies?.every((one) => isSpecialAddress(toHex(one.address))) ?? false;
    ownCode.set(program, isOwn);
  }
  return isOwn;
}

function isOwnType(type: AbiType): boolean {
  if (type.kind === "struct" && !isSpecialAddress(toHex(type.address))) return false;
  return partsOf(type).every(isOwnType);
}

/** What the ledger needs to know of a type. */
export interface StoredType {
  readonly key: string;
  readonly layout: Layout;
  /** Group that keeps resources of the type, if they are kept in one. */
  readonly group: string | undefined;
}

/** Runs may name any number of types, with long texts and large layouts: about a kilobyte counts as one. */
const MAX_SHARED = 20_000;
const TEXT_PER_COUNT = 512;
const NODES_PER_COUNT = 8;
/** Characters of the type arguments of one run: ten thousand times what code that means well has. */
const MAX_TYPE_TEXT = 1 << 25;

/** Functions and types of the chain's own modules that all runs on one state share. */
export class SharedCode {
  instances: Instances = new Map();
  /** By whether layouts have delayed fields. */
  types: readonly [Map<string, StoredType>, Map<string, StoredType>] = [new Map(), new Map()];
  count = 0;

  get isFull(): boolean {
    return this.count >= MAX_SHARED;
  }

  /** Moves everything to another one. */
  take(): SharedCode {
    const taken = Object.assign(new SharedCode(), this);
    Object.assign(this, new SharedCode());
    return taken;
  }
}

type Instances = Map<FunctionDefinition, Map<string, FunctionInstance>>;

/** A struct and the module that defines it. */
export interface FoundStruct {
  readonly module: LoadedModule;
  readonly abi: StructAbi;
}

/** Modules that the sessions of a transaction used. */
export class ModuleVisits {
  readonly keys = new Set<string>();
  /** Of those that were charged. */
  count = 0;
  bytes = 0;
}

export class Linker {
  readonly meter: Meter;
  readonly #source: ModuleSource;
  readonly #natives: NativeSource;
  readonly #modules = new Map<string, LoadedModule>();
  readonly visits: ModuleVisits;
  /** True where numbers of aggregators stay hidden from code. */
  readonly hasDelayedFields: boolean;
  readonly #instances: Instances = new Map();
  #shared: SharedCode | undefined;
  readonly #types = new Map<string, StoredType>();
  /** Type arguments by their keys, which may be long: instances are told apart by the numbers. */
  readonly #typeNumbers = new Map<string, number>();
  #typeText = 0;

  constructor(options: {
    readonly meter: Meter;
    readonly source: ModuleSource;
    readonly natives: NativeSource;
    readonly visits?: ModuleVisits;
    readonly hasDelayedFields?: boolean;
    /** Of the state that `source` reads modules from. */
    readonly shared?: SharedCode | undefined;
  }) {
    this.#shared = options.shared;
    this.meter = options.meter;
    this.#source = options.source;
    this.#natives = options.natives;
    this.visits = options.visits ?? new ModuleVisits();
    this.hasDelayedFields = options.hasDelayedFields === true;
  }

  /** A module. Charges its first use. Throws VmError if there is none. */
  module(address: string, name: string): LoadedModule {
    const module = this.findModule(address, name);
    if (module === undefined)
      throw new VmError(STATUS.linkerError, `there is no module ${moduleKey(address, name)}`);
    return module;
  }

  /** Like `module`, but undefined if there is none. */
  findModule(address: string, name: string): LoadedModule | undefined {
    const module = this.peek(address, name);
    if (module !== undefined) this.visit(module);
    return module;
  }

  /** Charges the first use of a module. */
  visit(module: LoadedModule): void {
    if (this.isVisited(module)) return;
    this.markVisited(module);
    this.chargeModule(module);
  }

  /** True for a module that needs no charge any more, or never does. */
  isVisited({ key, address }: Pick<LoadedModule, "key" | "address">): boolean {
    return isSpecialAddress(address) || this.visits.keys.has(key);
  }

  markVisited({ key }: Pick<LoadedModule, "key">): void {
    this.visits.keys.add(key);
  }

  /** Charges for the bytes of a module, and counts it. Modules of the chain itself are free. */
  chargeModule({ address, codeBytes }: Pick<LoadedModule, "address" | "codeBytes">): void {
    const { meter, visits } = this;
    if (!meter.isMetered || isSpecialAddress(address)) return;
    meter.charge(
      meter.price("txn.dependency_per_module") + meter.price("txn.dependency_per_byte") * codeBytes,
    );
    visits.count++;
    visits.bytes += codeBytes;
    if (
      visits.count > meter.price("txn.max_num_dependencies", Number.POSITIVE_INFINITY) ||
      visits.bytes > meter.price("txn.max_total_dependency_size", Number.POSITIVE_INFINITY)
    )
      throw new VmError(STATUS.dependencyLimitReached, "too many modules are used");
  }

  /** Like `findModule`, without a charge. */
  peek(address: string, name: string): LoadedModule | undefined {
    const key = moduleKey(address, name);
    let module = this.#modules.get(key);
    if (module === undefined) {
      module = this.#source(address, name);
      if (module !== undefined) this.#modules.set(key, module);
    }
    return module;
  }

  /** Puts new modules in the place of those of the ledger. */
  stage(modules: readonly LoadedModule[]): void {
    for (const module of modules) this.#modules.set(module.key, module);
    this.#shared = undefined;
    this.#instances.clear();
    this.#types.clear();
  }

  function(
    reference: Pick<FunctionReference, "module" | "name">,
    typeArgs: readonly AbiType[],
  ): FunctionInstance {
    const module = this.module(toHex(reference.module.address), reference.module.name);
    return this.functionIn(module, reference.name, typeArgs);
  }

  /** A function that code of `caller` names. Throws VmError if the code may not use it: each may be newer than the other. */
  called(reference: FunctionReference, typeArgs: readonly AbiType[], caller: LoadedModule): FunctionInstance {
    const callee = this.function(reference, typeArgs);
    const { definition, module, key } = callee;
    if (key !== caller.key && links.get(reference) !== definition) {
      const status = linkFault(reference, definition, module.program.abi?.friends ?? [], caller.key);
      if (status !== undefined)
        throw new VmError(status, `the function ${key}::${definition.name} is another`);
      links.set(reference, definition);
    }
    return callee;
  }

  functionIn(module: LoadedModule, name: string, typeArgs: readonly AbiType[]): FunctionInstance {
    const definition = named(module.program.functions, name);
    if (definition === undefined) {
      throw new VmError(STATUS.functionResolutionFailure, `there is no function ${module.key}::${name}`);
    }
    return this.instance(module, definition, typeArgs);
  }

  instance(
    module: LoadedModule,
    definition: FunctionDefinition,
    typeArgs: readonly AbiType[],
  ): FunctionInstance {
    const shared = this.#shared;
    const isShared = shared !== undefined && !shared.isFull && isOwnCode(module) && typeArgs.every(isOwnType);
    const all = isShared ? shared.instances : this.#instances;
    let instances = all.get(definition);
    if (instances === undefined) {
      instances = new Map();
      all.set(definition, instances);
    }
    const key = isShared ? typesKey(typeArgs) : typeArgs.map((type) => this.#numberOf(type)).join();
    let instance = instances.get(key);
    if (instance === undefined) {
      if (typeArgs.length !== definition.typeParams.length)
        throw new VmError(
          STATUS.wrongTypeArgumentCount,
          `${module.key}::${definition.name} takes ${definition.typeParams.length} type arguments`,
        );
      const native = definition.body === undefined ? this.#native(module, definition) : undefined;
      instance = new FunctionInstance(module, definition, typeArgs, native, isShared);
      instances.set(key, instance);
      if (isShared) shared.count += 1 + Math.floor(key.length / TEXT_PER_COUNT);
    }
    return instance;
  }

  #numberOf(type: AbiType): number {
    const key = typeKey(type);
    let number = this.#typeNumbers.get(key);
    if (number === undefined) {
      this.#typeText += key.length;
      if (this.#typeText > MAX_TYPE_TEXT)
        throw new VmError(STATUS.executionLimitReached, "the types of the run are too large");
      countWork(key.length);
      number = this.#typeNumbers.size;
      this.#typeNumbers.set(key, number);
    }
    return number;
  }

  /** An instance that runs share, if there is one already. */
  sharedInstance(definition: FunctionDefinition, typeArgs: readonly AbiType[]): FunctionInstance | undefined {
    return this.#shared?.instances.get(definition)?.get(typesKey(typeArgs));
  }

  #native(module: LoadedModule, { name }: FunctionDefinition): NativeCode {
    const native = this.#natives(`${module.key}::${name}`);
    if (native === undefined)
      throw new VmError(
        STATUS.missingDependency,
        `the native function ${module.key}::${name} is not implemented`,
      );
    return native;
  }

  script({ main, metadata }: ScriptProgram, typeArgs: readonly AbiType[]): FunctionInstance {
    const module: LoadedModule = {
      key: "script",
      address: "",
      name: "",
      program: { functions: [main], metadata },
      codeBytes: 0,
    };
    return this.instance(module, main, typeArgs);
  }

  /** The definition of a struct type. */
  struct({ address, module: name, name: struct }: AbiStructType): FoundStruct {
    const module = this.module(toHex(address), name);
    const abi = named(module.program.abi?.structs ?? NO_STRUCTS, struct);
    if (abi === undefined)
      throw new VmError(STATUS.typeResolutionFailure, `there is no struct ${module.key}::${struct}`);
    return { module, abi };
  }

  /** The layout of a concrete type. Throws VmError for one that is too large. */
  layout(type: AbiType): Layout {
    return this.stored(type).layout;
  }

  /** Like `layout`, with the group of resources. */
  stored(type: AbiType): StoredType {
    const key = typeKey(type);
    const shared = this.#shared?.types[this.hasDelayedFields ? 1 : 0];
    let stored = shared?.get(key) ?? this.#types.get(key);
    if (stored === undefined) {
      const budget = { nodes: 0, isOwn: true };
      const layout = this.#makeLayout(type, budget, 1);
      const group = type.kind === "struct" ? this.struct(type).abi.groupMemberOf : undefined;
      stored = { key, layout, group };
      if (this.#shared !== undefined && !this.#shared.isFull && budget.isOwn) {
        shared?.set(key, stored);
        this.#shared.count +=
          1 + Math.floor(key.length / TEXT_PER_COUNT) + Math.floor(budget.nodes / NODES_PER_COUNT);
      } else this.#types.set(key, stored);
    }
    return stored;
  }

  #makeLayout(type: AbiType, budget: { nodes: number; isOwn: boolean }, depth: number): Layout {
    if (++budget.nodes > MAX_LAYOUT_NODES)
      throw new VmError(STATUS.verificationError, "a type has too many parts");
    if (depth > MAX_LAYOUT_DEPTH) throw new VmError(STATUS.valueDepthReached, "a type is nested too deeply");
    switch (type.kind) {
      case "vector":
        return {
          kind: "vector",
          item: this.#makeLayout(type.item, budget, depth + 1),
          itemKind: itemKindOf(type.item),
        };
      case "struct": {
        const { abi, module } = this.struct(type);
        budget.isOwn &&= isOwnCode(module);
        const fieldsOf = (fields: StructAbi["fields"]): Layout[] =>
          fields.map((field) => this.#makeLayout(substitute(field.type, type.typeArgs), budget, depth + 1));
        if (abi.variants !== undefined)
          return { kind: "enum", variants: abi.variants.map(({ fields }) => fieldsOf(fields)) };
        const layout: Layout = { kind: "struct", fields: fieldsOf(abi.fields) };
        return this.hasDelayedFields ? delayedLayout(type, layout) : layout;
      }
      case "function":
        return { kind: "function" };
      case "reference":
      case "parameter":
        throw new VmError(STATUS.unknownInvariantViolation, "a reference has no layout");
      default:
        return { kind: type.kind };
    }
  }
}

const AGGREGATORS = `${FRAMEWORK}::aggregator_v2`;

/** Hides the numbers of aggregators and snapshots, and the whole of texts that are made of them. */
function delayedLayout(type: AbiStructType, layout: Layout & { readonly kind: "struct" }): Layout {
  if (type.module !== "aggregator_v2" || moduleKey(toHex(type.address), type.module) !== AGGREGATORS)
    return layout;
  if (type.name === "DerivedStringSnapshot") return { kind: "delayed", inner: layout };
  if (type.name !== "Aggregator" && type.name !== "AggregatorSnapshot") return layout;
  const [number, ...rest] = layout.fields;
  if (number === undefined) return layout;
  return { kind: "struct", fields: [{ kind: "delayed", inner: number }, ...rest] };
}
