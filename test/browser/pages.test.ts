// Every page, on all screens and in both colour schemes: no finding of axe-core, no other host asked, nothing
// that the Content-Security-Policy refuses, nothing that overflows.
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { PAGES, PLAIN_PAGES } from "../support/pages.ts";
import { startProgram } from "../support/program.ts";
import { findAxeFaults, SCREENS, type Visit } from "../support/visit.ts";

const NODE = ["--store", "memory", "--log-level", "warn", "--blocks", "30", "--block-time", "100ms"];
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const COLOURS = ["color-contrast", "link-in-text-block"];

describe.skipIf(!hasChromium).each([
  { which: "every page", pages: PAGES, args: [] },
  { which: "every page without the console", pages: PLAIN_PAGES, args: ["--pages", "plain"] },
])("$which", ({ pages, args }) => {
  let visit: Visit;
  beforeAll(async () => {
    const node = await startProgram([...NODE, ...args]);
    // A phone, whose pages are laid out by CSS alone: resized, one is a desktop.
    visit = await openVisit(node.url, { screen: "phone" });
    return visit.close;
  });

  it.each(pages)("$name", async ({ path, status = 200, ready }) => {
    const { page, faults, otherHosts } = visit;
    faults.length = 0;
    // Another page first: only the part behind the # may differ, which loads nothing.
    await page.goto("about:blank");
    const response = await page.goto(path);
    expect(response?.status()).toBe(status);
    const { "content-security-policy": policy = "" } = response?.headers() ?? {};
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe-");
    await ready(page);
    expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
    // These two differ most: axe-core finds nothing on a screen between them that it does not find on one of them.
    for (const screen of ["small", "desktop"] as const) {
      await page.setViewportSize(SCREENS[screen]);
      expect(await findAxeFaults(page)).toEqual([]);
      // The other scheme has other colours, and is the same page otherwise.
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findAxeFaults(page, COLOURS)).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
      expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize(SCREENS.phone);
    // The browser itself logs a page that is not found as an error.
    expect(faults.filter((fault) => status === 200 || !fault.includes(`status of ${status}`))).toEqual([]);
    expect(otherHosts).toEqual([]);
  });
});
