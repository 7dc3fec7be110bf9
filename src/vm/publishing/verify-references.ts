// Checks that no reference outlives what it points to, and that nothing is read or written behind the back of a mutable
// reference: by following which references borrow from which, until nothing changes any more.
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import type { AbiType, StructAbi } from "../../move/abi.ts";
import type {
  CodeOperand,
  FieldReference,
  FunctionBody,
  FunctionDefinition,
  FunctionReference,
  VectorReference,
} from "../../move/bytecode/program.ts";
import { effectOf, split } from "../instructions.ts";
import { moduleKey } from "../types.ts";
import { BorrowGraph, type Label } from "./borrow-graph.ts";
import { type CheckedCode, fault } from "./verify-types.ts";

const CODE = {
  storeUnsafe: 1028,
  stillBorrowed: 1029,
  returnBorrowed: 1031,
  freezeBorrowed: 1033,
  fieldBorrowed: 1036,
  copyBorrowed: 1039,
  moveBorrowed: 1041,
  borrowLocalBorrowed: 1044,
  callBorrowed: 1046,
  readBorrowed: 1051,
  writeBorrowed: 1054,
  globalBorrowed: 1074,
  vectorBorrowed: 1109,
  elementBorrowed: 1110,
  tooComplex: 1126,
} as const;

/** What a function or a module may cost, counted as the reference does: for each instruction its locals and its graph. */
const MAX_WORK = 80_000_000;
const WORK_OF_GRAPH = 50;
/** About a millisecond. */
const WORK_OF_PIECE = 200_000;

/** A run of instructions without jumps. */
export interface Block {
  readonly start: number;
  /** The last instruction. */
  readonly end: number;
  readonly next: readonly number[];
}

/** A value that is no reference. */
const PLAIN = -1;

const MOVES_FROM: ReadonlySet<number> = new Set([0x2c, 0x3e]);
const BORROWS_MUTABLY: ReadonlySet<number> = new Set([0x2a, 0x3c]);
const BORROWS: ReadonlySet<number> = new Set([0x2b, 0x3d]);
const FIELDS: ReadonlySet<number> = new Set([0x10, 0x37, 0x4e, 0x50]);
const FIELDS_MUTABLY: ReadonlySet<number> = new Set([0x0f, 0x36, 0x4f, 0x51]);

/** What the checks of one module or script share. */
export class ReferenceRules {
  readonly #self: string | undefined;
  /** Resources that each function of the module borrows or moves itself. */
  readonly #direct = new Map<string, ReadonlySet<string>>();
  /** Functions of the module that call a function of it. */
  readonly #callers = new Map<string, string[]>();
  /** Functions that borrow or move a resource, also in functions of the module that they call; as far as they were asked for. */
  readonly #acquirers = new Map<string, ReadonlySet<string>>();
  readonly #labels = new Map<string, Label>();
  #work = 0;
  #pieceEnd = WORK_OF_PIECE;

  constructor({ self }: Pick<CheckedCode, "self">) {
    this.#self = self;
  }

  /** Takes note of a function of the module: of all of them before the first is checked. */
  learn(definition: FunctionDefinition): void {
    this.#direct.set(definition.name, resourcesIn(definition));
    for (const callee of this.#calledBy(definition)) {
      const callers = this.#callers.get(callee);
      if (callers === undefined) this.#callers.set(callee, [definition.name]);
      else callers.push(definition.name);
    }
  }

  #calledBy({ body }: FunctionDefinition): ReadonlySet<string> {
    const called = new Set<string>();
    body?.opcodes.forEach((opcode, pc) => {
      if (opcode !== 0x11 && opcode !== 0x38) return;
      const { of } = split<FunctionReference>(body.operands[pc]);
      if (this.#isOwn(of)) called.add(of.name);
    });
    return called;
  }

  #isOwn({ module }: FunctionReference): boolean {
    return this.#self !== undefined && moduleKey(toHex(module.address), module.name) === this.#self;
  }

  /** Resources that a function of the module borrows or moves itself. */
  usedBy(name: string): Iterable<string> {
    return this.#direct.get(name) ?? [];
  }

  acquires(called: FunctionReference, resource: string): boolean {
    if (!this.#isOwn(called)) return false;
    let acquirers = this.#acquirers.get(resource);
    if (acquirers === undefined) {
      const found = new Set<string>();
      for (const [name, used] of this.#direct) if (used.has(resource)) found.add(name);
      for (const name of found) for (const caller of this.#callers.get(name) ?? []) found.add(caller);
      this.charge(this.#direct.size + WORK_OF_GRAPH * found.size);
      acquirers = found;
      this.#acquirers.set(resource, found);
    }
    return acquirers.has(called.name);
  }

  label(name: string): Label {
    const label = this.#labels.get(name) ?? this.#labels.size;
    this.#labels.set(name, label);
    return label;
  }

  /** True once for each piece of work. */
  isPieceOver(): boolean {
    if (this.#work < this.#pieceEnd) return false;
    this.#pieceEnd = this.#work + WORK_OF_PIECE;
    return true;
  }

  charge(work: number): void {
    this.#work += work;
    if (this.#work > MAX_WORK) throw fault(CODE.tooComplex, "the references of the code are too complex");
  }
}

function resourcesIn({ body }: FunctionDefinition): ReadonlySet<string> {
  const found = new Set<string>();
  body?.opcodes.forEach((opcode, pc) => {
    if (MOVES_FROM.has(opcode) || BORROWS.has(opcode) || BORROWS_MUTABLY.has(opcode))
      found.add(split<StructAbi>(body.operands[pc]).of.name);
  });
  return found;
}

/** Throws VmError unless the references of a function stay within what they borrow. */
export function* assertReferences(
  definition: FunctionDefinition,
  body: FunctionBody,
  blocks: ReadonlyMap<number, Block>,
  rules: ReferenceRules,
): Pieces<void> {
  const before = new Map([[0, State.atEntry(definition, body, rules)]]);
  const work = [0];
  for (let start = work.pop(); start !== undefined; start = work.pop()) {
    const block = blocks.get(start);
    const state = before.get(start)?.copy();
    if (block === undefined || state === undefined) continue;
    for (let pc = block.start; pc <= block.end; pc++) {
      state.step(body.opcodes[pc] ?? 0, body.operands[pc]);
      if (rules.isPieceOver()) yield;
    }
    if (block.next.length === 0) continue;
    const after = state.named();
    for (const [i, next] of block.next.entries()) {
      const known = before.get(next);
      if (known === undefined) before.set(next, i === block.next.length - 1 ? after : after.copy());
      if (known === undefined || known.join(after)) work.push(next);
      if (rules.isPieceOver()) yield;
    }
  }
}

/** Locals, the stack, and what borrows from what, before an instruction. References are named by numbers. */
class State {
  readonly #definition: FunctionDefinition;
  readonly #rules: ReferenceRules;
  /** The reference of each local, or PLAIN. */
  readonly #locals: number[];
  readonly #stack: number[] = [];
  readonly #graph: BorrowGraph;
  #nextId: number;

  private constructor(
    definition: FunctionDefinition,
    rules: ReferenceRules,
    locals: number[],
    graph: BorrowGraph,
  ) {
    this.#definition = definition;
    this.#rules = rules;
    this.#locals = locals;
    this.#graph = graph;
    this.#nextId = locals.length + 1;
  }

  static atEntry(definition: FunctionDefinition, body: FunctionBody, rules: ReferenceRules): State {
    const graph = new BorrowGraph();
    const locals = [...definition.params, ...body.locals].map((type, i) => {
      if (i >= definition.params.length || type.kind !== "reference") return PLAIN;
      graph.add(i, type.mutable);
      return i;
    });
    graph.add(locals.length, true);
    return new State(definition, rules, locals, graph);
  }

  /** What locals and resources borrow from. */
  get #frame(): number {
    return this.#locals.length;
  }

  copy(): State {
    this.#rules.charge(this.#locals.length + WORK_OF_GRAPH * this.#graph.size);
    return new State(this.#definition, this.#rules, [...this.#locals], this.#graph.copy());
  }

  /** The same at the end of a block, where each reference is that of a local: it has the local's number. */
  named(): State {
    const names = new Map([[this.#frame, this.#frame]]);
    const locals = this.#locals.map((id, i) => {
      if (id === PLAIN) return PLAIN;
      names.set(id, i);
      return i;
    });
    const graph = this.#graph.copy((id) => names.get(id) ?? id);
    return new State(this.#definition, this.#rules, locals, graph);
  }

  /** Takes over what another way to the same instruction knows. True if that is more. Both have names by locals. */
  join(other: State): boolean {
    let isChanged = false;
    this.#rules.charge(this.#locals.length + WORK_OF_GRAPH * (this.#graph.size + other.#graph.size));
    let theirs = other.#graph;
    for (const [i, id] of this.#locals.entries()) {
      const their = other.#locals[i] ?? PLAIN;
      if (id !== PLAIN && their === PLAIN) {
        // Without a value on one of the ways, so nobody can use it.
        this.#graph.release(id);
        this.#locals[i] = PLAIN;
        isChanged = true;
      } else if (id === PLAIN && their !== PLAIN) {
        if (theirs === other.#graph) theirs = theirs.copy();
        theirs.release(their);
      }
    }
    return this.#graph.join(theirs) || isChanged;
  }

  step(opcode: number, operand: CodeOperand): void {
    this.#rules.charge(1 + this.#locals.length + WORK_OF_GRAPH * this.#graph.size);
    if (FIELDS.has(opcode)) this.#borrowField(split<FieldReference>(operand).of, false);
    else if (FIELDS_MUTABLY.has(opcode)) this.#borrowField(split<FieldReference>(operand).of, true);
    else if (BORROWS.has(opcode)) this.#borrowGlobal(split<StructAbi>(operand).of.name, false);
    else if (BORROWS_MUTABLY.has(opcode)) this.#borrowGlobal(split<StructAbi>(operand).of.name, true);
    else if (MOVES_FROM.has(opcode)) this.#moveFrom(split<StructAbi>(operand).of.name);
    else this.#other(opcode, operand);
  }

  #other(opcode: number, operand: CodeOperand): void {
    switch (opcode) {
      case 0x02:
        this.#return();
        return;
      case 0x0a:
        this.#copyLocal(operand as number);
        return;
      case 0x0b:
        this.#moveLocal(operand as number);
        return;
      case 0x0c:
        this.#storeLocal(operand as number);
        return;
      case 0x0d:
      case 0x0e:
        this.#borrowLocal(operand as number, opcode === 0x0d);
        return;
      case 0x11:
      case 0x38: {
        const { of } = split<FunctionReference>(operand);
        this.#assertFree(of);
        this.#call(of.params.length, of.returns);
        return;
      }
      case 0x14:
      case 0x56:
      case 0x57:
        this.#read();
        return;
      case 0x15:
        this.#write();
        return;
      case 0x21:
      case 0x22:
        this.#compare();
        return;
      case 0x2e:
        this.#freeze();
        return;
      case 0x41:
      case 0x44:
      case 0x45:
      case 0x47:
        this.#useVector(opcode);
        return;
      case 0x42:
      case 0x43:
        this.#borrowElement(opcode === 0x43);
        return;
      case 0x5a: {
        const { item } = operand as VectorReference;
        if (item.kind === "function") this.#call(item.args.length + 1, item.results);
        return;
      }
      default: {
        const [taken, given] = effectOf(opcode, operand, this.#definition.returns.length);
        for (let i = 0; i < taken; i++) this.#release(this.#pop());
        for (let i = 0; i < given; i++) this.#stack.push(PLAIN);
      }
    }
  }

  #pop(): number {
    return this.#stack.pop() ?? PLAIN;
  }

  #release(id: number): void {
    if (id !== PLAIN) this.#graph.release(id);
  }

  #newReference(isMutable: boolean): number {
    const id = this.#nextId++;
    this.#graph.add(id, isMutable);
    return id;
  }

  /** A mutable reference is read while nothing mutable borrows from it, or from the field that is asked for. */
  #isReadable(id: number, field?: Label): boolean {
    return !this.#graph.isMutable(id) || !this.#graph.isBorrowed(id, field, true);
  }

  #isWritable(id: number): boolean {
    return !this.#graph.isBorrowed(id, undefined);
  }

  #ofLocal(index: number): Label {
    return this.#rules.label(`local ${index}`);
  }

  #ofResource(name: string): Label {
    return this.#rules.label(`resource ${name}`);
  }

  #copyLocal(index: number): void {
    const id = this.#locals[index] ?? PLAIN;
    if (id === PLAIN) {
      if (this.#graph.isBorrowed(this.#frame, this.#ofLocal(index), true))
        throw fault(CODE.copyBorrowed, "a local is copied while it is borrowed");
      this.#stack.push(PLAIN);
      return;
    }
    const copied = this.#newReference(this.#graph.isMutable(id));
    this.#graph.borrow(id, [], copied);
    this.#stack.push(copied);
  }

  #moveLocal(index: number): void {
    const id = this.#locals[index] ?? PLAIN;
    if (id === PLAIN && this.#graph.isBorrowed(this.#frame, this.#ofLocal(index)))
      throw fault(CODE.moveBorrowed, "a local is moved while it is borrowed");
    this.#locals[index] = PLAIN;
    this.#stack.push(id);
  }

  #storeLocal(index: number): void {
    const old = this.#locals[index] ?? PLAIN;
    this.#locals[index] = this.#pop();
    if (old !== PLAIN) this.#graph.release(old);
    else if (this.#graph.isBorrowed(this.#frame, this.#ofLocal(index)))
      throw fault(CODE.storeUnsafe, "a local is overwritten while it is borrowed");
  }

  #borrowLocal(index: number, isMutable: boolean): void {
    const label = this.#ofLocal(index);
    if (!isMutable && this.#graph.isBorrowed(this.#frame, label, true))
      throw fault(CODE.borrowLocalBorrowed, "a local is borrowed while it is borrowed mutably");
    const id = this.#newReference(isMutable);
    this.#graph.borrow(this.#frame, [label], id);
    this.#stack.push(id);
  }

  #borrowField({ owner, index, variants }: FieldReference, isMutable: boolean): void {
    // Fields at one place of several variants are one.
    const label = this.#rules.label(
      `field ${index} of ${variants === undefined ? "" : "a variant of "}${owner.name}`,
    );
    const of = this.#pop();
    const isTaken = isMutable ? this.#graph.isBorrowed(of, null) : !this.#isReadable(of, label);
    if (isTaken) throw fault(CODE.fieldBorrowed, "a field is borrowed while it is borrowed mutably");
    const id = this.#newReference(isMutable);
    this.#graph.borrow(of, [label], id);
    this.#graph.release(of);
    this.#stack.push(id);
  }

  #borrowGlobal(name: string, isMutable: boolean): void {
    const label = this.#ofResource(name);
    if (this.#graph.isBorrowed(this.#frame, label, !isMutable))
      throw fault(CODE.globalBorrowed, "a resource is borrowed while it is borrowed");
    this.#release(this.#pop());
    const id = this.#newReference(isMutable);
    this.#graph.borrowWeakly(this.#frame, [label], id);
    this.#stack.push(id);
  }

  #moveFrom(name: string): void {
    if (this.#graph.isBorrowed(this.#frame, this.#ofResource(name)))
      throw fault(CODE.globalBorrowed, "a resource is moved while it is borrowed");
    this.#release(this.#pop());
    this.#stack.push(PLAIN);
  }

  #read(): void {
    const id = this.#pop();
    if (!this.#isReadable(id)) throw fault(CODE.readBorrowed, "a value is read while it is borrowed mutably");
    this.#graph.release(id);
    this.#stack.push(PLAIN);
  }

  #write(): void {
    const id = this.#pop();
    this.#release(this.#pop());
    if (!this.#isWritable(id)) throw fault(CODE.writeBorrowed, "a value is written while it is borrowed");
    this.#graph.release(id);
  }

  #compare(): void {
    const both = [this.#pop(), this.#pop()].filter((id) => id !== PLAIN);
    if (!both.every((id) => this.#isReadable(id)))
      throw fault(CODE.readBorrowed, "a value is compared while it is borrowed mutably");
    for (const id of both) this.#graph.release(id);
    this.#stack.push(PLAIN);
  }

  #freeze(): void {
    const id = this.#pop();
    if (this.#graph.isBorrowed(id, undefined, true))
      throw fault(CODE.freezeBorrowed, "a reference is frozen while something mutable borrows from it");
    const frozen = this.#newReference(false);
    this.#graph.borrow(id, [], frozen);
    this.#graph.release(id);
    this.#stack.push(frozen);
  }

  /** Length, push, pop and swap. */
  #useVector(opcode: number): void {
    if (opcode === 0x44) this.#release(this.#pop());
    if (opcode === 0x47) {
      this.#pop();
      this.#pop();
    }
    const id = this.#pop();
    if (opcode !== 0x41 && !this.#isWritable(id))
      throw fault(CODE.vectorBorrowed, "a vector is changed while it is borrowed");
    this.#graph.release(id);
    if (opcode === 0x41 || opcode === 0x45) this.#stack.push(PLAIN);
  }

  #borrowElement(isMutable: boolean): void {
    this.#pop();
    const of = this.#pop();
    const isTaken = isMutable ? this.#graph.isBorrowed(of, null) : !this.#isReadable(of);
    if (isTaken) throw fault(CODE.elementBorrowed, "an element is borrowed while one is borrowed mutably");
    const id = this.#newReference(isMutable);
    this.#graph.borrowWeakly(of, [], id);
    this.#graph.release(of);
    this.#stack.push(id);
  }

  /** What is borrowed here is what the function itself borrows. */
  #assertFree(called: FunctionReference): void {
    for (const name of this.#rules.usedBy(this.#definition.name)) {
      this.#rules.charge(1);
      if (this.#graph.isBorrowed(this.#frame, this.#ofResource(name)) && this.#rules.acquires(called, name))
        throw fault(CODE.globalBorrowed, "a function uses a resource while it is borrowed");
    }
  }

  /** References that a function returns may borrow from all that it was given. */
  #call(taken: number, returns: readonly AbiType[]): void {
    const given = Array.from({ length: taken }, () => this.#pop()).filter((id) => id !== PLAIN);
    const mutable = given.filter((id) => this.#graph.isMutable(id));
    if (!mutable.every((id) => this.#isWritable(id)))
      throw fault(CODE.callBorrowed, "a mutable reference is passed while something borrows from it");
    for (const type of returns) {
      if (type.kind !== "reference") {
        this.#stack.push(PLAIN);
        continue;
      }
      const id = this.#newReference(type.mutable);
      for (const parent of type.mutable ? mutable : given) this.#graph.borrowWeakly(parent, [], id);
      this.#stack.push(id);
    }
    for (const id of given) this.#graph.release(id);
  }

  #return(): void {
    const returned = this.#definition.returns.map(() => this.#pop()).filter((id) => id !== PLAIN);
    for (const id of this.#locals) this.#release(id);
    if (this.#graph.isBorrowed(this.#frame, undefined))
      throw fault(CODE.stillBorrowed, "a local or a resource is borrowed on return");
    if (!returned.every((id) => !this.#graph.isMutable(id) || this.#isWritable(id)))
      throw fault(CODE.returnBorrowed, "a mutable reference is returned while something borrows from it");
    for (const id of returned) this.#graph.release(id);
  }
}
