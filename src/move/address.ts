// 32-byte account addresses and their text forms.
import { hexDigit, hexFault, toHex } from "../base/hex.ts";
import { MoveError } from "./errors.ts";

/** Bytes of an address. */
export const ADDRESS_LENGTH = 32;
const ZERO_DIGIT = 48;

/** A 32-byte account address. Made only by `addressFromBytes` and `parseAddress`. */
export type Address = Uint8Array & { readonly __brand: "Address" };

/** Brands exactly 32 bytes as an address, without copying. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_LENGTH) {
    throw new MoveError("address", `an address has ${ADDRESS_LENGTH} bytes, not ${bytes.length}`);
  }
  return bytes as Address;
}

/** Parses the common form with all 64 digits; undefined if one is not a hex digit. */
function parseFullAddress(text: string, start: number): Address | undefined {
  const out = new Uint8Array(ADDRESS_LENGTH);
  // Negative as soon as one digit is invalid.
  let combined = 0;
  for (let i = 0, at = start; i < ADDRESS_LENGTH; i++, at += 2) {
    const value = (hexDigit(text.charCodeAt(at)) << 4) | hexDigit(text.charCodeAt(at + 1));
    combined |= value;
    out[i] = value;
  }
  return combined < 0 ? undefined : (out as Address);
}

/**
 * Parses address text: an optional lower-case `0x`, then 1 to 64 hex digits of either case, padded with
 * zeros on the left.
 */
export function parseAddress(text: string): Address {
  const start = text.startsWith("0x") ? 2 : 0;
  const digits = text.length - start;
  if (digits === 2 * ADDRESS_LENGTH) {
    const full = parseFullAddress(text, start);
    if (full !== undefined) return full;
  }
  if (digits === 0) throw new MoveError("address", "an address needs at least one hex digit");
  if (digits > 2 * ADDRESS_LENGTH) {
    throw new MoveError("address", `an address has at most ${2 * ADDRESS_LENGTH} hex digits, not ${digits}`);
  }
  const out = new Uint8Array(ADDRESS_LENGTH);
  // From the last digit on, so that an odd number of digits is padded on the left.
  for (let i = text.length - 1, nibble = 0; i >= start; i--, nibble++) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) throw new MoveError("address", hexFault(text) ?? "it is not hex");
    const at = ADDRESS_LENGTH - 1 - (nibble >> 1);
    out[at] = (out[at] ?? 0) | (nibble % 2 === 0 ? digit : digit << 4);
  }
  return out as Address;
}

/** `0x` + hex without leading zeros (`0x0` for zero): the form of the API and of type texts. */
export function formatAddress(address: Uint8Array): string {
  return formatAddressDigits(toHex(address));
}

/** The same, of all 64 digits. */
export function formatAddressDigits(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === ZERO_DIGIT) start++;
  return `0x${digits.slice(start)}`;
}

/** `0x` + all 64 digits. */
export function formatAddressLong(address: Uint8Array): string {
  return `0x${toHex(address)}`;
}

/** Where the framework's modules and the resources of the chain itself are. */
export const FRAMEWORK: Address = parseAddress("0x1");
