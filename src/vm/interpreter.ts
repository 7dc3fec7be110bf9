// Runs bytecode: calls, returns, and the instructions that only touch locals, operands and values.
import type { Pieces } from "../base/pieces.ts";
import type { FieldReference, Instantiation } from "../move/bytecode/program.ts";
import { asFault, invariant, STATUS, VmError } from "./errors.ts";
import type { Meter } from "./gas.ts";
import { CAST_KINDS, calculate, cast, combineBits, negate, shift } from "./integers.ts";
import { leafOf, leafResult } from "./leaves.ts";
import type { FunctionInstance, Linker, LoadedModule } from "./linker.ts";
import { Dispatch, type Native, type NativeContext } from "./natives.ts";
import type { Session, Tracer } from "./session.ts";
import { type Frame, MAX_OPERANDS, type ResolvedCall, TypedInstructions } from "./typed-instructions.ts";
import {
  abstractSize,
  asRef,
  asStruct,
  asVec,
  Closure,
  copyValue,
  equalValues,
  heapSize,
  Ref,
  STACK_SIZE,
  takeWalkedSteps,
  type Value,
} from "./values.ts";

/** How many operands instructions take that only touch locals, operands and values; NOT_PLAIN for others. */
const NOT_PLAIN = 255;
const PLAIN_TAKES: Uint8Array = plainTakes(`
  0: 05 06 08 09 0a 0b 0d 0e 28 31 32 48 49 4a 5b 5c 5d 5e 5f 60
  1: 01 03 04 0c 0f 10 14 20 2e 33 34 35 36 37 4b 4c 4d 61 62 63 64 65 66 67
  2: 15 16 17 18 19 1a 1b 1c 1d 1e 1f 21 22 23 24 25 26 2f 30`);
/** In a local that has no value. */
const NO_VALUE = undefined as unknown as Value;
const MAX_FRAMES = 1024;
const TOO_NESTED = "too many calls are nested";
/**
 * A run in pieces pauses after this time. It looks at the clock after a number of instructions, or work of a price. Loads
 * count as instructions.
 */
const PIECE_MS = 1;
const LOOK_STEPS = 8192;
const LOOK_PRICE = 2_000_000;

/** Runs one call from outside, to its end. Natives see it as their context. */
export class Interpreter extends TypedInstructions implements NativeContext {
  /** The native function that runs: none of them calls another one. */
  self!: FunctionInstance;
  readonly #tracer: Tracer | undefined;
  /** How many frames there are. */
  #depth = 0;
  #locks = 0;
  /** Where the run looks at the clock next: after a number of instructions, or below a balance of gas. */
  #stepsLeft = 0;
  #lookBalance = 0;
  /** Of the first piece once the run looks at the clock: most runs end before. */
  #pieceEndMs: number | undefined;
  /** A native function that goes on in pieces, called from the frame that runs. */
  #pending: Pieces<readonly Value[]> | undefined;

  constructor(linker: Linker, session: Session) {
    super(linker, session);
    this.#tracer = session.options.tracer;
  }

  callers(): readonly LoadedModule[] {
    const modules: LoadedModule[] = [];
    for (let frame = this.frame; frame !== undefined; frame = frame.caller)
      modules.push(frame.instance.module);
    return modules;
  }

  /** Calls a function and returns its results, in pieces of about a millisecond: it yields between them. Throws VmError. */
  *callInPieces(instance: FunctionInstance, args: readonly Value[]): Pieces<readonly Value[]> {
    const results = this.begin(instance, args);
    return isValues(results) ? results : yield* results;
  }

  /** Runs the first piece of a call: most calls end in it, and need no generator. Returns the rest of the others. */
  begin(instance: FunctionInstance, args: readonly Value[]): readonly Value[] | Pieces<readonly Value[]> {
    try {
      if (instance.native === undefined) {
        this.#enter(instance, [...args]);
        return this.#piece() ?? this.#goOn();
      }
      const result = this.#callNative(instance, args);
      if (result instanceof Dispatch) throw invariant("a dispatching function is called from outside");
      return isValues(result) ? result : this.#goOnAlone(result);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Runs a piece; returns the results if it is the last one. */
  #piece(): readonly Value[] | undefined {
    this.#setLook();
    this.#run();
    return this.frame === undefined ? this.stack.slice(0, this.height) : undefined;
  }

  *#goOn(): Pieces<readonly Value[]> {
    try {
      for (;;) {
        yield;
        if (this.#pending !== undefined) {
          for (const value of yield* this.#pending) this.stack[this.height++] = value;
          this.#pending = undefined;
          (this.frame as Frame).pc++;
        }
        this.#pieceEndMs = performance.now() + PIECE_MS;
        const results = this.#piece();
        if (results !== undefined) return results;
      }
    } catch (error) {
      throw this.#failed(error);
    }
  }

  *#goOnAlone(pieces: Pieces<readonly Value[]>): Pieces<readonly Value[]> {
    try {
      return yield* pieces;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): unknown {
    const found = asFault(error);
    const fault = found === error ? error : this.#placed(found as VmError);
    this.#tracer?.fail(fault, this.session);
    return fault;
  }

  #setLook(): void {
    this.#stepsLeft = LOOK_STEPS;
    this.#lookBalance = this.meter.available - LOOK_PRICE;
  }

  #isPieceOver(): boolean {
    if (this.#pending !== undefined) return true;
    this.#setLook();
    const nowMs = performance.now();
    this.#pieceEndMs ??= nowMs + PIECE_MS;
    return nowMs >= this.#pieceEndMs;
  }

  #placed(error: VmError): VmError {
    const frame = this.frame;
    return frame === undefined
      ? error
      : error.at(frame.instance.key, frame.instance.definition.index, frame.pc);
  }

  /** Begins a call. The frame's price is that of the types of its locals. */
  #enter(instance: FunctionInstance, args: Value[], isClosure = false, dispatcher?: FunctionInstance): void {
    const caller = this.frame;
    const { key } = instance;
    const locks = dispatcher !== undefined || instance.definition.isModuleLock;
    const isCross = caller?.instance.key !== key;
    if (locks) this.#locks++;
    if (isCross && this.#locks > 0 && this.entries(key) > 0) {
      const error = new VmError(STATUS.runtimeDispatchError, `the module ${key} is active and locked`);
      // The chain names the native function that dispatches; else the module under the caller, but no place in it.
      throw dispatcher === undefined
        ? error.at(caller?.caller?.instance.key, undefined, undefined)
        : error.at(dispatcher.key, dispatcher.definition.index, 0);
    }
    // A closure may touch what its caller does not know of, so it counts as entering, even within a module.
    const hasEntered = isCross || isClosure;
    this.#tracer?.enter(instance, args.slice(0, instance.definition.params.length), this.session);
    this.meter.charge(this.prices.perNode * instance.localNodes);
    while (args.length < instance.localCount) args.push(NO_VALUE);
    const base = this.height;
    this.frame = { caller, instance, locals: args, base, pc: 0, hasEntered, isLocked: locks };
    this.#depth++;
  }

  /** Returns to the caller, behind its call. */
  #leave({ caller, isLocked }: Frame): void {
    this.frame = caller;
    this.#depth--;
    this.#tracer?.leave(this.session);
    if (isLocked) this.#locks--;
    if (caller !== undefined) caller.pc++;
  }

  /** Notes what a call costs by the schedule of the run. */
  #price(call: ResolvedCall, isGeneric: boolean): void {
    const { prices } = this;
    const { callee } = call;
    call.price = this.#callPrice(call, isGeneric) + prices.perNode * callee.localNodes;
    call.leaf = leafOf(callee, prices);
    call.pricedBy = prices;
  }

  /** The price of a call, without that of the types of its locals. */
  #callPrice({ callee, argCount }: ResolvedCall, isGeneric: boolean): number {
    const prices = this.prices;
    return isGeneric
      ? prices.genericCallBase +
          prices.genericCallType * callee.typeArgs.length +
          prices.genericCallArg * argCount +
          prices.genericCallLocal * callee.localCount
      : prices.callBase + prices.callArg * argCount + prices.callLocal * callee.localCount;
  }

  /** Calls a function with arguments from the stack. */
  #invoke(callee: FunctionInstance, args: Value[], frame: Frame, isClosure = false): void {
    if (callee.native !== undefined) {
      const result = this.#callNative(callee, args);
      if (result instanceof Dispatch) {
        if (this.#depth >= MAX_FRAMES) throw new VmError(STATUS.callStackOverflow, TOO_NESTED);
        this.#enter(result.target, result.args, false, callee);
        return;
      }
      if (isValues(result)) {
        for (const value of result) this.stack[this.height++] = value;
        frame.pc++;
      } else {
        this.#pending = result;
        this.#stepsLeft = 0;
      }
      return;
    }
    if (this.#depth > MAX_FRAMES) throw new VmError(STATUS.callStackOverflow, TOO_NESTED);
    this.#enter(callee, args, isClosure);
  }

  #callNative(callee: FunctionInstance, args: readonly Value[]): ReturnType<Native> {
    const meter = this.meter;
    this.self = callee;
    try {
      if (!meter.leaksNativeArguments)
        for (const value of args) if (typeof value === "object") this.#stepsLeft -= released(meter, value);
      const native = callee.native as Native | undefined;
      const result = native?.(this, args, callee.typeArgs) ?? [];
      if (isValues(result)) this.#useResults(result);
      else if (!(result instanceof Dispatch)) return this.#nativePieces(callee, result);
      return result;
    } catch (error) {
      throw this.#nativeFault(callee, error);
    }
  }

  *#nativePieces(callee: FunctionInstance, pieces: Pieces<readonly Value[]>): Pieces<readonly Value[]> {
    try {
      const result = yield* pieces;
      this.#useResults(result);
      return result;
    } catch (error) {
      throw this.#nativeFault(callee, error);
    }
  }

  #nativeFault({ key, definition }: FunctionInstance, error: unknown): unknown {
    if (!(error instanceof VmError)) return error;
    error.isInside = this.frame !== undefined;
    return error.at(key, definition.index, 0);
  }

  #useResults(result: readonly Value[]): void {
    for (const value of result) if (typeof value === "object") this.meter.useMemory(heapSize(value));
    this.#stepsLeft -= takeWalkedSteps();
  }

  #run(): void {
    try {
      this.#runFrames(this.frame as Frame);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      error.isInside = true;
      throw this.#placed(error);
    }
  }

  /**
   * Runs from a frame on until the call from outside returns, or a piece is over. Instructions that only touch locals,
   * operands and values run here; the sum of their prices is charged before any other one, with the same result as charging
   * each.
   */
  #runFrames(first: Frame): void {
    let frame = first;
    let { instance, locals, base, pc } = frame;
    let { opcodes, operands, kinds, resolved } = instance;
    const stack = this.stack;
    const meter = this.meter;
    const prices = this.prices;
    const { base: costs, plain } = prices;
    let { available } = meter;
    let height = this.height;
    let spent = 0;
    let steps = this.#stepsLeft;
    let untilLook = available - this.#lookBalance;
    const isQuiet = this.#tracer === undefined;
    try {
      for (;;) {
        if (pc >= opcodes.length) throw invariant("the code has no end");
        const opcode = opcodes[pc] as number;
        const taken = PLAIN_TAKES[opcode] as number;
        const isLook = steps <= 0 || spent > untilLook;
        if (taken === NOT_PLAIN && isQuiet && !isLook) {
          // Calls and returns, in the usual case: what #step does with them, without its charges.
          if (opcode === 0x02 && !frame.isLocked && frame.caller !== undefined) {
            steps--;
            spent += plain[opcode] as number;
            if (spent > available) return;
            if (height !== base + instance.returnCount) throw wrongResults();
            steps -= releasedLocals(meter, locals);
            frame = frame.caller;
            this.frame = frame;
            this.#depth--;
            ({ instance, locals, base } = frame);
            ({ opcodes, operands, kinds, resolved } = instance);
            pc = frame.pc + 1;
            continue;
          }
          const isGeneric = opcode === 0x38;
          const call = isGeneric || opcode === 0x11 ? (resolved[pc] as ResolvedCall | undefined) : undefined;
          if (call?.isPlain === true && this.#locks === 0 && this.#depth <= MAX_FRAMES) {
            if (call.pricedBy !== prices) this.#price(call, isGeneric);
            const { callee, argCount, leaf } = call;
            steps--;
            spent += call.price;
            if (isGeneric) {
              if (call.chargedBy !== this.payer) spent += prices.perNode * call.nodes;
              if (this.paysOnce) call.chargedBy = this.payer;
              meter.leaksNativeArguments = call.isLeaking;
            }
            if (spent > available) return;
            const first = height - argCount;
            if (first < base) throw invariant("the operand stack is empty");
            const result = leaf && leafResult(leaf, stack[first] as Value);
            if (leaf !== undefined && result !== undefined && spent + leaf.price <= available) {
              spent += leaf.price;
              stack[first] = result;
              pc++;
              continue;
            }
            locals = new Array<Value>(call.room);
            for (let i = 0; i < argCount; i++) locals[i] = stack[first + i] as Value;
            frame.pc = pc;
            [instance, base, height, pc] = [callee, first, first, 0];
            frame = { caller: frame, instance, locals, base, pc, hasEntered: call.isCross, isLocked: false };
            this.frame = frame;
            this.#depth++;
            ({ opcodes, operands, kinds, resolved } = instance);
            continue;
          }
        }
        if (isLook || taken === NOT_PLAIN) {
          frame.pc = pc;
          this.height = height;
          this.#stepsLeft = steps - 1;
          const due = isLook ? spent : spent + (plain[opcode] as number);
          spent = 0;
          meter.charge(due);
          if (!isLook) this.#step(opcode, frame);
          else if (this.#isPieceOver()) return;
          if (this.frame !== frame) {
            if (this.frame === undefined) return;
            frame = this.frame;
            ({ instance, locals, base } = frame);
            ({ opcodes, operands, kinds, resolved } = instance);
          }
          ({ pc } = frame);
          ({ available } = meter);
          height = this.height;
          steps = this.#stepsLeft;
          untilLook = available - this.#lookBalance;
          continue;
        }
        steps--;
        spent += plain[opcode] as number;
        if (spent > available) return;
        if (height - taken < base) throw invariant("the operand stack is empty");
        height -= taken;
        // What the instruction takes: of two values this is the first.
        const value = stack[height] as Value;
        let given: Value;
        switch (opcode) {
          case 0x01: // pop
            if (typeof value === "object") steps -= released(meter, value);
            pc++;
            continue;
          case 0x03: // br_true
          case 0x04:
            pc = value === (opcode === 0x03) ? (operands[pc] as number) : pc + 1;
            continue;
          case 0x05:
            pc = operands[pc] as number;
            continue;
          case 0x08:
          case 0x09:
            given = opcode === 0x08;
            break;
          case 0x0a: {
            const local = locals[operands[pc] as number];
            if (local === undefined) throw invariant("a local has no value");
            // Here and below, calls are left out where a value has no parts: they would take most of the time.
            const size = typeof local === "object" ? abstractSize(local) : STACK_SIZE;
            if (size > STACK_SIZE) meter.useMemory(size - STACK_SIZE);
            spent += (costs[opcode] as number) + prices.copyUnit * size;
            if (spent > available) return;
            given = typeof local === "object" ? copyValue(local) : local;
            break;
          }
          case 0x0b: {
            const index = operands[pc] as number;
            const local = locals[index];
            if (local === undefined) throw invariant("a local has no value");
            // A second move is noticed.
            locals[index] = NO_VALUE;
            given = local;
            break;
          }
          case 0x0c:
            locals[operands[pc] as number] = value;
            pc++;
            continue;
          case 0x0d:
          case 0x0e:
            given = new Ref(locals, operands[pc] as number);
            break;
          case 0x0f:
          case 0x10: {
            const ref = asRef(value);
            given = new Ref(asStruct(ref).fields, (operands[pc] as FieldReference).index, ref.root);
            break;
          }
          case 0x36:
          case 0x37: {
            const { of, typeArgs } = operands[pc] as Instantiation<FieldReference>;
            const nodes = (resolved[pc] as number | undefined) ?? this.fieldNodes(instance, pc, of, typeArgs);
            spent += prices.perNode * nodes + (costs[opcode] as number);
            if (spent > available) return;
            const ref = asRef(value);
            given = new Ref(asStruct(ref).fields, of.index, ref.root);
            break;
          }
          case 0x14: {
            const read = asRef(value).get();
            const size = typeof read === "object" ? abstractSize(read) : STACK_SIZE;
            if (size > STACK_SIZE) meter.useMemory(size - STACK_SIZE);
            spent += (costs[opcode] as number) + prices.readUnit * size;
            if (spent > available) return;
            given = typeof read === "object" ? copyValue(read) : read;
            break;
          }
          case 0x15: {
            const ref = asRef(stack[height + 1]);
            const old = ref.get();
            if (typeof old === "object") steps -= released(meter, old);
            ref.set(value);
            pc++;
            continue;
          }
          case 0x16:
          case 0x17:
          case 0x18:
          case 0x19:
          case 0x1a:
            given = calculate(opcode, value, stack[height + 1] as Value, kinds[pc] as number);
            break;
          case 0x1b:
          case 0x1c:
          case 0x1d:
            given = combineBits(opcode, value, stack[height + 1] as Value);
            break;
          case 0x1e:
            given = (value as boolean) || (stack[height + 1] as boolean);
            break;
          case 0x1f:
            given = (value as boolean) && (stack[height + 1] as boolean);
            break;
          case 0x20:
            given = !(value as boolean);
            break;
          case 0x21:
          case 0x22: {
            const other = stack[height + 1] as Value;
            const hasParts = typeof value === "object" || typeof other === "object";
            if (hasParts) meter.releaseMemory(heapSize(value) + heapSize(other));
            const unit = opcode === 0x21 ? prices.equalUnit : prices.notEqualUnit;
            const size = hasParts ? abstractSize(value, true) + abstractSize(other, true) : 2 * STACK_SIZE;
            spent += (costs[opcode] as number) + unit * size;
            if (spent > available) return;
            given = (hasParts ? equalValues(value, other) : value === other) === (opcode === 0x21);
            break;
          }
          case 0x23:
            given = value < (stack[height + 1] as Value);
            break;
          case 0x24:
            given = value > (stack[height + 1] as Value);
            break;
          case 0x25:
            given = value <= (stack[height + 1] as Value);
            break;
          case 0x26:
            given = value >= (stack[height + 1] as Value);
            break;
          case 0x28:
            pc++;
            continue;
          case 0x2e:
            given = value;
            break;
          case 0x2f:
          case 0x30:
            given = shift(opcode === 0x2f, value, stack[height + 1] as number, kinds[pc] as number);
            break;
          case 0x67:
            given = negate(value, kinds[pc] as number);
            break;
          default:
            // Loads an integer, or casts one.
            given = taken === 0 ? (operands[pc] as Value) : cast(value, CAST_KINDS[opcode] as number);
        }
        if (height >= MAX_OPERANDS) throw new VmError(STATUS.stackOverflow, "the operand stack is full");
        stack[height++] = given;
        pc++;
      }
    } finally {
      frame.pc = pc;
      this.height = height;
      // Throws where the gas is used up; what a step threw stays.
      if (spent > 0) meter.charge(spent);
    }
  }

  /** Runs an instruction that calls, returns, or names something. */
  #step(opcode: number, frame: Frame): void {
    const { instance, locals, base } = frame;
    const meter = this.meter;
    switch (opcode) {
      case 0x02: // ret
        if (this.height !== base + instance.returnCount) throw wrongResults();
        this.#stepsLeft -= releasedLocals(meter, locals);
        this.#leave(frame);
        return;
      case 0x11:
      case 0x38: {
        const isGeneric = opcode === 0x38;
        const call = isGeneric ? this.genericCall(frame) : this.plainCall(frame);
        if (isGeneric) {
          // Types that are new were substituted.
          this.#stepsLeft -= takeWalkedSteps();
          meter.leaksNativeArguments = call.isLeaking;
        }
        meter.charge(this.#callPrice(call, isGeneric));
        this.#invoke(call.callee, this.popArgs(call.argCount, base, call.room), frame);
        return;
      }
      case 0x27:
        throw new VmError(STATUS.aborted, "aborted", this.pop(base) as bigint);
      case 0x68: {
        const text = Buffer.from(asVec(this.pop(base)).items as number[]).toString();
        throw new VmError(STATUS.aborted, text, this.pop(base) as bigint);
      }
      case 0x5a: {
        const closure = this.pop(base);
        if (!(closure instanceof Closure)) throw invariant("expected a closure");
        this.#callClosure(closure, frame);
        return;
      }
      default: {
        const given = this.typedStep(opcode, frame);
        this.#stepsLeft -= takeWalkedSteps();
        if (given !== undefined) this.push(given);
        frame.pc++;
      }
    }
  }

  #callClosure(closure: Closure, frame: Frame): void {
    const { target, typeArgs, mask, captured } = closure;
    const callee = this.linker.function(target, typeArgs);
    const total = callee.definition.params.length;
    const given = this.popArgs(total - captured.length, frame.base);
    const prices = this.prices;
    this.meter.charge(prices.callBase + prices.callArg * total + prices.callLocal * callee.localCount);
    const args: Value[] = [];
    let [fromCaptured, fromGiven] = [0, 0];
    for (let i = 0; i < total; i++) {
      const isCaptured = ((mask >> BigInt(i)) & 1n) === 1n;
      args.push((isCaptured ? captured[fromCaptured++] : given[fromGiven++]) as Value);
    }
    this.#invoke(callee, args, frame, true);
  }
}

/** Releases the memory of a value; returns how many instructions the walk through it counts as. */
function released(meter: Meter, value: Value): number {
  meter.releaseMemory(heapSize(value));
  return takeWalkedSteps();
}

/** The same for the locals of a call that returns. */
function releasedLocals(meter: Meter, locals: readonly Value[]): number {
  for (let i = 0; i < locals.length; i++) {
    const local = locals[i];
    if (typeof local === "object" && !(local instanceof Ref)) meter.releaseMemory(heapSize(local));
  }
  return takeWalkedSteps();
}

function wrongResults(): VmError {
  return invariant("a function leaves other values than it returns");
}

/** True for results of a native function that are there at once. */
export const isValues = Array.isArray as (result: ReturnType<Native>) => result is readonly Value[];

function plainTakes(lines: string): Uint8Array {
  const takes = new Uint8Array(256).fill(NOT_PLAIN);
  for (const line of lines.trim().split("\n")) {
    const [taken, opcodes = ""] = line.split(": ");
    for (const opcode of opcodes.split(" ")) takes[Number.parseInt(opcode, 16)] = Number(taken);
  }
  return takes;
}
