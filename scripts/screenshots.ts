// Makes the screenshots of every page into docs/images, on both screens and in both colour schemes, from a node on the
// local chain. The pages are those of test/support/pages.ts.
//   npm run screenshots [-- NAME…]
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bringChromium } from "../test/support/bring-chromium.ts";
import { PAGES } from "../test/support/pages.ts";
import { startProgram } from "../test/support/program.ts";
import { until } from "../test/support/until.ts";
import { LOOKS, launchChromium, visit } from "../test/support/visit.ts";

const FOLDER = "docs/images";
/** Of WebP: text stays sharp, and all of them together stay small. */
const QUALITY = 60;
/** As many as the pages show; more are made meanwhile. */
const BLOCKS = 40n;
const MAX_TOTAL_BYTES = 1_500_000;

const names = process.argv.slice(2);
const chromium = await bringChromium();
if ("reason" in chromium) throw new Error(`there is no Chromium: ${chromium.reason}`);
const node = await startProgram(["--store", "memory", "--block-time", "500ms", "--log-level", "warn"]);
await until(async () => {
  const { block_height } = (await (await fetch(node.url)).json()) as { block_height: string };
  return BigInt(block_height) >= BLOCKS;
});
const { browser, close } = await launchChromium(chromium.path);
mkdirSync(FOLDER, { recursive: true });
let totalBytes = 0;
for (const { name, path, isPictured = true, ready } of PAGES) {
  if (!isPictured || (names.length > 0 && !names.includes(name))) continue;
  for (const look of LOOKS) {
    const { page, context, close: leave } = await visit(browser, node.url, look);
    await page.goto(path);
    await ready(page);
    await page.evaluate("document.fonts.ready");
    // Playwright writes PNG and JPEG only; the browser itself also WebP.
    const session = await context.newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    const file = join(FOLDER, `${name}-${look.screen}-${look.scheme}.webp`);
    writeFileSync(file, Buffer.from(data, "base64"));
    totalBytes += statSync(file).size;
    console.log(`${file} ${statSync(file).size} bytes`);
    await leave();
  }
}
await close();
await node.stop();
console.log(`${totalBytes} bytes in all`);
if (totalBytes > MAX_TOTAL_BYTES) throw new Error(`expected at most ${MAX_TOTAL_BYTES} bytes`);
process.exit(0);
