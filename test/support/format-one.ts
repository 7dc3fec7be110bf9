// Turns a store into one of format 1, which had the same tables without checksums.
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { getRow, openRow } from "../../src/store/lmdb/sealed-rows.ts";
import { META } from "../../src/store/lmdb/tables.ts";

/** Rewrites the store in a directory. */
export async function toFormatOne(path: string): Promise<void> {
  const environment = await openEnvironment({ path, readOnly: false });
  environment.transact(() => {
    const { meta, index: _, ...tables } = environment.tables;
    for (const table of Object.values(tables)) {
      const rows = [...table.getRange({})].map(({ key, value }) => ({ key: Buffer.from(key), value }));
      for (const { key, value } of rows) table.putSync(key, Buffer.from(openRow(key, value)));
    }
    for (const key of [META.identity, META.position]) {
      const row = getRow(meta, key);
      if (row !== undefined) meta.putSync(key, Buffer.from(row));
    }
    meta.putSync(META.format, Buffer.from([0, 0, 0, 1]));
    meta.removeSync(META.sealedFormat);
  });
  await environment.close();
}
