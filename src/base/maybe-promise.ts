// Values that may be there already. What comes from memory or a mapped file needs no turn of the promise queue,
// and a turn costs about as much as reading an item does.

/** A value, now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** What follows from a value: at once where it is there. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
