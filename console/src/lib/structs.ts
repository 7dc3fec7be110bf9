// Fields of structs by the ABIs of their modules: for forms, and to decode bytes whose type is known.
import { type Answer, ApiError, ask, path } from "./api.ts";
import { type Structs, structParts, typesInside } from "./move-types.ts";

type Abi = NonNullable<Answer<"get_account_module">["abi"]>;

/** The ABI of a module; undefined where there is none. */
async function loadAbi(address: string, module: string, signal: AbortSignal): Promise<Abi | undefined> {
  try {
    const relative = path("accounts", address, "module", module);
    return (await ask<{ readonly abi?: Abi }>(relative, { signal })).data.abi;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** A type is deeper than this only if it was made to be. */
const MAX_ROUNDS = 8;

/** The fields of every struct in these types, of the structs in their fields, and so on. Enums have none. */
export async function loadStructs(types: readonly string[], signal: AbortSignal): Promise<Structs> {
  const structs = new Map<string, readonly { readonly name: string; readonly type: string }[]>();
  const modules = new Map<string, Promise<Abi | undefined>>();
  const seen = new Set<string>();
  let wanted = types.flatMap(typesInside);
  for (let round = 0; round < MAX_ROUNDS && wanted.length > 0; round++) {
    const found = await Promise.all(
      [...new Set(wanted)].map(async (type) => {
        seen.add(type);
        const struct = structParts(type);
        if (struct === undefined) return [];
        const key = `${struct.address}::${struct.module}`;
        const abi = modules.get(key) ?? loadAbi(struct.address, struct.module, signal);
        modules.set(key, abi);
        const definition = (await abi)?.structs.find(({ name }) => name === struct.name);
        // The ABI does not tell the variants of an enum.
        if (definition === undefined || definition.fields.length === 0) return [];
        const fields = definition.fields.map(({ name, type: inner }) => ({
          name,
          type: inner.replace(/\bT(\d+)\b/g, (whole, index) => struct.typeArguments[Number(index)] ?? whole),
        }));
        structs.set(type, fields);
        return fields.flatMap((field) => typesInside(field.type));
      }),
    );
    wanted = found.flat().filter((type) => !seen.has(type));
  }
  return structs;
}
