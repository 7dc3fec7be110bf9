// Whether a directory holds a store that this code can read.
import type { RootDatabase } from "lmdb";
import { StoreError } from "../errors.ts";
import { FORMAT, META, type Tables } from "./tables.ts";

/** Throws StoreError `format` unless the environment is empty or holds a store of this format. */
export function assertFormat(root: RootDatabase, path: string): void {
  const existing = { name: "meta", encoding: "binary", keyEncoding: "binary", create: false } as const;
  const meta = root.openDB<Buffer, Uint8Array>(existing);
  const row = meta?.get(META.format);
  if (row === undefined) {
    if ([...root.getKeys({ limit: 1 })].length === 0) return;
    throw new StoreError("format", `${path} holds a database that is not a store`, { details: { path } });
  }
  const format = row.length === 4 ? row.readUInt32BE() : Number.NaN;
  if (format === FORMAT) return;
  throw new StoreError("format", `the store at ${path} has format ${format}, this version reads ${FORMAT}`, {
    details: { path, format, supported: FORMAT },
  });
}

/** Marks a store as being of this format. To be called inside a write transaction. */
export function writeFormat(tables: Tables): void {
  if (tables.meta.get(META.format) !== undefined) return;
  const row = Buffer.alloc(4);
  row.writeUInt32BE(FORMAT);
  tables.meta.putSync(META.format, row);
}
