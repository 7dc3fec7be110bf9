// The OpenAPI document as a page for people. It loads nothing: no script, no font, no other host.
import { operation } from "../operation.ts";
import { specPage as renderSpecPage } from "../pages.ts";

/** `GET /v1/spec` */
export const specPage = operation({
  id: "spec_page",
  method: "GET",
  path: "/v1/spec",
  summary: "Reference page",
  description: "The operations, their parameters, answers and errors, as a page that works offline.",
  ledger: "none",
  isDocument: true,
  switchable: false,
  params: {},
  query: {},
  answer: {
    html: { schema: { type: "string" }, description: "An HTML page.", encode: renderSpecPage },
  },
  errors: ["overloaded"],
  handle: (_, { services }) => ({ data: services.openapi(), version: undefined }),
});
