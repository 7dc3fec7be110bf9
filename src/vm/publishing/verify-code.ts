// Checks the body of a function: the stack is empty between blocks, every instruction gets the types it needs, and locals
// have values where they are used.
import type { Pieces } from "../../base/pieces.ts";
import type { AbiType, StructAbi } from "../../move/abi.ts";
import type {
  ClosureReference,
  CodeOperand,
  Constant,
  FieldReference,
  FunctionBody,
  FunctionDefinition,
  FunctionReference,
  VariantReference,
  VectorReference,
} from "../../move/bytecode/program.ts";
import { ENDS, effectOf, isInstantiation, LOADS, split } from "../instructions.ts";
import { CAST_KINDS, INTEGER_NAMES } from "../integers.ts";
import { decodeValue, type Layout } from "../layout.ts";
import { isSameType, substitute, typeKey } from "../types.ts";
import { itemKindOf } from "../values.ts";
import { assertReferences, type Block, type ReferenceRules } from "./verify-references.ts";
import {
  type CheckedCode,
  COPY,
  type CodeTypes,
  DROP,
  fault,
  isAssignable,
  KEY,
  STORE,
} from "./verify-types.ts";

const CODE = {
  invalidFallThrough: 1007,
  negativeStack: 1009,
  typeMismatch: 1020,
  popWithoutDrop: 1023,
  branchType: 1025,
  abortType: 1026,
  storeType: 1027,
  storeUnsafe: 1028,
  returnType: 1030,
  freezeType: 1032,
  borrowFieldType: 1034,
  copyUnavailable: 1037,
  copyWithoutCopy: 1038,
  moveUnavailable: 1040,
  borrowLocalReference: 1042,
  borrowLocalUnavailable: 1043,
  callType: 1045,
  packType: 1047,
  unpackType: 1048,
  readType: 1049,
  readWithoutCopy: 1050,
  writeType: 1052,
  writeWithoutDrop: 1053,
  writeNotMutable: 1055,
  integerType: 1056,
  booleanType: 1057,
  equalityType: 1058,
  existsType: 1059,
  borrowGlobalType: 1060,
  borrowGlobalKey: 1061,
  moveFromType: 1062,
  moveFromKey: 1063,
  moveToType: 1064,
  moveToKey: 1065,
  positiveStack: 1069,
  constraintNotSatisfied: 1075,
  typeArgumentCount: 1076,
  invalidConstantType: 1082,
  malformedConstant: 1083,
  emptyCode: 1084,
  unusedWithoutDrop: 1088,
  genericMismatch: 1090,
  invalidInScript: 1094,
  tooManyBlocks: 1114,
  stackOverflow: 1115,
  tooManyPushes: 1117,
  testVariantType: 1129,
  closureMask: 1132,
  closureNotFunction: 1133,
} as const;

const MAX_BLOCKS = 1024;
const MAX_STACK = 1024;
/** In parts of types. */
const WORK_OF_INSTRUCTION = 8;
/** Of one block. */
const MAX_PUSHES = 10_000;
const MAX_VECTOR_OPERAND = 0xffff;
const BOOL: AbiType = { kind: "bool" };
const U64: AbiType = { kind: "u64" };

/** Instructions that name a struct, a field or a variant. No script can have them. */
const STRUCT_OPCODES: ReadonlySet<number> = new Set([
  0x0f, 0x10, 0x12, 0x13, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x36, 0x37, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f,
  0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57,
]);

function ownerOf(named: StructAbi | FieldReference | VariantReference): StructAbi {
  return "owner" in named ? named.owner : named;
}

/** Checks what the instructions of a function name: generic or not, type arguments, masks, constants. */
export function* assertOperands(definition: FunctionDefinition, code: CheckedCode): Pieces<void> {
  const { body } = definition;
  if (body === undefined) return;
  const params = code.types.paramsOf(definition);
  for (let pc = 0; pc < body.opcodes.length; pc++) {
    code.types.charge(WORK_OF_INSTRUCTION);
    if (code.types.isPieceOver()) yield;
    assertOperand(body.opcodes[pc] ?? 0, body.operands[pc], params, code);
  }
}

function assertOperand(
  opcode: number,
  operand: CodeOperand,
  params: readonly number[],
  code: CheckedCode,
): void {
  if (STRUCT_OPCODES.has(opcode)) {
    if (code.self === undefined) throw fault(CODE.invalidInScript, "a script defines no structs");
    const { of, typeArgs } = split<StructAbi | FieldReference | VariantReference>(operand);
    const owner = ownerOf(of).typeParams.map(({ constraints }) => constraints);
    assertGeneric(isInstantiation(operand), owner.length);
    if (isInstantiation(operand)) code.types.assertTypeArgs(typeArgs, owner, params);
    return;
  }
  switch (opcode) {
    case 0x11:
      assertGeneric(false, (operand as FunctionReference).typeParams.length);
      return;
    case 0x38: {
      const { of, typeArgs } = split<FunctionReference>(operand);
      assertGeneric(true, of.typeParams.length);
      code.types.assertTypeArgs(typeArgs, of.typeParams, params);
      return;
    }
    case 0x58:
    case 0x59: {
      const { target, mask } = operand as ClosureReference;
      assertGeneric(opcode === 0x59, target.of.typeParams.length);
      if (opcode === 0x59) code.types.assertTypeArgs(target.typeArgs, target.of.typeParams, params);
      if (mask >> BigInt(target.of.params.length) !== 0n)
        throw fault(CODE.closureMask, "a closure captures parameters that do not exist");
      return;
    }
    case 0x5a: {
      const { item } = operand as VectorReference;
      if (item.kind !== "function") throw fault(CODE.closureNotFunction, "only functions are called");
      code.types.assertType(item, params, false);
      return;
    }
    case 0x40:
    case 0x41:
    case 0x42:
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x46:
    case 0x47: {
      const { item, count } = operand as VectorReference;
      code.types.assertType(item, params, false);
      if (count > MAX_VECTOR_OPERAND) throw fault(CODE.constraintNotSatisfied, "a vector is too long");
      return;
    }
    case 0x07:
      assertConstant(operand as Constant);
      return;
    default:
  }
}

function assertGeneric(isGeneric: boolean, count: number): void {
  if (isGeneric !== count > 0)
    throw fault(CODE.genericMismatch, "an instruction does not fit to what it names");
}

function assertConstant({ type, bytes }: Constant): void {
  if (decodeValue(bytes, constantLayout(type)) === undefined)
    throw fault(CODE.malformedConstant, "a constant does not decode");
}

function constantLayout(type: AbiType): Layout {
  switch (type.kind) {
    case "vector":
      return { kind: "vector", item: constantLayout(type.item), itemKind: itemKindOf(type.item) };
    case "signer":
    case "struct":
    case "reference":
    case "parameter":
    case "function":
      throw fault(CODE.invalidConstantType, "a constant has a type that it cannot have");
    default:
      return { kind: type.kind };
  }
}

function blocksOf({ opcodes, operands }: FunctionBody): ReadonlyMap<number, Block> {
  const starts = new Set([0]);
  opcodes.forEach((opcode, pc) => {
    if (!ENDS.has(opcode)) return;
    if (opcode >= 0x03 && opcode <= 0x05) starts.add(operands[pc] as number);
    if (pc + 1 < opcodes.length) starts.add(pc + 1);
  });
  const ordered = [...starts].sort((a, b) => a - b);
  const blocks = new Map<number, Block>();
  ordered.forEach((start, i) => {
    const end = (ordered[i + 1] ?? opcodes.length) - 1;
    const opcode = opcodes[end] ?? 0;
    const target = operands[end] as number;
    const next =
      opcode === 0x05
        ? [target]
        : opcode === 0x03 || opcode === 0x04
          ? [target, end + 1]
          : ENDS.has(opcode)
            ? []
            : [end + 1];
    blocks.set(start, { start, end, next });
  });
  return blocks;
}

/** Checks the body of a function. */
export function* assertBody(
  definition: FunctionDefinition,
  code: CheckedCode,
  rules: ReferenceRules,
): Pieces<void> {
  const { body } = definition;
  if (body === undefined) return;
  const { opcodes } = body;
  const last = opcodes[opcodes.length - 1];
  if (last === undefined) throw fault(CODE.emptyCode, "a function has no code");
  if (!ENDS.has(last) || last === 0x03 || last === 0x04)
    throw fault(CODE.invalidFallThrough, "the code has no end");
  const blocks = blocksOf(body);
  if (blocks.size > MAX_BLOCKS) throw fault(CODE.tooManyBlocks, "a function has too many blocks");
  const reached = reachedBlocks(blocks);
  for (const block of reached) assertStack(block, definition, body);
  const checker = new TypeChecker(definition, body, code);
  for (const { start, end } of reached)
    for (let pc = start; pc <= end; pc++) {
      checker.check(opcodes[pc] ?? 0, body.operands[pc]);
      code.types.charge(WORK_OF_INSTRUCTION);
      if (code.types.isPieceOver()) yield;
    }
  yield* assertLocals(definition, body, blocks, code.types);
  yield* assertReferences(definition, body, blocks, rules);
}

function reachedBlocks(blocks: ReadonlyMap<number, Block>): readonly Block[] {
  const seen = new Set<number>([0]);
  for (const start of seen) for (const next of blocks.get(start)?.next ?? []) seen.add(next);
  return [...blocks.values()].filter(({ start }) => seen.has(start));
}

/** The stack is empty before and after a block. */
function assertStack({ start, end }: Block, definition: FunctionDefinition, body: FunctionBody): void {
  let [height, pushes] = [0, 0];
  for (let pc = start; pc <= end; pc++) {
    const opcode = body.opcodes[pc] ?? 0;
    const [taken, given] = effectOf(opcode, body.operands[pc], definition.returns.length);
    pushes += given;
    if (pushes > MAX_PUSHES) throw fault(CODE.tooManyPushes, "a block pushes too many values");
    if (height < taken) throw fault(CODE.negativeStack, "an instruction takes more than there is");
    height += given - taken;
    if (opcode === 0x02 && height !== 0) throw fault(CODE.positiveStack, "values are left on return");
    if (height > MAX_STACK) throw fault(CODE.stackOverflow, "a block needs too large a stack");
  }
  if (height !== 0) throw fault(CODE.positiveStack, "values are left at the end of a block");
}

const SIGNED: ReadonlySet<string> = new Set(["i8", "i16", "i32", "i64", "i128", "i256"]);
const INTEGERS: ReadonlySet<string> = new Set(INTEGER_NAMES);

function isUnsigned({ kind }: AbiType): boolean {
  return INTEGERS.has(kind) && !SIGNED.has(kind);
}

function referenceTo(to: AbiType, mutable: boolean): AbiType {
  return { kind: "reference", mutable, to };
}

/** Follows the types of the stack through instructions. */
class TypeChecker {
  readonly #definition: FunctionDefinition;
  readonly #locals: readonly AbiType[];
  readonly #params: readonly number[];
  readonly #code: CheckedCode;
  readonly #stack: AbiType[] = [];

  constructor(definition: FunctionDefinition, body: FunctionBody, code: CheckedCode) {
    this.#definition = definition;
    this.#locals = [...definition.params, ...body.locals];
    this.#params = code.types.paramsOf(definition);
    this.#code = code;
  }

  #pop(): AbiType {
    const type = this.#stack.pop();
    if (type === undefined) throw fault(CODE.negativeStack, "an instruction takes more than there is");
    return type;
  }

  #has(type: AbiType, ability: number): boolean {
    return (this.#code.types.abilities(type, this.#params) & ability) !== 0;
  }

  #local(index: CodeOperand): AbiType {
    const type = this.#locals[index as number];
    if (type === undefined) throw fault(CODE.typeMismatch, "there is no such local");
    return type;
  }

  /** Takes values of these types, the last one first. */
  #take(types: readonly AbiType[], status: number): void {
    for (let i = types.length - 1; i >= 0; i--)
      if (!isAssignable(types[i] as AbiType, this.#pop())) throw fault(status, "an operand has another type");
  }

  #expect(type: AbiType, kind: AbiType["kind"], status: number): void {
    if (type.kind !== kind) throw fault(status, `an operand is not of type ${kind}`);
  }

  #structType({ name }: StructAbi, typeArgs: readonly AbiType[]): AbiType {
    const own = this.#code.types.structs.get(`${this.#code.self}::${name}`);
    if (own === undefined) throw fault(CODE.typeMismatch, `there is no struct ${name}`);
    return typeArgs.length === 0 ? own.base : { ...own.base, typeArgs };
  }

  check(opcode: number, operand: CodeOperand): void {
    const given = this.#given(opcode, operand);
    if (given !== undefined) this.#stack.push(given);
  }

  /** The type that an instruction gives, if it gives one. */
  #given(opcode: number, operand: CodeOperand): AbiType | undefined {
    const load = LOADS[opcode];
    if (load !== undefined) {
      return load;
    }
    const cast = CAST_KINDS[opcode];
    if (cast !== undefined) {
      if (!INTEGERS.has(this.#pop().kind)) throw fault(CODE.integerType, "only integers are cast");
      return { kind: INTEGER_NAMES[cast - 1] ?? "u8" };
    }
    if (opcode >= 0x40 && opcode <= 0x47) return this.#vector(opcode, operand as VectorReference);
    if ((opcode >= 0x29 && opcode <= 0x2d) || (opcode >= 0x3b && opcode <= 0x3f))
      return this.#global(opcode, operand);
    if (STRUCT_OPCODES.has(opcode)) return this.#struct(opcode, operand);
    return opcode >= 0x16 && opcode <= 0x26 ? this.#calculate(opcode) : this.#other(opcode, operand);
  }

  #calculate(opcode: number): AbiType | undefined {
    const other = this.#pop();
    if (opcode === 0x20) {
      this.#expect(other, "bool", CODE.booleanType);
      return BOOL;
    }
    const one = this.#pop();
    switch (opcode) {
      case 0x1e:
      case 0x1f:
        this.#expect(one, "bool", CODE.booleanType);
        this.#expect(other, "bool", CODE.booleanType);
        return BOOL;
      case 0x21:
      case 0x22:
        if (!this.#has(other, DROP) || !isSameType(one, other))
          throw fault(CODE.equalityType, "values cannot be compared");
        return BOOL;
      default: {
        const isBits = opcode >= 0x1b && opcode <= 0x1d;
        const isGood = isBits ? isUnsigned(other) : INTEGERS.has(other.kind);
        if (!isGood || !isSameType(one, other))
          throw fault(CODE.integerType, "operands are not integers of one type");
        return opcode >= 0x23 ? BOOL : one;
      }
    }
  }

  #other(opcode: number, operand: CodeOperand): AbiType | undefined {
    switch (opcode) {
      case 0x01:
        if (!this.#has(this.#pop(), DROP)) throw fault(CODE.popWithoutDrop, "a value cannot be dropped");
        return undefined;
      case 0x02:
        this.#take(this.#definition.returns, CODE.returnType);
        return undefined;
      case 0x03:
      case 0x04:
        this.#expect(this.#pop(), "bool", CODE.branchType);
        return undefined;
      case 0x05:
      case 0x28:
        return undefined;
      case 0x07:
        return (operand as Constant).type;
      case 0x0a: {
        const type = this.#local(operand);
        if (!this.#has(type, COPY)) throw fault(CODE.copyWithoutCopy, "a value cannot be copied");
        return type;
      }
      case 0x0b:
        return this.#local(operand);
      case 0x0c:
        if (!isAssignable(this.#local(operand), this.#pop()))
          throw fault(CODE.storeType, "a local has another type");
        return undefined;
      case 0x0d:
      case 0x0e: {
        const type = this.#local(operand);
        if (type.kind === "reference") throw fault(CODE.borrowLocalReference, "a reference to a reference");
        return referenceTo(type, opcode === 0x0d);
      }
      case 0x11:
      case 0x38: {
        const { of, typeArgs } = split<FunctionReference>(operand);
        this.#take(
          of.params.map((type) => substitute(type, typeArgs)),
          CODE.callType,
        );
        for (const type of of.returns) this.#stack.push(substitute(type, typeArgs));
        return undefined;
      }
      case 0x14: {
        const type = this.#pop();
        if (type.kind !== "reference") throw fault(CODE.readType, "only references are read");
        if (!this.#has(type.to, COPY)) throw fault(CODE.readWithoutCopy, "a value cannot be copied");
        return type.to;
      }
      case 0x15: {
        const reference = this.#pop();
        const value = this.#pop();
        if (reference.kind !== "reference" || !reference.mutable)
          throw fault(CODE.writeNotMutable, "only mutable references are written");
        if (!this.#has(reference.to, DROP)) throw fault(CODE.writeWithoutDrop, "a value cannot be dropped");
        if (!isAssignable(reference.to, value)) throw fault(CODE.writeType, "a value of another type");
        return undefined;
      }
      case 0x27:
        this.#expect(this.#pop(), "u64", CODE.abortType);
        return undefined;
      case 0x68: {
        const text = this.#pop();
        if (typeKey(text) !== "vector<u8>") throw fault(CODE.abortType, "a message is not a vector of bytes");
        this.#expect(this.#pop(), "u64", CODE.abortType);
        return undefined;
      }
      case 0x2e: {
        const type = this.#pop();
        if (type.kind !== "reference" || !type.mutable)
          throw fault(CODE.freezeType, "only mutable references are frozen");
        return referenceTo(type.to, false);
      }
      case 0x2f:
      case 0x30: {
        this.#expect(this.#pop(), "u8", CODE.integerType);
        const type = this.#pop();
        if (!isUnsigned(type)) throw fault(CODE.integerType, "only unsigned integers are shifted");
        return type;
      }
      case 0x67: {
        const type = this.#pop();
        if (!SIGNED.has(type.kind)) throw fault(CODE.integerType, "only signed integers are negated");
        return type;
      }
      case 0x58:
      case 0x59:
        return this.#packClosure(operand as ClosureReference);
      case 0x5a: {
        const { item } = operand as VectorReference;
        if (item.kind !== "function") throw fault(CODE.closureNotFunction, "only functions are called");
        this.#take([...item.args, item], CODE.callType);
        for (const type of item.results) this.#stack.push(type);
        return undefined;
      }
      default:
        throw fault(CODE.typeMismatch, `unknown opcode ${opcode}`);
    }
  }

  #packClosure({ target: { of, typeArgs }, mask }: ClosureReference): AbiType {
    let abilities = of.isPersistent ? COPY | DROP | STORE : COPY | DROP;
    const isCaptured = (i: number): boolean => ((mask >> BigInt(i)) & 1n) === 1n;
    const params = of.params.map((type) => substitute(type, typeArgs));
    for (let i = params.length - 1; i >= 0; i--) {
      if (!isCaptured(i)) continue;
      const given = this.#pop();
      abilities &= this.#code.types.abilities(given, this.#params);
      const type = params[i] as AbiType;
      if (!isAssignable(type, given) || type.kind === "reference")
        throw fault(CODE.packType, "a captured value has another type");
    }
    return {
      kind: "function",
      args: params.filter((_, i) => !isCaptured(i)),
      results: of.returns.map((type) => substitute(type, typeArgs)),
      abilities,
    };
  }

  #struct(opcode: number, operand: CodeOperand): AbiType | undefined {
    const { of, typeArgs } = split<StructAbi | FieldReference | VariantReference>(operand);
    const owner = ownerOf(of);
    const type = this.#structType(owner, typeArgs);
    if ("index" in of) {
      return this.#borrowField(opcode, of, type, typeArgs);
    }
    if (opcode === 0x56 || opcode === 0x57) {
      const given = this.#pop();
      if (given.kind !== "reference" || !isSameType(given.to, type))
        throw fault(CODE.testVariantType, "a value of another type is tested");
      return BOOL;
    }
    const isVariant = "variant" in of;
    const isPack = opcode === 0x12 || opcode === 0x39 || opcode === 0x52 || opcode === 0x53;
    if (!isPack && !isSameType(this.#pop(), type)) throw fault(CODE.unpackType, "a value of another type");
    const declared = isVariant ? owner.variants?.[of.variant]?.fields : owner.fields;
    if (declared === undefined || isVariant !== (owner.variants !== undefined) || owner.isNative)
      throw fault(CODE.packType, "a struct is taken for an enum, or an enum for a struct");
    const fields = declared.map((field) => substitute(field.type, typeArgs));
    if (isPack) {
      this.#take(fields, CODE.packType);
      return type;
    }
    for (const field of fields) this.#stack.push(field);
    return undefined;
  }

  #borrowField(
    opcode: number,
    { owner, index, variants }: FieldReference,
    type: AbiType,
    typeArgs: readonly AbiType[],
  ): AbiType {
    const isMutable = opcode === 0x0f || opcode === 0x36 || opcode === 0x4f || opcode === 0x51;
    const given = this.#pop();
    if (given.kind !== "reference" || (isMutable && !given.mutable) || !isSameType(given.to, type))
      throw fault(CODE.borrowFieldType, "a field of another type is borrowed");
    const lists =
      variants === undefined ? [owner.fields] : variants.map((one) => owner.variants?.[one]?.fields);
    // The format has no handle of a field that is not there, or of no variant.
    const fields = lists.flatMap((list) => list?.slice(index, index + 1) ?? []);
    const [first, ...rest] = fields.map((field) => substitute(field.type, typeArgs));
    if (first === undefined || !rest.every((one) => isSameType(one, first)))
      throw fault(CODE.borrowFieldType, "a field has several types");
    return referenceTo(first, isMutable);
  }

  #global(opcode: number, operand: CodeOperand): AbiType | undefined {
    const { of, typeArgs } = split<StructAbi>(operand);
    const type = this.#structType(of, typeArgs);
    const hasKey = this.#has(type, KEY);
    // Exists, borrow mutably, borrow, move from, move to.
    switch (opcode >= 0x3b ? opcode - 0x3b : opcode - 0x29) {
      case 0:
        if (!hasKey) throw fault(CODE.existsType, "a type is not a resource");
        this.#expect(this.#pop(), "address", CODE.existsType);
        return BOOL;
      case 1:
      case 2:
        this.#expect(this.#pop(), "address", CODE.borrowGlobalType);
        if (!hasKey) throw fault(CODE.borrowGlobalKey, "a type is not a resource");
        return referenceTo(type, opcode === 0x2a || opcode === 0x3c);
      case 3:
        if (!hasKey) throw fault(CODE.moveFromKey, "a type is not a resource");
        this.#expect(this.#pop(), "address", CODE.moveFromType);
        return type;
      default: {
        if (!hasKey) throw fault(CODE.moveToKey, "a type is not a resource");
        const value = this.#pop();
        const signer = this.#pop();
        if (!isSameType(value, type) || typeKey(signer) !== "&signer")
          throw fault(CODE.moveToType, "a resource of another type, or no signer");
      }
    }
  }

  /** Takes a reference to a vector of the items. */
  #vectorReference(item: AbiType, needsMutable: boolean): void {
    const type = this.#pop();
    const isGood =
      type.kind === "reference" &&
      (type.mutable || !needsMutable) &&
      type.to.kind === "vector" &&
      isSameType(type.to.item, item);
    if (!isGood) throw fault(CODE.typeMismatch, "an operand is not a reference to such a vector");
  }

  #vector(opcode: number, { item, count }: VectorReference): AbiType | undefined {
    switch (opcode) {
      case 0x40:
        for (let i = 0; i < count; i++)
          if (!isAssignable(item, this.#pop())) throw fault(CODE.typeMismatch, "an item has another type");
        return { kind: "vector", item };
      case 0x41:
        this.#vectorReference(item, false);
        return U64;
      case 0x42:
      case 0x43:
        this.#expect(this.#pop(), "u64", CODE.typeMismatch);
        this.#vectorReference(item, opcode === 0x43);
        return referenceTo(item, opcode === 0x43);
      case 0x44:
        if (!isAssignable(item, this.#pop())) throw fault(CODE.typeMismatch, "an item has another type");
        this.#vectorReference(item, true);
        return undefined;
      case 0x45:
        this.#vectorReference(item, true);
        return item;
      case 0x46:
        if (!isSameType(this.#pop(), { kind: "vector", item }))
          throw fault(CODE.typeMismatch, "an operand is not such a vector");
        for (let i = 0; i < count; i++) this.#stack.push(item);
        return undefined;
      default:
        this.#expect(this.#pop(), "u64", CODE.typeMismatch);
        this.#expect(this.#pop(), "u64", CODE.typeMismatch);
        this.#vectorReference(item, true);
    }
  }
}

/** Whether a local has a value: on some ways, or not on some. Both bits stand for some ways and not others. */
const YES = 1;
const NO = 2;

/**
 * Follows which locals have values, until nothing changes any more, and then checks every instruction once. What a block
 * does to the locals is worked out once: moves and stores set a local whatever it was before.
 */
function* assertLocals(
  definition: FunctionDefinition,
  body: FunctionBody,
  blocks: ReadonlyMap<number, Block>,
  types: CodeTypes,
): Pieces<void> {
  const { params } = definition;
  const all = [...params, ...body.locals];
  const abilities = types.paramsOf(definition);
  const canDrop = all.map((type) => (types.abilities(type, abilities) & DROP) !== 0);
  const words = (all.length + 15) >> 4;
  const first = new Int32Array(words);
  all.forEach((_, i) => {
    setLocal(first, i, i < params.length ? YES : NO);
  });
  const before = new Map([[0, first]]);
  const effects = new Map<number, Int32Array>();
  const work = new Set([0]);
  // Forwards and backwards in turn: what is found reaches far in either direction.
  for (const order = [...blocks.values()]; work.size > 0; order.reverse()) {
    yield;
    for (const block of order) {
      if (!work.delete(block.start)) continue;
      const effect = effects.get(block.start) ?? effectOnLocals(block, body, words);
      effects.set(block.start, effect);
      const known = before.get(block.start) as Int32Array;
      for (const next of block.next) {
        const there = before.get(next) ?? new Int32Array(words);
        if (!join(there, known, effect) && before.has(next)) continue;
        before.set(next, there);
        work.add(next);
      }
    }
  }
  for (const [start, state] of before) {
    const { end } = blocks.get(start) as Block;
    for (let pc = start; pc <= end; pc++)
      stepLocals(body.opcodes[pc] ?? 0, body.operands[pc] as number, state, canDrop);
  }
}

/** Whether locals have values after a block; 0 for those that it neither moves nor stores. */
function effectOnLocals(
  { start, end }: Block,
  { opcodes, operands }: FunctionBody,
  words: number,
): Int32Array {
  const effect = new Int32Array(words);
  for (let pc = start; pc <= end; pc++)
    if (opcodes[pc] === 0x0b || opcodes[pc] === 0x0c)
      setLocal(effect, operands[pc] as number, opcodes[pc] === 0x0c ? YES : NO);
  return effect;
}

/** Adds what is the case after a block to what is known of the next one; true if that is more than before. */
function join(there: Int32Array, known: Int32Array, effect: Int32Array): boolean {
  let isMore = false;
  for (let i = 0; i < there.length; i++) {
    const set = effect[i] as number;
    const touched = (set | (set >>> 1)) & LOW_BITS;
    const joined = (there[i] as number) | set | ((known[i] as number) & ~(touched | (touched << 1)));
    if (joined !== there[i]) isMore = true;
    there[i] = joined;
  }
  return isMore;
}

/** Sixteen locals are one word. */
const LOW_BITS = 0x55555555;

function localIn(state: Int32Array, index: number): number {
  return ((state[index >> 4] as number) >>> (2 * (index & 15))) & 3;
}

function setLocal(state: Int32Array, index: number, to: number): void {
  const shift = 2 * (index & 15);
  state[index >> 4] = ((state[index >> 4] as number) & ~(3 << shift)) | (to << shift);
}

function stepLocals(opcode: number, index: number, state: Int32Array, canDrop: readonly boolean[]): void {
  switch (opcode) {
    case 0x0a:
      if (localIn(state, index) !== YES)
        throw fault(CODE.copyUnavailable, "a local without a value is copied");
      return;
    case 0x0b:
      if (localIn(state, index) !== YES)
        throw fault(CODE.moveUnavailable, "a local without a value is moved");
      setLocal(state, index, NO);
      return;
    case 0x0c:
      if (localIn(state, index) !== NO && canDrop[index] !== true)
        throw fault(CODE.storeUnsafe, "a value that cannot be dropped is overwritten");
      setLocal(state, index, YES);
      return;
    case 0x0d:
    case 0x0e:
      if (localIn(state, index) !== YES)
        throw fault(CODE.borrowLocalUnavailable, "a local without a value is borrowed");
      return;
    case 0x02:
      for (let i = 0; i < canDrop.length; i++)
        if (canDrop[i] !== true && localIn(state, i) !== NO)
          throw fault(CODE.unusedWithoutDrop, "a value that cannot be dropped is left");
      return;
    default:
  }
}
