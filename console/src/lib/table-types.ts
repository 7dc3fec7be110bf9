// The types of a table's keys and values: a table itself does not keep them, but the resource that holds it does, by the
// ABI of its module.
import { type Answer, ask, path } from "./api.ts";
import { fullAddress } from "./format.ts";
import { structParts } from "./move-types.ts";

export interface TableTypes {
  readonly key: string;
  readonly value: string;
}

type Abi = NonNullable<Answer<"get_account_module">["abi"]>;
type Resource = Answer<"get_account_resources">[number];

/** Types of the parts of Table, TableWithLength and other tables with a key and a value. */
function tableOf(type: string): TableTypes | undefined {
  const struct = structParts(type);
  const [key, value, ...more] = struct?.typeArguments ?? [];
  const isTable = struct?.address === "0x1" && /^table/.test(struct.module);
  return isTable && key !== undefined && value !== undefined && more.length === 0
    ? { key, value }
    : undefined;
}

/** Follows a path of fields through the structs' definitions to a table. */
async function typesAt(
  type: string,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<TableTypes | undefined> {
  const table = tableOf(type);
  if (table !== undefined) return table;
  const struct = structParts(type);
  const [field, ...rest] = fields;
  if (struct === undefined || field === undefined) return undefined;
  const { data } = await ask<{ abi?: Abi }>(path("accounts", struct.address, "module", struct.module), {
    signal,
  });
  const definition = data.abi?.structs.find(({ name }) => name === struct.name);
  const found = definition?.fields.find(({ name }) => name === field)?.type;
  if (found === undefined) return undefined;
  const actual = found.replace(/\bT(\d+)\b/g, (whole, index) => struct.typeArguments[Number(index)] ?? whole);
  return typesAt(actual, rest, signal);
}

/** Types of the table at a field of a resource. */
export function typesOfField(
  resource: string,
  field: string,
  signal: AbortSignal,
): Promise<TableTypes | undefined> {
  return typesAt(resource, field.split("."), signal);
}

/** The path of fields to a handle inside a value. */
function pathTo(
  value: unknown,
  handle: string,
  fields: readonly string[] = [],
): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    // Handles are printed without the zeros in front.
    if (name === "handle" && typeof item === "string" && fullAddress(item) === handle) return fields;
    const found = pathTo(item, handle, [...fields, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks for a table in the resources of an account, and gives its types. */
export async function typesInAccount(
  address: string,
  handle: string,
  signal: AbortSignal,
): Promise<TableTypes | undefined> {
  const { data } = await ask<Resource[]>(`${path("accounts", address)}/resources`, {
    query: { limit: 100 },
    signal,
  });
  for (const { type, data: value } of data) {
    const fields = pathTo(value, handle);
    if (fields !== undefined) return typesAt(type, fields, signal);
  }
  return undefined;
}
