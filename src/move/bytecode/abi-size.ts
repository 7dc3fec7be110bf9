// Estimates the memory of a parsed ABI, for a byte-bounded cache. Counts each shared part once, with object sizes of a
// 64-bit V8 heap rounded up. Names count even if other modules share them.
import type { AbiType, ModuleAbi } from "../abi.ts";

const ADDRESS_BYTES = 200;

class Meter {
  bytes = 0;
  readonly #seen = new Set<unknown>();

  /** True when a part is seen for the first time. */
  isNew(part: unknown): boolean {
    if (this.#seen.has(part)) return false;
    this.#seen.add(part);
    return true;
  }

  object(fields: number): void {
    this.bytes += 24 + 8 * fields;
  }

  text(text: string | undefined): void {
    if (text !== undefined && this.isNew(text)) this.bytes += 24 + text.length;
  }

  list<T>(items: readonly T[], each: (item: T) => void): void {
    if (!this.isNew(items)) return;
    this.bytes += 48 + 8 * items.length;
    for (const item of items) each(item);
  }

  address(address: Uint8Array): void {
    if (this.isNew(address)) this.bytes += ADDRESS_BYTES;
  }

  readonly type = (type: AbiType): void => {
    if (!this.isNew(type)) return;
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

/** Estimated heap bytes of an ABI. */
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
