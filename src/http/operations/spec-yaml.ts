// The OpenAPI document as YAML.
import { stringify } from "yaml";
import { operation } from "../operation.ts";

/** `GET /v1/spec.yaml` */
export const specYaml = operation({
  id: "spec_yaml",
  method: "GET",
  path: "/v1/spec.yaml",
  summary: "OpenAPI document, YAML",
  description: "This document as YAML.",
  ledger: "none",
  isDocument: true,
  switchable: false,
  params: {},
  query: {},
  answer: {
    yaml: {
      schema: { type: "string" },
      description: "An OpenAPI 3.0 document.",
      encode: (document: Readonly<Record<string, unknown>>) =>
        stringify(document, { aliasDuplicateObjects: false }),
    },
  },
  errors: ["overloaded"],
  handle: (_, { services }) => ({ data: services.openapi(), version: undefined }),
});
