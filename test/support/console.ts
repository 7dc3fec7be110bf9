// The console of a running node, in a real browser.
import type { Locator, Page } from "playwright-core";
import { openVisit } from "./chromium.ts";
import type { Look, Visit } from "./visit.ts";

/** Long enough for a heavily loaded machine. */
const PATIENCE_MS = 300_000;

/** Opens a view of the console, `#/account/anna`, and waits until it is drawn. */
export async function openConsole(url: string, hash: string, look: Look = {}): Promise<Visit> {
  const visit = await openVisit(url, look);
  visit.page.setDefaultTimeout(PATIENCE_MS);
  await visit.page.goto(`/${hash}`);
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  return visit;
}

/** Goes to another view in the same page. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Digits in the smallest unit, as an amount on the page carries them. */
export async function exactOf(locator: Locator): Promise<string> {
  const text = await locator.first().getAttribute("data-exact");
  if (text === null) throw new Error("the element has no exact amount");
  return text;
}

/** Text of the file that a click saves. */
export async function downloadOf(
  page: Page,
  click: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const stream = await download.createReadStream();
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return { name: download.suggestedFilename(), text: Buffer.concat(pieces).toString("utf8") };
}

/** Asks the node directly, to compare with what the page shows. */
export async function askNode(url: string, path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(`${url}/${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}
