import { toPrefixedHex } from "../../src/base/hex.ts";

/** A row of a table in the form of an answer's JSON. */
export function toRowAnswer({
  key,
  value,
}: {
  readonly key: Uint8Array;
  readonly value?: Uint8Array | undefined;
}) {
  return { key: toPrefixedHex(key), value: value === undefined ? null : toPrefixedHex(value) };
}
