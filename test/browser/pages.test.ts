// Every page, on both screens and in both colour schemes: no grave finding of axe-core, no other host asked, nothing
// that the Content-Security-Policy refuses, nothing that overflows.
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { PAGES, PLAIN_PAGES } from "../support/pages.ts";
import { type Running, startProgram } from "../support/program.ts";
import { findAxeFaults, LOOKS } from "../support/visit.ts";

describe.skipIf(!hasChromium).each([
  { which: "every page", pages: PAGES, args: [] },
  { which: "without the console", pages: PLAIN_PAGES, args: ["--no-console"] },
])("$which", ({ pages, args }) => {
  let node: Running;
  beforeAll(async () => {
    node = await startProgram(["--store", "memory", "--log-level", "warn", ...args]);
  });

  for (const { name, path, status = 200, ready } of pages) {
    it.each(LOOKS)(`${name}, $screen, $scheme`, async (look) => {
      const { page, otherHosts, faults, close } = await openVisit(node.url, look);
      const response = await page.goto(path);
      expect(response?.status()).toBe(status);
      const { "content-security-policy": policy = "" } = response?.headers() ?? {};
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe-");
      await ready(page);
      expect(await findAxeFaults(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      // The browser itself logs a page that is not found as an error.
      expect(faults.filter((fault) => status === 200 || !fault.includes(`status of ${status}`))).toEqual([]);
      expect(otherHosts).toEqual([]);
      await close();
    });
  }
});
