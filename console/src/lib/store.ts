// One value that parts of the page share; those that use it are drawn again when it changes.
import { useEffect, useState } from "preact/hooks";

/** A value with listeners. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value now, and a new drawing with each change of what `select` takes from it. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S;
export function useStore<T>(store: Store<T>, select: (value: T) => unknown = (value) => value): unknown {
  const [, redraw] = useState(0);
  const selected = select(store.get());
  useEffect(() => {
    let last = select(store.get());
    // It may have changed between drawing and here.
    if (!Object.is(last, selected)) redraw((count) => count + 1);
    return store.subscribe(() => {
      const next = select(store.get());
      if (Object.is(next, last)) return;
      last = next;
      redraw((count) => count + 1);
    });
  }, [store]);
  return selected;
}
