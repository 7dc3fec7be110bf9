// Values that are often available at once. A read from memory or a mapped file then skips the promise queue, where
// one turn costs about as much as the read itself.

/** A value, now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the value: synchronously unless the value is a promise. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
