// Long work in pieces of about a millisecond: a generator that yields between them, so that its caller can let others run.
export type Pieces<T> = Generator<undefined, T, undefined>;

/** Does all pieces at once. */
export function finish<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Does the same for each item, a number of them in a piece. */
export function* forEach<T>(
  items: Iterable<T>,
  ofPiece: number,
  work: (item: T, index: number) => void,
): Pieces<void> {
  let index = 0;
  for (const item of items) {
    work(item, index++);
    if (index % ofPiece === 0) yield;
  }
}
