// Text from the ledger, where anybody can write anything: characters that cannot be seen, or that turn the reading
// direction of what follows, are named instead of printed.

/** A run of ordinary text, or one character that is named. */
export interface TextPart {
  readonly text: string;
  readonly isNamed: boolean;
}

/** Controls, formats (which turn directions, join or hide), separators, private use, unassigned. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\ufffd]|\p{Default_Ignorable_Code_Point}|\u00a0/u;
/** More than this on one letter is no language. */
const MAX_MARKS = 4;

function nameOf(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Splits a text of any content into parts that are safe to show. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let run = "";
  let marks = 0;
  const close = (): void => {
    if (run !== "") parts.push({ text: run, isNamed: false });
    run = "";
  };
  for (const character of text.toWellFormed()) {
    marks = /\p{M}/u.test(character) ? marks + 1 : 0;
    if (HIDDEN.test(character) || marks > MAX_MARKS) {
      close();
      parts.push({ text: nameOf(character), isNamed: true });
    } else run += character;
  }
  close();
  return parts;
}

/** The same as one string, for titles and files. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => (part.isNamed ? `⟨${part.text}⟩` : part.text))
    .join("");
}

/** The first characters of a text, and how many there are. */
export function cutText(text: string, max: number): { readonly start: string; readonly isCut: boolean } {
  // Most texts are short; counting characters of a long one would walk all of it.
  if (text.length <= max) return { start: text, isCut: false };
  return {
    start: text
      .slice(0, max)
      .toWellFormed()
      .replace(/\ufffd$/, ""),
    isCut: true,
  };
}
