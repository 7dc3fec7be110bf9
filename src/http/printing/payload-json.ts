// Payloads in JSON, with the arguments decoded by the parameters of what is called.
import { toPrefixedHex } from "../../base/hex.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { scriptAbiToJson } from "../../move/abi-json.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { readScript } from "../../move/bytecode/reader.ts";
import { ModuleError, MoveError } from "../../move/errors.ts";
import type { Layout } from "../../move/layout.ts";
import { formatTypeTag } from "../../move/type-tag.ts";
import {
  ciphertextCodec,
  type EncryptedInner,
  type EncryptedPayload,
} from "../../transaction/encrypted-payload.ts";
import { TransactionError } from "../../transaction/errors.ts";
import {
  type EntryFunction,
  type Executable,
  type ExtraConfig,
  type Script,
  type ScriptArgument,
  scriptArgumentCodec,
} from "../../transaction/executable.ts";
import type { MultisigPayload, TransactionPayload } from "../../transaction/raw.ts";
import { AnswerText, type PrintedText } from "./answer-text.ts";
import type { ModulesAt } from "./modules-at.ts";

/** JSON values, and texts of values that are printed already. */
type Json = Readonly<Record<string, unknown>>;

/** Adds the JSON text of a payload. */
export function addPayload(out: AnswerText, value: unknown): void {
  if (value instanceof AnswerText) out.append(value);
  else if (Array.isArray(value)) {
    out.add("[");
    for (const [i, item] of value.entries()) addPayload(i === 0 ? out : out.add(","), item);
    out.add("]");
  } else if (typeof value === "object" && value !== null) {
    let separator = "{";
    for (const [name, member] of Object.entries(value)) {
      addPayload(out.add(`${separator}${JSON.stringify(name)}:`), member);
      separator = ",";
    }
    out.add(separator === "{" ? "{}" : "}");
  } else out.add(JSON.stringify(value));
}

/** BCS of a script argument's value, without its tag. */
function argumentBytes(argument: ScriptArgument): Uint8Array {
  if (argument.kind === "serialized") return argument.value;
  return encodeWith(scriptArgumentCodec, argument).subarray(1);
}

/** Prints one value; undefined where the bytes are none of the layout. */
type PrintValue = (layout: Layout, bytes: Uint8Array) => MaybePromise<PrintedText | undefined>;

export class PayloadPrinter {
  readonly #modules: ModulesAt;
  readonly #printValue: PrintValue;

  constructor(modules: ModulesAt, printValue: PrintValue) {
    this.#modules = modules;
    this.#printValue = printValue;
  }

  async print(payload: TransactionPayload): Promise<Json> {
    switch (payload.kind) {
      case "script":
        return this.script(payload.script);
      case "moduleBundle":
        return { type: "module_bundle_payload" };
      case "entryFunction":
        return this.#entryFunction(payload.entryFunction);
      case "multisig":
        return this.#multisig(payload.multisigAddress, payload.transactionPayload);
      case "payload":
        return this.#executable(payload.payload.executable, payload.payload.extraConfig);
      case "encrypted":
        return this.#encrypted(payload.encrypted);
    }
  }

  async script({ code, typeArgs, args }: Script): Promise<Json & { readonly type: string }> {
    const values = args.map(argumentBytes);
    let abi: ReturnType<typeof scriptAbiToJson>;
    const decoded = await this.#arguments(values, () => {
      const parsed = readScript(code);
      abi = scriptAbiToJson(parsed);
      return this.#modules.parameterLayouts(parsed.params, parsed.typeParams.length, typeArgs);
    });
    return {
      code: { bytecode: toPrefixedHex(code), abi: new AnswerText().add(JSON.stringify(abi ?? null)) },
      type_arguments: typeArgs.map(formatTypeTag),
      arguments: decoded,
      type: "script_payload",
    };
  }

  async #entryFunction({ module, function: name, typeArgs, args }: EntryFunction): Promise<Json> {
    return {
      function: `${formatAddress(module.address)}::${module.name}::${name}`,
      type_arguments: typeArgs.map(formatTypeTag),
      arguments: await this.#arguments(args, () =>
        this.#modules.entryFunctionLayouts(module, name, typeArgs),
      ),
      type: "entry_function_payload",
    };
  }

  async #multisig(address: Address, payload: MultisigPayload | undefined): Promise<Json> {
    let inner: Json | null = null;
    if (payload?.kind === "entryFunction") inner = await this.#entryFunction(payload.entryFunction);
    else if (payload?.kind === "script") inner = await this.script(payload.script);
    return { multisig_address: formatAddress(address), transaction_payload: inner, type: "multisig_payload" };
  }

  async #executable(executable: Executable, { multisigAddress }: ExtraConfig): Promise<Json> {
    const isCall = executable.kind === "entryFunction" || executable.kind === "script";
    if (multisigAddress !== undefined)
      return this.#multisig(multisigAddress, isCall ? executable : undefined);
    if (executable.kind === "entryFunction") return this.#entryFunction(executable.entryFunction);
    if (executable.kind === "script") return this.script(executable.script);
    // The chain takes no such transaction; the reference has no form for it.
    return { type: "empty_payload" };
  }

  async #encrypted(payload: EncryptedPayload): Promise<Json> {
    const { inner } = payload;
    const type = "encrypted_transaction_payload";
    if (payload.kind === "encrypted")
      return { encrypted_state: "encrypted", ...encryptedMembers(inner), type };
    if (payload.kind === "failedDecryption") {
      return { encrypted_state: "failed_decryption", ...encryptedMembers(inner), type };
    }
    return {
      encrypted_state: "decrypted",
      ...encryptedMembers(inner),
      decrypted_payload: await this.#executable(payload.executable, inner.extraConfig),
      decryption_nonce: toPrefixedHex(payload.decryptionNonce),
      type,
    };
  }

  /** All arguments decoded, or all of them in hex. */
  async #arguments(
    args: readonly Uint8Array[],
    load: () => MaybePromise<readonly Layout[]>,
  ): Promise<readonly (AnswerText | string)[]> {
    const decoded = await this.#decoded(args, load);
    return decoded ?? args.map(toPrefixedHex);
  }

  async #decoded(
    args: readonly Uint8Array[],
    load: () => MaybePromise<readonly Layout[]>,
  ): Promise<readonly AnswerText[] | undefined> {
    let layouts: readonly Layout[];
    try {
      layouts = await load();
    } catch (error) {
      if (error instanceof MoveError || error instanceof ModuleError || error instanceof TransactionError)
        return undefined;
      throw error;
    }
    if (layouts.length !== args.length) return undefined;
    const values: AnswerText[] = [];
    for (const [i, bytes] of args.entries()) {
      const layout = layouts[i];
      const value = layout && (await this.#printValue(layout, bytes));
      if (value === undefined) return undefined;
      values.push(new AnswerText().append(value));
    }
    return values;
  }
}

function encryptedMembers(inner: EncryptedInner): Json {
  const claimed = inner.claimedEntryFunction;
  return {
    payload_hash: toPrefixedHex(inner.payloadHash),
    ciphertext: toPrefixedHex(encodeWith(ciphertextCodec, inner.ciphertext)),
    encryption_epoch: `${inner.encryptionEpoch}`,
    claimed_entry_fun:
      claimed === undefined
        ? null
        : {
            module: `${formatAddress(claimed.module.address)}::${claimed.module.name}`,
            name: claimed.function ?? null,
          },
  };
}
