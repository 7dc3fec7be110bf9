// Generates the OpenAPI document from the operations and the error catalogue.

import { API_ROOT } from "../../interface/route.ts";
import { TRUST_KINDS, TRUST_LEVELS } from "../../ledger/trust.ts";
import { COMMON_CONDITIONS, type Condition, ERROR_CATALOGUE } from "../error-catalogue.ts";
import type { Field, Fields, JsonSchema } from "../field.ts";
import type { Operation } from "../operation.ts";
import { cursorHeaderNames, ledgerHeaderNames, trustHeaderNames } from "../response/headers.ts";
import { MEDIA_TYPES } from "../response/negotiation.ts";
import { ERROR_SCHEMA } from "../schemas/error.ts";
import { lastEventIdField } from "../schemas/event-stream.ts";
import { hoistNamed } from "../schemas/named.ts";

/** Version of the interface. */
const API_VERSION = "1.0.0";

/** Where the document has the headers of errors. */
const HEADERS = "#/components/headers/";

/** True for an operation whose responses at a final version are cacheable: those of GET that name a version. */
function isCacheable({ method, query }: Operation): boolean {
  return method === "GET" && "ledger_version" in query;
}

const ETAG: JsonSchema = {
  required: false,
  description:
    "Where the request names a `ledger_version` that can never change: names these bytes. Send it in `If-None-Match` to get 304 while they are the same, which is for ever.",
  schema: { type: "string" },
};

const IF_NONE_MATCH: JsonSchema = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "An `ETag` of an earlier response: 304 instead of the same bytes again.",
  // Without a pattern: what names no bytes of this node is ignored, whatever it is.
  schema: { type: "string" },
};

const RETRY_AFTER: JsonSchema = {
  required: false,
  description: "Seconds to wait before the next attempt.",
  schema: { type: "integer", minimum: 0 },
};

/** Headers of errors by status, beyond those of the ledger. */
const ERROR_HEADERS: Readonly<Record<number, Readonly<Record<string, JsonSchema>>>> = {
  405: {
    Allow: { required: true, description: "The methods that the path has.", schema: { type: "string" } },
  },
  429: {
    "Retry-After": { ...RETRY_AFTER, required: true },
    "RateLimit-Limit": { required: false, schema: { type: "integer" } },
    "RateLimit-Remaining": { required: false, schema: { type: "integer" } },
    "RateLimit-Reset": { required: false, schema: { type: "integer" } },
  },
  500: {
    "X-Request-Id": {
      required: true,
      description: "Finds the cause in the node's log.",
      schema: { type: "string" },
    },
  },
  503: {
    "Retry-After": RETRY_AFTER,
    "X-Request-Id": { required: true, schema: { type: "string" } },
  },
};

/** Conditions whose remedy refers to the ledger headers. */
const LEDGER_CONDITIONS: readonly Condition[] = ["version_not_found", "version_pruned", "invalid_page"];

const CONDITIONS = Object.keys(ERROR_CATALOGUE) as Condition[];

/** Conditions of an operation by status, in order of status. */
function conditionsByStatus(operation: Operation): Map<number, Condition[]> {
  const own = new Set<Condition>([...operation.errors, ...COMMON_CONDITIONS]);
  const conditions = CONDITIONS.filter((condition) => own.has(condition));
  const sorted = conditions.sort((a, b) => ERROR_CATALOGUE[a].status - ERROR_CATALOGUE[b].status);
  const byStatus = new Map<number, Condition[]>();
  for (const condition of sorted) {
    const { status } = ERROR_CATALOGUE[condition];
    byStatus.set(status, [...(byStatus.get(status) ?? []), condition]);
  }
  return byStatus;
}

function parameters(fields: Fields, where: "path" | "query" | "header"): JsonSchema[] {
  const documented = Object.entries(fields).filter(([, { isUndocumented }]) => isUndocumented !== true);
  return documented.map(([name, field]: [string, Field<unknown>]) => ({
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

function ledgerHeader(name: string, required: boolean): JsonSchema {
  return {
    required,
    schema: { type: "integer", format: name.endsWith("-CHAIN-ID") ? "int32" : "int64" },
  };
}

function ledgerHeaders(operation: Operation, brands: readonly string[]): JsonSchema {
  const { ledger, isPaged } = operation;
  const headers: Record<string, JsonSchema> = {};
  for (const name of brands.flatMap(ledgerHeaderNames)) {
    headers[name] = ledgerHeader(name, ledger === "required" && !name.includes("-READ-"));
  }
  for (const name of trustHeaderNames(brands)) {
    headers[name] = {
      required: ledger === "required",
      description: `How the data of the response was checked. Levels from the strongest to the weakest: ${TRUST_LEVELS}.`,
      schema: {
        type: "string",
        pattern: `^(${TRUST_KINDS.join("|").replace("agreed", "agreed [0-9]+/[0-9]+")})$`,
        example: "chained",
      },
    };
  }
  if (isCacheable(operation)) headers.ETag = ETAG;
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
    ...(operation.links === undefined ? {} : { links: operation.links }),
  };
}

function failure(status: number, conditions: readonly Condition[], brands: readonly string[]): JsonSchema {
  const lines = conditions.map((condition) => {
    const { errorCode, when } = ERROR_CATALOGUE[condition];
    return `\`${errorCode}\`: ${when}`;
  });
  const knowsLedger = conditions.some((condition) => LEDGER_CONDITIONS.includes(condition));
  const ledger = brands.flatMap(ledgerHeaderNames).filter((name) => !name.includes("-READ-"));
  const headers = {
    ...ERROR_HEADERS[status],
    ...Object.fromEntries(knowsLedger ? ledger.map((name) => [name, { $ref: HEADERS + name }]) : []),
  };
  return {
    description: lines.join(" "),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { [MEDIA_TYPES.json]: { schema: ERROR_SCHEMA } },
  };
}

function describeOperation(operation: Operation, brands: readonly string[]): JsonSchema {
  const responses: Record<string, JsonSchema> = Object.fromEntries(
    operation.successStatuses.map((status) => [status, success(operation, brands)]),
  );
  if (isCacheable(operation)) {
    responses[304] = {
      description: "The bytes that `If-None-Match` names have not changed.",
      headers: { ETag: ETAG },
    };
  }
  for (const [status, conditions] of conditionsByStatus(operation)) {
    responses[status] = failure(status, conditions, brands);
  }
  const { body } = operation;
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    parameters: [
      ...parameters(operation.params, "path"),
      ...parameters(operation.query, "query"),
      ...(operation.sendsEvents ? parameters({ "Last-Event-ID": lastEventIdField }, "header") : []),
      ...(isCacheable(operation) ? [IF_NONE_MATCH] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: body.description,
            content: {
              [MEDIA_TYPES.json]: { schema: body.schema, example: body.example },
              ...(body.bcs === undefined
                ? {}
                : {
                    [body.bcs.mediaType]: {
                      schema: { type: "string", format: "binary", description: body.bcs.description },
                    },
                  }),
            },
          },
        }),
    responses,
  };
}

/** The document for the given operations. Headers are listed under the first brand; the text names the others. */
export function createOpenApi(
  operations: readonly Operation[],
  [brand = "", ...more]: readonly string[],
): Readonly<Record<string, unknown>> {
  const brands = [brand];
  const also = more.map((one) => ` Each \`X-${brand}-…\` header is sent as \`X-${one}-…\` too.`).join("");
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
      description: `Balances, raw table items and signing bytes of an Aptos-format ledger.${also}`,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: API_ROOT }],
    paths: hoistNamed(paths, schemas),
    components: {
      headers: Object.fromEntries(
        brands
          .flatMap(ledgerHeaderNames)
          .filter((name) => !name.includes("-READ-"))
          .map((name) => [name, ledgerHeader(name, false)]),
      ),
      schemas,
    },
  };
}
