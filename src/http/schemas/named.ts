// Schemas with names: the document has each of them once, among its components, and refers to it everywhere else.
// Generated clients then have one type for it, and unions that their compilers can tell apart.
import type { JsonSchema } from "../field.ts";

const names = new WeakMap<object, string>();
const PREFIX = "#/components/schemas/";

export type Properties = Readonly<Record<string, JsonSchema>>;

/** An object that has all of the first properties, and may have the others. */
export function object(required: Properties, optional: Properties = {}): JsonSchema {
  return { type: "object", required: Object.keys(required), properties: { ...required, ...optional } };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** Gives a schema a name. A copy of it has none. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  names.set(schema, name);
  return schema;
}

/** A reference to a named schema with a description of its own. */
export function described(schema: JsonSchema, description: string): JsonSchema {
  return { allOf: [schema], description };
}

/** A copy of a schema for what may be null. Not a reference: generators ignore `nullable` beside one. */
export function nullable(schema: JsonSchema, description?: string): JsonSchema {
  return { ...schema, nullable: true, ...(description === undefined ? {} : { description }) };
}

/** As `nullable`, in an answer: generated readers in Go apply a pattern to the type that holds null, and fail. */
export function nullableAnswer(schema: JsonSchema, description?: string): JsonSchema {
  const { pattern: _, ...plain } = schema;
  return nullable(plain, description);
}

/** A named union of named objects, told apart by the value of one property. */
export function namedUnion(
  name: string,
  propertyName: string,
  schemas: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const mapping = Object.fromEntries(
    Object.entries(schemas).map(([value, schema]) => [value, `${PREFIX}${names.get(schema)}`]),
  );
  return named(name, { oneOf: Object.values(schemas), discriminator: { propertyName, mapping } });
}

/** A copy of a value in which every named schema is a reference; the schemas are added to `components`. */
export function hoistNamed(value: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistNamed(item, components));
  if (typeof value !== "object" || value === null) return value;
  const name = names.get(value);
  if (name === undefined) return hoistMembers(value, components);
  if (!(name in components)) {
    // Before its members: a schema may contain itself.
    components[name] = undefined;
    components[name] = hoistMembers(value, components);
  }
  return { $ref: `${PREFIX}${name}` };
}

function hoistMembers(value: object, components: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, hoistNamed(member, components)]),
  );
}
