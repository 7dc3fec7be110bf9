// Attributes that compilers put into a module's metadata: view functions, events, resource groups.
import { decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { text, u8, u64 } from "../../bcs/scalars.ts";
import { map, vector } from "../../bcs/sequences.ts";

/** Metadata key of attributes. */
export const METADATA_V1_KEY = "aptos::metadata_v1";

/** Attribute kinds. */
export const ATTRIBUTE = { oldView: 0, view: 1, group: 2, groupMember: 3, event: 4 } as const;

const SCOPES = new Set(["global", "address", "module_"]);

/** Attributes of a module's functions and structs, by name. */
export interface Attributes {
  readonly views: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
  /** Container of each resource group member, as struct tag text. */
  readonly groupMembers: ReadonlyMap<string, string>;
  /** Scope of each resource group container. */
  readonly groupScopes: ReadonlyMap<string, string>;
}

const NONE: Attributes = {
  views: new Set(),
  events: new Set(),
  groupMembers: new Map(),
  groupScopes: new Map(),
};

const attributeMapCodec = map(text, vector(struct({ kind: u8, args: vector(text) })));
const metadataCodec = struct({
  /** Names and descriptions of abort codes. */
  errors: map(u64, struct({ name: text, description: text })),
  structs: attributeMapCodec,
  functions: attributeMapCodec,
});

function attributesOf({ structs, functions }: ValueOf<typeof metadataCodec>): Attributes {
  const views = new Set<string>();
  const events = new Set<string>();
  const groupMembers = new Map<string, string>();
  const groupScopes = new Map<string, string>();
  for (const [name, attributes] of functions) {
    if (attributes.some(({ kind }) => kind === ATTRIBUTE.oldView || kind === ATTRIBUTE.view)) views.add(name);
  }
  for (const [name, attributes] of structs) {
    for (const { kind, args } of attributes) {
      const arg = args[0];
      if (kind === ATTRIBUTE.event) events.add(name);
      else if (arg === undefined) continue;
      else if (kind === ATTRIBUTE.groupMember && !groupMembers.has(name)) groupMembers.set(name, arg);
      else if (kind === ATTRIBUTE.group && SCOPES.has(arg) && !groupScopes.has(name))
        groupScopes.set(name, arg);
    }
  }
  return { views, events, groupMembers, groupScopes };
}

/**
 * Decodes the attributes of a module. Modules before format version 6, and metadata that does not decode, have no
 * attributes.
 */
export function decodeAttributes(
  metadata: ReadonlyMap<string, Uint8Array>,
  formatVersion: number,
): Attributes {
  const value = metadata.get(METADATA_V1_KEY);
  if (value === undefined || formatVersion < 6) return NONE;
  try {
    return attributesOf(decodeWith(metadataCodec, value));
  } catch {
    return NONE;
  }
}
