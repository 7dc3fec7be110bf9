// Long work in pieces. Reads of a mapped file never wait, so work that only awaits them would keep the event loop to
// itself until its end.

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop. All callers wait in one line, and each turn lets one of them on: however
 * many works run at once, a turn is never longer than one piece.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
