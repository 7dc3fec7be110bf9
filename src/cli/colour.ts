// Colours on a terminal. FORCE_COLOR switches them on anywhere, NO_COLOR off; FORCE_COLOR wins, as it does in Node.

type Environment = Readonly<Record<string, string | undefined>>;

/** True if text on a stream is coloured. */
export function hasColours({ isTTY }: { readonly isTTY?: boolean }, environment: Environment): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = environment;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return isTTY === true && terminal !== "dumb";
}

/** The text in a colour or style by its number in ECMA-48; unchanged without one. */
export function colour(text: string, style: number | undefined): string {
  return style === undefined ? text : `\u001b[${style}m${text}\u001b[0m`;
}
