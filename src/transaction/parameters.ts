// Parameters of a call: type parameters substituted, signers left out, and the remaining ones matched to the
// JSON arguments by number.
import { shortenText } from "../base/text.ts";
import type { AbiType, ModuleLoader } from "../move/abi.ts";
import { formatAbiType } from "../move/bytecode/abi-text.ts";
import { MoveError } from "../move/errors.ts";
import { createParameterLayout, type Layout, simpleLayout } from "../move/layout.ts";
import { TransactionError } from "./errors.ts";

const LISTED_TYPES = 12;

/** A type as messages print it. */
function describeType(type: AbiType): string {
  return shortenText(formatAbiType(type, 200), 200);
}

/** What is called, for messages: its name is made only when one is written. */
export interface Callee {
  /** Path of the payload. */
  readonly path: string;
  readonly name: () => string;
}

/** `n things`, or `1 thing`. */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** The type with its type parameters replaced. */
export function substitute(type: AbiType, typeArgs: readonly AbiType[]): AbiType {
  switch (type.kind) {
    case "parameter": {
      const arg = typeArgs[type.index];
      if (arg === undefined) throw new Error(`no type argument for T${type.index}`);
      return arg;
    }
    case "vector":
      return { kind: "vector", item: substitute(type.item, typeArgs) };
    case "reference":
      return { kind: "reference", mutable: type.mutable, to: substitute(type.to, typeArgs) };
    case "struct":
      return type.typeArgs.length === 0
        ? type
        : { ...type, typeArgs: type.typeArgs.map((arg) => substitute(arg, typeArgs)) };
    default:
      // Function types are refused as arguments whatever is inside them.
      return type;
  }
}

/** True for `signer`, `&signer` and `&mut signer`: the chain fills these in. */
export function isSigner(type: AbiType): boolean {
  return type.kind === "signer" || (type.kind === "reference" && type.to.kind === "signer");
}

/** Refuses any other number of arguments than the parameters without signers. */
export function assertArgumentCount(
  callee: Callee,
  params: readonly AbiType[],
  signers: number,
  given: number,
): void {
  if (given === params.length) return;
  const types = params.slice(0, LISTED_TYPES).map(describeType).join(", ");
  const list = params.length === 0 ? "" : ` (${types}${params.length > LISTED_TYPES ? ", …" : ""})`;
  const hint =
    signers > 0 && given === params.length + signers
      ? "; the chain fills in signers, they are not given as arguments"
      : "";
  throw new TransactionError(
    "invalid",
    `${callee.path}.arguments: ${callee.name()} takes ${countOf(params.length, "argument")}${list}, not ${given}${hint}`,
    { details: { expected: params.length, given } },
  );
}

/** Layout of the parameter at `index`. */
export function loadParameterLayout(
  type: AbiType,
  index: number,
  callee: Callee,
  loadModule: ModuleLoader,
): Layout | Promise<Layout> {
  return (
    simpleLayout(type) ??
    createParameterLayout(type, loadModule).catch((error: unknown): never => {
      throw argumentError(error, type, index, callee);
    })
  );
}

/** The error of an argument, with the parameter it was given for; anything that is no fault of it as it is. */
export function argumentError(error: unknown, type: AbiType, index: number, callee: Callee): unknown {
  if (!(error instanceof MoveError) || (error.code !== "layout" && error.code !== "value")) return error;
  const where = error.code === "layout" ? `${callee.path}.arguments[${index}]: ` : "";
  return new TransactionError(
    "invalid",
    `${where}${error.message} (argument ${index} of ${callee.name()} is ${describeType(type)})`,
    { details: { argument: index, type: describeType(type) }, cause: error },
  );
}
