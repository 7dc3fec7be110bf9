// The console is live: blocks arrive while somebody reads it with the keyboard. The focus stays where it is, and so does
// what was typed.
import type { Locator } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, openVisit } from "../support/chromium.ts";
import { goTo, openConsole } from "../support/console.ts";
import { type Running, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { Visit } from "../support/visit.ts";

/** What a reader can use in a view; of a group of radio buttons, the Tab key reaches one. */
const CONTROLS =
  "main a[href], main button:not(:disabled), main input:not([type=radio]), main select:not(:disabled), main textarea:not(:disabled), main summary";
/** Marks the controls that are there now: a live page brings more meanwhile. */
const EXPECT = `for (const e of document.querySelectorAll(${JSON.stringify(CONTROLS)}))
  if (e.checkVisibility({ visibilityProperty: true })) e.dataset.expected = "";
globalThis.kinds = new Set();
globalThis.firstStay = globalThis.lastStay = undefined;`;
const MISSED =
  "[...document.querySelectorAll('[data-expected]:not([data-reached])')].map((e) => e.outerHTML)";
/**
 * Looks at the focused control. At a field, and at the first of a kind, such as the links of one column: types into
 * it and stays until the page has drawn another block. Resolves to the control, and to what went wrong: it shows no focus,
 * it came before the one where the last call was, or it lost the focus or its text.
 */
const STAY = `(async (isBackward) => {
  const control = document.activeElement;
  const { firstStay: first, lastStay: last } = globalThis;
  globalThis.firstStay ??= control;
  globalThis.lastStay = control;
  // Behind the last control the walk leaves the page, or begins again.
  const name = control === document.body || control === first ? "" : control.outerHTML.slice(0, 300);
  if (name === "") return { name, fault: "" };
  control.dataset.reached = "";
  const ahead = isBackward ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
  if (last?.isConnected && last !== document.body && !(last.compareDocumentPosition(control) & ahead))
    return { name, fault: "it was passed before" };
  if (getComputedStyle(control).outlineStyle === "none" && control.closest(".choice") === null)
    return { name, fault: "it shows no focus" };
  // Another place of the modules is another form.
  const isText = control.matches("textarea, input:not([type], .pickers *, header *)");
  let kind = "";
  for (let part = control; part !== document.body; part = part.parentElement)
    kind += part.tagName + part.className + (part.cellIndex ?? "");
  const isKnown = globalThis.kinds.has(kind);
  globalThis.kinds.add(kind);
  if (isKnown && !isText) return { name, fault: "" };
  if (isText) document.execCommand("insertText", false, "7");
  const typed = control.value;
  await new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      // Other parts may be drawn after this one.
      requestAnimationFrame(resolve);
    });
    const status = document.querySelector(".status .num");
    observer.observe(status, { subtree: true, childList: true, characterData: true });
  });
  if (document.activeElement !== control) return { name, fault: "it lost the focus" };
  return { name, fault: isText && control.value !== typed ? "it lost its text" : "" };
})`;
/** The focused link of a row, and whether the row shows all of it. */
const LINK = `(() => {
  const link = document.activeElement;
  const row = link.closest("nav.nav, nav.tabs, nav.views")?.getBoundingClientRect();
  const { left, right } = link.getBoundingClientRect();
  return row && { text: link.textContent, isWhole: left >= row.left && right <= Math.min(row.right, innerWidth) };
})()`;
/** More controls than a view has. */
const MAX_CONTROLS = 200;

describe.skipIf(!hasChromium)("the focus while blocks arrive", () => {
  let node: Running;
  let visit: Visit;
  const open = async (hash: string): Promise<Visit["page"]> => {
    visit = await openConsole(node.url, hash);
    await visit.page.getByText("live").waitFor();
    await until(async () => (await visit.page.locator("[aria-busy]").count()) === 0);
    return visit.page;
  };
  const isFocused = (locator: Locator): Promise<boolean> =>
    locator.evaluate((element) => element.matches(":focus"));
  /** Text of the focused element; that of the body is long. */
  const focusedText = (): Promise<unknown> =>
    visit.page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()");
  const heightOf = async (link: Locator): Promise<number> =>
    Number(((await link.textContent()) ?? "").replaceAll(",", ""));

  /** Goes with a key from control to control, until none is left. Returns their number. */
  const walk = async (page: Visit["page"], key: "Tab" | "Shift+Tab"): Promise<number> => {
    await page.evaluate(EXPECT);
    for (let count = 0; count < MAX_CONTROLS; count++) {
      await page.keyboard.press(key);
      const stayed = await page.evaluate(`${STAY}(${key === "Shift+Tab"})`);
      const { name, fault } = stayed as { readonly name: string; readonly fault: string };
      expect({ name, fault }).toEqual({ name, fault: "" });
      if (name !== "") continue;
      expect(await page.evaluate(MISSED)).toEqual([]);
      return count;
    }
    throw new Error("the walk does not end");
  };

  beforeAll(async () => {
    node = await startProgram(["--store", "memory", "--log-level", "warn", "--block-time", "300ms"]);
  });
  afterEach(async () => {
    expect(visit.faults).toEqual([]);
    expect(visit.otherHosts).toEqual([]);
    await visit.close();
  });

  it("the cursor of the chart stays at the change that the keys chose", async () => {
    const page = await open("#/account/anna");
    const link = page.locator(".chart-text a");
    await link.focus();
    // The link to the last change stays the same one.
    for (let count = 0; count < 3; count++) {
      const told = await page.locator(".chart-text").innerHTML();
      await until(async () => (await page.locator(".chart-text").innerHTML()) !== told);
      expect(await isFocused(link)).toBe(true);
    }
    const chart = page.getByTestId("chart");
    const countOf = async (name: string): Promise<number> => Number(await chart.getAttribute(name));
    await until(async () => (await countOf("aria-valuemax")) >= 6);
    await chart.focus();
    for (const key of ["End", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
    const [index, version] = [await countOf("aria-valuenow"), await link.textContent()];
    await until(async () => (await countOf("aria-valuemax")) > index + 8);
    expect(await countOf("aria-valuenow")).toBe(index);
    expect(await link.textContent()).toBe(version);
    expect(await isFocused(chart)).toBe(true);
    await page.keyboard.press("ArrowRight");
    expect(await countOf("aria-valuenow")).toBe(index + 1);
  });

  it.each([
    ["#/", "Waypoint of this moment"],
    ["#/account", "Demo accounts"],
    ["#/account/anna", "Changes as a table"],
    ["#/block/3", "Block metadata"],
    ["#/table/prices", "GOLD"],
    ["#/encode", "Sequence number, gas and expiry"],
    ["#/verify", "Waypoint that you trust"],
    ["#/blocks", "Blocks from this height down"],
    ["#/feed", "Sent by"],
  ])(
    "%s: Tab leads through all of it, each control shows its focus and keeps it, no field loses its text",
    async (hash, last) => {
      const page = await open(hash);
      await page.getByText(last).first().waitFor();
      // What is folded away has no controls.
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      expect(await walk(page, "Tab")).toBeGreaterThan(15);
    },
  );

  it("the skip link comes first, and leads into the content", async () => {
    const page = await open("#/");
    await page.keyboard.press("Tab");
    expect(await focusedText()).toContain("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  it("#/: Shift+Tab leads through all of it, too", async () => {
    const page = await open("#/");
    await page.getByText("Waypoint of this moment").waitFor();
    expect(await walk(page, "Shift+Tab")).toBeGreaterThan(15);
  });

  it.each(["/#/account/anna", "/v1/spec"])("%s: a phone's rows show the whole focused link", async (path) => {
    visit = await openVisit(node.url, { screen: "phone" });
    const { page } = visit;
    await page.goto(path);
    await page
      .getByRole("link", { name: path.startsWith("/#") ? "Modules" : "API" })
      .first()
      .waitFor();
    const links: unknown[] = [];
    for (let count = 0; count < 20; count++) {
      await page.keyboard.press("Tab");
      links.push((await page.evaluate(LINK)) ?? undefined);
    }
    const seen = links.filter((link) => link !== undefined);
    expect(seen.length).toBeGreaterThan(6);
    expect(seen.filter((link) => !(link as { readonly isWhole: boolean }).isWhole)).toEqual([]);
  });

  it("the latest blocks stand still while the focus is among them, and say that newer ones wait", async () => {
    const page = await open("#/");
    const links = page.locator("table.blocks tbody a");
    await until(async () => (await links.count()) === 8);
    await links.last().focus();
    const newest = await heightOf(links.first());
    // As many as would have pushed out the whole list.
    const block = page.locator(".hero dd a");
    await until(async () => (await heightOf(block)) > newest + 8);
    expect(await isFocused(links.last())).toBe(true);
    expect(await heightOf(links.first())).toBe(newest);
    const note = page.getByText("Newer blocks wait until the focus leaves this list.");
    expect(await note.isVisible()).toBe(true);
    // Within the list, too.
    await page.keyboard.press("Shift+Tab");
    expect(await isFocused(links.nth(6))).toBe(true);
    // Out of it, to what comes next: the rows that change then must not draw the focus back.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await until(async () => (await heightOf(links.first())) > newest + 8);
    await note.waitFor({ state: "detached" });
    const isAfter =
      "(document.querySelector('.held:has(.blocks)').compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0";
    expect([await page.evaluate(isAfter), await focusedText()]).toEqual([
      true,
      expect.not.stringMatching(/^SECTION/),
    ]);
  });

  it("the changes of a balance stand still while the focus is among them", async () => {
    const page = await open("#/account/anna");
    await page.getByText("Changes as a table").click();
    const links = page.locator(".changes tbody tr td:first-child a");
    await until(async () => (await links.count()) === 20);
    await links.last().focus();
    const focused = await focusedText();
    const balance = page.getByTestId("balance");
    for (let count = 0; count < 3; count++) {
      const told = await balance.getAttribute("data-exact");
      await until(async () => (await balance.getAttribute("data-exact")) !== told);
    }
    expect(await focusedText()).toBe(focused);
    await page.getByText("Newer changes wait until the focus leaves this list.").waitFor();
  });

  it("a button that is off while its work runs keeps the focus", async () => {
    const page = await open("#/account/anna");
    const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button("Download CSV").press("Enter"),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await until(async () => await button("Download CSV").isEnabled());
    expect(await focusedText()).toBe("BUTTON Download CSV");
    await button("1 h").press("Enter");
    await page.waitForURL(/from=/);
    await button("All").press("Enter");
    await page.waitForURL((url) => !url.hash.includes("from="));
    await until(async () => (await button("All").getAttribute("aria-pressed")) === "true");
    expect(await focusedText()).toBe("BUTTON All");

    await button("Check the proof here").press("Enter");
    await button("Use the genesis waypoint of this node").press("Enter");
    await button("Check").press("Enter");
    await page.getByTestId("proven").waitFor();
    expect(await focusedText()).toBe("BUTTON Check");

    await goTo(page, "#/encode");
    await page.getByLabel("to address").fill("basil");
    await page.getByLabel("amount u64").fill("5");
    const submit = page.getByTestId("submit");
    await until(async () => await submit.isEnabled());
    await submit.press("Enter");
    const failed = page.getByRole("alert");
    await page.getByText("It arrived as").or(failed).first().waitFor();
    expect(await failed.allTextContents()).toEqual([]);
    expect(await isFocused(submit)).toBe(true);
  });

  it("a button that is off does nothing", async () => {
    const page = await open("#/encode");
    await page.getByTestId("submit").press("Enter");
    await page.getByLabel("to address").fill("basil");
    await page.getByLabel("amount u64").fill("5");
    await page.getByTestId("bytes").waitFor();
    // An attempt to send a form that is not filled in would have failed by now.
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("Encode: what chooses the function keeps the focus", async () => {
    const page = await open("#/encode");
    const [at, module, name] = ["Published at", "Module", "Function"].map((label) =>
      page.getByLabel(label, { exact: true }),
    ) as [Locator, Locator, Locator];
    await page.getByLabel("sender address").waitFor();
    for (const picker of [name, module]) {
      const { hash } = new URL(page.url());
      await picker.focus();
      await page.keyboard.press("ArrowDown");
      await page.waitForURL((url) => url.hash !== hash);
      await page.getByLabel("sender address").waitFor();
      expect(await isFocused(picker)).toBe(true);
    }
    await at.fill("demo");
    await page.keyboard.press("Tab");
    await module.getByRole("option", { name: "demo" }).waitFor({ state: "attached" });
    await page.getByLabel("sender address").waitFor();
    expect(await isFocused(module)).toBe(true);
    await at.fill("0x1");
    await page.keyboard.press("Enter");
    await module.getByRole("option", { name: "coin", exact: true }).waitFor({ state: "attached" });
    expect(await isFocused(at)).toBe(true);
  });

  it("a view under a demo name stays the same view: its controls keep the focus", async () => {
    const page = await open("#/account/anna?version=20");
    await page.getByRole("radio", { name: "At a version" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL((url) => !url.hash.includes("version="));
    const now = page.getByRole("radio", { name: "Now" });
    await until(async () => await now.isChecked());
    expect(await isFocused(now)).toBe(true);
    const resources = page.getByRole("link", { name: "Resources" });
    await resources.press("Enter");
    await page.getByRole("heading", { name: "Resources" }).waitFor();
    expect(await isFocused(resources)).toBe(true);
  });

  it("where the focused control has done its work and goes, the part around it has the focus", async () => {
    const page = await open("#/");
    const version = await heightOf(page.getByTestId("version"));
    await goTo(page, `#/transaction/${version + 40}`);
    const again = page.getByRole("button", { name: "Try again" });
    await again.focus();
    await until(async () => {
      if (await again.isVisible()) await page.keyboard.press("Enter");
      return (await page.getByRole("heading", { name: "Take it with you" }).count()) === 1;
    });
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    // Within a card, that card.
    // A table with another page, of the same rows.
    await page.route("**/items?*", async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.delete("start");
      const response = await route.fetch({ url: url.href });
      await route.fulfill({ response, headers: { ...response.headers(), "x-aptos-cursor": "0x00" } });
    });
    await goTo(page, "#/table/orders");
    const next = page.getByRole("link", { name: "Next page" });
    await next.press("Enter");
    await page.getByRole("link", { name: "first page" }).waitFor();
    await until(async () => (await next.count()) === 1);
    expect(await isFocused(page.getByRole("region", { name: "Rows" }))).toBe(true);
    await page.keyboard.press("Tab");
    expect(await focusedText()).toBe("A first page");
  });
});
