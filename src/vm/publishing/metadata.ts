// Metadata of a module: names of abort codes, and attributes of its functions and structs.
import { type Codec, decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { struct } from "../../bcs/records.ts";
import { bool, text, u8, u64 } from "../../bcs/scalars.ts";
import { map, vector } from "../../bcs/sequences.ts";
import type { Program } from "../../move/bytecode/program.ts";
import { VmError } from "../errors.ts";
import { type ItemReader, LedgerState, type ProgramCache } from "../state.ts";

const METADATA_KEY = {
  v0: "aptos::metadata_v0",
  v1: "aptos::metadata_v1",
  compilation: "compilation_metadata",
} as const;

export const ATTRIBUTE = {
  oldView: 0,
  view: 1,
  group: 2,
  groupMember: 3,
  event: 4,
  randomness: 5,
} as const;

const attributes = map(text, vector(struct({ kind: u8, args: vector(text) })));
const errors = map(u64, struct({ name: text, description: text }));
const metadataV0 = struct({ errors });
const metadataV1 = struct({ errors, structs: attributes, functions: attributes });
const compilation = struct({ isUnstable: bool, compiler: text, language: text });

export type ModuleMetadata = ValueOf<typeof metadataV1>;

function decode<T>(codec: Codec<T>, bytes: Uint8Array | undefined): T | undefined {
  if (bytes === undefined) return undefined;
  try {
    return decodeWith(codec, bytes);
  } catch (error) {
    if (error instanceof BcsError) return undefined;
    throw error;
  }
}

/** Metadata of a module; undefined if it has none that decodes. Modules of version 5 have no attributes. */
export function metadataOfModule({
  metadata,
  abi,
}: Pick<Program, "metadata"> & { readonly abi?: Program["abi"] }): ModuleMetadata | undefined {
  const v1 = metadata.get(METADATA_KEY.v1);
  if (v1 !== undefined) {
    const decoded = decode(metadataV1, v1);
    return decoded && abi?.formatVersion === 5 ? { ...decoded, structs: [], functions: [] } : decoded;
  }
  const old = decode(metadataV0, metadata.get(METADATA_KEY.v0));
  return old && { errors: old.errors, structs: [], functions: [] };
}

/** True if code is marked as not stable; such code is not for the main network. */
export function isUnstable(metadata: ReadonlyMap<string, Uint8Array>): boolean {
  return decode(compilation, metadata.get(METADATA_KEY.compilation))?.isUnstable === true;
}

/** True if each entry has a known key, no key is there twice, and all entries decode. */
export function isMetadataWellFormed({ metadata, metadataKeys }: Program): boolean {
  let [attributeEntries, compilationEntries] = [0, 0];
  for (const key of metadataKeys) {
    if (key === METADATA_KEY.v0 || key === METADATA_KEY.v1) {
      if (++attributeEntries > 1) return false;
      const codec: Codec<unknown> = key === METADATA_KEY.v0 ? metadataV0 : metadataV1;
      if (decode(codec, metadata.get(key)) === undefined) return false;
    } else if (key === METADATA_KEY.compilation) {
      if (++compilationEntries > 1 || decode(compilation, metadata.get(key)) === undefined) return false;
    } else return false;
  }
  return true;
}

export interface AbortInfo {
  readonly reasonName: string;
  readonly description: string;
}

const REASON_BITS = 0xfffn;

/** The description of an abort; undefined if the module has none, and for a script. */
export function abortInfoOf(
  location: string,
  code: bigint,
  read: ItemReader,
  programs: ProgramCache,
): AbortInfo | undefined {
  const [address = "", name] = location.split("::");
  if (name === undefined) return undefined;
  try {
    const module = new LedgerState(read, programs).module(address, name);
    const metadata = module && metadataOfModule(module.program);
    if (metadata === undefined) return undefined;
    const known = new Map(metadata.errors);
    const found = known.get(code & REASON_BITS) ?? known.get(code);
    return found && { reasonName: found.name, description: found.description };
  } catch (error) {
    if (error instanceof VmError) return undefined;
    throw error;
  }
}
