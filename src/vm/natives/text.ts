// Natives that print values: string_utils.

import { isUtf8 } from "node:buffer";
import { toHex } from "../../base/hex.ts";
import type { AbiStructType, AbiType } from "../../move/abi.ts";
import { formatAddress } from "../../move/address.ts";
import { aborted, invariant } from "../errors.ts";
import { isSpecialAddress } from "../linker.ts";
import type { NativeContext, NativeModule } from "../natives.ts";
import { formatType, substitute } from "../types.ts";
import { asBytes, asRef, asStruct, asVec, type Closure, type Struct, type Value } from "../values.ts";
import { stringOf } from "./framework.ts";

interface Form {
  readonly hasTypes: boolean;
  readonly isCanonical: boolean;
  readonly isSingleLine: boolean;
  readonly hasIntegerTypes: boolean;
}

const FORMAT = "aptos_framework.string_utils.format";
const STRING = "::string::String";
const OPTION = "::option::Option";

function isFramework({ address }: AbiStructType): boolean {
  return toHex(address).endsWith("1") && isSpecialAddress(toHex(address));
}

function isNamed(type: AbiStructType, name: string): boolean {
  return isFramework(type) && `::${type.module}::${type.name}` === name;
}

class Printer {
  readonly #context: NativeContext;
  readonly #form: Form;
  readonly #parts: string[] = [];

  constructor(context: NativeContext, form: Form) {
    this.#context = context;
    this.#form = form;
  }

  print(value: Value, type: AbiType): string {
    this.#value(value, type, 0, true);
    return this.#parts.join("");
  }

  #value(value: Value, type: AbiType, depth: number, isNamedBelow: boolean): void {
    const { meter } = this.#context;
    meter.charge(meter.price(`${FORMAT}.base`));
    const out = this.#parts;
    switch (type.kind) {
      case "bool":
        out.push(`${value as boolean}`);
        return;
      case "address":
        out.push(this.#address(value as string));
        return;
      case "signer":
        out.push(`signer(${this.#address((value as Struct).fields[0] as string)})`);
        return;
      case "vector":
        this.#vector(value, type.item, depth, isNamedBelow);
        return;
      case "struct":
        this.#struct(value as Struct, type, depth, isNamedBelow);
        return;
      case "function":
        this.#closure(value as Closure, depth);
        return;
      case "reference":
        this.#value(asRef(value).get(), type.to, depth, isNamedBelow);
        return;
      case "parameter":
        throw invariant("a type has no value");
      default:
        out.push(`${value as bigint}${this.#form.hasIntegerTypes ? type.kind : ""}`);
    }
  }

  #address(address: string): string {
    if (this.#form.isCanonical) return `@${address}`;
    return `@${formatAddress(Buffer.from(address, "hex"))}`;
  }

  #perByte(bytes: number): void {
    const { meter } = this.#context;
    meter.charge(meter.price(`${FORMAT}.per_byte`) * bytes);
  }

  /** Items between brackets, with what separates them. */
  #items(
    open: string,
    close: string,
    isBroken: boolean,
    depth: number,
    items: readonly (() => void)[],
  ): void {
    const out = this.#parts;
    out.push(open);
    if (items.length > 0) {
      const breaks = !this.#form.isSingleLine && isBroken;
      const space = (at: number): string => (breaks ? `\n${"  ".repeat(at)}` : " ");
      items.forEach((item, i) => {
        out.push(i === 0 ? space(depth + 1) : `,${space(depth + 1)}`);
        item();
      });
      out.push(space(depth));
    }
    out.push(close);
  }

  #vector(value: Value, item: AbiType, depth: number, isNamedBelow: boolean): void {
    const { items } = asVec(value);
    if (item.kind === "u8") {
      this.#perByte(items.length);
      this.#parts.push(`0x${toHex(asBytes(value))}`);
      return;
    }
    const isBroken = item.kind === "vector" || item.kind === "struct";
    this.#items(
      "[",
      "]",
      isBroken,
      depth,
      items.map((one) => () => this.#value(one, item, depth + 1, isNamedBelow)),
    );
  }

  #struct(value: Struct, type: AbiStructType, depth: number, isNamedBelow: boolean): void {
    const out = this.#parts;
    if (isNamed(type, STRING)) {
      const bytes = asBytes(value.fields[0]);
      this.#perByte(bytes.length);
      out.push(`"${Buffer.from(bytes).toString().replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
      return;
    }
    if (isNamed(type, OPTION)) {
      this.#option(value, type, depth, isNamedBelow);
      return;
    }
    const { abi } = this.#context.linker.struct(type);
    if (abi.variants !== undefined) {
      const fields = abi.variants[value.tag]?.fields ?? [];
      this.#items(
        `#${value.tag}{`,
        "}",
        true,
        depth,
        fields.map(
          (field, i) => () =>
            this.#value(value.fields[i] as Value, substitute(field.type, type.typeArgs), depth + 1, false),
        ),
      );
      return;
    }
    const name = isNamedBelow ? `${this.#form.hasTypes ? formatType(type) : type.name} ` : "";
    this.#items(
      `${name}{`,
      "}",
      true,
      depth,
      abi.fields.map((field, i) => () => {
        if (isNamedBelow) out.push(`${field.name}: `);
        this.#value(value.fields[i] as Value, substitute(field.type, type.typeArgs), depth + 1, isNamedBelow);
      }),
    );
  }

  #option(value: Struct, type: AbiStructType, depth: number, isNamedBelow: boolean): void {
    const [item] = type.typeArgs;
    // An enum, or a struct with a vector of at most one.
    const [inner] = value.tag < 0 ? asVec(value.fields[0]).items : value.fields;
    if (inner === undefined || item === undefined) {
      this.#parts.push("None");
      return;
    }
    this.#parts.push("Some(");
    this.#value(inner, item, depth, isNamedBelow);
    this.#parts.push(")");
  }

  #closure(closure: Closure, depth: number): void {
    const { target, typeArgs, mask, captured } = closure;
    const hex = toHex(target.module.address);
    const address = isSpecialAddress(hex) ? formatAddress(target.module.address) : `0x${hex}`;
    const args = typeArgs.length === 0 ? "" : `<${typeArgs.map(formatType).join(", ")}>`;
    const out = this.#parts;
    out.push(`${address}::${target.module.name}::${target.name}${args}(`);
    const params = this.#context.linker.function(target, typeArgs).definition.params;
    let taken = 0;
    for (let i = 0; taken < captured.length; i++) {
      if (i > 0) out.push(", ");
      const isCaptured = ((mask >> BigInt(i)) & 1n) === 1n;
      if (isCaptured)
        this.#value(
          captured[taken++] as Value,
          substitute(params[i] ?? { kind: "bool" }, typeArgs),
          depth,
          true,
        );
      else out.push("_");
    }
    out.push(captured.length > 0 ? ", ..)" : ")");
  }
}

const ITEMS_MISMATCH = 1;
const BAD_FORMAT = 2;

/** A list is nested pairs: Cons<T, N>{car, cdr} and NIL. */
function nextItem(
  rest: Value,
  type: AbiType,
): { value: Value; type: AbiType; rest: Value; restType: AbiType } {
  if (type.kind !== "struct" || !isNamed(type, "::string_utils::Cons")) throw aborted(ITEMS_MISMATCH);
  const [item, next] = type.typeArgs;
  const [value, tail] = asStruct(rest).fields;
  if (item === undefined || next === undefined || value === undefined || tail === undefined)
    throw aborted(ITEMS_MISMATCH);
  return { value, type: item, rest: tail, restType: next };
}

function formatList(context: NativeContext, format: string, list: Value, listType: AbiType): string {
  const out: string[] = [];
  let [rest, type] = [list, listType];
  for (let i = 0; i < format.length; i++) {
    const [one, next] = [format[i], format[i + 1]];
    if (one !== "{" && one !== "}") {
      out.push(one ?? "");
      continue;
    }
    i++;
    if (one === next) out.push(one);
    else if (one === "{" && next === "}") {
      const item = nextItem(rest, type);
      const form = { hasTypes: true, isCanonical: false, isSingleLine: true, hasIntegerTypes: false };
      out.push(new Printer(context, form).print(item.value, item.type));
      [rest, type] = [item.rest, item.restType];
    } else throw aborted(BAD_FORMAT);
  }
  if (type.kind !== "struct" || !isNamed(type, "::string_utils::NIL")) throw aborted(ITEMS_MISMATCH);
  return out.join("");
}

const string_utils: NativeModule = {
  native_format: (context, [value, hasTypes, isCanonical, isSingleLine, hasIntegerTypes], typeArgs) => {
    const [type] = typeArgs;
    if (type === undefined) throw invariant("a native function misses its type argument");
    const form = {
      hasTypes: hasTypes as boolean,
      isCanonical: isCanonical as boolean,
      isSingleLine: isSingleLine as boolean,
      hasIntegerTypes: hasIntegerTypes as boolean,
    };
    return [stringOf(new Printer(context, form).print(asRef(value).get(), type))];
  },
  native_format_list: (context, [format, list], typeArgs) => {
    const { meter } = context;
    const [type] = typeArgs;
    if (type === undefined) throw invariant("a native function misses its type argument");
    const bytes = asBytes(format);
    meter.charge(meter.price(`${FORMAT}.base`) + meter.price(`${FORMAT}.per_byte`) * bytes.length);
    if (!isUtf8(bytes)) throw aborted(BAD_FORMAT);
    return [stringOf(formatList(context, Buffer.from(bytes).toString(), asRef(list).get(), type))];
  },
};

export const TEXT_NATIVES: Readonly<Record<string, NativeModule>> = { string_utils };
