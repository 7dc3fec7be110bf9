// Pieces of messages.

/** Escapes characters that control a terminal or the reading direction, as JSON does. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The text, cut off with `…` after `limit` characters. */
export function shortenText(text: string, limit = 100): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}

/** `n things`, or `1 thing`. */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
