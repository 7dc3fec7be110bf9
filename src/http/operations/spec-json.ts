// The OpenAPI document as JSON.
import { operation } from "../operation.ts";

/** `GET /v1/spec.json` */
export const specJson = operation({
  id: "spec_json",
  method: "GET",
  path: "/v1/spec.json",
  summary: "OpenAPI document, JSON",
  description: "This document.",
  ledger: "none",
  isDocument: true,
  switchable: false,
  params: {},
  query: {},
  answer: {
    json: {
      schema: { type: "object" },
      description: "An OpenAPI 3.0 document.",
      encode: (document: Readonly<Record<string, unknown>>) => JSON.stringify(document),
    },
  },
  errors: ["overloaded"],
  handle: (_, { services }) => ({ data: services.openapi(), version: undefined }),
});
