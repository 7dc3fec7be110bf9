// Texts of the document: plain, with code between backticks.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function Prose({ text }: { text: string }): JSX.Element {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}

/** Code that scrolls in its own box. */
export function CodeBox({ label, text }: { label: string; text: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}

const SHOWN_MS = 2000;

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const [outcome, setOutcome] = useState("");
  useEffect(() => {
    if (outcome === "") return;
    const timer = setTimeout(() => setOutcome(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("Copied");
    } catch {
      // Browsers allow it on secure origins only.
      setOutcome("Select and copy it");
    }
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      <span role="status">{outcome === "" ? "Copy" : outcome}</span>
    </button>
  );
}
