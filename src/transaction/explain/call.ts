// What a transaction calls: the function or script with its arguments, each as a value by the type that the ledger
// or the bytecode gives it. What does not fit becomes a warning, never a guess.

import { toPrefixedHex } from "../../base/hex.ts";
import { sha3 } from "../../base/sha3.ts";
import { countOf } from "../../base/texts/text.ts";
import { readWhole } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { parseJson } from "../../json/parse.ts";
import type { AbiType, ModuleLoader } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { formatAbiType } from "../../move/bytecode/abi-text.ts";
import { readScript } from "../../move/bytecode/reader.ts";
import { MoveError } from "../../move/errors.ts";
import { type Layout, simpleLayout } from "../../move/layout.ts";
import { formatTypeTag, type TypeTag } from "../../move/type-tag.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import type { JsonValue, ValuePrinter } from "../../move/value-print.ts";
import { TransactionError } from "../errors.ts";
import type { EntryFunction, Script, ScriptArgument } from "../executable.ts";
import type { MultisigPayload } from "../raw.ts";
import {
  entryFunctionCallee,
  entryFunctionParameters,
  loadEntryFunction,
} from "../requests/entry-function-request.ts";
import {
  assertArgumentCount,
  type Callee,
  callParameters,
  loadParameterLayout,
} from "../requests/parameters.ts";
import type {
  ExplainedArgument,
  ExplainedEntryFunction,
  ExplainedScript,
  WarningCode,
} from "./explanation.ts";
import { parameterNames } from "./transfer.ts";

/** Longest text of a parameter's type. */
const MAX_TYPE_TEXT = 1000;

/** What a call is explained with. */
export interface CallContext {
  readonly path: string;
  readonly loadModule: ModuleLoader;
  readonly printer: ValuePrinter;
  /** Undefined when the bytes do not say who signs. */
  readonly signerCount: number | undefined;
  warn(code: WarningCode, message: string): void;
}

/** A call explained, and the same call with every argument that has a value encoded again from it. */
export interface ExplainedCall {
  readonly payload: ExplainedEntryFunction | ExplainedScript;
  readonly encoded: MultisigPayload;
}

/** Explains a call. What the module loader throws passes through. */
export function explainCall(call: MultisigPayload, context: CallContext): Promise<ExplainedCall> {
  return call.kind === "script"
    ? explainScript(call.script, context)
    : explainEntryFunction(call.entryFunction, context);
}

async function explainEntryFunction(call: EntryFunction, context: CallContext): Promise<ExplainedCall> {
  const { path, loadModule } = context;
  const callee = entryFunctionCallee(path, call.module, call.function);
  const definition = await attempt("unknown_function", context, () =>
    loadEntryFunction(call.module, call.function, callee, loadModule),
  );
  const found =
    definition &&
    (await attempt("wrong_arguments", context, () =>
      entryFunctionParameters(definition, call.typeArgs, call.args.length, callee),
    ));
  if (found !== undefined) checkSigners(found.signers, callee, context);
  const names = found === undefined ? [] : parameterNames(call.module, call.function);
  const shown: ExplainedArgument[] = [];
  const args: Uint8Array[] = [];
  for (const [i, bytes] of call.args.entries()) {
    const { argument, encoded } = await explainBytes(bytes, found?.params[i], i, callee, context);
    const name = names[i];
    shown.push(name === undefined ? argument : { name, ...argument });
    args.push(encoded);
  }
  return {
    payload: {
      type: "entry_function_payload",
      function: `${formatAddress(call.module.address)}::${call.module.name}::${call.function}`,
      type_arguments: call.typeArgs.map(formatTypeTag),
      arguments: shown,
    },
    encoded: { kind: "entryFunction", entryFunction: { ...call, args } },
  };
}

async function explainScript(script: Script, context: CallContext): Promise<ExplainedCall> {
  const { path } = context;
  const callee: Callee = { path, field: `${path}.code`, name: () => "the script" };
  const params = await scriptParameters(script, callee, context);
  const shown: ExplainedArgument[] = [];
  const args: ScriptArgument[] = [];
  for (const [i, argument] of script.args.entries()) {
    if (argument.kind === "serialized") {
      const explained = await explainBytes(argument.value, params?.[i], i, callee, context);
      shown.push(explained.argument);
      args.push({ kind: argument.kind, value: explained.encoded });
      continue;
    }
    const wanted = params?.[i];
    if (wanted !== undefined) checkScriptArgument(argument, wanted, i, callee, context);
    shown.push({ type: argument.kind === "bytes" ? "vector<u8>" : argument.kind, value: scalarOf(argument) });
    args.push(argument);
  }
  return {
    payload: {
      type: "script_payload",
      code_hash: toPrefixedHex(sha3(script.code)),
      type_arguments: script.typeArgs.map(formatTypeTag),
      arguments: shown,
    },
    encoded: { kind: "script", script: { ...script, args } },
  };
}

/** The types that a script takes arguments of; undefined, with a warning, when they cannot be told. */
async function scriptParameters(
  script: Script,
  callee: Callee,
  context: CallContext,
): Promise<readonly AbiType[] | undefined> {
  let abi: ReturnType<typeof readScript>;
  try {
    abi = readScript(script.code);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    context.warn("invalid_script", `${callee.field}: not a compiled script: ${error.message}`);
    return undefined;
  }
  const { typeArgs, args } = script;
  return attempt("wrong_arguments", context, () => {
    assertTypeCount(abi.typeParams.length, typeArgs, callee);
    const { params, signers } = callParameters(abi.params, typeArgs, callee);
    assertArgumentCount(callee, params, signers, args.length);
    checkSigners(signers, callee, context);
    return params;
  });
}

function assertTypeCount(wanted: number, typeArgs: readonly TypeTag[], callee: Callee): void {
  if (wanted === typeArgs.length) return;
  throw new TransactionError(
    "invalid",
    `${callee.path}.type_arguments: ${callee.name()} takes ${countOf(wanted, "type argument")}, not ${typeArgs.length}`,
  );
}

/** Runs a check of the encoder: what it refuses becomes a warning, and the answer undefined. */
async function attempt<T>(
  code: WarningCode,
  context: CallContext,
  check: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    context.warn(code, error.message);
    return undefined;
  }
}

/** The chain takes a function without signers, and one with exactly those that sign. */
function checkSigners(wanted: number, callee: Callee, { signerCount, warn }: CallContext): void {
  if (wanted === 0 || signerCount === undefined || wanted === signerCount) return;
  warn(
    "wrong_signers",
    `${callee.field}: ${callee.name()} takes ${countOf(wanted, "signer")}, but ${signerCount} would sign`,
  );
}

/**
 * An argument given as BCS: its value where the type is known and fits, else its bytes. `encoded` is made from
 * what is shown, through JSON, so that the comparison at the end covers the value.
 */
async function explainBytes(
  bytes: Uint8Array,
  type: AbiType | undefined,
  index: number,
  callee: Callee,
  context: CallContext,
): Promise<{ argument: ExplainedArgument; encoded: Uint8Array }> {
  const asBytes = { bytes: toPrefixedHex(bytes) };
  if (type === undefined) return { argument: asBytes, encoded: bytes };
  const text = formatAbiType(type, MAX_TYPE_TEXT);
  const layout = await attempt("argument_not_decoded", context, () =>
    loadParameterLayout(type, index, callee, context.loadModule),
  );
  if (layout === undefined) return { argument: { type: text, ...asBytes }, encoded: bytes };
  try {
    const value = readWhole(bytes, (reader) => context.printer.read(reader, layout));
    return { argument: { type: text, value }, encoded: encodeValue(value, layout) };
  } catch (error) {
    const isWrong = error instanceof BcsError;
    if (!isWrong && !(error instanceof MoveError && error.code === "value")) throw error;
    const where = `${callee.path}.arguments[${index}]`;
    context.warn(
      isWrong ? "wrong_arguments" : "argument_not_decoded",
      `${where}: ${error.message}; expected ${text}`,
    );
    return { argument: { type: text, ...asBytes }, encoded: bytes };
  }
}

/** The bytes of a printed value, by the way that a request's value goes. */
function encodeValue(value: JsonValue, layout: Layout): Uint8Array {
  const document = parseJson(Buffer.from(JSON.stringify(value)));
  const writer = new BcsWriter();
  writeJsonValue(writer, layout, { document, value: document.root, path: [] });
  return writer.take();
}

type TaggedArgument = Exclude<ScriptArgument, { kind: "serialized" }>;

/** A script's argument carries its own type; only where both are plain can a difference be told for sure. */
function checkScriptArgument(
  argument: TaggedArgument,
  wanted: AbiType,
  index: number,
  callee: Callee,
  { warn }: CallContext,
): void {
  const layout = simpleLayout(wanted);
  if (layout === undefined || layout.kind === argument.kind) return;
  warn(
    "wrong_arguments",
    `${callee.path}.arguments[${index}]: ${callee.name()} takes ${formatAbiType(wanted)}, not ${argument.kind}`,
  );
}

function scalarOf(argument: TaggedArgument): JsonValue {
  const { value } = argument;
  if (typeof value === "bigint") return `${value}`;
  if (!(value instanceof Uint8Array)) return value;
  return argument.kind === "address" ? formatAddress(value) : toPrefixedHex(value);
}
