// Pages for the tests of a file, in the one Chromium of the run.
import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import { type Look, SCREENS, type Visit, visit } from "./visit.ts";

const endpoint = inject("chromium");

/** False on a machine without Chromium; the line "chromium: …" of the run says why. */
export const hasChromium: boolean = endpoint !== "";

/** Ends with the process, which runs several files. */
let connected: Promise<Browser> | undefined;
/** The last visit that was closed, with its look. */
let spare: { readonly kind: string; readonly visit: Visit } | undefined;

/** Opens a page that reaches one node only: an empty one of an earlier visit, because a new one costs a second of CPU time. */
export async function openVisit(url: string, look: Look = {}): Promise<Visit> {
  const { screen = "desktop", scheme = "light" } = look;
  const kind = `${new URL(url).origin} ${screen} ${scheme}`;
  const last = spare;
  spare = undefined;
  if (last?.kind === kind) {
    last.visit.faults.length = 0;
    last.visit.otherHosts.length = 0;
    return last.visit;
  }
  connected ??= chromium.connect(endpoint);
  const [opened] = await Promise.all([visit(await connected, url, look), last?.visit.context.close()]);
  const { page, context } = opened;
  const empty = async (): Promise<void> => {
    page.removeAllListeners("request");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    // A page of no origin has none.
    await page.evaluate("localStorage.clear()").catch(() => {});
    await page.goto("about:blank");
    await page.emulateMedia({ media: null, colorScheme: scheme });
    await page.setViewportSize(SCREENS[screen]);
    for (const other of context.pages()) if (other !== page) await other.close();
    spare = { kind, visit: kept };
  };
  // A page that is on its way to another one cannot be emptied.
  const close = (): Promise<void> => empty().catch(() => context.close());
  const kept: Visit = { ...opened, close };
  return kept;
}
