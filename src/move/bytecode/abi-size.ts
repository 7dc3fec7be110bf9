// Estimates how much memory a parsed ABI holds, for a cache bounded by bytes. Counts every shared part once, in
// the sizes of a 64-bit V8 heap rounded up; names may be counted although other modules hold them too.
import type { AbiType, ModuleAbi } from "../abi.ts";

const ADDRESS_BYTES = 200;

class Meter {
  bytes = 0;
  readonly #seen = new Set<unknown>();

  /** True the first time something is met. */
  first(part: unknown): boolean {
    if (this.#seen.has(part)) return false;
    this.#seen.add(part);
    return true;
  }

  object(fields: number): void {
    this.bytes += 24 + 8 * fields;
  }

  text(text: string | undefined): void {
    if (text !== undefined && this.first(text)) this.bytes += 24 + text.length;
  }

  list<T>(items: readonly T[], each: (item: T) => void): void {
    if (!this.first(items)) return;
    this.bytes += 48 + 8 * items.length;
    for (const item of items) each(item);
  }

  address(address: Uint8Array): void {
    if (this.first(address)) this.bytes += ADDRESS_BYTES;
  }

  readonly type = (type: AbiType): void => {
    if (!this.first(type)) return;
    this.object(5);
    if (type.kind === "vector") this.type(type.item);
    else if (type.kind === "reference") this.type(type.to);
    else if (type.kind === "struct") {
      this.address(type.address);
      this.text(type.module);
      this.text(type.name);
      this.list(type.typeArgs, this.type);
    } else if (type.kind === "function") {
      this.list(type.args, this.type);
      this.list(type.results, this.type);
    }
  };

  readonly field = (field: { readonly name: string; readonly type: AbiType }): void => {
    this.object(2);
    this.text(field.name);
    this.type(field.type);
  };
}

/** Bytes that keeping this ABI costs, roughly. */
export function estimateAbiBytes(abi: ModuleAbi): number {
  const meter = new Meter();
  meter.object(6);
  meter.address(abi.address);
  meter.text(abi.name);
  meter.list(abi.friends, ({ address, name }) => {
    meter.object(2);
    meter.address(address);
    meter.text(name);
  });
  meter.list(abi.functions, (fun) => {
    meter.object(7);
    meter.text(fun.name);
    meter.list(fun.typeParams, () => {});
    meter.list(fun.params, meter.type);
    meter.list(fun.returns, meter.type);
  });
  meter.list(abi.structs, (struct) => {
    meter.object(9);
    meter.text(struct.name);
    meter.text(struct.groupMemberOf);
    meter.text(struct.groupScope);
    meter.list(struct.typeParams, () => {});
    meter.list(struct.fields, meter.field);
    meter.list(struct.variants ?? [], (variant) => {
      meter.object(2);
      meter.text(variant.name);
      meter.list(variant.fields, meter.field);
    });
  });
  return meter.bytes;
}
