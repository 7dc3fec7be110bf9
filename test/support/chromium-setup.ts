// Runs once before long tests, where some of them need a browser: finds or brings Chromium, starts it, and tells the tests where it listens.
import type { TestProject } from "vitest/node";
import { bringChromium } from "./bring-chromium.ts";
import { serveChromium } from "./visit.ts";

type Teardown = (() => Promise<void>) | undefined;

declare module "vitest" {
  interface ProvidedContext {
    /** What the tests connect to; empty where there is none. */
    chromium: string;
  }
}

export default async function setup({ provide, vitest }: TestProject): Promise<Teardown> {
  if (!vitest.state.getPaths().some((path) => path.includes("/test/browser/"))) return undefined;
  const found = await bringChromium();
  if ("reason" in found) console.log(`chromium: there is none, and it could not be had: ${found.reason}`);
  const server = "path" in found ? await serveChromium(found.path) : undefined;
  provide("chromium", server?.wsEndpoint() ?? "");
  return async () => server?.close();
}
