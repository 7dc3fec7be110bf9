// What the cryptographic natives share: prices by name, and numbers as bytes.
import type { NativeContext } from "../../natives.ts";
import { asStruct, asVec, type Value, type Vec } from "../../values.ts";

/** Charges prices of one group, each as often as its count says, in one step. */
export function chargeAll(
  { meter }: NativeContext,
  group: string,
  counts: Readonly<Record<string, number>>,
): void {
  let sum = 0;
  for (const [name, count] of Object.entries(counts))
    sum += meter.price(`aptos_framework.${group}.${name}`) * count;
  meter.charge(sum);
}

export function bigFromBigEndian(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

export function bigFromLittleEndian(bytes: Uint8Array): bigint {
  return bigFromBigEndian(Uint8Array.from(bytes).reverse());
}

/** The number in exactly `length` bytes. */
export function bigEndianBytes(value: bigint, length: number): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(2 * length, "0"), "hex"));
}

export function littleEndianBytes(value: bigint, length: number): Uint8Array {
  return bigEndianBytes(value, length).reverse();
}

/** The first field of each struct in a vector: a list of byte vectors. */
export function firstFields(value: Value | undefined): readonly Vec[] {
  return asVec(value).items.map((one) => asVec(asStruct(one).fields[0]));
}

/** What a library gives, or undefined where it throws: its faults mean bytes that do not decode. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
