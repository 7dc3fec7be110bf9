// Verifies explanations: encodes the shown fields with the official SDK's serializer, which shares no code with Sextant,
// and compares the result with the explained bytes.
import {
  AccountAddress,
  Bool,
  I8,
  I16,
  I32,
  I64,
  I128,
  I256,
  MoveString,
  MoveVector,
  type Serializable,
  Serializer,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
} from "@aptos-labs/ts-sdk";
import { encodeWith } from "../../src/bcs/codec.ts";
import { MoveError } from "../../src/move/errors.ts";
import { typeTagCodec } from "../../src/move/type-tag.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import type {
  ExplainedArgument,
  ExplainedEntryFunction,
  ExplainedScript,
  Explanation,
} from "../../src/transaction/explain/explanation.ts";

const SMALL = { u8: U8, u16: U16, u32: U32, i8: I8, i16: I16, i32: I32 } as const;
const LARGE = { u64: U64, u128: U128, u256: U256, i64: I64, i128: I128, i256: I256 } as const;

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"));
}

function addressOf(text: string): AccountAddress {
  return AccountAddress.from(`0x${text.replace(/^0x/, "").padStart(64, "0")}`);
}

function serialized(write: (serializer: Serializer) => void): Uint8Array {
  const serializer = new Serializer();
  write(serializer);
  return serializer.toUint8Array();
}

function uleb(value: number): Uint8Array {
  return serialized((serializer) => serializer.serializeU32AsUleb128(value));
}

function choice(names: readonly string[], name: string): Uint8Array {
  const index = names.indexOf(name);
  if (index < 0) throw new Error(`${name} is none of ${names.join(", ")}`);
  return uleb(index);
}

/** A value of a plain type; undefined for other types. */
function plain(type: string, value: unknown): Serializable | undefined {
  if (type in SMALL) return new SMALL[type as keyof typeof SMALL](Number(value));
  if (type in LARGE) return new LARGE[type as keyof typeof LARGE](BigInt(value as string));
  switch (type) {
    case "bool":
      return new Bool(value === true || value === "true");
    case "address":
      return addressOf(value as string);
    case "bytes":
    case "serialized":
    case "vector<u8>":
      return MoveVector.U8(hexBytes(value as string));
    case "0x1::string::String":
      return new MoveString(value as string);
    default:
      return undefined;
  }
}

const U64_NAMES = new Set([
  "sequence_number",
  "max_gas_amount",
  "gas_unit_price",
  "expiration_timestamp_secs",
  "payload.config.limits.execution_multiplier",
  "payload.config.limits.io_multiplier",
]);
const ADDRESS_NAMES = new Set([
  "sender",
  "fee_payer",
  "payload.multisig_address",
  "payload.function.address",
  "payload.config.limits.pool",
]);
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  form: ["multi_agent", "fee_payer"],
  "payload.type": ["script", "module_bundle", "entry_function", "multisig", "payload", "encrypted"],
  "payload.version": ["v1"],
  "payload.executable": ["script", "entry_function", "empty", "encrypted"],
  "payload.config.version": ["v1", "v2"],
  "payload.config.limits.version": ["v1"],
};
const ARGUMENT_TYPES =
  "u8 u64 u128 address bytes bool u16 u32 u256 serialized i8 i16 i32 i64 i128 i256".split(" ");
/** Optional values: the tag of the option, then what follows for a text. */
const OPTIONS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  "payload.transaction_payload": (text) => choice(["entry_function", "script"], text),
  "payload.config.multisig_address": (text) => addressOf(text).toUint8Array(),
  "payload.config.replay_protection_nonce": (text) => new U64(BigInt(text)).bcsToBytes(),
  "payload.config.limits": (text) =>
    choice(["stake_pool_owner", "delegated_voter", "delegation_pool_delegator"], text),
};

/** Bytes of one field from its name and text; `argumentType` is that of a script's argument. Undefined for a type without text form. */
function fieldBytes(name: string, text: string, argumentType: string | undefined): Uint8Array | undefined {
  if (name === "prefix") return hexBytes(text);
  if (name === "chain_id") return new U8(Number(text)).bcsToBytes();
  if (name === "payload.code") return MoveVector.U8(hexBytes(text)).bcsToBytes();
  if (name.endsWith(".length")) return uleb(Number(text));
  if (U64_NAMES.has(name)) return new U64(BigInt(text)).bcsToBytes();
  if (ADDRESS_NAMES.has(name) || name.startsWith("secondary_signers[")) return addressOf(text).toUint8Array();
  if (name === "payload.function.module" || name === "payload.function.name") {
    return serialized((serializer) => serializer.serializeStr(text));
  }
  const names = CHOICES[name];
  if (names !== undefined) return choice(names, text);
  const option = OPTIONS[name];
  if (option !== undefined) {
    return text === "none" ? Uint8Array.of(0) : Buffer.concat([Uint8Array.of(1), option(text)]);
  }
  if (name.startsWith("payload.type_arguments[")) return typeBytes(text);
  if (name.startsWith("payload.arguments[")) {
    if (name.endsWith(".type")) return choice(ARGUMENT_TYPES, text);
    return plain(argumentType ?? "bytes", text)?.bcsToBytes();
  }
  throw new Error(`a field of an unknown name: ${name}`);
}

function typeBytes(text: string): Uint8Array | undefined {
  try {
    return encodeWith(typeTagCodec, parseTypeTag(text));
  } catch (error) {
    if (error instanceof MoveError) return undefined;
    throw error;
  }
}

function callOf({ payload }: Explanation): ExplainedEntryFunction | ExplainedScript | undefined {
  return payload.type === "multisig_payload" ? payload.transaction_payload : payload;
}

/** The first error in an explanation of these bytes; undefined if it is correct. */
export function wrongInExplanation(explanation: Explanation, given: Uint8Array): string | undefined {
  const hex = `0x${Buffer.from(given).toString("hex")}`;
  if (explanation.bytes !== hex) return `other bytes are explained: ${explanation.bytes}`;
  if (explanation.matches !== true) return "it does not say that it matches";
  let end = 0;
  let argumentType: string | undefined;
  const texts = new Map<string, string>();
  for (const field of explanation.fields) {
    if (field.start !== end || field.end < field.start)
      return `${field.name} begins at ${field.start}, not ${end}`;
    end = field.end;
    const expected = fieldBytes(field.name, field.value, argumentType);
    argumentType = /^payload\.arguments\[\d+\]\.type$/.test(field.name) ? field.value : undefined;
    const found = given.subarray(field.start, field.end);
    if (expected !== undefined && Buffer.compare(expected, found) !== 0) {
      return `${field.name} says ${field.value}, which is ${Buffer.from(expected).toString("hex")}, not ${Buffer.from(found).toString("hex")}`;
    }
    if (texts.has(field.name)) return `two fields of one name: ${field.name}`;
    texts.set(field.name, field.value);
  }
  if (end !== given.length) return `the fields end at ${end} of ${given.length}`;
  return wrongInSummary(explanation, texts) ?? wrongInArguments(explanation, texts);
}

/** The summary must say what the fields say. */
function wrongInSummary(explanation: Explanation, texts: ReadonlyMap<string, string>): string | undefined {
  const { replay_protection: replay, secondary_signers: others, expiration } = explanation;
  const nonce = texts.get("payload.config.replay_protection_nonce");
  const call = callOf(explanation);
  const secs = Number(texts.get("expiration_timestamp_secs"));
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["chain_id", `${explanation.chain_id}`, texts.get("chain_id")],
    ["sender", explanation.sender, texts.get("sender")],
    ["fee_payer", explanation.fee_payer, texts.get("fee_payer")],
    ["max_gas_amount", explanation.max_gas_amount, texts.get("max_gas_amount")],
    ["gas_unit_price", explanation.gas_unit_price, texts.get("gas_unit_price")],
    [
      "max_fee",
      explanation.max_fee,
      `${BigInt(texts.get("max_gas_amount") ?? "") * BigInt(texts.get("gas_unit_price") ?? "")}`,
    ],
    ["expiration_timestamp_secs", Number(explanation.expiration_timestamp_secs), secs],
    ["expiration", expiration && Date.parse(expiration), secs > 253402300799 ? undefined : 1000 * secs],
    ["secondary_signers", others && `${others.length}`, texts.get("secondary_signers.length")],
    ...(others ?? []).map((one, i) => [`signer ${i}`, one, texts.get(`secondary_signers[${i}]`)] as const),
    [
      "replay_protection",
      replay.type === "nonce" ? replay.nonce : replay.sequence_number,
      nonce === undefined || nonce === "none" ? texts.get("sequence_number") : nonce,
    ],
    [
      "function",
      call?.type === "entry_function_payload" ? call.function : undefined,
      texts.has("payload.function.name")
        ? `${texts.get("payload.function.address")}::${texts.get("payload.function.module")}::${texts.get("payload.function.name")}`
        : undefined,
    ],
    ...(call?.type_arguments ?? []).map(
      (type, i) => [`type argument ${i}`, type, texts.get(`payload.type_arguments[${i}]`)] as const,
    ),
    ["arguments", `${call?.arguments.length ?? 0}`, texts.get("payload.arguments.length") ?? "0"],
  ];
  const wrong = pairs.find(([, said, field]) => said !== field);
  return wrong && `${wrong[0]} is said to be ${wrong[1]}, the field is ${wrong[2]}`;
}

/** Values of plain types must encode to the bytes of their fields. */
function wrongInArguments(explanation: Explanation, texts: ReadonlyMap<string, string>): string | undefined {
  const call = callOf(explanation);
  for (const [i, argument] of (call?.arguments ?? []).entries()) {
    const field = texts.get(`payload.arguments[${i}]`) ?? "";
    const tag = texts.get(`payload.arguments[${i}].type`);
    const said = argumentHex(argument);
    const isScalar = tag !== undefined && tag !== "serialized";
    const expected = isScalar
      ? `0x${Buffer.from(plain(tag, field)?.bcsToBytes() ?? []).toString("hex")}`
      : field;
    if (said !== undefined && said !== expected)
      return `argument ${i} is shown as ${said}, the field is ${expected}`;
  }
  return undefined;
}

/** Bytes of a shown argument, if its type is plain. */
function argumentHex({ type, value, bytes }: ExplainedArgument): string | undefined {
  if (bytes !== undefined) return bytes;
  const encoded = plain(type ?? "", value);
  return encoded && `0x${Buffer.from(encoded.bcsToBytes()).toString("hex")}`;
}

/** A request built from an explanation alone; undefined for forms that requests cannot express. */
export function requestFrom(explanation: Explanation): object | undefined {
  const { payload, replay_protection: replay } = explanation;
  const texts = new Map(explanation.fields.map(({ name, value }) => [name, value]));
  const calls = (call: ExplainedEntryFunction | ExplainedScript): object => ({
    type: call.type,
    ...(call.type === "script_payload"
      ? { code: { bytecode: texts.get("payload.code") } }
      : { function: call.function }),
    type_arguments: call.type_arguments,
    arguments: call.arguments.map(({ value }) => value),
  });
  const isNonce = replay.type === "nonce";
  if (texts.get("payload.type") === "payload" && !isNonce) return undefined;
  return {
    sender: explanation.sender,
    sequence_number: isNonce ? "0" : replay.sequence_number,
    max_gas_amount: explanation.max_gas_amount,
    gas_unit_price: explanation.gas_unit_price,
    expiration_timestamp_secs: explanation.expiration_timestamp_secs,
    payload:
      payload.type === "multisig_payload"
        ? {
            type: payload.type,
            multisig_address: payload.multisig_address,
            ...(payload.transaction_payload && { transaction_payload: calls(payload.transaction_payload) }),
          }
        : calls(payload),
    ...(isNonce ? { replay_protection_nonce: replay.nonce } : {}),
    ...(explanation.secondary_signers && { secondary_signers: explanation.secondary_signers }),
    ...(explanation.fee_payer && { fee_payer: explanation.fee_payer }),
  };
}
