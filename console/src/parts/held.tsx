// A list that new rows push down and out. While the focus is inside, it stands still: no row may vanish under a reader
// who uses the keyboard.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface Rows<T> {
  /** Names the newest row. */
  readonly newest: string | undefined;
  readonly rows: readonly T[];
}

export function Held<T>({
  newest,
  rows,
  what,
  children,
}: Rows<T> & {
  /** What the rows are, in the plural. */
  readonly what: string;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const [held, setHeld] = useState<Rows<T>>();
  return (
    <div
      class="held"
      onFocusIn={() => setHeld((old) => old ?? { newest, rows })}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        // A window that is left keeps its focused element.
        const next = relatedTarget instanceof Node ? relatedTarget : document.activeElement;
        if (!currentTarget.contains(next)) setHeld(undefined);
      }}
    >
      {children(held?.rows ?? rows)}
      <div role="status">
        {held === undefined || held.newest === newest ? undefined : (
          <p class="faint">Newer {what} wait until the focus leaves this list.</p>
        )}
      </div>
    </div>
  );
}
