// BCS of the simple types that tables have as keys. Anything else is given in hex.
import { fullAddress } from "./format.ts";
import { isSmallInteger } from "./move-types.ts";
import { fromHex, toHex } from "./sign.ts";

/** Types of keys that can be typed in. */
export const KEY_TYPES = [
  ["0x1::string::String", "text"],
  ["u8", "u8"],
  ["u16", "u16"],
  ["u32", "u32"],
  ["u64", "u64"],
  ["u128", "u128"],
  ["u256", "u256"],
  ["address", "address"],
  ["bool", "bool"],
  ["vector<u8>", "bytes in hex"],
  ["raw", "raw BCS in hex"],
] as const;

const INTEGER = /^u(8|16|32|64|128|256)$/;

function uleb(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

function hexBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.trim().replace(/^0x/i, "");
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits))
    throw new Error("expected an even number of hex digits, such as 0x03415054");
  return fromHex(digits);
}

/** A key as its BCS bytes in hex. Throws Error with the reason. */
export function encodeKey(type: string, text: string): string {
  const bits = INTEGER.exec(type)?.[1];
  if (bits !== undefined) {
    const digits = text.trim();
    const limit = 2n ** BigInt(bits);
    if (!/^\d+$/.test(digits) || BigInt(digits) >= limit) {
      throw new Error(`expected a whole number from 0 to ${limit - 1n}`);
    }
    let rest = BigInt(digits);
    const bytes = Array.from({ length: Number(bits) / 8 }, () => {
      const byte = Number(rest & 0xffn);
      rest >>= 8n;
      return byte;
    });
    return toHex(Uint8Array.from(bytes));
  }
  if (type === "0x1::string::String") {
    const bytes = new TextEncoder().encode(text);
    return toHex(Uint8Array.from([...uleb(bytes.length), ...bytes]));
  }
  if (type === "vector<u8>") {
    const bytes = hexBytes(text);
    return toHex(Uint8Array.from([...uleb(bytes.length), ...bytes]));
  }
  if (type === "address") {
    const address = fullAddress(text);
    if (address === undefined) throw new Error("expected an address of up to 64 hex digits, such as 0x1");
    return address;
  }
  if (type === "bool") {
    if (text !== "true" && text !== "false") throw new Error("expected true or false");
    return text === "true" ? "0x01" : "0x00";
  }
  return toHex(hexBytes(text));
}

/** A decoded key as `get_table_item` takes it. */
export function keyJson(type: string, key: unknown): unknown {
  return isSmallInteger(type) ? Number(key) : key;
}
