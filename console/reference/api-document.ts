// The OpenAPI document as this page reads it: operations in groups, schemas by name.

/** A schema, as far as it is shown. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly description?: string;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation with its place. */
export interface Operation extends DocumentedOperation {
  readonly method: string;
  /** Below the root of the API; `""` for the root itself. */
  readonly path: string;
  readonly group: string;
}

/** Groups by the first segment of a path, in the order they are shown. */
const GROUPS: readonly (readonly [name: string, segments: readonly string[]])[] = [
  ["Accounts and balances", ["accounts", "balances"]],
  ["Tables", ["tables"]],
  ["Transactions", ["transactions"]],
  ["Blocks", ["blocks"]],
  ["View functions and state", ["view", "experimental"]],
];
/** The node itself, and what has no group. */
const OTHERS = "Ledger and node";

function groupOf(path: string): string {
  const first = path.split("/")[1] ?? "";
  return GROUPS.find(([, segments]) => segments.includes(first))?.[0] ?? OTHERS;
}

/** Every operation, group by group. */
export function operationsOf({ paths }: ApiDocument): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path: path === "/" ? "" : path,
      group: groupOf(path),
    })),
  );
  const order = [...GROUPS.map(([name]) => name), OTHERS];
  return operations.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

/** Name of the schema that a reference is for. */
export function refName({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** The schema itself where there is a reference to it. */
export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = refName(schema);
  if (name !== undefined) return document.components.schemas[name] ?? {};
  const [only] = schema.allOf ?? [];
  // A reference that carries a description of its own is written so.
  return schema.allOf?.length === 1 && only !== undefined
    ? { ...resolve(document, only), ...schema }
    : schema;
}

/** A type in a few words. */
export function typeText(schema: Schema): string {
  const name =
    refName(schema) ?? (schema.allOf?.length === 1 ? refName(schema.allOf[0] as Schema) : undefined);
  const kind =
    name ??
    (schema.type === "array" ? `list of ${typeText(schema.items ?? {})}` : undefined) ??
    (schema.oneOf !== undefined ? "one of several" : undefined) ??
    (schema.format === "binary" ? "bytes" : schema.type) ??
    "any value";
  return schema.nullable === true ? `${kind} or null` : kind;
}

/** Longer patterns help nobody; the description says what is meant. */
const READABLE_PATTERN = 40;

/** Bounds of a value in a few words; empty where it has none. */
export function boundsText({ minimum, maximum, maxItems, pattern, default: fallback }: Schema): string {
  const parts = [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
    maxItems === undefined ? "" : `at most ${maxItems} items`,
    pattern === undefined || pattern.length > READABLE_PATTERN ? "" : `matches ${pattern}`,
    fallback === undefined ? "" : `${JSON.stringify(fallback)} when left out`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
