// An entry function call: from the request and the module on chain to the call with its encoded arguments.
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { countOf, shortenText } from "../../base/texts/text.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import type { JsonDocument } from "../../json/document.ts";
import type { AbiType, FunctionAbi, ModuleAbi, ModuleId, ModuleLoader } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { MAX_IDENTIFIER_LENGTH } from "../../move/identifier.ts";
import type { Layout } from "../../move/layout.ts";
import type { TypeTag } from "../../move/type-tag.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import { TransactionError } from "../errors.ts";
import type { EntryFunction } from "../executable.ts";
import {
  argumentError,
  assertArgumentCount,
  assertSignerCount,
  type Callee,
  type CallSigners,
  callParameters,
  describeTypes,
  loadParameterLayout,
} from "./parameters.ts";
import type { EntryFunctionRequest } from "./request-payload.ts";
import { parseTypeArguments } from "./type-arguments.ts";

const LISTED_FUNCTIONS = 12;

/** Encodes the arguments by the function's parameter types. Throws TransactionError `invalid`. */
export function createEntryFunction(
  document: JsonDocument,
  request: EntryFunctionRequest,
  signers: CallSigners,
  loadModule: ModuleLoader,
): MaybePromise<EntryFunction> {
  const { path, module: id } = request;
  const typeArgs = parseTypeArguments(document, request.typeArguments, `${path}.type_arguments`);
  const callee = entryFunctionCallee(path, id, request.function);
  return andThen(loadEntryFunction(id, request.function, callee, loadModule), (definition) => {
    const count = document.count(request.arguments);
    const { params, signers: wantedSigners } = entryFunctionParameters(definition, typeArgs, count, callee);
    assertSignerCount(callee, wantedSigners, signers);
    const encoded = encodeArguments(document, request.arguments, params, callee, loadModule);
    return andThen(encoded, (args) => ({ module: id, function: request.function, typeArgs, args }));
  });
}

/** What messages call an entry function of a payload. */
export function entryFunctionCallee(path: string, module: ModuleId, name: string): Callee {
  return {
    path,
    field: `${path}.function`,
    name: () => `${describeModule(module)}::${shortenText(name)}`,
  };
}

/** The definition of an entry function that a transaction can call. Throws TransactionError `invalid`. */
export function loadEntryFunction(
  id: ModuleId,
  name: string,
  callee: Callee,
  loadModule: ModuleLoader,
): MaybePromise<FunctionAbi> {
  const loaded = id.name.length <= MAX_IDENTIFIER_LENGTH ? loadModule(id) : undefined;
  return andThen(loaded, (module) => {
    if (module === undefined) {
      throw new TransactionError("invalid", `${callee.field}: module ${describeModule(id)} is not on chain`);
    }
    return findEntryFunction(module, name, callee);
  });
}

/**
 * The parameters to give arguments for, and the number of signers. Throws TransactionError `invalid` when there
 * are more or fewer type arguments or arguments.
 */
export function entryFunctionParameters(
  definition: FunctionAbi,
  typeArgs: readonly TypeTag[],
  argumentCount: number,
  callee: Callee,
): { params: AbiType[]; signers: number } {
  assertTypeArgumentCount(definition, typeArgs.length, callee);
  const found = callParameters(definition.params, typeArgs, callee);
  assertArgumentCount(callee, found.params, found.signers, argumentCount);
  return found;
}

function describeModule(module: ModuleId): string {
  return shortenText(`${formatAddress(module.address)}::${module.name}`);
}

function findEntryFunction(module: ModuleAbi, name: string, callee: Callee): FunctionAbi {
  const definition = module.functions.find((candidate) => candidate.name === name);
  if (definition?.isEntry) {
    assertNoReturns(definition, callee);
    return definition;
  }
  const entries = module.functions.filter((candidate) => candidate.isEntry).map((entry) => entry.name);
  const more = entries.length > LISTED_FUNCTIONS ? ", …" : "";
  const list =
    entries.length === 0
      ? "the module has no entry functions"
      : `its entry functions are ${entries.slice(0, LISTED_FUNCTIONS).join(", ")}${more}`;
  throw new TransactionError(
    "invalid",
    definition === undefined
      ? `${callee.field}: the module is on chain, but there is no function ${callee.name()}; ${list}`
      : `${callee.field}: ${callee.name()} is not an entry function, so no transaction can call it; ${list}`,
  );
}

function assertNoReturns({ returns }: FunctionAbi, callee: Callee): void {
  if (returns.length === 0) return;
  const what = returns.length === 1 ? "a value" : "values";
  throw new TransactionError(
    "invalid",
    `${callee.field}: ${callee.name()} returns ${what} (${describeTypes(returns)}), so no transaction can call it`,
  );
}

function assertTypeArgumentCount(definition: FunctionAbi, given: number, callee: Callee): void {
  const wanted = definition.typeParams.length;
  if (given === wanted) return;
  const hint =
    given < wanted ? '; add types such as "0x1::aptos_coin::AptosCoin"' : wanted === 0 ? "; write []" : "";
  throw new TransactionError(
    "invalid",
    `${callee.path}.type_arguments: ${callee.name()} takes ${countOf(wanted, "type argument")}, not ${given}${hint}`,
    { details: { expected: wanted, given } },
  );
}

/** BCS of each argument, all in one buffer. Waits only for layouts that need modules. */
function encodeArguments(
  document: JsonDocument,
  array: number,
  params: readonly AbiType[],
  callee: Callee,
  loadModule: ModuleLoader,
): MaybePromise<Uint8Array[]> {
  const writer = new BcsWriter(Buffer.allocUnsafe(128));
  const ends: number[] = [];
  let value = document.first(array);
  const writeArgument = (layout: Layout, type: AbiType, index: number): void => {
    try {
      writeJsonValue(writer, layout, { document, value, path: [`${callee.path}.arguments`, index] });
    } catch (error) {
      throw argumentError(error, type, index, callee);
    }
    ends.push(writer.length);
    value = document.next(value);
  };
  // One argument after the other, so that the first wrong one is reported.
  const writeFrom = (first: number): MaybePromise<Uint8Array[]> => {
    for (let index = first; index < params.length; index++) {
      const type = params[index] as AbiType;
      const loaded = loadParameterLayout(type, index, callee, loadModule);
      if (loaded instanceof Promise) {
        return loaded.then((layout) => {
          writeArgument(layout, type, index);
          return writeFrom(index + 1);
        });
      }
      writeArgument(loaded, type, index);
    }
    const bytes = writer.take();
    let start = 0;
    return ends.map((end) => {
      const argument = bytes.subarray(start, end);
      start = end;
      return argument;
    });
  };
  return writeFrom(0);
}
