// What anybody can write into a ledger is shown as text: scripts, marks that turn the reading direction, long strings,
// bytes that are no text. The responses of a real node are changed on their way into the browser.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { goTo, openConsole } from "../support/console.ts";
import { type Running, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

const SCRIPT = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
const TURNED = "GOLD\u202eDLOG\u2066\u200b\u0000\u001b[31m";
const LONG = "A".repeat(10_240);
const HEAPED = `e${"\u0301".repeat(200)}`;

describe.skipIf(!hasChromium)("hostile names and bytes", () => {
  let node: Running;
  beforeAll(async () => {
    node = await startProgram([
      "--store",
      "memory",
      "--log-level",
      "warn",
      "--blocks",
      "6",
      "--block-time",
      "50ms",
    ]);
  });

  /** Changes the JSON of responses whose path matches. */
  async function change(page: Page, path: RegExp, edit: (value: unknown) => unknown): Promise<void> {
    await page.route(path, async (route) => {
      const response = await route.fetch();
      const text =
        response.status() === 200 ? JSON.stringify(edit(JSON.parse(await response.text()))) : undefined;
      await route.fulfill({ response, ...(text === undefined ? {} : { body: text }) });
    });
  }

  it.each([
    ["a script", SCRIPT, (text: string) => expect(text).toContain("<img src=x onerror")],
    [
      "marks and controls",
      TURNED,
      (text: string) => {
        for (const hidden of "\u202e\u2066\u200b\u0000\u001b") expect(text).not.toContain(hidden);
        for (const name of ["U+202E", "U+2066", "U+200B", "U+0000", "U+001B"]) expect(text).toContain(name);
      },
    ],
    ["heaped marks", HEAPED, (text: string) => expect(text).not.toMatch(/\u0301{5}/)],
  ])("%s as symbol and name of an asset", async (_, hostile, judge) => {
    const { page, close, faults, otherHosts } = await openConsole(node.url, "#/blocks");
    await change(page, /\/balances(\?|$)/, (held) =>
      (held as object[]).map((one) => ({ ...one, symbol: hostile })),
    );
    await change(page, /\/detail(\?|$)/, (detail) => ({
      ...(detail as object),
      symbol: hostile,
      name: hostile,
    }));
    await goTo(page, "#/account/anna");
    await page.getByTestId("balance").waitFor();
    judge((await page.locator("main").textContent()) ?? "");
    expect(await page.title()).not.toBe("taken");
    expect(await page.locator("main img").count()).toBe(0);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    expect(otherHosts).toEqual([]);
    await close();
  });

  it("ten thousand characters are cut, and shown on demand", async () => {
    const { page, close } = await openConsole(node.url, "#/blocks", { screen: "phone" });
    await change(page, /\/balances(\?|$)/, (held) =>
      (held as object[]).map((one) => ({ ...one, symbol: LONG })),
    );
    await change(page, /\/detail(\?|$)/, (detail) => ({ ...(detail as object), symbol: LONG, name: LONG }));
    await change(page, /\/resources(\?|$)/, () => [
      { type: `0x1::m::${LONG}`, data: { [LONG]: LONG, b: SCRIPT } },
    ]);
    await goTo(page, "#/account/anna");
    const symbol = page.getByTestId("holdings").locator(".asset-symbol").first();
    await symbol.waitFor();
    expect(((await symbol.textContent()) ?? "").length).toBeLessThan(100);
    const heading = page.getByRole("heading", { name: /^Balance of A+/ });
    await heading.getByRole("button", { name: "all 10,240 characters" }).click();
    await until(async () => ((await heading.textContent()) ?? "").includes(LONG));
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    await goTo(page, "#/account/anna?part=resources");
    await page.getByText("<script>").first().waitFor();
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    await close();
  });

  it("bytes that are no text, and texts with controls, in a table of strings", async () => {
    const { page, close, faults } = await openConsole(node.url, "#/blocks");
    const text = (bytes: Uint8Array): string => `0x${Buffer.from([bytes.length, ...bytes]).toString("hex")}`;
    await change(page, /\/items(\?|$)/, () => [
      { key: text(Uint8Array.of(0xff, 0xfe, 0x41)), value: "0x01" },
      { key: text(Buffer.from("a\u202eb")), value: "0x0500000000000000" },
      { key: "0x", value: "0xffffffffffffffff" },
    ]);
    await goTo(page, "#/table/prices");
    const rows = page.locator("table.rows");
    // Rows stand in hex until the types of the table have come.
    await until(async () => ((await rows.textContent()) ?? "").includes("18446744073709551615"));
    const shown = (await rows.textContent()) ?? "";
    // No bytes are guessed at: what is not of the type is shown in hex.
    expect(shown).toContain("0x03fffe41");
    expect(shown).toContain("aU+202Eb");
    expect(shown).not.toContain("\u202e");
    expect(faults).toEqual([]);
    await close();
  });

  it("a message of the node with markup in it", async () => {
    const { page, close } = await openConsole(node.url, `#/transaction/${encodeURIComponent(SCRIPT)}`);
    await page.getByText("The request is not right").waitFor();
    expect(await page.title()).not.toBe("taken");
    expect(await page.locator("main img").count()).toBe(0);
    await close();
  });
});
