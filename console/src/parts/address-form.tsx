// Opens the view of an address that the reader types, or names where it has a demo name.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fullAddress } from "../lib/format.ts";
import { go, linkTo } from "../lib/router.ts";
import { MonoField } from "./basics.tsx";

export function AddressForm({
  view,
  label,
  placeholder,
  expected,
  names = {},
  initial = "",
  query = {},
}: {
  readonly view: "account" | "table";
  readonly label: string;
  readonly placeholder: string;
  /** Completes "expected …" in the error. */
  readonly expected: string;
  /** Addresses by demo name. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly initial?: string | undefined;
  /** Parameters of the view. */
  readonly query?: Readonly<Record<string, string>>;
}): JSX.Element {
  const [text, setText] = useState(initial);
  const [error, setError] = useState<string>();
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const address = names[text.trim().toLowerCase()] ?? fullAddress(text);
        if (address === undefined) setError(`expected ${expected}`);
        else go(linkTo([view, address], query));
      }}
    >
      <MonoField
        label={label}
        error={error}
        placeholder={placeholder}
        value={text}
        onInput={(value) => {
          setText(value);
          setError(undefined);
        }}
      />
      <button type="submit" class="button primary">
        Look
      </button>
    </form>
  );
}
