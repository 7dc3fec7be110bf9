// The page at the root: what this is and where to go on.
import { operation } from "../operation.ts";
import { startPage as renderStartPage } from "../pages.ts";

/** `GET /` */
export const startPage = operation({
  id: "start_page",
  method: "GET",
  path: "/",
  summary: "Start page",
  description: "Points to the ledger info and the reference.",
  ledger: "none",
  isDocument: true,
  switchable: false,
  params: {},
  query: {},
  answer: {
    html: { schema: { type: "string" }, description: "An HTML page.", encode: () => renderStartPage() },
  },
  errors: ["overloaded"],
  handle: () => ({ data: undefined, version: undefined }),
});
