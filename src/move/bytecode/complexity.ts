// Cost of handling a module: the chain refuses to publish one whose types are much larger than its bytes.
import { forEach, type Pieces } from "../../base/pieces.ts";
import type { AbiType } from "../abi.ts";
import type { FunctionBody, Program, ProgramTables } from "./program.ts";

const TYPE_NODE = 8;
/** Bodies, or lists of types, of a piece: one may have 65,535 instructions, or tens of thousands of parts. */
const LISTS_OF_PIECE = 8;

function nodesOf(type: AbiType): number {
  switch (type.kind) {
    case "vector":
      return 1 + nodesOf(type.item);
    case "reference":
      return 1 + nodesOf(type.to);
    case "struct":
      return type.typeArgs.reduce((sum, one) => sum + nodesOf(one), 1);
    case "function":
      return [...type.args, ...type.results].reduce((sum, one) => sum + nodesOf(one), 1);
    default:
      return 1;
  }
}

function typeCost(type: AbiType): number {
  switch (type.kind) {
    case "vector":
      return TYPE_NODE + typeCost(type.item);
    case "reference":
      return TYPE_NODE + typeCost(type.to);
    case "struct":
      return type.typeArgs.reduce(
        (sum, one) => sum + typeCost(one),
        TYPE_NODE + type.name.length + type.module.length,
      );
    case "function":
      return [...type.args, ...type.results].reduce((sum, one) => sum + typeCost(one), TYPE_NODE);
    default:
      return TYPE_NODE;
  }
}

/** Costs of lists of types. Lists are shared between uses, so each is counted once. */
class ListCosts {
  readonly #costs = new WeakMap<readonly AbiType[], number>();

  of(types: readonly AbiType[]): number {
    let cost = this.#costs.get(types);
    if (cost === undefined) {
      cost = types.reduce((sum, type) => sum + typeCost(type), 0);
      this.#costs.set(types, cost);
    }
    return cost;
  }
}

const SIGNATURE_OPERANDS: ReadonlySet<number> = new Set([
  0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x5a,
]);

function bodyCost({ locals, opcodes, operands }: FunctionBody, costs: ListCosts): number {
  let cost = costs.of(locals);
  for (let pc = 0; pc < opcodes.length; pc++) {
    const operand = operands[pc];
    if (typeof operand !== "object") continue;
    if (SIGNATURE_OPERANDS.has(opcodes[pc] ?? 0)) cost += "item" in operand ? typeCost(operand.item) : 0;
    else if ("typeArgs" in operand) cost += costs.of(operand.typeArgs);
    else if ("target" in operand) cost += costs.of(operand.target.typeArgs);
  }
  return cost;
}

/** The cost of a module. */
export function* moduleComplexity({ functions, abi }: Program, tables: ProgramTables): Pieces<number> {
  const costs = new ListCosts();
  let cost = 0;
  yield* forEach([...tables.signatures, ...tables.instantiations], LISTS_OF_PIECE, (types) => {
    cost += costs.of(types);
  });
  for (const { module, name, params, returns } of tables.functions)
    cost += module.name.length + name.length + costs.of(params) + costs.of(returns);
  for (const { base } of tables.structs) cost += base.module.length + base.name.length;
  yield* forEach(functions, LISTS_OF_PIECE, ({ body }) => {
    if (body !== undefined) cost += bodyCost(body, costs);
  });
  yield* forEach(abi.structs, LISTS_OF_PIECE, ({ fields, variants }) => {
    for (const { type } of fields) cost += nodesOf(type);
    for (const variant of variants ?? []) {
      cost += variant.name.length;
      for (const { type } of variant.fields) cost += nodesOf(type);
    }
  });
  return cost;
}
