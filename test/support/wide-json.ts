/** JSON of a value with bigints as decimal texts, as the HTTP interface writes them. */
export function wideJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}` : one));
}
