// Printed form of ABI types, and its length without printing. A small signature can print to hundreds of megabytes, so
// check the length first or set a limit.
import type { AbiType } from "../abi.ts";
import { type Address, formatAddress } from "../address.ts";

/** Prints types. Caches the text of each address, because addresses repeat. */
export class AbiPrinter {
  readonly #addresses = new Map<Address, string>();

  /** Text of an address without leading zeros. */
  address(address: Address): string {
    let text = this.#addresses.get(address);
    if (text === undefined) {
      text = formatAddress(address);
      this.#addresses.set(address, text);
    }
    return text;
  }

  /** Length of the printed type in characters, all ASCII. */
  length(type: AbiType): number {
    switch (type.kind) {
      case "vector":
        return "vector<>".length + this.length(type.item);
      case "reference":
        return (type.mutable ? "&mut " : "&").length + this.length(type.to);
      case "parameter":
        return 1 + String(type.index).length;
      case "struct": {
        const args = type.typeArgs.length === 0 ? 0 : 2 + this.#listLength(type.typeArgs, ", ");
        return this.address(type.address).length + 4 + type.module.length + type.name.length + args;
      }
      case "function":
        return 2 + this.#listLength(type.args, ",") + this.#listLength(type.results, ",");
      default:
        return type.kind.length;
    }
  }

  /** The printed type. */
  print(type: AbiType): string {
    switch (type.kind) {
      case "vector":
        return `vector<${this.print(type.item)}>`;
      case "reference":
        return `${type.mutable ? "&mut " : "&"}${this.print(type.to)}`;
      case "parameter":
        return `T${type.index}`;
      case "struct": {
        const args = type.typeArgs.length === 0 ? "" : `<${this.#list(type.typeArgs, ", ")}>`;
        return `${this.address(type.address)}::${type.module}::${type.name}${args}`;
      }
      case "function":
        return `|${this.#list(type.args, ",")}|${this.#list(type.results, ",")}`;
      default:
        return type.kind;
    }
  }

  #list(types: readonly AbiType[], separator: string): string {
    return types.map((type) => this.print(type)).join(separator);
  }

  #listLength(types: readonly AbiType[], separator: string): number {
    let length = Math.max(0, types.length - 1) * separator.length;
    for (const type of types) length += this.length(type);
    return length;
  }
}

/**
 * Prints one type as the API shows it. If the text is longer than `maxLength`, prints only the outermost part and
 * three dots.
 */
export function formatAbiType(type: AbiType, maxLength = 1000): string {
  const printer = new AbiPrinter();
  if (printer.length(type) <= maxLength) return printer.print(type);
  switch (type.kind) {
    case "struct":
      return `${printer.print({ ...type, typeArgs: [] })}<...>`;
    case "vector":
      return "vector<...>";
    case "reference":
      return type.mutable ? "&mut ..." : "&...";
    default:
      return "|...|...";
  }
}
