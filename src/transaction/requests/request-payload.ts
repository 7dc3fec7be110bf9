// The payload of a transaction request: which of the known kinds it is, and the members of that kind.
import { shortenText } from "../../base/texts/text.ts";
import type { Ability, ModuleId, Visibility } from "../../move/abi.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { isIdentifier } from "../../move/identifier.ts";
import { TransactionError } from "../errors.ts";
import {
  addressMember,
  arrayMember,
  asObject,
  booleanMember,
  bytesMember,
  failMember,
  memberOf,
  memberPath,
  objectMember,
  presentMember,
  type RequestObject,
  stringArrayMember,
  stringMember,
} from "./request-members.ts";

/** What every call has: tape indices of the arrays of type arguments and arguments. */
interface CallRequest {
  /** Path of the payload, for messages. */
  readonly path: string;
  readonly typeArguments: number;
  readonly arguments: number;
}

/** A call of an entry function. */
export interface EntryFunctionRequest extends CallRequest {
  readonly kind: "entryFunction";
  readonly module: ModuleId;
  readonly function: string;
}

/** A script to run. */
export interface ScriptRequest extends CallRequest {
  readonly kind: "script";
  readonly code: Uint8Array;
  /** Tape index of the parameter types of `code.abi`; undefined when they are to come from the bytecode. */
  readonly abiParams: number | undefined;
}

/** What a multisig account is to run; without a payload, what it has stored. */
interface MultisigRequest {
  readonly kind: "multisig";
  readonly multisigAddress: Address;
  readonly payload: EntryFunctionRequest | ScriptRequest | undefined;
}

/** The payload of a request. */
export type PayloadRequest =
  | EntryFunctionRequest
  | ScriptRequest
  | MultisigRequest
  /** Removed from the chain. */
  | { readonly kind: "moduleBundle" };

const CALL_TYPES = "entry_function_payload or script_payload";
const PAYLOAD_TYPES = "entry_function_payload, script_payload or multisig_payload";
const FUNCTION_ID = 'a function such as "0x1::aptos_account::transfer"';
const VISIBILITIES: readonly string[] = ["private", "public", "friend"] satisfies Visibility[];
const ABILITIES: readonly string[] = ["copy", "drop", "store", "key"] satisfies Ability[];

/** Members of a payload of any kind. */
export const PAYLOAD_MEMBERS = [
  "type",
  "function",
  "type_arguments",
  "arguments",
  "code",
  "multisig_address",
  "transaction_payload",
] as const;

const CODE_MEMBERS = ["bytecode", "abi"] as const;
const ABI_MEMBERS = [
  "name",
  "visibility",
  "is_entry",
  "is_view",
  "generic_type_params",
  "params",
  "return",
] as const;
const TYPE_PARAM_MEMBERS = ["constraints"] as const;

type Payload = RequestObject<(typeof PAYLOAD_MEMBERS)[number]>;
type Abi = RequestObject<(typeof ABI_MEMBERS)[number]>;

/** Reads the payload object. */
export function parsePayloadRequest(payload: Payload): PayloadRequest {
  switch (typeOf(payload)) {
    case "entry_function_payload":
      return entryFunctionRequest(payload);
    case "script_payload":
      return scriptRequest(payload);
    case "multisig_payload":
      return multisigRequest(payload);
    case "module_bundle_payload":
      return { kind: "moduleBundle" };
    case "encrypted_transaction_payload":
      return failMember(payload, "type", PAYLOAD_TYPES, "encrypted payloads cannot be encoded here");
    default:
      return failMember(payload, "type", PAYLOAD_TYPES);
  }
}

/** The type as far as it can matter; undefined when it is not a string. */
function typeOf(payload: Payload): string | undefined {
  const type = memberOf(payload, "type");
  return type >= 0 && payload.document.kind(type) === "string" ? payload.document.string(type) : undefined;
}

function multisigRequest(payload: Payload): MultisigRequest {
  const multisigAddress = addressMember(payload, "multisig_address");
  if (presentMember(payload, "transaction_payload") < 0) {
    return { kind: "multisig", multisigAddress, payload: undefined };
  }
  const inner = objectMember(payload, "transaction_payload", PAYLOAD_MEMBERS);
  switch (typeOf(inner)) {
    case "entry_function_payload":
      return { kind: "multisig", multisigAddress, payload: entryFunctionRequest(inner) };
    case "script_payload":
      return { kind: "multisig", multisigAddress, payload: scriptRequest(inner) };
    default:
      return failMember(inner, "type", CALL_TYPES);
  }
}

function typeArgumentsOf(payload: Payload): number {
  return stringArrayMember(payload, "type_arguments", "type strings");
}

function argumentsOf(payload: Payload): number {
  return arrayMember(payload, "arguments", "values");
}

function entryFunctionRequest(payload: Payload): EntryFunctionRequest {
  const id = stringMember(payload, "function", FUNCTION_ID);
  const { module, name } = parseFunctionId(id, payload);
  const typeArguments = typeArgumentsOf(payload);
  return {
    kind: "entryFunction",
    path: payload.path,
    module,
    function: name,
    typeArguments,
    arguments: argumentsOf(payload),
  };
}

/** `address::module::function`: the name is behind the last `::`, the address before the first. */
function parseFunctionId(id: string, payload: Payload): { module: ModuleId; name: string } {
  const last = id.lastIndexOf("::");
  const first = last < 0 ? -1 : id.slice(0, last).indexOf("::");
  if (first < 0) failFunctionId(id, payload, "it needs two `::`");
  const moduleName = id.slice(first + 2, last);
  const name = id.slice(last + 2);
  if (!isIdentifier(moduleName)) failFunctionId(id, payload, "the module is not an identifier");
  if (!isIdentifier(name)) failFunctionId(id, payload, "the function is not an identifier");
  try {
    return { module: { address: parseAddress(id.slice(0, first)), name: moduleName }, name };
  } catch (error) {
    if (!(error instanceof MoveError)) throw error;
    return failFunctionId(id, payload, error.message);
  }
}

function failFunctionId(id: string, payload: Payload, reason: string): never {
  throw new TransactionError(
    "request",
    `${memberPath(payload, "function")}: expected ${FUNCTION_ID}, got ${JSON.stringify(shortenText(id))}: ${reason}`,
  );
}

function scriptRequest(payload: Payload): ScriptRequest {
  const code = objectMember(payload, "code", CODE_MEMBERS);
  const bytecode = bytesMember(code, "bytecode", "the compiled script as a hex string");
  const abiParams =
    presentMember(code, "abi") < 0 ? undefined : abiParamsOf(objectMember(code, "abi", ABI_MEMBERS));
  const typeArguments = typeArgumentsOf(payload);
  return {
    kind: "script",
    path: payload.path,
    code: bytecode,
    abiParams,
    typeArguments,
    arguments: argumentsOf(payload),
  };
}

/** Checks that the description of a function is whole; only its parameters are used. */
function abiParamsOf(abi: Abi): number {
  stringMember(abi, "name", "a string");
  const visibility = stringMember(abi, "visibility", "private, public or friend");
  if (!VISIBILITIES.includes(visibility)) failMember(abi, "visibility", "private, public or friend");
  booleanMember(abi, "is_entry");
  booleanMember(abi, "is_view");
  checkTypeParams(abi);
  const params = stringArrayMember(abi, "params", "type strings");
  stringArrayMember(abi, "return", "type strings");
  return params;
}

function checkTypeParams(abi: Abi): void {
  const { document } = abi;
  const array = arrayMember(abi, "generic_type_params", 'objects such as {"constraints": []}');
  for (let item = document.first(array), i = 0; item < document.end(array); item = document.next(item), i++) {
    const param = asObject(document, item, `${abi.path}.generic_type_params[${i}]`, TYPE_PARAM_MEMBERS);
    const constraints = stringArrayMember(param, "constraints", "abilities");
    const end = document.end(constraints);
    for (let ability = document.first(constraints); ability < end; ability = document.next(ability)) {
      if (!ABILITIES.some((known) => document.isString(ability, known))) {
        failMember(param, "constraints", "an array of copy, drop, store, key");
      }
    }
  }
}
