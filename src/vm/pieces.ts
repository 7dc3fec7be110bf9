// Long work in pieces of about a millisecond: a generator that yields between them, so that its caller can let others run.
export type Pieces<T> = Generator<undefined, T, undefined>;

/** Does all pieces at once. */
export function finish<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
