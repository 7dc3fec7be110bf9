// Texts of error messages about JSON values: the expected JSON form of a type, and the likely fix.
import type { JsonDocument } from "../json/document.ts";
import type { Layout } from "./layout.ts";
import { INTEGER_RANGES } from "./scalar-text.ts";

const LISTED_NAMES = 12;

/** Describes the JSON form of a layout, with its Move type where that is short. */
export function expectedForm(layout: Layout): string {
  switch (layout.kind) {
    case "bool":
      return "true or false";
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32": {
      const { min, max } = INTEGER_RANGES[layout.kind];
      return `a JSON integer from ${min} to ${max} (${layout.kind})`;
    }
    case "u64":
    case "u128":
    case "u256":
    case "i64":
    case "i128":
    case "i256":
      return `a string of decimal digits such as "5" (${layout.kind})`;
    case "address":
      return 'an address string such as "0x1"';
    case "bytes":
      return 'a hex string such as "0x0a" (vector<u8>)';
    case "string":
      return "a string";
    case "vector":
      return `an array, each item ${expectedForm(layout.item)}`;
    case "option":
      return layout.item.kind === "u8"
        ? 'an object {"vec": "0x"} for none or {"vec": "0x05"} for some (Option<u8>)'
        : `an object {"vec": []} for none or {"vec": [value]} for some, the value being ${expectedForm(layout.item)}`;
    case "struct":
      return `an object with the fields of ${layout.name}: ${listNames(layout.fields)}`;
    case "enum":
      return `an object with one member that names a variant of ${layout.name}: ${listNames(layout.variants)}`;
  }
}

function listNames(items: readonly { readonly name: string }[]): string {
  const names = items.slice(0, LISTED_NAMES).map((item) => item.name);
  return `${names.join(", ")}${items.length > LISTED_NAMES ? ", …" : ""}`;
}

/** The likely fix for a value of the wrong form; undefined when there is none. */
export function likelyFix(layout: Layout, document: JsonDocument, value: number): string | undefined {
  const kind = document.kind(value);
  switch (layout.kind) {
    case "bool":
      return kind === "string" ? "write it without quotes" : undefined;
    case "u8":
    case "u16":
    case "u32":
    case "i8":
    case "i16":
    case "i32":
      if (kind === "string") return "write the number without quotes";
      return kind === "number" ? "write digits only, within the range" : undefined;
    case "u64":
    case "u128":
    case "u256":
    case "i64":
    case "i128":
    case "i256":
      return kind === "number" ? "put the number in quotes" : undefined;
    case "address":
      if (kind === "number") return "put the address in quotes";
      return kind === "object" && document.member(value, "inner") >= 0
        ? 'write the address itself, without {"inner": …}'
        : undefined;
    case "bytes":
      if (kind === "array") return "write the bytes as one hex string, not as an array of numbers";
      return kind === "number" ? "write the bytes as a hex string in quotes" : undefined;
    case "string":
      return kind === "number" || kind === "boolean" ? "put it in quotes" : undefined;
    case "vector":
      return kind === "string" ? "only vector<u8> is written as one string; put the items in [ ]" : undefined;
    case "option":
      return optionFix(layout.item, document, value);
    case "struct":
      return kind === "string" && layout.fields.length === 1 && layout.fields[0]?.name === "inner"
        ? 'inside other types an object reference is written {"inner": "0x…"}'
        : undefined;
    case "enum":
      return kind === "object" && document.member(value, "__variant__") >= 0
        ? 'write {"Name": {fields}}, not {"__variant__": "Name", …}'
        : undefined;
  }
}

function optionFix(item: Layout, document: JsonDocument, value: number): string {
  const none = item.kind === "u8" ? '{"vec": "0x"}' : '{"vec": []}';
  const kind = document.kind(value);
  if (kind === "null") return `write none as ${none}`;
  if (item.kind === "u8") return 'write some as {"vec": "0x05"}: one byte in hex';
  const inner = document.excerpt(value, 30);
  if (kind === "object") return 'the only member is "vec", an array of no or one value';
  return `write it as {"vec": ${kind === "array" ? inner : `[${inner}]`}}`;
}
