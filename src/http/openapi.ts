// Generates the OpenAPI document from the operations and the error catalogue.
import { API_ROOT } from "../interface/route.ts";
import { COMMON_CONDITIONS, type Condition, ERROR_CATALOGUE } from "./error-catalogue.ts";
import { cursorHeaderNames, ledgerHeaderNames } from "./headers.ts";
import { MEDIA_TYPES } from "./negotiation.ts";
import type { Field, Fields, JsonSchema, Operation } from "./operation.ts";
import { ERROR_SCHEMA } from "./schemas/error.ts";
import { lastEventIdField } from "./schemas/event-stream.ts";
import { hoistNamed } from "./schemas/named.ts";

/** Version of the interface. */
const API_VERSION = "1.0.0";

/** Conditions of an operation by status, in order of status. */
function conditionsByStatus(operation: Operation): Map<number, Condition[]> {
  const conditions = [...operation.errors, ...COMMON_CONDITIONS];
  const sorted = conditions.sort((a, b) => ERROR_CATALOGUE[a].status - ERROR_CATALOGUE[b].status);
  const byStatus = new Map<number, Condition[]>();
  for (const condition of sorted) {
    const { status } = ERROR_CATALOGUE[condition];
    byStatus.set(status, [...(byStatus.get(status) ?? []), condition]);
  }
  return byStatus;
}

function parameters(fields: Fields, where: "path" | "query" | "header"): JsonSchema[] {
  return Object.entries(fields).map(([name, field]: [string, Field<unknown>]) => ({
    name,
    in: where,
    required: where === "path",
    description: field.description,
    schema: field.schema,
    ...(field.omitExample === true
      ? {}
      : { example: field.schema.type === "string" ? field.example : JSON.parse(field.example) }),
  }));
}

function ledgerHeaders({ ledger, isPaged }: Operation, brands: readonly string[]): JsonSchema {
  const headers: Record<string, JsonSchema> = {};
  for (const name of brands.flatMap(ledgerHeaderNames)) {
    headers[name] = {
      required: ledger === "required" && !name.includes("-READ-"),
      schema: { type: "integer", format: name.endsWith("-CHAIN-ID") ? "uint8" : "uint64" },
    };
  }
  for (const name of isPaged ? cursorHeaderNames(brands) : []) {
    headers[name] = {
      required: false,
      description: "While there is more: the value of `start` for the next page.",
      schema: { type: "string" },
    };
  }
  return headers;
}

function success(operation: Operation, brands: readonly string[]): JsonSchema {
  const content: Record<string, JsonSchema> = {};
  for (const { form, schema, example } of operation.answers) {
    content[MEDIA_TYPES[form]] = example === undefined ? { schema } : { schema, example };
  }
  const description = operation.answers.map((answer) => `${MEDIA_TYPES[answer.form]}: ${answer.description}`);
  return {
    description: description.join(" "),
    ...(operation.ledger === "none" ? {} : { headers: ledgerHeaders(operation, brands) }),
    content,
  };
}

function failure(conditions: readonly Condition[]): JsonSchema {
  const lines = conditions.map((condition) => {
    const { errorCode, when } = ERROR_CATALOGUE[condition];
    return `\`${errorCode}\`: ${when}`;
  });
  return { description: lines.join(" "), content: { [MEDIA_TYPES.json]: { schema: ERROR_SCHEMA } } };
}

function describeOperation(operation: Operation, brands: readonly string[]): JsonSchema {
  const responses: Record<string, JsonSchema> = { 200: success(operation, brands) };
  for (const [status, conditions] of conditionsByStatus(operation)) responses[status] = failure(conditions);
  const { body } = operation;
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    parameters: [
      ...parameters(operation.params, "path"),
      ...parameters(operation.query, "query"),
      ...(operation.isStream ? parameters({ "Last-Event-ID": lastEventIdField }, "header") : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: body.description,
            content: { [MEDIA_TYPES.json]: { schema: body.schema, example: body.example } },
          },
        }),
    responses,
  };
}

/** The document for the given operations; header names carry the given brands. */
export function createOpenApi(
  operations: readonly Operation[],
  brands: readonly string[],
): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const schemas: Record<string, unknown> = {};
  for (const operation of operations) {
    if (!operation.path.startsWith(API_ROOT)) continue;
    const path = operation.path.slice(API_ROOT.length) || "/";
    const methods = paths[path] ?? {};
    methods[operation.method.toLowerCase()] = describeOperation(operation, brands);
    paths[path] = methods;
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "Sextant node API",
      version: API_VERSION,
      description: "Balances, raw table items and signing bytes of an Aptos-format ledger.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: API_ROOT }],
    paths: hoistNamed(paths, schemas),
    components: { schemas },
  };
}
