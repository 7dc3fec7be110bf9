// Parameters of a call: type parameters substituted, signers left out, and the remaining ones matched to the
// JSON arguments by number.
import { countOf, shortenText } from "../../base/texts/text.ts";
import type { AbiType, ModuleLoader } from "../../move/abi.ts";
import { formatAbiType } from "../../move/bytecode/abi-text.ts";
import { MoveError } from "../../move/errors.ts";
import { createParameterLayout, type Layout, simpleLayout } from "../../move/layout.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { TransactionError } from "../errors.ts";
import { typeOfTag } from "./type-arguments.ts";

const LISTED_TYPES = 12;

/** A type as messages print it. */
function describeType(type: AbiType): string {
  return shortenText(formatAbiType(type, 200), 200);
}

/** Types as messages list them. */
export function describeTypes(types: readonly AbiType[]): string {
  const list = types.slice(0, LISTED_TYPES).map(describeType).join(", ");
  return types.length > LISTED_TYPES ? `${list}, …` : list;
}

/** What is called, for messages: its name is made only when one is written. */
export interface Callee {
  /** Path of the payload. */
  readonly path: string;
  /** Path of the member that says what is called. */
  readonly field: string;
  readonly name: () => string;
}

/** Who signs a call. */
export interface CallSigners {
  /** The multisig account signs what it runs, and nobody else does. */
  readonly isMultisig: boolean;
  /** Of sender and secondary signers; undefined when the request does not list the latter. */
  readonly count: number | undefined;
}

/** The type with its type parameters replaced. */
function substitute(type: AbiType, typeArgs: readonly AbiType[]): AbiType {
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
function isSigner(type: AbiType): boolean {
  return type.kind === "signer" || (type.kind === "reference" && type.to.kind === "signer");
}

/**
 * The parameters to give arguments for, and the number of signers among them. Type parameters stay where there
 * are no type arguments. A type argument cannot bring in a signer.
 */
export function callParameters(
  types: readonly AbiType[],
  typeArgs: readonly TypeTag[],
  callee: Callee,
): { params: AbiType[]; signers: number } {
  const substitutes = typeArgs.map(typeOfTag);
  const params: AbiType[] = [];
  let signers = 0;
  for (const type of types) {
    if (isSigner(type)) {
      signers++;
      continue;
    }
    const param = substitutes.length === 0 ? type : substitute(type, substitutes);
    if (isSigner(param)) {
      throw new TransactionError(
        "invalid",
        `${callee.path}.type_arguments: signer cannot stand for a type that ${callee.name()} takes as an argument`,
      );
    }
    params.push(param);
  }
  return { params, signers };
}

/**
 * Refuses a call that takes more signers than it gets. The chain also rejects fewer signer parameters than
 * signers, and two of them when no secondary signers are listed; recorded answers encode both, so they pass.
 */
export function assertSignerCount(callee: Callee, wanted: number, signers: CallSigners): void {
  const given = signers.isMultisig ? 1 : signers.count;
  if (given === undefined || wanted <= given) return;
  const takes = `${callee.name()} takes ${countOf(wanted, "signer")}`;
  throw new TransactionError(
    "invalid",
    signers.isMultisig
      ? `${callee.field}: ${takes}, but the multisig account is the only signer of what it runs`
      : `secondary_signers: ${takes}, not ${given}; list all of them but the sender`,
    { details: { expected: wanted, given } },
  );
}

/** Refuses any other number of arguments than the parameters without signers. */
export function assertArgumentCount(
  callee: Callee,
  params: readonly AbiType[],
  signers: number,
  given: number,
): void {
  if (given === params.length) return;
  const list = params.length === 0 ? "" : ` (${describeTypes(params)})`;
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

/** Adds the parameter to the error of an argument; other errors stay as they are. */
export function argumentError(error: unknown, type: AbiType, index: number, callee: Callee): unknown {
  if (!(error instanceof MoveError) || (error.code !== "layout" && error.code !== "value")) return error;
  const where = error.code === "layout" ? `${callee.path}.arguments[${index}]: ` : "";
  return new TransactionError(
    "invalid",
    `${where}${error.message} (argument ${index} of ${callee.name()} is ${describeType(type)})`,
    { details: { argument: index, type: describeType(type) }, cause: error },
  );
}
