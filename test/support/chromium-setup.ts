// Runs once before the browser tests: finds or brings Chromium, and tells the tests where it is.
import type { TestProject } from "vitest/node";
import { bringChromium } from "./bring-chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the program; empty where there is none. */
    chromium: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  const found = await bringChromium();
  if ("reason" in found) console.log(`chromium: there is none, and it could not be had: ${found.reason}`);
  provide("chromium", "path" in found ? found.path : "");
}
