// Schemas with a name of their own in the OpenAPI document, so that generated clients have a type for them.
import { ERROR_CODES } from "../error-catalogue.ts";
import type { JsonSchema } from "../operation.ts";

const names = new WeakMap<JsonSchema, string>();

/** Gives a schema a name. Wherever it is used, the document refers to it. */
export function namedSchema(name: string, schema: JsonSchema): JsonSchema {
  names.set(schema, name);
  return schema;
}

/** The body of every error. */
export const ERROR_SCHEMA: JsonSchema = namedSchema("Error", {
  type: "object",
  required: ["message", "error_code"],
  properties: {
    message: { type: "string", description: "Names the part, what was expected and what came." },
    error_code: { type: "string", enum: ERROR_CODES },
    vm_error_code: {
      type: "integer",
      format: "uint64",
      description: "Only where a virtual machine said no.",
    },
    archival_endpoint: {
      type: "string",
      format: "uri",
      description: "On 410, where configured: a node that keeps more versions.",
    },
  },
});

/** Collects the named schemas of a document. */
export class SchemaNames {
  readonly #sources = new Map<string, JsonSchema>();
  readonly components: Record<string, unknown> = {};

  /** The same value with references in the place of named schemas. */
  refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.refer(item));
    if (typeof value !== "object" || value === null) return value;
    const name = names.get(value as JsonSchema);
    if (name === undefined) return this.#members(value);
    const source = this.#sources.get(name);
    if (source === undefined) {
      this.#sources.set(name, value as JsonSchema);
      this.components[name] = this.#members(value);
    } else if (source !== value) throw new Error(`two schemas are named ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  #members(object: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, this.refer(item)]));
  }
}
