// Long work in pieces. Reads of a mapped file never wait, so work that only awaits them would keep the event loop to
// itself until its end.

/** Whose work it is: however many requests stand in line, the writer's next piece is not behind them. */
export type Line = "requests" | "writer";

const last: Record<Line, Promise<void>> = { requests: Promise.resolve(), writer: Promise.resolve() };

/**
 * Resolves in a later turn of the event loop. All callers of a line wait one after the other, and each turn lets one of
 * them on: however many works run at once, a turn is never longer than one piece of each line.
 */
export function nextTurn(line: Line = "requests"): Promise<void> {
  last[line] = last[line].then(() => new Promise((resolve) => setImmediate(resolve)));
  return last[line];
}
