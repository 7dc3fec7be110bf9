// Runs bytecode: a stack of frames, a stack of operands, one instruction after the other.
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
import { asFault, invariant, STATUS, VmError } from "./errors.ts";
import { InstructionPrices, type Meter } from "./gas.ts";
import { split } from "./instructions.ts";
import { CAST_KINDS, calculate, cast, combineBits, negate, shift } from "./integers.ts";
import { decodeValue, hasDelayed, type Layout } from "./layout.ts";
import type { FunctionInstance, Linker, LoadedModule } from "./linker.ts";
import { Dispatch, type Native, type NativeContext } from "./natives.ts";
import { finish, type Pieces } from "./pieces.ts";
import type { GlobalSlot, Session, Tracer } from "./session.ts";
import { countNodes, FRAMEWORK, substitute } from "./types.ts";
import {
  abstractSize,
  asAddress,
  asRef,
  asStruct,
  asVec,
  Closure,
  copyValue,
  equalValues,
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
/** In a local that has no value. */
const NO_VALUE = undefined as unknown as Value;
const MAX_OPERANDS = 1024;
const MAX_FRAMES = 1024;
const FUNCTION_CACHES = 83;
/** The chain does not release the memory of arguments for natives of these. */
const LEAKING: ReadonlySet<string> = new Set([`${FRAMEWORK}::table`, `${FRAMEWORK}::event`]);
/** A run in pieces pauses after this time. It looks at the clock after a number of instructions, or work of a price. */
const PIECE_MS = 1;
const LOOK_STEPS = 8192;
const LOOK_PRICE = 8_000_000;

class Frame {
  readonly instance: FunctionInstance;
  readonly locals: Value[];
  /** Operands of the callers. */
  readonly base: number;
  pc = 0;
  /** The module that this call entered, counted against reentrancy. */
  readonly entered: string | undefined;
  readonly isLocked: boolean;

  constructor(
    instance: FunctionInstance,
    locals: Value[],
    base: number,
    entered: string | undefined,
    isLocked: boolean,
  ) {
    this.instance = instance;
    this.locals = locals;
    this.base = base;
    this.entered = entered;
    this.isLocked = isLocked;
  }
}

/** A struct with its type arguments, as an instruction names it. */
interface ResolvedStruct {
  readonly type: AbiStructType;
  readonly nodes: number;
  /** Parts of the types of all fields. */
  readonly fieldNodes: number;
}

type StructArguments = readonly [abi: StructAbi, typeArgs: readonly AbiType[], fields: StructAbi["fields"]];

interface ResolvedVector {
  readonly kind: ItemKind;
  readonly nodes: number;
}

interface ResolvedCall {
  readonly callee: FunctionInstance;
  /** Parts of the type arguments. */
  readonly nodes: number;
  /** The run that paid for the types last. */
  chargedBy: object | undefined;
}

/** Runs one call from outside, to its end. */
export class Interpreter {
  readonly #linker: Linker;
  readonly #session: Session;
  readonly #meter: Meter;
  readonly #tracer: Tracer | undefined;
  readonly #prices: InstructionPrices;
  readonly #frames: Frame[] = [];
  readonly #stack: Value[] = [];
  /** How often each module is active. */
  readonly #active = new Map<string, number>();
  #locks = 0;
  /** One for all natives of the run: none of them calls another one. */
  readonly #context: { -readonly [Name in keyof NativeContext]: NativeContext[Name] };
  /** Stands for this run where it paid for something. */
  readonly #payer = {};
  /** Instructions that ran. */
  steps = 0;
  /** Where the run looks at the clock next: at a number of instructions, or below a balance of gas. */
  #lookSteps = 0;
  #lookBalance = 0;
  #pieceStartMs = 0;
  #isPaused = false;

  constructor(linker: Linker, session: Session, prices?: InstructionPrices) {
    this.#linker = linker;
    this.#session = session;
    this.#meter = linker.meter;
    this.#tracer = session.options.tracer;
    this.#prices = prices ?? new InstructionPrices(linker.meter);
    const callers = (): LoadedModule[] => this.#frames.map(({ instance }) => instance.module).reverse();
    this.#context = { linker, session, meter: linker.meter, self: NO_FUNCTION, callers };
  }

  /** Calls a function and returns its results. Throws VmError. */
  call(instance: FunctionInstance, args: readonly Value[]): readonly Value[] {
    return finish(this.callInPieces(instance, args));
  }

  /** As `call`, in pieces of about a millisecond: it yields between them. */
  *callInPieces(instance: FunctionInstance, args: readonly Value[]): Pieces<readonly Value[]> {
    try {
      if (instance.native !== undefined) return yield* this.#callNativeAlone(instance, args);
      this.#enter(instance, [...args]);
      for (;;) {
        this.#pieceStartMs = performance.now();
        this.#isPaused = false;
        this.#setLook();
        this.#run();
        if (this.#frames.length === 0) return this.#stack.splice(0);
        yield;
      }
    } catch (error) {
      const found = asFault(error);
      const fault = found === error ? error : this.#placed(found as VmError);
      this.#tracer?.fail(fault, this.#session);
      throw fault;
    }
  }

  #setLook(): void {
    this.#lookSteps = this.steps + LOOK_STEPS;
    this.#lookBalance = this.#meter.balance - LOOK_PRICE;
  }

  #isPieceOver(): boolean {
    this.#setLook();
    return performance.now() - this.#pieceStartMs >= PIECE_MS;
  }

  *#callNativeAlone(instance: FunctionInstance, args: readonly Value[]): Pieces<readonly Value[]> {
    const result = this.#callNative(instance, args);
    if (result instanceof Dispatch) throw invariant("a dispatching function is called from outside");
    return isValues(result) ? result : yield* result;
  }

  #placed(error: VmError): VmError {
    const frame = this.#frames.at(-1);
    return frame === undefined
      ? error
      : error.at(frame.instance.module.key, frame.instance.definition.index, frame.pc);
  }

  /** Begins a call. The frame's price is that of the types of its locals. */
  #enter(instance: FunctionInstance, args: Value[], isClosure = false, dispatcher?: FunctionInstance): void {
    const caller = this.#frames.at(-1);
    const { key } = instance.module;
    const locks = dispatcher !== undefined || instance.definition.isModuleLock;
    const isCross = caller?.instance.module.key !== key;
    if (locks) this.#locks++;
    if (isCross && this.#locks > 0 && (this.#active.get(key) ?? 0) > 0) {
      const error = new VmError(STATUS.runtimeDispatchError, `the module ${key} is active and locked`);
      // The chain names the native function that dispatches; else the module under the caller, but no place in it.
      throw dispatcher === undefined
        ? error.at(this.#frames.at(-2)?.instance.module.key, undefined, undefined)
        : error.at(dispatcher.module.key, dispatcher.definition.index, 0);
    }
    // A closure may touch what its caller does not know of, so it counts as entering, even within a module.
    const isCounted = isCross || isClosure;
    if (isCounted) this.#active.set(key, (this.#active.get(key) ?? 0) + 1);
    this.#tracer?.enter(instance, args.slice(0, instance.definition.params.length), this.#session);
    this.#meter.charge(this.#prices.perNode * instance.localNodes);
    while (args.length < instance.localCount) args.push(NO_VALUE);
    this.#frames.push(new Frame(instance, args, this.#stack.length, isCounted ? key : undefined, locks));
  }

  #leave(): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#tracer?.leave(this.#session);
    if (frame.entered !== undefined)
      this.#active.set(frame.entered, (this.#active.get(frame.entered) ?? 1) - 1);
    if (frame.isLocked) this.#locks--;
  }

  /** Takes arguments from the stack into an array of `size`, which may have room for more. */
  #popArgs(count: number, base: number, size = count): Value[] {
    const stack = this.#stack;
    if (stack.length - count < base) throw invariant("the operand stack is empty");
    const args = new Array<Value>(size);
    for (let i = count - 1; i >= 0; i--) args[i] = stack.pop() as Value;
    return args;
  }

  /** What a generic call calls. Its types are charged once for each caller and instantiation in one run. */
  #genericCall(caller: FunctionInstance, reference: Instantiation<FunctionReference>): ResolvedCall {
    let call = caller.calls.get(reference) as ResolvedCall | undefined;
    if (call !== undefined && call.chargedBy === this.#payer) return call;
    const { of, typeArgs } = reference;
    const types = call?.callee.typeArgs ?? typeArgs.map((type) => substitute(type, caller.typeArgs));
    const nodes = types.reduce((sum, type) => sum + countNodes(type), 0);
    this.#meter.charge(this.#prices.perNode * nodes);
    call ??= { callee: this.#linker.function(of, types), nodes, chargedBy: undefined };
    if (this.#session.options.features.has(FUNCTION_CACHES)) call.chargedBy = this.#payer;
    if (mayKeep(caller, call.callee)) caller.calls.set(reference, call);
    return call;
  }

  /** Calls a function with arguments from the stack. */
  #invoke(callee: FunctionInstance, args: Value[], frame: Frame, isClosure = false): void {
    if (callee.native !== undefined) {
      const result = this.#callNative(callee, args);
      if (result instanceof Dispatch) {
        if (this.#frames.length >= MAX_FRAMES) throw callStackOverflow();
        this.#enter(result.target, result.args, false, callee);
        return;
      }
      for (const value of isValues(result) ? result : finish(result)) this.#stack.push(value);
      frame.pc++;
      return;
    }
    if (this.#frames.length > MAX_FRAMES) throw callStackOverflow();
    this.#enter(callee, args, isClosure);
  }

  #callNative(callee: FunctionInstance, args: readonly Value[]): ReturnType<Native> {
    const meter = this.#meter;
    this.#context.self = callee;
    try {
      if (!meter.leaksNativeArguments)
        for (const value of args) if (typeof value === "object") meter.releaseMemory(heapSize(value));
      const native = callee.native as Native | undefined;
      const result = native?.(this.#context, args, callee.typeArgs) ?? [];
      if (isValues(result))
        for (const value of result) if (typeof value === "object") meter.useMemory(heapSize(value));
      return result;
    } catch (error) {
      if (error instanceof VmError) throw error.at(callee.module.key, callee.definition.index, 0);
      throw error;
    }
  }

  #run(): void {
    while (this.#frames.length > 0 && !this.#isPaused) {
      const frame = this.#frames.at(-1) as Frame;
      try {
        this.#runFrame(frame);
      } catch (error) {
        if (error instanceof VmError) {
          error.isInside = true;
          throw error.at(frame.instance.module.key, frame.instance.definition.index, frame.pc);
        }
        throw error;
      }
    }
  }

  /** Runs instructions of one frame until it calls or returns, or the run pauses. */
  #runFrame(frame: Frame): void {
    const { instance, locals, base } = frame;
    const { body } = instance.definition;
    if (body === undefined) throw invariant("a native function has no frame");
    const { opcodes, operands } = body;
    const { kinds, resolved } = instance;
    const stack = this.#stack;
    const meter = this.#meter;
    const prices = this.#prices;
    const { base: costs, plain } = prices;
    const pop = (): Value => {
      if (stack.length <= base) throw invariant("the operand stack is empty");
      return stack.pop() as Value;
    };
    const push = (value: Value): void => {
      if (stack.length >= MAX_OPERANDS) throw new VmError(STATUS.stackOverflow, "the operand stack is full");
      stack.push(value);
    };
    for (;;) {
      if ((this.steps >= this.#lookSteps || meter.balance < this.#lookBalance) && this.#isPieceOver()) {
        this.#isPaused = true;
        return;
      }
      const { pc } = frame;
      const opcode = opcodes[pc];
      if (opcode === undefined) throw invariant("the code has no end");
      this.steps++;
      meter.charge(plain[opcode] as number);
      let given: Value | undefined;
      switch (opcode) {
        case 0x01: // pop
          meter.releaseMemory(heapSize(pop()));
          break;
        case 0x02: // ret
          if (stack.length !== base + instance.definition.returns.length)
            throw invariant("a function leaves other values than it returns");
          for (const local of locals) if (typeof local === "object") meter.releaseMemory(heapSize(local));
          this.#leave();
          {
            const caller = this.#frames.at(-1);
            if (caller !== undefined) caller.pc++;
          }
          return;
        case 0x03: // br_true
        case 0x04: {
          if ((pop() as boolean) === (opcode === 0x03)) {
            frame.pc = operands[pc] as number;
            continue;
          }
          break;
        }
        case 0x05:
          frame.pc = operands[pc] as number;
          continue;
        case 0x06:
        case 0x31:
        case 0x32:
        case 0x48:
        case 0x49:
        case 0x4a:
        case 0x5b:
        case 0x5c:
        case 0x5d:
        case 0x5e:
        case 0x5f:
        case 0x60:
          given = operands[pc] as Value;
          break;
        case 0x07: {
          const { type, bytes } = operands[pc] as Constant;
          let layout = resolved[pc] as Layout | undefined;
          if (layout === undefined) {
            layout = this.#linker.layout(type);
            resolved[pc] = layout;
          }
          meter.charge(prices.perNode * countNodes(type));
          meter.charge((costs[opcode] as number) + prices.constantByte * bytes.length);
          const value = decodeValue(bytes, layout);
          if (value === undefined) throw invariant("a constant does not decode");
          meter.useMemory(heapSize(value));
          given = value;
          break;
        }
        case 0x08:
        case 0x09:
          given = opcode === 0x08;
          break;
        case 0x0a: {
          const value = locals[operands[pc] as number];
          if (value === undefined) throw invariant("a local has no value");
          if (typeof value === "object") {
            const size = abstractSize(value);
            meter.useMemory(size - STACK_SIZE);
            meter.charge((costs[opcode] as number) + prices.copyUnit * size);
            given = copyValue(value);
          } else {
            meter.charge((costs[opcode] as number) + prices.copyUnit * STACK_SIZE);
            given = value;
          }
          break;
        }
        case 0x0b: {
          const index = operands[pc] as number;
          const value = locals[index];
          if (value === undefined) throw invariant("a local has no value");
          // A second move is noticed.
          locals[index] = NO_VALUE;
          given = value;
          break;
        }
        case 0x0c:
          locals[operands[pc] as number] = pop();
          break;
        case 0x0d:
        case 0x0e:
          given = new Ref(locals, operands[pc] as number);
          break;
        case 0x0f:
        case 0x10: {
          const ref = asRef(pop());
          given = new Ref(asStruct(ref).fields, (operands[pc] as FieldReference).index, ref.root);
          break;
        }
        case 0x36:
        case 0x37: {
          const { of, typeArgs } = operands[pc] as Instantiation<FieldReference>;
          meter.charge(prices.perNode * this.#fieldNodes(instance, pc, of, typeArgs));
          meter.charge(costs[opcode] as number);
          const ref = asRef(pop());
          given = new Ref(asStruct(ref).fields, of.index, ref.root);
          break;
        }
        case 0x4e:
        case 0x4f:
        case 0x50:
        case 0x51: {
          let field = operands[pc] as FieldReference;
          if (opcode >= 0x50) {
            const { of, typeArgs } = operands[pc] as Instantiation<FieldReference>;
            meter.charge(prices.perNode * this.#fieldNodes(instance, pc, of, typeArgs));
            meter.charge(costs[opcode] as number);
            field = of;
          }
          const ref = asRef(pop());
          const value = asStruct(ref);
          if (!(field.variants ?? []).includes(value.tag)) throw variantMismatch();
          given = new Ref(value.fields, field.index, ref.root);
          break;
        }
        case 0x11: {
          const reference = operands[pc] as FunctionReference;
          let callee = resolved[pc] as FunctionInstance | undefined;
          if (callee === undefined) {
            callee = this.#linker.function(reference, []);
            if (mayKeep(instance, callee)) resolved[pc] = callee;
          }
          const args = reference.params.length;
          meter.charge(prices.callBase + prices.callArg * args + prices.callLocal * callee.localCount);
          this.#invoke(callee, this.#popArgs(args, base, Math.max(args, callee.localCount)), frame);
          if (callee.native === undefined || this.#frames.at(-1) !== frame) return;
          continue;
        }
        case 0x38: {
          const { of, typeArgs } = operands[pc] as Instantiation<FunctionReference>;
          const call = this.#genericCall(instance, operands[pc] as Instantiation<FunctionReference>);
          const { callee } = call;
          meter.leaksNativeArguments = LEAKING.has(callee.module.key);
          const args = of.params.length;
          meter.charge(
            prices.genericCallBase +
              prices.genericCallType * typeArgs.length +
              prices.genericCallArg * args +
              prices.genericCallLocal * callee.localCount,
          );
          this.#invoke(callee, this.#popArgs(args, base, Math.max(args, callee.localCount)), frame);
          if (callee.native === undefined || this.#frames.at(-1) !== frame) return;
          continue;
        }
        case 0x12: {
          const { fields } = operands[pc] as StructAbi;
          meter.useMemory(STACK_SIZE * fields.length);
          meter.charge((costs[opcode] as number) + prices.packField * fields.length);
          given = new Struct(this.#popArgs(fields.length, base));
          break;
        }
        case 0x39: {
          const { of, typeArgs } = operands[pc] as Instantiation<StructAbi>;
          const known = this.#known(instance, pc, of, typeArgs, of.fields);
          meter.charge(prices.perNode * (known.fieldNodes + known.nodes));
          meter.useMemory(STACK_SIZE * of.fields.length);
          meter.charge((costs[opcode] as number) + prices.packGenericField * of.fields.length);
          given = new Struct(this.#popArgs(of.fields.length, base));
          break;
        }
        case 0x13:
        case 0x3a: {
          let count: number;
          if (opcode === 0x13) {
            count = (operands[pc] as StructAbi).fields.length;
            meter.charge((costs[opcode] as number) + prices.unpackField * count);
          } else {
            const { of, typeArgs } = operands[pc] as Instantiation<StructAbi>;
            const known = this.#known(instance, pc, of, typeArgs, of.fields);
            count = of.fields.length;
            meter.charge(prices.perNode * (known.fieldNodes + known.nodes));
            meter.charge((costs[opcode] as number) + prices.unpackGenericField * count);
          }
          const { fields } = asStruct(pop());
          if (fields.length !== count) throw invariant("a struct has other fields");
          meter.releaseMemory(STACK_SIZE * count);
          for (const field of fields) push(field);
          break;
        }
        case 0x52:
        case 0x53: {
          const { owner, variant } =
            opcode === 0x52
              ? (operands[pc] as VariantReference)
              : (operands[pc] as Instantiation<VariantReference>).of;
          const fields = owner.variants?.[variant]?.fields ?? [];
          if (opcode === 0x53) {
            const { typeArgs } = operands[pc] as Instantiation<VariantReference>;
            const known = this.#known(instance, pc, owner, typeArgs, fields);
            meter.charge(prices.perNode * (known.fieldNodes + known.nodes));
            meter.charge((costs[opcode] as number) + prices.packGenericField * fields.length);
          } else meter.charge((costs[opcode] as number) + prices.packField * fields.length);
          meter.useMemory(STACK_SIZE * fields.length);
          given = new Struct(this.#popArgs(fields.length, base), variant);
          break;
        }
        case 0x54:
        case 0x55: {
          const { owner, variant } =
            opcode === 0x54
              ? (operands[pc] as VariantReference)
              : (operands[pc] as Instantiation<VariantReference>).of;
          const declared = owner.variants?.[variant]?.fields ?? [];
          const value = asStruct(pop());
          // The tag counts as a field.
          const count = value.fields.length + 1;
          if (opcode === 0x55) {
            const { typeArgs } = operands[pc] as Instantiation<VariantReference>;
            const known = this.#known(instance, pc, owner, typeArgs, declared);
            meter.charge(prices.perNode * (known.fieldNodes + known.nodes));
            meter.charge((costs[opcode] as number) + prices.unpackGenericField * count);
          } else meter.charge((costs[opcode] as number) + prices.unpackField * count);
          if (value.tag !== variant) throw variantMismatch();
          meter.releaseMemory(STACK_SIZE * count);
          for (const field of value.fields) push(field);
          break;
        }
        case 0x56:
        case 0x57: {
          const { owner, variant } =
            opcode === 0x56
              ? (operands[pc] as VariantReference)
              : (operands[pc] as Instantiation<VariantReference>).of;
          if (opcode === 0x57) {
            const { typeArgs } = operands[pc] as Instantiation<VariantReference>;
            const known = this.#known(instance, pc, owner, typeArgs, NO_FIELDS);
            meter.charge(prices.perNode * known.nodes);
            meter.charge(costs[opcode] as number);
          }
          given = asStruct(asRef(pop())).tag === variant;
          break;
        }
        case 0x14: {
          const value = asRef(pop()).get();
          const size = abstractSize(value);
          meter.useMemory(size - STACK_SIZE);
          meter.charge((costs[opcode] as number) + prices.readUnit * size);
          given = copyValue(value);
          break;
        }
        case 0x15: {
          const ref = asRef(pop());
          const value = pop();
          meter.releaseMemory(heapSize(ref.get()));
          ref.set(value);
          break;
        }
        case 0x16:
        case 0x17:
        case 0x18:
        case 0x19:
        case 0x1a: {
          const other = pop();
          given = calculate(opcode, pop(), other, kinds[pc] as number);
          break;
        }
        case 0x1b:
        case 0x1c:
        case 0x1d: {
          const other = pop();
          given = combineBits(opcode, pop(), other);
          break;
        }
        case 0x1e:
        case 0x1f: {
          const other = pop() as boolean;
          const one = pop() as boolean;
          given = opcode === 0x1e ? one || other : one && other;
          break;
        }
        case 0x20:
          given = !(pop() as boolean);
          break;
        case 0x21:
        case 0x22: {
          const other = pop();
          const one = pop();
          meter.releaseMemory(heapSize(one) + heapSize(other));
          const unit = opcode === 0x21 ? prices.equalUnit : prices.notEqualUnit;
          meter.charge(
            (costs[opcode] as number) + unit * (abstractSize(one, true) + abstractSize(other, true)),
          );
          given = equalValues(one, other) === (opcode === 0x21);
          break;
        }
        case 0x23:
        case 0x24:
        case 0x25:
        case 0x26: {
          const other = pop() as number;
          const one = pop() as number;
          given =
            opcode === 0x23
              ? one < other
              : opcode === 0x24
                ? one > other
                : opcode === 0x25
                  ? one <= other
                  : one >= other;
          break;
        }
        case 0x27: {
          throw new VmError(STATUS.aborted, "aborted", pop() as bigint);
        }
        case 0x68: {
          const text = Buffer.from(asVec(pop()).items as number[]).toString();
          throw new VmError(STATUS.aborted, text, pop() as bigint);
        }
        case 0x28:
        case 0x2e:
          break;
        case 0x29:
        case 0x2a:
        case 0x2b:
        case 0x2c:
        case 0x2d:
        case 0x3b:
        case 0x3c:
        case 0x3d:
        case 0x3e:
        case 0x3f:
          this.#global(opcode, frame, pop, push);
          break;
        case 0x2f:
        case 0x30: {
          const amount = pop() as number;
          given = shift(opcode === 0x2f, pop(), amount, kinds[pc] as number);
          break;
        }
        case 0x33:
        case 0x34:
        case 0x35:
        case 0x4b:
        case 0x4c:
        case 0x4d:
        case 0x61:
        case 0x62:
        case 0x63:
        case 0x64:
        case 0x65:
        case 0x66:
          given = cast(pop(), CAST_KINDS[opcode] as number);
          break;
        case 0x67:
          given = negate(pop(), kinds[pc] as number);
          break;
        case 0x40:
        case 0x41:
        case 0x42:
        case 0x43:
        case 0x44:
        case 0x45:
        case 0x46:
        case 0x47:
          this.#vector(opcode, frame, pop, push);
          break;
        case 0x58:
        case 0x59: {
          const { target, mask } = operands[pc] as ClosureReference;
          given = this.#packClosure(opcode, frame, target, mask);
          break;
        }
        case 0x5a: {
          const closure = pop();
          if (!(closure instanceof Closure)) throw invariant("expected a closure");
          this.#callClosure(closure, frame);
          if (this.#frames.at(-1) !== frame) return;
          continue;
        }
        default:
          throw invariant(`unknown opcode ${opcode}`);
      }
      if (given !== undefined) push(given);
      frame.pc++;
    }
  }

  /** Parts of the types of a field and of its struct. */
  #fieldNodes(
    instance: FunctionInstance,
    pc: number,
    { owner, index, variants }: FieldReference,
    typeArgs: readonly AbiType[],
  ): number {
    const known = instance.resolved[pc] as number | undefined;
    if (known !== undefined) return known;
    const struct = this.#struct(instance, owner, typeArgs, []);
    const fields = variants === undefined ? owner.fields : owner.variants?.[variants[0] ?? 0]?.fields;
    const type = fields?.[index]?.type;
    if (type === undefined) throw invariant("a field is missing");
    const nodes = struct.nodes + countNodes(substitute(type, struct.type.typeArgs));
    instance.resolved[pc] = nodes;
    return nodes;
  }

  /** As `#struct`, worked out once for each instruction. */
  #known(instance: FunctionInstance, pc: number, ...of: StructArguments): ResolvedStruct {
    let known = instance.resolved[pc] as ResolvedStruct | undefined;
    if (known === undefined) {
      known = this.#struct(instance, ...of);
      instance.resolved[pc] = known;
    }
    return known;
  }

  #struct(
    instance: FunctionInstance,
    abi: StructAbi,
    typeArgs: readonly AbiType[],
    fields: StructAbi["fields"],
  ): ResolvedStruct {
    const { abi: module } = instance.module.program;
    if (module === undefined) throw invariant("a script defines no structs");
    const { address, name } = module;
    const types = typeArgs.map((type) => substitute(type, instance.typeArgs));
    const type: AbiStructType = { kind: "struct", address, module: name, name: abi.name, typeArgs: types };
    const fieldNodes = fields.reduce((sum, field) => sum + countNodes(substitute(field.type, types)), 0);
    return { type, nodes: countNodes(type), fieldNodes };
  }

  #global(opcode: number, frame: Frame, pop: () => Value, push: (value: Value) => void): void {
    const { instance, pc } = frame;
    const meter = this.#meter;
    const operand = instance.definition.body?.operands[pc];
    const isGeneric = opcode >= 0x3b;
    const { of, typeArgs } = split<StructAbi>(operand);
    const struct = this.#known(instance, pc, of, typeArgs, NO_FIELDS);
    if (isGeneric) meter.charge(this.#prices.perNode * struct.nodes);
    // Exists, borrow mutably, borrow, move from, move to.
    const action = isGeneric ? opcode - 0x3b : opcode - 0x29;
    const moved = action === 4 ? pop() : undefined;
    const address = action === 4 ? asAddress(asStruct(asRef(pop())).fields[0]) : asAddress(pop());
    const slot: GlobalSlot = this.#session.resource(address, struct.type);
    meter.charge(this.#prices.base[opcode] as number);
    if ((this.#active.get(instance.module.key) ?? 0) > 1)
      throw new VmError(STATUS.runtimeDispatchError, "a module that is entered twice touches its resources");
    switch (action) {
      case 0:
        push(slot.exists);
        return;
      case 1:
      case 2:
        if (!slot.exists) throw missing(address, struct.type);
        push(new Ref(slot.place, 0, slot));
        return;
      case 3: {
        if (!slot.exists) throw missing(address, struct.type);
        push(slot.take() as Value);
        return;
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

  #vector(opcode: number, frame: Frame, pop: () => Value, push: (value: Value) => void): void {
    const { instance, pc, base } = frame;
    const meter = this.#meter;
    const prices = this.#prices;
    const operand = instance.definition.body?.operands[pc];
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
        push(new Vec(known.kind, this.#popArgs(items, base)));
        return;
      }
      case 0x41:
        meter.charge(cost);
        push(BigInt(asVec(asRef(pop())).items.length));
        return;
      case 0x42:
      case 0x43: {
        const index = pop() as bigint;
        const ref = asRef(pop());
        meter.charge(cost);
        const { items } = asVec(ref);
        if (index >= BigInt(items.length)) throw vectorError(1, "an index is out of range");
        push(new Ref(items, Number(index), ref.root));
        return;
      }
      case 0x44: {
        const value = pop();
        const ref = asRef(pop());
        meter.useMemory(itemSize(known.kind));
        meter.charge(cost);
        asVec(ref).items.push(value);
        if (ref.root !== undefined) ref.root.isDirty = true;
        return;
      }
      case 0x45: {
        const ref = asRef(pop());
        meter.charge(cost);
        const value = asVec(ref).items.pop();
        if (value === undefined) throw vectorError(2, "a vector is empty");
        meter.releaseMemory(itemSize(known.kind));
        if (ref.root !== undefined) ref.root.isDirty = true;
        push(value);
        return;
      }
      case 0x46: {
        const { items } = asVec(pop());
        meter.charge(cost + prices.vectorUnpackItem * count);
        meter.releaseMemory(itemSize(known.kind) * items.length);
        if (items.length !== count) throw vectorError(3, "a vector has another length");
        for (const value of items) push(value);
        return;
      }
      default: {
        const j = pop() as bigint;
        const i = pop() as bigint;
        const ref = asRef(pop());
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

  #packClosure(
    opcode: number,
    frame: Frame,
    { of, typeArgs }: Instantiation<FunctionReference>,
    mask: bigint,
  ): Closure {
    const { instance, pc, base } = frame;
    const prices = this.#prices;
    let call = instance.resolved[pc] as ResolvedCall | undefined;
    if (call === undefined) {
      const types = typeArgs.map((type) => substitute(type, instance.typeArgs));
      const nodes = types.reduce((sum, type) => sum + countNodes(type), 0);
      call = { callee: this.#linker.function(of, types), nodes, chargedBy: undefined };
      if (mayKeep(instance, call.callee)) instance.resolved[pc] = call;
    }
    const { callee, nodes } = call;
    if (opcode === 0x59) this.#meter.charge(prices.perNode * nodes);
    const indices = maskIndices(mask);
    const each = opcode === 0x58 ? prices.closureArg : prices.closureGenericArg;
    this.#meter.useMemory(STACK_SIZE * indices.length);
    this.#meter.charge((prices.base[opcode] as number) + each * indices.length);
    const captured = this.#popArgs(indices.length, base);
    const { definition } = callee;
    const isStorable = definition.visibility === "public" || definition.isPersistent;
    const layouts = isStorable
      ? indices.map((index) => {
          const type = definition.params[index];
          if (type === undefined) throw invariant("a captured parameter does not exist");
          const layout = this.#linker.layout(substitute(type, callee.typeArgs));
          if (hasDelayed(layout))
            throw new VmError(STATUS.unableToCaptureDelayedField, "a closure captures an aggregator");
          return layout;
        })
      : undefined;
    return new Closure({ module: of.module, name: of.name }, callee.typeArgs, mask, captured, layouts);
  }

  #callClosure(closure: Closure, frame: Frame): void {
    const { target, typeArgs, mask, captured } = closure;
    const callee = this.#linker.function(target, typeArgs);
    const total = callee.definition.params.length;
    const given = this.#popArgs(total - captured.length, frame.base);
    const prices = this.#prices;
    this.#meter.charge(prices.callBase + prices.callArg * total + prices.callLocal * callee.localCount);
    const args: Value[] = [];
    let [fromCaptured, fromGiven] = [0, 0];
    for (let i = 0; i < total; i++) {
      const isCaptured = ((mask >> BigInt(i)) & 1n) === 1n;
      args.push((isCaptured ? captured[fromCaptured++] : given[fromGiven++]) as Value);
    }
    this.#invoke(callee, args, frame, true);
  }
}

const NO_FUNCTION = undefined as unknown as FunctionInstance;

/** True for results of a native function that are there at once. */
function isValues(result: ReturnType<Native>): result is readonly Value[] {
  return Array.isArray(result);
}

/** Code that runs share refers only to such code: the use of any other is charged in every run. */
function mayKeep(caller: FunctionInstance, callee: FunctionInstance): boolean {
  return callee.isShared || !caller.isShared;
}

function maskIndices(mask: bigint): number[] {
  const indices: number[] = [];
  for (let i = 0; i < 64; i++) if (((mask >> BigInt(i)) & 1n) === 1n) indices.push(i);
  return indices;
}

function callStackOverflow(): VmError {
  return new VmError(STATUS.callStackOverflow, "too many calls are nested");
}

function variantMismatch(): VmError {
  return new VmError(STATUS.structVariantMismatch, "a value has another variant");
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
