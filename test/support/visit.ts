// Looks at pages with a real Chromium: contexts that reach one node only, and what the pages did wrong.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, type BrowserServer, chromium, type Page } from "playwright-core";
import { endWithTest } from "./children.ts";

/** Sizes of the screens that everything is looked at on. */
export const SCREENS = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 640 },
} as const;

export const SCHEMES = ["light", "dark"] as const;

const PATIENCE_MS = 300_000;

/** How a page is looked at. */
export interface Look {
  readonly screen?: keyof typeof SCREENS;
  readonly scheme?: (typeof SCHEMES)[number];
}

/** Every combination of colour scheme and a screen that is pictured. */
export const LOOKS: readonly Required<Look>[] = (["desktop", "phone"] as const).flatMap((screen) =>
  SCHEMES.map((scheme) => ({ screen, scheme })),
);

/** A context, and what its pages did that they must not do. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Hosts asked, other than the node; none of them was reached. */
  readonly otherHosts: string[];
  /** Uncaught errors, errors on the console and what the Content-Security-Policy refused. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** Starts the program, for others to connect to. Names of other hosts are not even resolved. */
export async function serveChromium(executablePath: string): Promise<BrowserServer> {
  const server = await chromium.launchServer({
    executablePath,
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
  });
  // Playwright starts it in a process group of its own.
  endWithTest(server.process(), { group: true });
  return server;
}

/** Starts the program for this process alone. */
export async function launchChromium(executablePath: string): Promise<{
  readonly browser: Browser;
  close(): Promise<void>;
}> {
  const server = await serveChromium(executablePath);
  const browser = await chromium.connect(server.wsEndpoint());
  return {
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** Opens a context with one page. Requests to any other origin than that of `url` are recorded and fail. */
export async function visit(browser: Browser, url: string, look: Look = {}): Promise<Visit> {
  const { origin } = new URL(url);
  const { screen = "desktop", scheme = "light" } = look;
  const context = await browser.newContext({
    baseURL: origin,
    viewport: SCREENS[screen],
    colorScheme: scheme,
    hasTouch: screen !== "desktop",
    isMobile: screen !== "desktop",
    reducedMotion: "reduce",
    // Fixed, so that what pages show does not depend on the machine.
    locale: "en-GB",
    timezoneId: "UTC",
    acceptDownloads: true,
  });
  const otherHosts: string[] = [];
  const faults: string[] = [];
  const isOwn = (asked: string): boolean =>
    new URL(asked).origin === origin || /^(?:blob|data|about):/.test(asked);
  context.on("request", (request) => {
    if (!isOwn(request.url())) otherHosts.push(request.url());
  });
  await context.route(
    ({ href }) => !isOwn(href),
    (route) => route.abort(),
  );
  await context.routeWebSocket(/.*/, (socket) => {
    otherHosts.push(socket.url());
    socket.close();
  });
  context.on("weberror", (error) => faults.push(`uncaught: ${error.error().message}`));
  context.on("console", (message) => {
    // The browser also logs every answer of the API that is an error: no fault of the page that asked.
    const isAnswer = new URL(message.location().url || "about:blank").pathname.startsWith("/v1/");
    if (message.type() === "error" && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  // A page that a test waits for comes, however slow the machine is.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  return { context, page, otherHosts, faults, close: () => context.close() };
}

const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Findings of axe-core, of all its rules or of some, each with the elements it is about. */
export async function findAxeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger: the page's own policy lets no script in.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource());
  // Lists of what passed would cost more than the audit itself.
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const { violations } = await page.evaluate(
    (chosen) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(chosen),
    options,
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`);
    return `${id}: ${help}\n  ${places.join("\n  ")}`;
  });
}
