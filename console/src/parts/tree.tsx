// A value of the ledger as a tree that folds: names, values, addresses as links, long lists in pieces.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { linkTo } from "../lib/router.ts";
import { Address, LedgerText } from "./basics.tsx";

const FIRST_ITEMS = 30;
const OPEN_DEPTH = 2;

/** Where a table handle in the tree leads to. */
export type TableLink = (path: readonly string[], handle: string) => string;

const toTable: TableLink = (_, handle) => linkTo(["table", handle]);

/**
 * Hashes and keys have as many digits as addresses, which are printed without the zeros in front; bytes have an even
 * number of digits. Short addresses are known by the member's name.
 */
function isAddress(name: string, value: string): boolean {
  if (/^0x(?:[0-9a-f]{57}|[0-9a-f]{59}|[0-9a-f]{61,64})$/.test(value))
    return !/hash|key|root|digest/.test(name);
  return (
    /^0x[0-9a-f]{1,60}$/.test(value) &&
    /^(addr|.*address|owner|inner|account|store|from|to|sender)$/.test(name)
  );
}

function Scalar({ value, name }: { readonly value: unknown; readonly name: string }): JSX.Element {
  if (typeof value === "string") {
    if (isAddress(name, value)) return <Address address={value} />;
    return /^-?\d+$/.test(value) ? (
      <span class="num">{value}</span>
    ) : (
      <span class={/^0x[0-9a-f]*$/.test(value) ? "mono" : "quoted"}>
        <LedgerText text={value} max={160} />
      </span>
    );
  }
  return <span class="keyword">{value === null ? "none" : String(value)}</span>;
}

function Branch({
  name,
  value,
  path,
  tableLink,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly path: readonly string[];
  readonly tableLink: TableLink;
}): JSX.Element {
  const [shown, setShown] = useState(FIRST_ITEMS);
  const [isOpen, setOpen] = useState(path.length <= OPEN_DEPTH);
  if (typeof value !== "object" || value === null) {
    const isHandle = name === "handle" && typeof value === "string" && value.startsWith("0x");
    return (
      <div class="leaf">
        <span class="key">
          <LedgerText text={name} max={60} />
        </span>
        {isHandle ? (
          <a class="mono" href={tableLink(path.slice(0, -1), value)}>
            table {value.slice(0, 12)}…
          </a>
        ) : (
          <Scalar value={value} name={name} />
        )}
      </div>
    );
  }
  const entries = Object.entries(value);
  const count = Array.isArray(value) ? `${entries.length} items` : "";
  if (entries.length === 0) {
    return (
      <div class="leaf">
        <span class="key">
          <LedgerText text={name} max={60} />
        </span>
        <span class="faint">{Array.isArray(value) ? "empty" : "no fields"}</span>
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="key">
          <LedgerText text={name} max={60} isInside />
        </span>{" "}
        <span class="faint">{count}</span>
      </summary>
      {isOpen ? (
        <div class="branch">
          {entries.slice(0, shown).map(([key, item]) => (
            <Branch key={key} name={key} value={item} path={[...path, key]} tableLink={tableLink} />
          ))}
          {entries.length > shown ? (
            <button type="button" class="more" onClick={() => setShown(shown + 100)}>
              {entries.length - shown} more
            </button>
          ) : undefined}
        </div>
      ) : undefined}
    </details>
  );
}

/** The members of a value. */
export function Tree({
  value,
  tableLink = toTable,
}: {
  readonly value: unknown;
  readonly tableLink?: TableLink;
}): JSX.Element {
  if (typeof value !== "object" || value === null) return <Scalar value={value} name="" />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="faint">no fields</span>;
  return (
    <div class="tree">
      {entries.map(([key, item]) => (
        <Branch key={key} name={key} value={item} path={[key]} tableLink={tableLink} />
      ))}
    </div>
  );
}
