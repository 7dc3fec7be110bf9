// Publishing of modules: what a bundle must fulfil before the chain takes it. The checks come in the order in which the
// chain makes them, because the first fault is the one that is kept.
import { toHex } from "../../base/hex.ts";
import { forEach, type Pieces } from "../../base/pieces.ts";
import type { Ability, AbiType, ModuleId, StructAbi } from "../../move/abi.ts";
import { moduleComplexity } from "../../move/bytecode/complexity.ts";
import {
  type CodeOperand,
  type FunctionDefinition,
  type FunctionReference,
  type Instantiation,
  type Program,
  type ProgramTables,
  readProgram,
  type WithTables,
} from "../../move/bytecode/program.ts";
import { MoveError } from "../../move/errors.ts";
import type { StructTag } from "../../move/type-tag.ts";
import { parseStructTag } from "../../move/type-text.ts";
import { STATUS, VmError } from "../errors.ts";
import { isSpecialAddress, type Linker, type LoadedModule, named } from "../linker.ts";
import type { PublishRequest } from "../natives/framework.ts";
import type { Features } from "../session.ts";
import { parseFault } from "../state.ts";
import { areSameLists, FRAMEWORK, moduleKey, typeKey } from "../types.ts";
import {
  ATTRIBUTE,
  isMetadataWellFormed,
  isUnstable,
  type ModuleMetadata,
  metadataOfModule,
} from "./metadata.ts";
import { assertLinks, assertWellFormed } from "./verify.ts";
import { hasModule, isSubset } from "./verify-types.ts";

const FEATURE = {
  friendsArePrivate: 2,
  format6: 5,
  resourceGroups: 9,
  moduleEvents: 26,
  saferGroups: 31,
  format7: 40,
  format8: 86,
  lazyLoading: 95,
  format9: 102,
} as const;
const MAINNET = 1;
const COMPLEXITY_BASE = 2048;
const COMPLEXITY_PER_BYTE = 20;
/** A body may have 65,535 instructions. */
const FUNCTIONS_OF_PIECE = 8;
/** Structs or functions that are compared with others in about a millisecond. */
const COMPARED_OF_PIECE = 128;
/** Versions of the gas schedule that brought a rule. */
const SINCE_STRICT_INIT = 35;

export interface PublishOptions {
  readonly linker: Linker;
  readonly features: Features;
  readonly chainId: number;
}

/** A module that a transaction publishes. */
export interface NewModule {
  readonly loaded: LoadedModule;
  readonly program: Program;
  readonly tables: ProgramTables;
  readonly bytes: Uint8Array;
  /** The version that it replaces. */
  readonly old: LoadedModule | undefined;
}

/** The newest version of the format that the chain takes. */
export function maxFormatVersion(features: Features): number {
  if (features.has(FEATURE.format9)) return 9;
  if (features.has(FEATURE.format8)) return 8;
  if (features.has(FEATURE.format7)) return 7;
  return features.has(FEATURE.format6) ? 6 : 5;
}

function* read(bytes: Uint8Array, { linker, features }: PublishOptions): Pieces<NewModule> {
  let code: WithTables<Program>;
  try {
    code = yield* readProgram(bytes);
  } catch (error) {
    throw error instanceof MoveError ? parseFault("", error) : error;
  }
  const { program, tables } = code;
  const { abi } = program;
  if (abi.formatVersion > maxFormatVersion(features))
    throw new VmError(STATUS.codeDeserializationError, "the module has a format that is not supported");
  const address = toHex(abi.address);
  const { name } = abi;
  return {
    loaded: { key: moduleKey(address, name), address, name, program, codeBytes: bytes.length },
    program,
    tables,
    bytes,
    old: linker.peek(address, name),
  };
}

/** Checks a request; charges for what that reads. Throws VmError. Returns the modules in the order of the bundle. */
export function* checkPublish(
  request: PublishRequest,
  options: PublishOptions,
): Pieces<readonly NewModule[]> {
  const { linker, features, chainId } = options;
  const modules: NewModule[] = [];
  for (const bytes of request.bundle) {
    modules.push(yield* read(bytes, options));
    yield;
  }
  chargeModules(modules, options);
  for (const { program, tables, bytes } of modules) {
    const budget = COMPLEXITY_BASE + COMPLEXITY_PER_BYTE * bytes.length;
    if ((yield* moduleComplexity(program, tables)) > budget)
      throw new VmError(STATUS.programTooComplex, "the types of a module are too large");
    yield;
  }
  if (chainId === MAINNET && modules.some(({ program }) => isUnstable(program.metadata)))
    throw new VmError(STATUS.unstableBytecodeRejected, "the code is marked as not stable");
  for (const { loaded, program } of modules) {
    yield* forEach(program.functions, FUNCTIONS_OF_PIECE, ({ body, isEntry }) => {
      if (body === undefined && (isEntry || !isSpecialAddress(loaded.address)))
        throw new VmError(STATUS.userDefinedNativeNotAllowed, "only the chain's own modules may be native");
    });
  }
  assertRequested(modules, request, features);
  assertGroups(modules, options);
  for (const module of modules) yield* assertEvents(module);
  if (new Set(request.expectedModules).size > modules.length)
    throw mismatch("a module that the package names is missing");
  yield* assertPlaces(modules, request.destination, features);
  linker.stage(modules.map(({ loaded }) => loaded));
  for (const module of [...modules].sort(byKey)) {
    yield* assertWellFormed(module);
    yield;
    if (!features.has(FEATURE.lazyLoading)) yield* assertNoCircle(module, linker);
    yield* assertLinks(module.tables, module.loaded.key, linker);
    for (const { address, name } of module.program.abi.friends)
      if (linker.peek(toHex(address), name) === undefined) throw linkerError(address, name);
  }
  return modules;
}

/** Without lazy loading the chain loads a module with all that it uses, which must not be the module itself. */
function* assertNoCircle({ program, loaded }: NewModule, linker: Linker): Pieces<void> {
  const found = new Set<string>();
  const left = [...program.dependencies];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const address = toHex(next.address);
    const key = moduleKey(address, next.name);
    if (key === loaded.key) throw new VmError(STATUS.cyclicModuleDependency, `${key} uses itself`);
    if (found.has(key) || isSpecialAddress(address)) continue;
    found.add(key);
    left.push(...(linker.module(address, next.name).program.dependencies ?? []));
    yield;
  }
}

function byKey(a: NewModule, b: NewModule): number {
  return Buffer.compare(Buffer.from(a.loaded.name), Buffer.from(b.loaded.name));
}

function mismatch(what: string): VmError {
  return new VmError(STATUS.constraintNotSatisfied, what);
}

function linkerError(address: Uint8Array, name: string): VmError {
  return new VmError(STATUS.linkerError, `there is no module 0x${toHex(address)}::${name}`);
}

/** Charges for old versions, for the new modules, and for what they use directly. */
function chargeModules(modules: readonly NewModule[], { linker, features }: PublishOptions): void {
  for (const { loaded, old } of modules) {
    if (linker.isVisited(loaded)) continue;
    linker.markVisited(loaded);
    if (old !== undefined) linker.chargeModule(old);
  }
  for (const { loaded } of modules) linker.chargeModule(loaded);
  const own = new Set(modules.map(({ loaded }) => loaded.key));
  for (const { program } of modules) {
    for (const { address, name } of program.dependencies) {
      const hex = toHex(address);
      if (own.has(moduleKey(hex, name))) continue;
      if (isSpecialAddress(hex)) continue;
      if (linker.findModule(hex, name) === undefined) throw linkerError(address, name);
    }
  }
  if (!features.has(FEATURE.lazyLoading)) return;
  for (const { program } of modules)
    for (const { address, name } of program.abi.friends)
      if (!own.has(moduleKey(toHex(address), name)))
        throw new VmError(STATUS.friendNotFoundInBundle, `the friend ${name} is not in the bundle`);
}

/** The names of the modules, what they use, and their attributes. */
function assertRequested(
  modules: readonly NewModule[],
  { expectedModules, allowed }: PublishRequest,
  features: Features,
): void {
  const expected = new Set(expectedModules);
  // A module without a name stands for all at its address.
  const keys = allowed && new Set(allowed.map((one) => moduleKey(one.address, one.name)));
  const isAllowed = ({ address, name }: ModuleId): boolean =>
    keys === undefined ||
    keys.has(moduleKey(toHex(address), name)) ||
    keys.has(moduleKey(toHex(address), ""));
  for (const { program, loaded } of modules) {
    if (!expected.delete(loaded.name)) throw mismatch(`the package does not name the module ${loaded.name}`);
    if (!program.dependencies.every(isAllowed))
      throw mismatch("a module uses one that the package does not name");
    assertAttributes(program, features);
  }
}

function assertAttributes(program: Program, features: Features): void {
  const hasGroups = features.has(FEATURE.resourceGroups);
  if (hasGroups && !isMetadataWellFormed(program)) throw mismatch("the metadata is malformed");
  const metadata = metadataOfModule(program);
  if (metadata === undefined) return;
  const functions = new Map(program.functions.map((one) => [one.name, one]));
  for (const [name, attributes] of metadata.functions) {
    const definition = functions.get(name);
    for (const { kind } of attributes) {
      const isView = kind === ATTRIBUTE.oldView || kind === ATTRIBUTE.view;
      const isGood = isView
        ? (definition?.returns.length ?? 0) > 0
        : kind === ATTRIBUTE.randomness && definition?.isEntry === true && definition.visibility !== "public";
      if (!isGood) throw mismatch(`the function ${name} has an attribute that it cannot have`);
    }
  }
  const structs = new Map(program.abi.structs.map((one) => [one.name, one]));
  for (const [name, attributes] of metadata.structs) {
    for (const { kind, args } of attributes) {
      if (!isStructAttribute(kind, args[0], structs.get(name), features))
        throw mismatch(`the struct ${name} has an attribute that it cannot have`);
    }
  }
}

function isStructAttribute(
  kind: number,
  arg: string | undefined,
  struct: StructAbi | undefined,
  features: Features,
): boolean {
  if (features.has(FEATURE.resourceGroups)) {
    if (kind === ATTRIBUTE.group && scopeOf(arg) !== undefined)
      return (
        struct !== undefined &&
        struct.abilities.length === 0 &&
        struct.typeParams.length === 0 &&
        struct.fields.length === 1
      );
    if (kind === ATTRIBUTE.groupMember && groupTag(arg) !== undefined)
      return struct?.abilities.includes("key") === true;
  }
  return kind === ATTRIBUTE.event && features.has(FEATURE.moduleEvents);
}

/** Scopes of resource groups: the larger, the stricter. */
function scopeOf(text: string | undefined): number | undefined {
  const scope = ["global", "address", "module_"].indexOf(text ?? "");
  return scope < 0 ? undefined : scope;
}

function groupTag(text: string | undefined): StructTag | undefined {
  if (text === undefined) return undefined;
  try {
    return parseStructTag(text);
  } catch (error) {
    if (error instanceof MoveError) return undefined;
    throw error;
  }
}

interface Groups {
  /** Scopes of the groups that a module has. */
  readonly scopes: Map<string, number>;
  /** Groups of members. */
  readonly members: Map<string, StructTag>;
}

function groupsOf(metadata: ModuleMetadata | undefined): Groups {
  const scopes = new Map<string, number>();
  const members = new Map<string, StructTag>();
  for (const [name, attributes] of metadata?.structs ?? []) {
    for (const { kind, args } of attributes) {
      if (kind === ATTRIBUTE.group) {
        const scope = scopeOf(args[0]);
        if (scope === undefined || scopes.has(name)) throw mismatch(`${name} has a wrong group attribute`);
        scopes.set(name, scope);
      } else if (kind === ATTRIBUTE.groupMember) {
        const tag = groupTag(args[0]);
        if (tag === undefined || members.has(name)) throw mismatch(`${name} has a wrong member attribute`);
        members.set(name, tag);
      }
    }
  }
  return { scopes, members };
}

function tagKey({ address, module, name, typeArgs }: StructTag): string {
  return JSON.stringify([toHex(address), module, name, typeArgs], (_, value) =>
    value instanceof Uint8Array ? toHex(value) : value,
  );
}

/** Groups of a module, and its members that are new. An upgrade keeps what was there. */
function newGroups({ program, old }: NewModule, features: Features): Groups {
  const { scopes, members } = groupsOf(metadataOfModule(program));
  const oldMetadata = old && metadataOfModule(old.program);
  if (oldMetadata === undefined) return { scopes, members };
  const before = groupsOf(oldMetadata);
  for (const [name, tag] of before.members) {
    const now = members.get(name);
    if (now === undefined || tagKey(now) !== tagKey(tag)) throw mismatch(`${name} leaves its resource group`);
    members.delete(name);
  }
  for (const [name, scope] of before.scopes) {
    const now = scopes.get(name);
    if (now === undefined || now > scope) throw mismatch(`the resource group ${name} is narrowed`);
  }
  if (features.has(FEATURE.saferGroups)) {
    const plain = new Set((old?.program.abi?.structs ?? []).map(({ name }) => name));
    for (const name of [...before.members.keys(), ...before.scopes.keys()]) plain.delete(name);
    for (const name of [...scopes.keys(), ...members.keys()])
      if (plain.has(name)) throw mismatch(`the struct ${name} was in no resource group before`);
  }
  return { scopes, members };
}

function assertGroups(modules: readonly NewModule[], { linker, features }: PublishOptions): void {
  const scopes = new Map<string, Map<string, number>>();
  const members: { readonly module: NewModule; readonly tags: readonly StructTag[] }[] = [];
  for (const module of modules) {
    const groups = newGroups(module, features);
    scopes.set(module.loaded.key, groups.scopes);
    members.push({ module, tags: [...groups.members.values()] });
  }
  members.sort((a, b) => byKey(a.module, b.module));
  for (const { module, tags } of members) {
    for (const { address, module: name, name: group } of tags) {
      const hex = toHex(address);
      const key = moduleKey(hex, name);
      let known = scopes.get(key);
      if (known === undefined) {
        const found = linker.findModule(hex, name);
        if (found === undefined) throw linkerError(address, name);
        known = groupsOf(metadataOfModule(found.program)).scopes;
        scopes.set(key, known);
      }
      const scope = known.get(group);
      const { loaded } = module;
      const fits =
        scope === 0 || (scope === 1 && hex === loaded.address) || (scope === 2 && key === loaded.key);
      if (!fits) throw mismatch(`the resource group ${group} does not take members of this module`);
    }
  }
}

function eventsOf(metadata: ModuleMetadata | undefined): Set<string> {
  const events = new Set<string>();
  for (const [name, attributes] of metadata?.structs ?? []) {
    for (const { kind } of attributes) {
      if (kind !== ATTRIBUTE.event) continue;
      if (events.has(name)) throw eventFault(`${name} is marked as an event twice`);
      events.add(name);
    }
  }
  return events;
}

function eventFault(what: string): VmError {
  return new VmError(STATUS.eventMetadataValidationError, what);
}

/** True for `0x1::event::emit`. */
export function isEmit({ module, name }: Pick<FunctionReference, "module" | "name">): boolean {
  return name === "emit" && module.name === "event" && toHex(module.address) === FRAMEWORK;
}

/** What generic instruction calls or packs. */
function genericTarget(opcode: number, operand: CodeOperand): Instantiation<FunctionReference> | undefined {
  if (opcode === 0x38) return operand as Instantiation<FunctionReference>;
  if (opcode === 0x59) return (operand as { readonly target: Instantiation<FunctionReference> }).target;
  return undefined;
}

/** A module emits only events that it defines and marks; an upgrade keeps the marks. */
function* assertEvents({ program, loaded, old }: NewModule): Pieces<void> {
  const events = eventsOf(metadataOfModule(program));
  yield* forEach(program.functions, FUNCTIONS_OF_PIECE, ({ body }) => {
    body?.opcodes.forEach((opcode, pc) => {
      const target = genericTarget(opcode, body.operands[pc]);
      if (target === undefined || !isEmit(target.of)) return;
      const [type] = target.typeArgs;
      const isOwn = type?.kind === "struct" && moduleKey(toHex(type.address), type.module) === loaded.key;
      if (!isOwn || !events.has(type.name))
        throw eventFault("the code emits what is not an event of its module");
    });
  });
  if (old === undefined) return;
  for (const name of eventsOf(metadataOfModule(old.program)))
    if (!events.has(name)) throw eventFault(`${name} is no longer an event`);
}

/** Addresses and compatibility with old versions, one module after the other. */
function* assertPlaces(modules: readonly NewModule[], destination: string, features: Features): Pieces<void> {
  for (const { loaded, program, old } of modules) {
    if (loaded.address !== destination)
      throw new VmError(STATUS.moduleAddressMismatch, `the module ${loaded.key} is not for this address`);
    if (old?.program.abi !== undefined) yield* assertCompatible(old.program as Program, program, features);
  }
}

function* assertCompatible(old: Program, now: Program, features: Features): Pieces<void> {
  const assert = (isGood: boolean): void => {
    if (isGood) return;
    const key = moduleKey(toHex(now.abi.address), now.abi.name);
    throw new VmError(STATUS.incompatibleUpdate, `${key} is not compatible with its old version`);
  };
  yield* forEach(old.abi.structs, COMPARED_OF_PIECE, (struct) => {
    const next = named(now.abi.structs, struct.name);
    assert(next !== undefined && isStructCompatible(struct, next));
  });
  const checksFriends = !features.has(FEATURE.friendsArePrivate);
  yield* forEach(old.functions, COMPARED_OF_PIECE, (definition) => {
    const { visibility, isEntry, isPersistent, name } = definition;
    if (visibility === "private" && !isEntry && !isPersistent) return;
    if (visibility === "friend" && !isPersistent && !checksFriends && !isEntry) return;
    const next = named(now.functions, name);
    assert(next !== undefined && isFunctionCompatible(definition, next));
  });
  if (checksFriends)
    assert(
      old.abi.friends.every((one) => hasModule(now.abi.friends, moduleKey(toHex(one.address), one.name))),
    );
}

function isStructCompatible(old: StructAbi, now: StructAbi): boolean {
  if (!isSubset(old.abilities, now.abilities)) return false;
  if (old.typeParams.length !== now.typeParams.length) return false;
  const areParams = old.typeParams.every(({ constraints, phantom }, i) => {
    const next = now.typeParams[i];
    return next !== undefined && (!phantom || next.phantom) && isSubset(next.constraints, constraints);
  });
  if (!areParams) return false;
  if (old.variants === undefined)
    return now.variants === undefined && fieldsKey(old.fields) === fieldsKey(now.fields);
  return old.variants.every((variant, i) => {
    const next = now.variants?.[i];
    return next?.name === variant.name && fieldsKey(variant.fields) === fieldsKey(next.fields);
  });
}

function fieldsKey(fields: StructAbi["fields"]): string {
  return fields.map(({ name, type }) => `${name}:${typeKey(type)}`).join();
}

const OPENNESS = { private: 0, friend: 1, public: 2 } as const;

function isFunctionCompatible(old: FunctionDefinition, now: FunctionDefinition): boolean {
  const constraints = (types: readonly (readonly Ability[])[], i: number): readonly Ability[] =>
    types[i] ?? [];
  return (
    OPENNESS[now.visibility] >= OPENNESS[old.visibility] &&
    (!old.isEntry || now.isEntry) &&
    (!old.isPersistent || now.isPersistent) &&
    areSameLists(old.params, now.params) &&
    areSameLists(old.returns, now.returns) &&
    old.typeParams.length === now.typeParams.length &&
    old.typeParams.every((one, i) => isSubset(constraints(now.typeParams, i), one))
  );
}

/** Throws VmError unless the initialiser of a module has the form that the chain calls. */
export function assertInitialiser(
  { visibility, returns, params, typeParams }: FunctionDefinition,
  gasVersion: number,
): void {
  const isSigner = (type: AbiType | undefined): boolean =>
    type?.kind === "signer" ||
    (type?.kind === "reference" &&
      (!type.mutable || gasVersion >= SINCE_STRICT_INIT) &&
      type.to.kind === "signer");
  if (gasVersion < SINCE_STRICT_INIT) {
    if (visibility !== "private" || returns.length > 0 || !params.every(isSigner))
      throw new VmError(STATUS.verificationError, "init_module has a wrong form");
    return;
  }
  const isGood =
    visibility === "private" && returns.length === 0 && params.length === 1 && isSigner(params[0]);
  if (!isGood || typeParams.length > 0)
    throw new VmError(STATUS.invalidInitModule, "init_module has a wrong form");
}
