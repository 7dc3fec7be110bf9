// Foreign text inside error messages.

/** The text, cut off with `…` after `limit` characters. */
export function shortenText(text: string, limit = 100): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}
