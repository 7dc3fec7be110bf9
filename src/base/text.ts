// Texts of others inside our messages.

/** The text, cut off with `…` where it is longer than `limit` characters. */
export function shortenText(text: string, limit = 100): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}
