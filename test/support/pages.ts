// The pages that a node on the local chain serves to people. The checks of every page walk this list, and so does
// `npm run screenshots`.
import type { Page } from "playwright-core";

/** A page and when it is complete. */
export interface ShownPage {
  /** Of its screenshots. */
  readonly name: string;
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

/** Every page. */
export const PAGES: readonly ShownPage[] = [
  { name: "start", path: "/", ready: heading(/Sextant/) },
  { name: "reference", path: "/v1/spec", ready: heading(/Sextant/) },
  { name: "not-found", path: "/nowhere", status: 404, ready: heading("Nothing is served here") },
];
