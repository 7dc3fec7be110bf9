// Resource groups as maps from the hex of a struct tag's BCS to the bytes of the resource.
import { toHex } from "../base/hex.ts";
import { BcsReader } from "../bcs/reader.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { structTagCodec } from "../move/type-tag.ts";

export function readGroup(bytes: Uint8Array): Map<string, Uint8Array> {
  const reader = new BcsReader(bytes);
  const members = new Map<string, Uint8Array>();
  for (let left = reader.count(); left > 0; left--) {
    const start = reader.offset;
    structTagCodec.skip(reader);
    members.set(toHex(reader.span(start)), Uint8Array.from(reader.byteString()));
  }
  reader.finish();
  return members;
}

/** The members in the order of their tags' bytes, which is that of their hex. */
export function writeGroup(members: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const writer = new BcsWriter(256);
  writer.count(members.size);
  for (const tag of [...members.keys()].sort()) {
    writer.fixed(Buffer.from(tag, "hex")).byteString(members.get(tag) ?? new Uint8Array(0));
  }
  return writer.take();
}
