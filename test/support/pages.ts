// The pages that a node on the local chain serves to people. The checks of every page walk this list, and so does
// `npm run screenshots`.
import type { Page } from "playwright-core";

/** A page and when it is complete. */
export interface ShownPage {
  readonly name: string;
  /** False for a page without screenshots. */
  readonly isPictured?: false;
  /** Path on the node, with the query. */
  readonly path: string;
  /** Status of the page itself; 200 when left out. */
  readonly status?: number;
  /** Waits until the page shows what it is for. */
  ready(page: Page): Promise<void>;
}

const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole("heading", { level: 1, name }).waitFor();

/** The pages of a node that serves no console. */
export const PLAIN_PAGES: readonly ShownPage[] = [
  { name: "plain-start", path: "/", ready: heading("Sextant") },
  { name: "plain-reference", path: "/v1/spec", ready: heading("Sextant node API") },
];

/** Waits for the title of a view of the console, and until nothing in it is being loaded. */
const view = (name: string | RegExp) => async (page: Page) => {
  await heading(name)(page);
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
};

/** The same, and for the rows of a list. */
const filled = (name: string, rows: string) => async (page: Page) => {
  await page.locator(rows).nth(2).waitFor();
  await view(name)(page);
};

/** Waits for rows of a table whose types are known by now. */
async function decoded(page: Page): Promise<void> {
  await view(/Table/)(page);
  await page.getByText("GOLD").waitFor();
}

/** Waits for the operations of the reference. */
const listed = (page: Page) =>
  page.getByRole("heading", { level: 3, name: "Balance of an account" }).waitFor();

/** Waits for the bytes of a transfer. */
async function encoded(page: Page): Promise<void> {
  await view("Encode a transaction")(page);
  await page.getByLabel(/^to\b/).fill("basil");
  await page.getByLabel(/^amount\b/).fill("250000000");
  await page.getByRole("heading", { name: /bytes to sign/ }).waitFor();
}

/** Waits for the longest balances, with their changes and the form of a statement. */
async function stated(page: Page): Promise<void> {
  await view("Account gus")(page);
  await page.getByText("Changes as a table").click();
  await page.getByRole("button", { name: "Statement…" }).click();
}

/** Waits for the trace of a transaction, with all of its changes. */
async function traced(page: Page): Promise<void> {
  await view(/Transaction/)(page);
  await page.getByRole("button", { name: "Trace it" }).click();
  await page.getByText("There are no calls").waitFor();
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
}

/** Waits for what a view function returned. */
async function called(page: Page): Promise<void> {
  await view("Call a view function")(page);
  await page.getByLabel(/^T0/).fill("0x1::aptos_coin::AptosCoin");
  await page.getByLabel(/^argument 0/).fill("anna");
  await page.getByRole("button", { name: "Call it" }).click();
  await page.getByTestId("returned").waitFor();
}

/** Every page. Demo accounts go by their names. */
export const PAGES: readonly ShownPage[] = [
  { name: "now", path: "/", ready: filled("Now", "table.transactions .words") },
  { name: "accounts", path: "/#/account", isPictured: false, ready: view("Accounts") },
  { name: "account", path: "/#/account/gus", ready: view("Account gus") },
  { name: "statement", path: "/#/account/gus", isPictured: false, ready: stated },
  { name: "asset", path: "/#/asset/0xa", isPictured: false, ready: view("Asset APT") },
  { name: "blocks", path: "/#/blocks", ready: filled("Blocks", "table.blocks tbody tr") },
  { name: "older-blocks", path: "/#/blocks?from=12", isPictured: false, ready: view("Blocks") },
  { name: "block", path: "/#/block/20", ready: view("Block 20") },
  { name: "transaction", path: "/#/transaction/45", ready: view(/Transaction/) },
  { name: "trace", path: "/#/transaction/45", isPictured: false, ready: traced },
  { name: "table", path: "/#/table/prices", ready: decoded },
  { name: "encode", path: "/#/encode", ready: encoded },
  {
    name: "call",
    path: "/#/call?function=0x1::coin::balance",
    isPictured: false,
    ready: called,
  },
  { name: "verify", path: "/#/verify", ready: view("Verify a proof") },
  { name: "search", path: "/#/search?q=20", isPictured: false, ready: view("Search") },
  { name: "no-such-view", path: "/#/nowhere", isPictured: false, ready: view("Off the chart") },
  { name: "reference", path: "/v1/spec", ready: listed },
  { name: "not-found", path: "/nowhere", status: 404, ready: heading("Nothing is served here") },
];
