// Names and texts of abort codes, from the metadata of the module that aborted.
import { VmError } from "../errors.ts";
import { metadataOfModule } from "../publishing/metadata.ts";
import { type ItemReader, LedgerState, type ProgramCache } from "../state.ts";

export interface AbortInfo {
  readonly reasonName: string;
  readonly description: string;
}

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
