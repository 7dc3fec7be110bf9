// Bytes by field: each range has a colour, and shows which field it is while it is pointed at.
import type { JSX } from "preact";

/** A field and where its bytes are. */
export interface ByteField {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** How many colours there are; neighbours differ. */
export const COLOURS = 8;

export function ByteView({
  hex,
  fields,
  active,
  onActive,
}: {
  readonly hex: string;
  readonly fields: readonly ByteField[];
  readonly active: number | undefined;
  readonly onActive: (index: number | undefined) => void;
}): JSX.Element {
  const digits = hex.replace(/^0x/, "");
  return (
    <div class="bytes mono" data-testid="bytes" data-hex={hex}>
      {fields.map(({ name, start, end }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the table of fields does the same for the keyboard
        <span
          key={start}
          class={`byte-field colour-${index % COLOURS} ${index === active ? "active" : ""}`}
          title={`${name}, bytes ${start} to ${end - 1}`}
          onMouseEnter={() => onActive(index)}
          onMouseLeave={() => onActive(undefined)}
        >
          {digits.slice(2 * start, 2 * end)}
        </span>
      ))}
    </div>
  );
}
