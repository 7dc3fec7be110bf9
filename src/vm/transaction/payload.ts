// What a transaction runs: an entry function or a script, and the modules that it publishes.
import { toHex } from "../../base/hex.ts";
import type { Pieces } from "../../base/pieces.ts";
import { decodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import type { AbiType } from "../../move/abi.ts";
import { readScriptProgram, type ScriptProgram, type WithTables } from "../../move/bytecode/program.ts";
import { MoveError } from "../../move/errors.ts";
import { type EntryFunction, entryFunctionCodec, type Script } from "../../transaction/executable.ts";
import { createType } from "../../transaction/requests/type-arguments.ts";
import { ArgumentMaker, assertArgumentType, assertTypeArgs } from "../arguments.ts";
import type { WrittenItems } from "../change-set.ts";
import { STATUS, VmError } from "../errors.ts";
import type { ChainConfig } from "../ledger/chain-config.ts";
import { type FunctionInstance, type Linker, type LoadedModule, named } from "../linker.ts";
import type { PublishRequest } from "../natives/framework.ts";
import { ATTRIBUTE, isUnstable, metadataOfModule } from "../publishing/metadata.ts";
import { assertInitialiser, checkPublish, isEmit, maxFormatVersion } from "../publishing/publish.ts";
import { assertLinks, assertWellFormedScript } from "../publishing/verify.ts";
import { moduleStateKey } from "../state.ts";
import { substitute } from "../types.ts";
import { Ref, signerOf, type Value } from "../values.ts";
import { FEATURE, type SessionRun } from "./session-run.ts";
import { DISCARD, Discarded } from "./status.ts";

const MAINNET = 1;

/** Loads the structs of a type argument. */
function loadTypes(linker: Linker, type: AbiType): void {
  if (type.kind === "vector") loadTypes(linker, type.item);
  if (type.kind !== "struct") return;
  linker.struct(type);
  for (const one of type.typeArgs) loadTypes(linker, one);
}

/**
 * The arguments of an entry function or script: first the signers, then the values. Values with constructors are made at
 * once, plain ones when the result is called: the chain decodes them when the function begins.
 */
function* makeArguments(
  run: SessionRun,
  instance: FunctionInstance,
  signers: readonly string[],
  args: readonly Uint8Array[],
): Pieces<() => Value[]> {
  const { linker } = run;
  if (instance.definition.returns.length > 0)
    throw new VmError(STATUS.invalidMainSignature, "an entry function returns nothing");
  const params = instance.definition.params.map((type) => substitute(type, instance.typeArgs));
  const isSigner = (type: AbiType): boolean =>
    type.kind === "signer" || (type.kind === "reference" && type.to.kind === "signer");
  const count = params.filter(isSigner).length;
  const rest = params.slice(count);
  for (const type of rest) assertArgumentType(type);
  if (rest.length !== args.length)
    throw new VmError(
      STATUS.numberOfArgumentsMismatch,
      `expected ${rest.length} arguments, got ${args.length}`,
    );
  if (count > 0 && count !== signers.length)
    throw new VmError(
      STATUS.numberOfSignerArgumentsMismatch,
      `expected ${count} signers, got ${signers.length}`,
    );
  const maker = new ArgumentMaker(linker, () => run.interpreter());
  const values: (() => Value)[] = [];
  for (const [i, type] of rest.entries())
    values.push(yield* maker.prepare(type, args[i] ?? new Uint8Array(0)));
  return () => {
    const given = params.slice(0, count).map((type, i): Value => {
      const signer = signerOf(signers[i] ?? "");
      return type.kind === "reference" ? new Ref([signer], 0) : signer;
    });
    return [...given, ...values.map((value) => value())];
  };
}

function scriptArgumentBytes(argument: Script["args"][number]): Uint8Array {
  const writer = new BcsWriter(64);
  switch (argument.kind) {
    case "address":
      return writer.fixed(argument.value).take();
    case "bytes":
      return writer.byteString(argument.value).take();
    case "serialized":
      return argument.value;
    case "bool":
      return writer.bool(argument.value).take();
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32":
      return writer[argument.kind](argument.value).take();
    default:
      return writer[argument.kind](argument.value).take();
  }
}

/** What a multisig account runs: an entry function, the only kind there is. */
export function decodeMultisigPayload(bytes: Uint8Array): EntryFunction {
  try {
    if (bytes[0] === 0) return decodeWith(entryFunctionCodec, bytes.subarray(1));
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
  }
  throw new VmError(
    STATUS.failedToDeserializeArgument,
    "the payload of the multisig account does not decode",
  );
}

/** True if a function may take random numbers. */
function isRandom({ program }: LoadedModule, name: string): boolean {
  const attributes = metadataOfModule(program)?.functions.find(([key]) => key === name)?.[1] ?? [];
  return attributes.some(({ kind }) => kind === ATTRIBUTE.randomness);
}

/** Runs an entry function. Throws VmError. */
export function* runEntry(run: SessionRun, entry: EntryFunction, signers: readonly string[]): Pieces<void> {
  const { linker } = run;
  const module = linker.module(toHex(entry.module.address), entry.module.name);
  const typeArgs = entry.typeArgs.map(createType);
  for (const type of typeArgs) loadTypes(linker, type);
  const definition = named(module.program.functions, entry.function);
  if (definition === undefined)
    throw new VmError(
      STATUS.functionResolutionFailure,
      `there is no function ${module.key}::${entry.function}`,
    );
  assertTypeArgs(linker, definition.typeParams, typeArgs);
  if (definition.body === undefined && !run.hasNativeEntries)
    throw new VmError(STATUS.userDefinedNativeNotAllowed, "a native function is no entry function");
  if (definition.visibility !== "public" && isRandom(module, entry.function)) run.session.isUnbiasable = true;
  const instance = linker.instance(module, definition, typeArgs);
  const args = yield* makeArguments(run, instance, signers, entry.args);
  if (!definition.isEntry)
    throw new VmError(STATUS.entryFunctionNotEntry, "the function is no entry function");
  yield* run.interpreter().callInPieces(instance, args());
}

/** Runs a script. Throws VmError, and Discarded. */
export function* runScript(
  run: SessionRun,
  script: Script,
  signers: readonly string[],
  { features, chainId }: ChainConfig,
): Pieces<void> {
  const { linker } = run;
  const isSerialized = script.args.some(({ kind }) => kind === "serialized");
  if (isSerialized && !features.has(FEATURE.serializedScriptArguments)) throw new Discarded(DISCARD.gated);
  let code: WithTables<ScriptProgram>;
  try {
    code = yield* readScriptProgram(script.code);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new VmError(STATUS.codeDeserializationError, error.message);
  }
  const { program, tables } = code;
  if (program.version > maxFormatVersion(features))
    throw new VmError(STATUS.codeDeserializationError, "the script has a format that is not supported");
  yield* assertWellFormedScript(code);
  for (const { address, name } of program.dependencies) linker.module(toHex(address), name);
  yield* assertLinks(tables, undefined, linker);
  const typeArgs = script.typeArgs.map(createType);
  for (const type of typeArgs) loadTypes(linker, type);
  assertTypeArgs(linker, program.main.typeParams, typeArgs);
  const instance = linker.script(program, typeArgs);
  if (chainId === MAINNET && isUnstable(program.metadata))
    throw new VmError(STATUS.unstableBytecodeRejected, "the script is marked as not stable");
  if (program.functions.some(isEmit))
    throw new VmError(STATUS.invalidOperationInScript, "a script cannot emit events");
  const args = yield* makeArguments(run, instance, signers, script.args.map(scriptArgumentBytes));
  yield* run.interpreter().callInPieces(instance, args());
}

/** Checks the modules that the code of a session asked to publish, and runs the initialisers of new ones. */
export function* publishRequested(run: SessionRun, { features, chainId }: ChainConfig): Pieces<WrittenItems> {
  const request = run.session.extensions.get("publish") as PublishRequest | undefined;
  if (request === undefined) return new Map();
  const { linker } = run;
  const modules = yield* checkPublish(request, { linker, features, chainId });
  for (const { program, loaded, old } of modules) {
    const definition = program.functions.find(({ name }) => name === "init_module");
    if (old !== undefined || definition === undefined) continue;
    assertInitialiser(definition, linker.meter.version);
    const signer = signerOf(request.destination);
    const given: Value = definition.params[0]?.kind === "reference" ? new Ref([signer], 0) : signer;
    yield* run.interpreter().callInPieces(linker.instance(loaded, definition, []), [given]);
  }
  return new Map(modules.map(({ loaded, bytes }) => [moduleStateKey(loaded.address, loaded.name), bytes]));
}
