// What a data directory holds, without opening its ledger: for `sextant doctor`. Changes nothing in the data file.
import { statSync } from "node:fs";
import { join } from "node:path";
import { openEnvironment } from "../store/lmdb/environment.ts";
import { findHolder } from "../store/lmdb/lease.ts";
import { decodePosition } from "../store/lmdb/position-row.ts";
import { getRow } from "../store/lmdb/sealed-rows.ts";
import { META } from "../store/lmdb/tables.ts";

export interface StoreLook {
  /** Size of the data file. */
  readonly bytes: number;
  /** Undefined before the first commit. */
  readonly ledger:
    | { readonly chainId: number; readonly version: bigint; readonly timestampUsec: bigint }
    | undefined;
  /** The living process that has the right to write. */
  readonly writer: { readonly pid: number } | undefined;
}

/** Looks into a directory. Throws StoreError: `absent` if it holds no store, others if it cannot be used. */
export async function lookAtData(path: string): Promise<StoreLook> {
  const environment = await openEnvironment({ path, readOnly: true });
  try {
    const { meta } = environment.tables;
    const row = getRow(meta, META.position);
    const position = row === undefined ? undefined : decodePosition(row);
    return {
      bytes: statSync(join(environment.path, "data.mdb")).size,
      ledger: position && {
        chainId: position.chainId,
        version: position.version,
        timestampUsec: position.timestampUsec,
      },
      writer: findHolder(environment),
    };
  } finally {
    await environment.close();
  }
}
