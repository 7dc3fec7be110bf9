// Measures how long the console takes to its first paint, by the browser's own timing, in fresh contexts with a slowed
// processor. Prints medians and quartiles in milliseconds; judges nothing.
//   npm run first-paint [-- --slowdown 4] [--rounds 15]
import { parseArgs } from "node:util";
import { bringChromium } from "../test/support/bring-chromium.ts";
import { startProgram } from "../test/support/program.ts";
import { launchChromium, visit } from "../test/support/visit.ts";

const { values } = parseArgs({
  options: {
    slowdown: { type: "string", default: "4" },
    rounds: { type: "string", default: "15" },
  },
});
const PAGES = { now: "/", account: "/#/account/anna", reference: "/v1/spec" };
/** Milliseconds since the navigation began: the first pixel, the first text, and the last of the largest texts. */
const TIMES = `(async () => {
  const paints = Object.fromEntries(performance.getEntriesByType("paint").map((entry) => [entry.name, entry.startTime]));
  const largest = await new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
      .observe({ type: "largest-contentful-paint", buffered: true });
  });
  return { "first paint": paints["first-paint"], "first text": paints["first-contentful-paint"], "largest text": largest };
})()`;

function quartiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0.5)} ms (quartiles ${at(0.25)} and ${at(0.75)})`;
}

const chromium = await bringChromium();
if ("reason" in chromium) throw new Error(`there is no Chromium: ${chromium.reason}`);
const node = await startProgram(["--store", "memory", "--log-level", "warn"]);
const { browser, close } = await launchChromium(chromium.path);
for (const [name, path] of Object.entries(PAGES)) {
  const times = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    const { page, context, close: leave } = await visit(browser, node.url);
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: Number(values.slowdown) });
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    for (const [what, ms] of Object.entries((await page.evaluate(TIMES)) as Record<string, number>)) {
      times.set(what, [...(times.get(what) ?? []), ms]);
    }
    await leave();
  }
  for (const [what, all] of times) console.log(`${name}: ${what} after ${quartiles(all)}`);
}
await close();
await node.stop();
process.exit(0);
