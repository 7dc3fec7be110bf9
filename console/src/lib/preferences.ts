// What the reader chose: colours and the zone of times. Kept in this browser only.
import { createStore, type Store } from "./store.ts";

function remembered<T extends string>(key: string, values: readonly T[], fallback: T): Store<T> {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; then the choice lasts as long as the page.
  }
  const store = createStore<T>(values.find((value) => value === stored) ?? fallback);
  store.subscribe(() => {
    try {
      localStorage.setItem(key, store.get());
    } catch {
      // As above.
    }
  });
  return store;
}

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = remembered<Theme>("sextant.theme", THEMES, "auto");
export const zone = remembered<"local" | "utc">("sextant.zone", ["local", "utc"], "local");

/** Sets the colours of the page by the choice, now and from now on. */
export function applyTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset.theme = theme.get();
  };
  theme.subscribe(apply);
  apply();
}
