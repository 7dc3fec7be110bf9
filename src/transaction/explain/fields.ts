// A transaction as a list of named texts, and those texts encoded again. What is written comes from the text that
// is shown, so bytes that come out equal prove the texts, and their offsets, right. Only types are written from
// their tags: not every type has a text that parses.

import { fromHex, toPrefixedHex } from "../../base/hex.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { type Address, formatAddress, parseAddress } from "../../move/address.ts";
import { isSmallInteger } from "../../move/scalar-text.ts";
import { formatTypeTag, type TypeTag, typeTagCodec } from "../../move/type-tag.ts";
import type {
  EntryFunction,
  Executable,
  ExtraConfig,
  LimitsRequest,
  Script,
  ScriptArgument,
} from "../executable.ts";
import type { MultisigPayload, TransactionPayload } from "../raw.ts";
import type { Submission } from "./decode.ts";
import type { ExplainedLimits, Field } from "./explanation.ts";

// Names of variants by their numbers on the wire, which differ from enum to enum.
const FORMS = ["multi_agent", "fee_payer"] as const;
const PAYLOADS = ["script", "module_bundle", "entry_function", "multisig", "payload", "encrypted"] as const;
const EXECUTABLES = ["script", "entry_function", "empty", "encrypted"] as const;
const MULTISIG_CALLS: readonly string[] = ["entry_function", "script"];
const VERSIONS = ["v1", "v2"] as const;
const ARGUMENTS = [
  ...["u8", "u64", "u128", "address", "bytes", "bool", "u16", "u32", "u256", "serialized"],
  ...["i8", "i16", "i32", "i64", "i128", "i256"],
] as readonly ScriptArgument["kind"][];
const LIMITS = {
  stakePoolOwner: "stake_pool_owner",
  delegatedVoter: "delegated_voter",
  delegationPoolDelegator: "delegation_pool_delegator",
} as const satisfies Record<LimitsRequest["kind"], ExplainedLimits["backed_by"]>;
const BACKINGS: readonly string[] = Object.values(LIMITS);
const NONE = "none";

/** The name of a kind of backing, as answers have it. */
export function backingOf(limits: LimitsRequest): ExplainedLimits["backed_by"] {
  return LIMITS[limits.kind];
}

/** Fields of a submission, with the call in the form to be shown, and what they encode to. */
export function encodeFields(
  submission: Submission,
  call: MultisigPayload | undefined,
): { fields: readonly Field[]; bytes: Uint8Array } {
  const { kind, prefix, transaction, secondarySigners, feePayer } = submission;
  const out = new FieldWriter();
  if (prefix !== undefined) out.fixed("prefix", prefix);
  if (kind === "multi_agent" || kind === "fee_payer") out.choice("form", FORMS, kind);
  out.address("sender", transaction.sender);
  out.u64("sequence_number", transaction.sequenceNumber);
  out.payload(transaction.payload, call);
  out.u64("max_gas_amount", transaction.maxGasAmount);
  out.u64("gas_unit_price", transaction.gasUnitPrice);
  out.u64("expiration_timestamp_secs", transaction.expirationTimestampSecs);
  out.u8("chain_id", transaction.chainId);
  if (secondarySigners !== undefined) {
    out.list("secondary_signers", secondarySigners, (name, signer) => out.address(name, signer));
  }
  if (feePayer !== undefined) out.address("fee_payer", feePayer);
  return { fields: out.fields, bytes: out.take() };
}

/** Adds fields and their bytes. */
class FieldWriter {
  readonly fields: Field[] = [];
  readonly #writer = new BcsWriter(1024);

  take(): Uint8Array {
    return this.#writer.take();
  }

  #add(name: string, value: string, write: (writer: BcsWriter, value: string) => void): void {
    const start = this.#writer.length;
    write(this.#writer, value);
    this.fields.push({ name, value, start, end: this.#writer.length });
  }

  fixed(name: string, bytes: Uint8Array): void {
    this.#add(name, toPrefixedHex(bytes), (writer, hex) => void writer.fixed(bytesOf(hex)));
  }

  #byteString(name: string, bytes: Uint8Array): void {
    this.#add(name, toPrefixedHex(bytes), (writer, hex) => void writer.byteString(bytesOf(hex)));
  }

  address(name: string, address: Address): void {
    this.#add(name, formatAddress(address), (writer, text) => void writer.fixed(parseAddress(text)));
  }

  u64(name: string, value: bigint): void {
    this.#add(name, `${value}`, (writer, text) => void writer.u64(BigInt(text)));
  }

  u8(name: string, value: number): void {
    this.#add(name, `${value}`, (writer, text) => void writer.u8(Number(text)));
  }

  #text(name: string, value: string): void {
    this.#add(name, value, (writer, text) => void writer.text(text));
  }

  /** A variant by its name; its number is its place in the list. */
  choice<Name extends string>(name: string, names: readonly Name[], value: Name): void {
    this.#add(name, value, (writer, text) => void writer.uleb(names.indexOf(text as Name)));
  }

  /** A value or `none`, its option tag included. */
  #option<T>(
    name: string,
    value: T | undefined,
    print: (value: T) => string,
    write: (writer: BcsWriter, text: string) => void,
  ): void {
    this.#add(name, value === undefined ? NONE : print(value), (writer, text) => {
      writer.bool(text !== NONE);
      if (text !== NONE) write(writer, text);
    });
  }

  #optionalAddress(name: string, value: Address | undefined): void {
    this.#option(name, value, formatAddress, (writer, text) => void writer.fixed(parseAddress(text)));
  }

  list<T>(name: string, items: readonly T[], add: (name: string, item: T) => void): void {
    this.#add(`${name}.length`, `${items.length}`, (writer, text) => void writer.count(Number(text)));
    for (const [i, item] of items.entries()) add(`${name}[${i}]`, item);
  }

  #types(tags: readonly TypeTag[]): void {
    this.list("payload.type_arguments", tags, (name, tag) => {
      this.#add(name, formatTypeTag(tag), (writer) => typeTagCodec.write(writer, tag));
    });
  }

  payload(payload: TransactionPayload, call: MultisigPayload | undefined): void {
    switch (payload.kind) {
      case "script":
      case "entryFunction":
        this.choice("payload.type", PAYLOADS, nameOf(payload));
        this.#call(call);
        break;
      case "multisig":
        this.choice("payload.type", PAYLOADS, "multisig");
        this.address("payload.multisig_address", payload.multisigAddress);
        this.#option("payload.transaction_payload", call, nameOf, (writer, text) => {
          writer.uleb(MULTISIG_CALLS.indexOf(text));
        });
        this.#call(call);
        break;
      case "payload":
        this.choice("payload.type", PAYLOADS, "payload");
        this.choice("payload.version", VERSIONS, payload.payload.kind);
        this.choice("payload.executable", EXECUTABLES, nameOf(payload.payload.executable));
        this.#call(call);
        this.#config(payload.payload.extraConfig);
        break;
      default:
        throw new Error(`a payload of kind ${payload.kind} was let through`);
    }
  }

  #call(call: MultisigPayload | undefined): void {
    if (call === undefined) return;
    if (call.kind === "script") this.#script(call.script);
    else this.#entryFunction(call.entryFunction);
  }

  #entryFunction(call: EntryFunction): void {
    this.address("payload.function.address", call.module.address);
    this.#text("payload.function.module", call.module.name);
    this.#text("payload.function.name", call.function);
    this.#types(call.typeArgs);
    this.list("payload.arguments", call.args, (name, bytes) => this.#byteString(name, bytes));
  }

  #script(script: Script): void {
    this.#byteString("payload.code", script.code);
    this.#types(script.typeArgs);
    this.list("payload.arguments", script.args, (name, argument) => {
      this.choice(`${name}.type`, ARGUMENTS, argument.kind);
      this.#add(name, textOf(argument), (writer, text) => writeText(writer, argument.kind, text));
    });
  }

  #config(config: ExtraConfig): void {
    this.choice("payload.config.version", VERSIONS, config.kind);
    this.#optionalAddress("payload.config.multisig_address", config.multisigAddress);
    this.#option(
      "payload.config.replay_protection_nonce",
      config.replayProtectionNonce,
      String,
      (writer, text) => {
        writer.u64(BigInt(text));
      },
    );
    if (config.kind === "v1") return;
    const { limits } = config;
    this.#option("payload.config.limits", limits, backingOf, (writer, text) => {
      writer.uleb(BACKINGS.indexOf(text));
    });
    if (limits === undefined) return;
    if (limits.kind !== "stakePoolOwner") this.address("payload.config.limits.pool", limits.pool);
    this.choice("payload.config.limits.version", VERSIONS, limits.multipliers.kind);
    this.u64("payload.config.limits.execution_multiplier", limits.multipliers.execution);
    this.u64("payload.config.limits.io_multiplier", limits.multipliers.io);
  }
}

/** Name of a kind, as fields have it. */
function nameOf(value: Executable): (typeof EXECUTABLES)[number] {
  return value.kind === "entryFunction" ? "entry_function" : value.kind;
}

function textOf({ kind, value }: ScriptArgument): string {
  if (!(value instanceof Uint8Array)) return `${value}`;
  return kind === "address" ? formatAddress(value) : toPrefixedHex(value);
}

function writeText(writer: BcsWriter, kind: ScriptArgument["kind"], text: string): void {
  switch (kind) {
    case "address":
      writer.fixed(parseAddress(text));
      break;
    case "bytes":
    case "serialized":
      writer.byteString(bytesOf(text));
      break;
    case "bool":
      writer.bool(text === "true");
      break;
    default:
      if (isSmallInteger(kind)) writer[kind](Number(text));
      else writer[kind](BigInt(text));
  }
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex.slice(2));
  if (bytes === undefined) throw new Error("a field's own hex does not parse");
  return bytes;
}
