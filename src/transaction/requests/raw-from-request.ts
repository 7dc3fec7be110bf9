// From a request to the raw transaction: the payload is resolved against the modules on chain and put into
// the form that the nonce decides.
import { errorText, unreachable } from "../../base/errors.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { countOf } from "../../base/texts/text.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import type { JsonDocument } from "../../json/document.ts";
import type { AbiType, ModuleLoader } from "../../move/abi.ts";
import { ADDRESS_LENGTH, type Address, addressFromBytes } from "../../move/address.ts";
import { readScript } from "../../move/bytecode/reader.ts";
import { MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import { writeJsonValue } from "../../move/value-json.ts";
import { TransactionError } from "../errors.ts";
import type { Executable, Script, ScriptArgument } from "../executable.ts";
import {
  type MultisigPayload,
  NONCE_SEQUENCE_NUMBER,
  type RawTransaction,
  type TransactionPayload,
} from "../raw.ts";
import { createEntryFunction } from "./entry-function-request.ts";
import {
  argumentError,
  assertArgumentCount,
  assertSignerCount,
  type Callee,
  type CallSigners,
  callParameters,
  loadParameterLayout,
} from "./parameters.ts";
import type { TransactionRequest } from "./request.ts";
import type { EntryFunctionRequest, ScriptRequest } from "./request-payload.ts";
import { parseParameterTypes, parseTypeArguments } from "./type-arguments.ts";

const NAME = "the script";

/** Encodes the arguments by the script's parameter types. Throws TransactionError `invalid`. */
async function createScript(
  document: JsonDocument,
  request: ScriptRequest,
  signers: CallSigners,
  loadModule: ModuleLoader,
): Promise<Script> {
  const { path } = request;
  const typeArgs = parseTypeArguments(document, request.typeArguments, `${path}.type_arguments`);
  const types = parameterTypes(document, request, typeArgs.length);
  const callee: Callee = { path, field: `${path}.code`, name: () => NAME };
  const { params, signers: wantedSigners } = callParameters(types, typeArgs, callee);
  assertArgumentCount(callee, params, wantedSigners, document.count(request.arguments));
  assertSignerCount(callee, wantedSigners, signers);
  const args: ScriptArgument[] = [];
  let value = document.first(request.arguments);
  for (const [index, type] of params.entries()) {
    const layout = await loadParameterLayout(type, index, callee, loadModule);
    try {
      args.push(scriptArgument(layout, document, value, [`${path}.arguments`, index]));
    } catch (error) {
      throw argumentError(error, type, index, callee);
    }
    value = document.next(value);
  }
  return { code: request.code, typeArgs, args };
}

/**
 * Types of the parameters, signers included. A supplied description wins over the bytecode, which is then
 * not looked at.
 */
function parameterTypes(
  document: JsonDocument,
  request: ScriptRequest,
  typeArgCount: number,
): readonly AbiType[] {
  const { path, abiParams } = request;
  if (abiParams !== undefined) return parseParameterTypes(document, abiParams, `${path}.code.abi.params`);
  const abi = scriptAbi(request);
  // No type arguments at all are let through: recorded answers encode such requests. Parameters that would
  // need one are refused further on.
  if (typeArgCount !== 0 && abi.typeParams.length !== typeArgCount) {
    throw new TransactionError(
      "invalid",
      `${path}.type_arguments: ${NAME} takes ${countOf(abi.typeParams.length, "type argument")}, not ${typeArgCount}`,
    );
  }
  return abi.params;
}

function scriptAbi(request: ScriptRequest): ReturnType<typeof readScript> {
  try {
    return readScript(request.code);
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    throw new TransactionError(
      "invalid",
      `${request.path}.code.bytecode: not a compiled script: ${errorText(error)}`,
      { cause: error },
    );
  }
}

/** The tagged form of a JSON value. Only types with a tag of their own can be given to a script. */
function scriptArgument(
  layout: Layout,
  document: JsonDocument,
  value: number,
  path: (string | number)[],
): ScriptArgument {
  if (layout.kind === "vector" && document.kind(value) === "array" && document.count(value) === 0) {
    return { kind: "bytes", value: new Uint8Array(0) };
  }
  const writer = new BcsWriter(64);
  writeJsonValue(writer, layout, { document, value, path });
  const reader = new BcsReader(writer.take());
  switch (layout.kind) {
    case "bool":
      return { kind: layout.kind, value: reader.bool() };
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32":
      return { kind: layout.kind, value: reader[layout.kind]() };
    case "u64":
    case "u128":
    case "u256":
    case "i64":
    case "i128":
    case "i256":
      return { kind: layout.kind, value: reader[layout.kind]() };
    case "address":
      return { kind: layout.kind, value: addressFromBytes(reader.fixed(ADDRESS_LENGTH)) };
    case "bytes":
      return { kind: layout.kind, value: reader.byteString() };
    default:
      throw new MoveError(
        "layout",
        "a script takes only booleans, integers, addresses, objects and vector<u8>; an entry function takes more",
      );
  }
}

/** What the ledger contributes to a transaction. */
export interface EncodeContext {
  readonly chainId: number;
  /** Loads modules as of the latest version. */
  readonly loadModule: ModuleLoader;
}

/** Builds the raw transaction that a request asks for. Throws TransactionError `invalid`. */
export function createRawTransaction(
  request: TransactionRequest,
  context: EncodeContext,
): MaybePromise<RawTransaction> {
  const sequenceNumber =
    request.replayProtectionNonce === undefined ? request.sequenceNumber : NONCE_SEQUENCE_NUMBER;
  if (sequenceNumber === undefined) throw new Error("a request has a sequence number or a nonce");
  return andThen(createPayload(request, context.loadModule), (payload) => ({
    sender: request.sender,
    sequenceNumber,
    payload,
    maxGasAmount: request.maxGasAmount,
    gasUnitPrice: request.gasUnitPrice,
    expirationTimestampSecs: request.expirationTimestampSecs,
    chainId: context.chainId,
  }));
}

function createPayload(
  request: TransactionRequest,
  loadModule: ModuleLoader,
): MaybePromise<TransactionPayload> {
  const { document, payload, replayProtectionNonce: nonce, secondarySigners, feePayer } = request;
  // The fee-payer message always has the list, so one that is left out is empty.
  const isListed = secondarySigners !== undefined || feePayer !== undefined;
  const count = isListed ? 1 + (secondarySigners?.length ?? 0) : undefined;
  switch (payload.kind) {
    case "moduleBundle":
      throw new TransactionError(
        "invalid",
        "payload.type: module_bundle_payload was removed from the chain; publish modules with 0x1::code::publish_package_txn",
      );
    case "multisig": {
      const { multisigAddress } = payload;
      const call =
        payload.payload === undefined
          ? undefined
          : createCall(document, payload.payload, { isMultisig: true, count }, loadModule);
      return andThen(
        call,
        (transactionPayload): TransactionPayload =>
          nonce === undefined
            ? { kind: "multisig", multisigAddress, transactionPayload }
            : orderless(transactionPayload ?? { kind: "empty" }, multisigAddress, nonce),
      );
    }
    case "entryFunction":
    case "script": {
      const call = createCall(document, payload, { isMultisig: false, count }, loadModule);
      return nonce === undefined
        ? call
        : andThen(call, (executable) => orderless(executable, undefined, nonce));
    }
    default:
      return unreachable(payload);
  }
}

/** The call in the form that both a payload and a multisig payload take. */
function createCall(
  document: JsonDocument,
  request: EntryFunctionRequest | ScriptRequest,
  signers: CallSigners,
  loadModule: ModuleLoader,
): MaybePromise<MultisigPayload> {
  if (request.kind === "script") {
    return andThen(createScript(document, request, signers, loadModule), (script) => ({
      kind: "script",
      script,
    }));
  }
  return andThen(createEntryFunction(document, request, signers, loadModule), (entryFunction) => ({
    kind: "entryFunction",
    entryFunction,
  }));
}

function orderless(
  executable: Executable,
  multisigAddress: Address | undefined,
  replayProtectionNonce: bigint,
): TransactionPayload {
  return {
    kind: "payload",
    payload: {
      kind: "v1",
      executable,
      extraConfig: { kind: "v1", multisigAddress, replayProtectionNonce },
    },
  };
}
