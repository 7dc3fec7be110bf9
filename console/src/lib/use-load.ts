// Loads what a view shows: cancels what nobody waits for any more, and loads again once a lost node is back.
import { useEffect, useRef, useState } from "preact/hooks";
import { isDefinite } from "./api.ts";
import { live } from "./live.ts";
import { useStore } from "./store.ts";

/**
 * How far a load is. Earlier data stays while the same thing is loaded again, and next to the error if that fails in a
 * way that may pass: a form below must not lose what was typed.
 */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<T> {
  readonly key: string;
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

/**
 * Loads by `key`; undefined loads nothing. With another `key` the data is dropped; with another `refresh` it is loaded
 * again and stays meanwhile.
 */
export function useLoad<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  refresh: unknown = 0,
): Loaded<T> {
  const [state, setState] = useState<State<T>>({
    key: "",
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const returns = useStore(live, ({ returns }) => returns);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === undefined) return;
    const controller = new AbortController();
    setState((old) =>
      old.key === key
        ? { ...old, isLoading: true }
        : { key, data: undefined, error: undefined, isLoading: true },
    );
    latest.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ key, data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const known = error instanceof Error ? error : new Error(String(error));
        setState((old) => ({
          key,
          data: !isDefinite(known) && old.key === key ? old.data : undefined,
          error: known,
          isLoading: false,
        }));
      },
    );
    return () => controller.abort();
  }, [key, refresh, turn, returns]);
  const isCurrent = key !== undefined && state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: key !== undefined && (!isCurrent || state.isLoading),
    reload: () => setTurn((count) => count + 1),
  };
}
