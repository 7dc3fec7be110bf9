// A value whose type is known: addresses are linked and named, bytes that are text are shown as text.
import type { JSX } from "preact";
import { fullAddress } from "../lib/format.ts";
import { fromHex } from "../lib/sign.ts";
import { Address, LedgerText } from "./basics.tsx";
import { Tree } from "./tree.tsx";

/** The text in bytes; undefined where they are none, or hold characters that nobody writes. */
function textIn(hex: string): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(fromHex(hex));
    return text !== "" && !/[^\P{C}\n\t]/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Printed objects are `{ inner }`. */
function addressIn(value: unknown): string | undefined {
  const inner = typeof value === "object" && value !== null && "inner" in value ? value.inner : value;
  return typeof inner === "string" ? fullAddress(inner) : undefined;
}

export function TypedValue({
  type,
  value,
}: {
  /** Undefined where it is not known. */
  readonly type: string | undefined;
  readonly value: unknown;
}): JSX.Element {
  const element = /^vector<(address|0x1::object::Object<.*>)>$/.exec(type ?? "")?.[1];
  if (element !== undefined && Array.isArray(value)) {
    return (
      <ul class="plain">
        {value.map((item, index) => (
          <li key={index}>
            <TypedValue type={element} value={item} />
          </li>
        ))}
      </ul>
    );
  }
  const isAddress = type === "address" || type?.startsWith("0x1::object::Object<") === true;
  const address = isAddress ? addressIn(value) : undefined;
  if (address !== undefined) return <Address address={address} />;
  const text = type === "vector<u8>" && typeof value === "string" ? textIn(value) : undefined;
  return (
    <>
      {text === undefined ? undefined : (
        <div class="quoted">
          “<LedgerText text={text} max={160} />”
        </div>
      )}
      <Tree value={value} />
    </>
  );
}
