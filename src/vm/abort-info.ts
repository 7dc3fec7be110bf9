// Names and texts of abort codes, from the metadata of the module that aborted.
import { decodeWith } from "../bcs/codec.ts";
import { struct } from "../bcs/records.ts";
import { text, u8, u64 } from "../bcs/scalars.ts";
import { map, vector } from "../bcs/sequences.ts";
import { VmError } from "./errors.ts";
import { type ItemReader, LedgerState, type ProgramCache } from "./state.ts";

export interface AbortInfo {
  readonly reasonName: string;
  readonly description: string;
}

const attributes = map(text, vector(struct({ kind: u8, args: vector(text) })));
const errors = map(u64, struct({ name: text, description: text }));
const metadataV1 = struct({ errors, structs: attributes, functions: attributes });
const metadataV0 = struct({ errors });
const REASON_BITS = 0xfffn;

/** The description of an abort; undefined if the module has none. */
export function abortInfoOf(
  location: string,
  code: bigint,
  read: ItemReader,
  programs: ProgramCache,
): AbortInfo | undefined {
  const [address = "", name = ""] = location.split("::");
  try {
    const metadata = new LedgerState(read, programs).module(address, name)?.program.metadata;
    const v1 = metadata?.get("aptos::metadata_v1");
    const v0 = metadata?.get("aptos::metadata_v0");
    const list =
      v1 !== undefined
        ? decodeWith(metadataV1, v1).errors
        : v0 !== undefined
          ? decodeWith(metadataV0, v0).errors
          : [];
    const known = new Map(list);
    const found = known.get(code & REASON_BITS) ?? known.get(code);
    return found && { reasonName: found.name, description: found.description };
  } catch (error) {
    if (error instanceof VmError || error instanceof Error) return undefined;
    throw error;
  }
}
