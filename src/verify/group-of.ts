// The resource group of a struct, from the bytecode of its module. The chain has checked the rest of a proven module.
import { BcsReader } from "../bcs/reader.ts";
import { FLAVOUR_BITS, MAGIC, TABLE } from "../move/bytecode/directory.ts";
import { decodeAttributes } from "../move/bytecode/metadata.ts";

/** The type of the group that a struct's resources are kept in; undefined where they are items of their own. Throws BcsError. */
export function groupOf(module: Uint8Array, struct: string): string | undefined {
  const reader = new BcsReader(module);
  reader.skip(MAGIC.length);
  const version = reader.u32() & ~FLAVOUR_BITS;
  const tables = Array.from({ length: reader.uleb() }, () => ({
    kind: reader.u8(),
    offset: reader.uleb(),
    length: reader.uleb(),
  }));
  const metadata = new Map<string, Uint8Array>();
  const table = tables.find(({ kind }) => kind === TABLE.metadata);
  if (table !== undefined) {
    reader.skip(table.offset);
    for (const end = reader.offset + table.length; reader.offset < end; ) {
      metadata.set(new TextDecoder().decode(reader.byteString()), reader.byteString());
    }
  }
  return decodeAttributes(metadata, version).groupMembers.get(struct);
}
