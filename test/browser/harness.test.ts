// The harness itself: what it must notice, it notices.
import { describe, expect, it } from "vitest";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { until } from "../support/until.ts";
import { findAxeFaults } from "../support/visit.ts";

const NOBODY = "http://127.0.0.1:9";

describe.skipIf(!hasChromium)("a visit", () => {
  it("reaches no other host, and records each that was asked", async () => {
    const { page, otherHosts, close } = await openVisit(NOBODY);
    await page.setContent('<img src="http://images.example/a.png" alt="">');
    await expect(page.evaluate("fetch('http://data.example/')")).rejects.toThrow("Failed to fetch");
    // Last, because the browser goes on to a page of its own after this.
    await expect(page.goto("http://elsewhere.example/")).rejects.toThrow("ERR_FAILED");
    expect(otherHosts).toEqual([
      "http://images.example/a.png",
      "http://data.example/",
      "http://elsewhere.example/",
    ]);
    await close();
  });

  it("records errors of the page", async () => {
    const { page, faults, close } = await openVisit(NOBODY);
    await page.evaluate("setTimeout(() => { throw new Error('thrown'); }); console.error('logged')");
    await until(() => faults.length === 2);
    expect(faults.toSorted()).toEqual(["console: logged", "uncaught: thrown"]);
    await close();
  });

  it("finds what axe-core calls serious, and what it calls moderate", async () => {
    const { page, close } = await openVisit(NOBODY);
    const twice = '<section aria-label="a">a</section><section aria-label="a">b</section>';
    await page.setContent(`<html lang="en"><title>t</title><main><h1>t</h1><button></button>${twice}</main>`);
    expect(await findAxeFaults(page)).toEqual([
      expect.stringContaining("button-name"),
      expect.stringContaining("landmark-unique"),
    ]);
    await close();
  });
});
