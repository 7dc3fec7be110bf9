// Instructions that name a type, a function or an item of the state: what they name is found once for each place in the
// code. Here are also the operands and the frames, which the interpreter runs.
import { toHex } from "../base/hex.ts";
import type { AbiStructType, AbiType, StructAbi } from "../move/abi.ts";
import type {
  ClosureReference,
  Constant,
  FieldReference,
  FunctionReference,
  Instantiation,
  VariantReference,
  VectorReference,
} from "../move/bytecode/program.ts";
import { invariant, STATUS, VmError } from "./errors.ts";
import type { InstructionPrices, Meter } from "./gas.ts";
import { isInstantiation, split } from "./instructions.ts";
import { decodeValue, hasDelayed } from "./layout.ts";
import type { Leaf } from "./leaves.ts";
import type { FunctionInstance, Linker } from "./linker.ts";
import type { GlobalSlot, Session } from "./session.ts";
import { countNodes, FRAMEWORK, substitute } from "./types.ts";
import {
  asAddress,
  asRef,
  asStruct,
  asVec,
  Closure,
  heapSize,
  type ItemKind,
  itemKindOf,
  itemSize,
  Ref,
  STACK_SIZE,
  Struct,
  type Value,
  Vec,
} from "./values.ts";

const NO_FIELDS: StructAbi["fields"] = [];
/** Operands that most runs have at once. */
const STACK_ROOM = 32;
export const MAX_OPERANDS = 1024;
const OTHER_VARIANT = "a value has another variant";
const FUNCTION_CACHES = 83;
/** The chain does not release the memory of arguments for natives of these. */
const LEAKING: ReadonlySet<string> = new Set([`${FRAMEWORK}::table`, `${FRAMEWORK}::event`]);

export interface Frame {
  readonly caller: Frame | undefined;
  readonly instance: FunctionInstance;
  readonly locals: Value[];
  /** Operands of the callers. */
  readonly base: number;
  pc: number;
  /** True if the call entered its module, which counts against reentrancy. */
  readonly hasEntered: boolean;
  readonly isLocked: boolean;
}

/** A struct with its type arguments, or a variant, as an instruction names it. */
interface ResolvedStruct {
  readonly type: AbiStructType;
  /** Parts of the types that the instruction pays for. */
  readonly nodes: number;
  readonly fieldCount: number;
  /** -1 for a struct. */
  readonly variant: number;
  /** The key of the type, once it was used: always the same text, so that comparing it is quick. */
  key: string | undefined;
}

interface ResolvedVector {
  readonly kind: ItemKind;
  readonly nodes: number;
}

export interface ResolvedCall {
  readonly callee: FunctionInstance;
  readonly argCount: number;
  /** Of the arguments and the other locals. */
  readonly room: number;
  /** Parts of the type arguments. */
  readonly nodes: number;
  /** True for a call of bytecode that locks no module. */
  readonly isPlain: boolean;
  /** True for a call into another module. */
  readonly isCross: boolean;
  readonly isLeaking: boolean;
  /** The number of the run that paid for the types last. */
  chargedBy: number;
  /** The prices that the two below are of. */
  pricedBy: InstructionPrices | undefined;
  /** Of the call with the types of its locals, but without the types that it names. */
  price: number;
  leaf: Leaf | undefined;
}

let runCount = 0;

/** A run as far as these instructions see it. */
export abstract class TypedInstructions {
  readonly linker: Linker;
  readonly session: Session;
  readonly meter: Meter;
  protected readonly prices: InstructionPrices;
  /** The frame that runs. */
  protected frame: Frame | undefined;
  /** Operands, as many as `height`; what is above is old. */
  protected readonly stack: Value[] = new Array(STACK_ROOM);
  protected height = 0;
  /** Stands for this run where it paid for something. A number, because old objects that name new ones cost time. */
  protected readonly payer: number = ++runCount;
  /** True if the types of a generic call are paid for once in a run. */
  protected readonly paysOnce: boolean;

  constructor(linker: Linker, session: Session) {
    this.linker = linker;
    this.session = session;
    this.meter = linker.meter;
    this.prices = linker.meter.instructions;
    this.paysOnce = session.options.features.has(FUNCTION_CACHES);
  }

  /** How often a module was entered by calls that go on. */
  protected entries(key: string): number {
    let count = 0;
    for (let frame = this.frame; frame !== undefined; frame = frame.caller)
      if (frame.hasEntered && frame.instance.key === key) count++;
    return count;
  }

  protected pop(base: number): Value {
    if (this.height <= base) throw invariant("the operand stack is empty");
    return this.stack[--this.height] as Value;
  }

  protected push(value: Value): void {
    if (this.height >= MAX_OPERANDS) throw new VmError(STATUS.stackOverflow, "the operand stack is full");
    this.stack[this.height++] = value;
  }

  /** Takes arguments from the stack into an array of `size`, which may have room for more. */
  protected popArgs(count: number, base: number, size = count): Value[] {
    const first = this.height - count;
    if (first < base) throw invariant("the operand stack is empty");
    const args = new Array<Value>(size);
    for (let i = 0; i < count; i++) args[i] = this.stack[first + i] as Value;
    this.height = first;
    return args;
  }

  #known({ resolved }: FunctionInstance, pc: number): ResolvedCall | undefined {
    return resolved[pc] as ResolvedCall | undefined;
  }

  #find(
    instance: FunctionInstance,
    pc: number,
    of: FunctionReference,
    types: readonly AbiType[],
  ): ResolvedCall {
    const callee = this.linker.called(of, types, instance.module);
    const call = resolvedCall(instance, callee, of, countAll(types));
    if (mayKeep(instance, callee)) instance.resolved[pc] = call;
    return call;
  }

  protected plainCall({ instance, pc }: Frame): ResolvedCall {
    return (
      this.#known(instance, pc) ?? this.#find(instance, pc, instance.operands[pc] as FunctionReference, [])
    );
  }

  /** What a generic call calls. Its types are charged once for each caller and instantiation in one run. */
  protected genericCall({ instance, pc }: Frame): ResolvedCall {
    const reference = instance.operands[pc] as Instantiation<FunctionReference>;
    const { calls, resolved } = instance;
    let call = this.#known(instance, pc) ?? (calls.get(reference) as ResolvedCall | undefined);
    if (call?.chargedBy === this.payer) {
      resolved[pc] = call;
      return call;
    }
    const types = call?.callee.typeArgs ?? typesIn(instance, reference.typeArgs);
    this.meter.charge(this.prices.perNode * (call?.nodes ?? countAll(types)));
    call ??= this.#find(instance, pc, reference.of, types);
    if (mayKeep(instance, call.callee) && !calls.has(reference)) calls.set(reference, call);
    resolved[pc] ??= calls.get(reference);
    if (this.paysOnce) call.chargedBy = this.payer;
    return call;
  }

  /** Runs an instruction that neither calls nor returns; returns what it gives. */
  protected typedStep(opcode: number, frame: Frame): Value | undefined {
    const { instance, base, pc } = frame;
    const { operands, resolved } = instance;
    const meter = this.meter;
    const prices = this.prices;
    const costs = prices.base;
    switch (opcode) {
      case 0x07: {
        const { type, bytes } = operands[pc] as Constant;
        meter.charge(prices.perNode * countNodes(type));
        meter.charge((costs[opcode] as number) + prices.constantByte * bytes.length);
        const known = resolved[pc] as Value | undefined;
        if (known !== undefined) return known;
        const value = decodeValue(bytes, this.linker.layout(type));
        if (value === undefined) throw invariant("a constant does not decode");
        if (typeof value === "object") meter.useMemory(heapSize(value));
        else resolved[pc] = value;
        return value;
      }
      case 0x4e:
      case 0x4f:
      case 0x50:
      case 0x51: {
        let field = operands[pc] as FieldReference;
        if (opcode >= 0x50) {
          const { of, typeArgs } = operands[pc] as Instantiation<FieldReference>;
          meter.charge(prices.perNode * this.fieldNodes(instance, pc, of, typeArgs));
          meter.charge(costs[opcode] as number);
          field = of;
        }
        const ref = asRef(this.pop(base));
        const value = asStruct(ref);
        if (!(field.variants ?? []).includes(value.tag))
          throw new VmError(STATUS.structVariantMismatch, OTHER_VARIANT);
        return new Ref(value.fields, field.index, ref.root);
      }
      case 0x12:
      case 0x39:
      case 0x52:
      case 0x53:
        return this.#pack(opcode, frame);
      case 0x13:
      case 0x3a:
      case 0x54:
      case 0x55:
        this.#unpack(opcode, frame);
        return undefined;
      case 0x56:
      case 0x57: {
        const { nodes, variant } = this.#resolve(frame, false);
        if (opcode === 0x57) meter.charge(prices.perNode * nodes + (costs[opcode] as number));
        return asStruct(asRef(this.pop(base))).tag === variant;
      }
      case 0x58:
      case 0x59:
        return this.#packClosure(opcode, frame);
      default:
        if (opcode >= 0x40 && opcode <= 0x47) return this.#vector(opcode, frame);
        if (opcode >= 0x29 && opcode <= 0x3f) return this.#global(opcode, frame);
        throw invariant(`unknown opcode ${opcode}`);
    }
  }

  /** Parts of the types of a field and of its struct. */
  protected fieldNodes(
    instance: FunctionInstance,
    pc: number,
    { owner, index, variants }: FieldReference,
    typeArgs: readonly AbiType[],
  ): number {
    const known = instance.resolved[pc] as number | undefined;
    if (known !== undefined) return known;
    const struct = this.#structType(instance, owner, typeArgs);
    const fields = variants === undefined ? owner.fields : owner.variants?.[variants[0] ?? 0]?.fields;
    const type = fields?.[index]?.type;
    if (type === undefined) throw invariant("a field is missing");
    const nodes = countAll([struct, substitute(type, struct.typeArgs)]);
    instance.resolved[pc] = nodes;
    return nodes;
  }

  /** The struct or variant that an instruction names, worked out once for each instruction. */
  #resolve({ instance, pc }: Frame, hasFields: boolean): ResolvedStruct {
    let known = instance.resolved[pc] as ResolvedStruct | undefined;
    if (known === undefined) {
      const operand = instance.operands[pc];
      const { of, typeArgs } = split<StructAbi | VariantReference>(operand);
      const { owner, variant } = "owner" in of ? of : { owner: of, variant: -1 };
      const fields = variant < 0 ? owner.fields : (owner.variants?.[variant]?.fields ?? NO_FIELDS);
      const type = this.#structType(instance, owner, typeArgs);
      const priced = hasFields ? fields.map((field) => substitute(field.type, type.typeArgs)) : [];
      const nodes = isInstantiation(operand) ? countAll([type, ...priced]) : 0;
      known = { type, nodes, fieldCount: fields.length, variant, key: undefined };
      instance.resolved[pc] = known;
    }
    return known;
  }

  #structType(instance: FunctionInstance, abi: StructAbi, typeArgs: readonly AbiType[]): AbiStructType {
    const { abi: module } = instance.module.program;
    if (module === undefined) throw invariant("a script defines no structs");
    const { address, name } = module;
    return { kind: "struct", address, module: name, name: abi.name, typeArgs: typesIn(instance, typeArgs) };
  }

  #pack(opcode: number, frame: Frame): Struct {
    const { nodes, fieldCount, variant } = this.#resolve(frame, true);
    const meter = this.meter;
    const prices = this.prices;
    meter.charge(prices.perNode * nodes);
    const each = opcode === 0x39 || opcode === 0x53 ? prices.packGenericField : prices.packField;
    if (variant < 0) meter.useMemory(STACK_SIZE * fieldCount);
    meter.charge((prices.base[opcode] as number) + each * fieldCount);
    if (variant >= 0) meter.useMemory(STACK_SIZE * fieldCount);
    return new Struct(this.popArgs(fieldCount, frame.base), variant);
  }

  #unpack(opcode: number, frame: Frame): void {
    const { nodes, fieldCount, variant } = this.#resolve(frame, true);
    const meter = this.meter;
    const prices = this.prices;
    const { fields, tag } = asStruct(this.pop(frame.base));
    meter.charge(prices.perNode * nodes);
    const each = opcode === 0x3a || opcode === 0x55 ? prices.unpackGenericField : prices.unpackField;
    // The tag counts as a field.
    const count = variant < 0 ? fieldCount : fields.length + 1;
    meter.charge((prices.base[opcode] as number) + each * count);
    if (tag !== variant) throw new VmError(STATUS.structVariantMismatch, OTHER_VARIANT);
    if (fields.length !== fieldCount) throw invariant("a struct has other fields");
    meter.releaseMemory(STACK_SIZE * count);
    for (const field of fields) this.push(field);
  }

  #global(opcode: number, frame: Frame): Value | undefined {
    const { instance, base } = frame;
    const meter = this.meter;
    const isGeneric = opcode >= 0x3b;
    const struct = this.#resolve(frame, false);
    meter.charge(this.prices.perNode * struct.nodes);
    // Exists, borrow mutably, borrow, move from, move to.
    const action = isGeneric ? opcode - 0x3b : opcode - 0x29;
    const moved = action === 4 ? this.pop(base) : undefined;
    const address =
      action === 4 ? asAddress(asStruct(asRef(this.pop(base))).fields[0]) : asAddress(this.pop(base));
    struct.key ??= this.linker.stored(struct.type).key;
    const slot: GlobalSlot = this.session.resource(address, struct.type, struct.key);
    meter.charge(this.prices.base[opcode] as number);
    if (this.entries(instance.key) > 1)
      throw new VmError(STATUS.runtimeDispatchError, "a module that is entered twice touches its resources");
    switch (action) {
      case 0:
        return slot.exists;
      case 1:
      case 2:
        if (!slot.exists) throw missing(address, struct.type);
        return new Ref(slot.place, 0, slot);
      case 3: {
        if (!slot.exists) throw missing(address, struct.type);
        return slot.take() as Value;
      }
      default:
        if (slot.exists)
          throw new VmError(
            STATUS.resourceAlreadyExists,
            `0x${address} has a ${struct.type.module}::${struct.type.name} already`,
          );
        slot.put(moved as Value);
    }
  }

  #vector(opcode: number, frame: Frame): Value | undefined {
    const { instance, pc, base } = frame;
    const meter = this.meter;
    const prices = this.prices;
    const operand = instance.operands[pc];
    if (operand === undefined) throw invariant("an instruction has no operand");
    const { item, count } = operand as VectorReference;
    let known = instance.resolved[pc] as ResolvedVector | undefined;
    if (known === undefined) {
      const type = substitute(item, instance.typeArgs);
      known = { kind: itemKindOf(type), nodes: countNodes(type) };
      instance.resolved[pc] = known;
    }
    meter.charge(prices.perNode * known.nodes);
    const cost = prices.base[opcode] as number;
    switch (opcode) {
      case 0x40: {
        const items = count & 0xffff;
        meter.useMemory(itemSize(known.kind) * items);
        meter.charge(cost + prices.vectorPackItem * items);
        return new Vec(known.kind, this.popArgs(items, base));
      }
      case 0x41:
        meter.charge(cost);
        return BigInt(asVec(asRef(this.pop(base))).items.length);
      case 0x42:
      case 0x43: {
        const index = this.pop(base) as bigint;
        const ref = asRef(this.pop(base));
        meter.charge(cost);
        const { items } = asVec(ref);
        if (index >= BigInt(items.length)) throw vectorError(1, "an index is out of range");
        return new Ref(items, Number(index), ref.root);
      }
      case 0x44: {
        const value = this.pop(base);
        const ref = asRef(this.pop(base));
        meter.useMemory(itemSize(known.kind));
        meter.charge(cost);
        asVec(ref).items.push(value);
        if (ref.root !== undefined) ref.root.isDirty = true;
        return undefined;
      }
      case 0x45: {
        const ref = asRef(this.pop(base));
        meter.charge(cost);
        const value = asVec(ref).items.pop();
        if (value === undefined) throw vectorError(2, "a vector is empty");
        meter.releaseMemory(itemSize(known.kind));
        if (ref.root !== undefined) ref.root.isDirty = true;
        return value;
      }
      case 0x46: {
        const { items } = asVec(this.pop(base));
        meter.charge(cost + prices.vectorUnpackItem * count);
        meter.releaseMemory(itemSize(known.kind) * items.length);
        if (items.length !== count) throw vectorError(3, "a vector has another length");
        for (const value of items) this.push(value);
        return undefined;
      }
      default: {
        const j = this.pop(base) as bigint;
        const i = this.pop(base) as bigint;
        const ref = asRef(this.pop(base));
        meter.charge(cost);
        const { items } = asVec(ref);
        const length = BigInt(items.length);
        if (i >= length || j >= length) throw vectorError(1, "an index is out of range");
        const [a, b] = [Number(i), Number(j)];
        [items[a], items[b]] = [items[b] as Value, items[a] as Value];
        if (ref.root !== undefined) ref.root.isDirty = true;
      }
    }
  }

  #packClosure(opcode: number, { instance, pc, base }: Frame): Closure {
    const { target, mask } = instance.operands[pc] as ClosureReference;
    const { of, typeArgs } = target;
    const prices = this.prices;
    const { callee, nodes } =
      this.#known(instance, pc) ?? this.#find(instance, pc, of, typesIn(instance, typeArgs));
    if (opcode === 0x59) this.meter.charge(prices.perNode * nodes);
    const indices = maskIndices(mask);
    const each = opcode === 0x58 ? prices.closureArg : prices.closureGenericArg;
    this.meter.useMemory(STACK_SIZE * indices.length);
    this.meter.charge((prices.base[opcode] as number) + each * indices.length);
    const captured = this.popArgs(indices.length, base);
    const { definition } = callee;
    const isStorable = definition.visibility === "public" || definition.isPersistent;
    const layouts = isStorable
      ? indices.map((index) => {
          const type = definition.params[index];
          if (type === undefined) throw invariant("a captured parameter does not exist");
          const layout = this.linker.layout(substitute(type, callee.typeArgs));
          if (hasDelayed(layout))
            throw new VmError(STATUS.unableToCaptureDelayedField, "a closure captures an aggregator");
          return layout;
        })
      : undefined;
    return new Closure({ module: of.module, name: of.name }, callee.typeArgs, mask, captured, layouts);
  }
}

/** Code that runs share refers only to such code: the use of any other is charged in every run. */
function mayKeep(caller: FunctionInstance, callee: FunctionInstance): boolean {
  return callee.isShared || !caller.isShared;
}

function resolvedCall(
  { key: from }: FunctionInstance,
  callee: FunctionInstance,
  { params }: FunctionReference,
  nodes: number,
): ResolvedCall {
  const { key, definition, native } = callee;
  const argCount = params.length;
  return {
    callee,
    argCount,
    room: Math.max(argCount, callee.localCount),
    nodes,
    isPlain: native === undefined && !definition.isModuleLock,
    isCross: key !== from,
    isLeaking: LEAKING.has(key),
    chargedBy: 0,
    pricedBy: undefined,
    price: 0,
    leaf: undefined,
  };
}

function countAll(types: readonly AbiType[]): number {
  return types.reduce((sum, type) => sum + countNodes(type), 0);
}

function maskIndices(mask: bigint): number[] {
  const indices: number[] = [];
  for (let i = 0; i < 64; i++) if (((mask >> BigInt(i)) & 1n) === 1n) indices.push(i);
  return indices;
}

/** Types that code names, with the type arguments of its function. */
function typesIn({ typeArgs }: FunctionInstance, types: readonly AbiType[]): readonly AbiType[] {
  return types.length === 0 ? types : types.map((type) => substitute(type, typeArgs));
}

function vectorError(sub: number, message: string): VmError {
  return new VmError(STATUS.vectorOperationError, message, BigInt(sub));
}

function missing(address: string, type: AbiStructType): VmError {
  return new VmError(
    STATUS.missingData,
    `0x${address} has no ${toHex(type.address)}::${type.module}::${type.name}`,
  );
}
