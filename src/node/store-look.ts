// What a data directory holds, without opening its ledger: for `sextant doctor`. Changes nothing in the data file.
import { statSync } from "node:fs";
import { join } from "node:path";
import { openEnvironment } from "../store/lmdb/environment.ts";
import { findHolder } from "../store/lmdb/lease.ts";
import { decodePosition } from "../store/lmdb/position-row.ts";
import { isSeenAlive } from "../store/lmdb/process-mark.ts";
import { getRow } from "../store/lmdb/sealed-rows.ts";
import { META } from "../store/lmdb/tables.ts";

export interface StoreLook {
  /** Size of the data file. */
  readonly bytes: number;
  /** Undefined before the first commit. */
  readonly ledger:
    | { readonly chainId: number; readonly version: bigint; readonly timestampUsec: bigint }
    | undefined;
  /** The process that last took the right to write. `isAlive` is undefined if this process cannot see it. */
  readonly writer: { readonly pid: number; readonly isAlive: boolean | undefined } | undefined;
}

/** Looks into a directory. Throws StoreError: `absent` if it holds no store, others if it cannot be used. */
export async function lookAtData(path: string): Promise<StoreLook> {
  const environment = await openEnvironment({ path, readOnly: true });
  try {
    const { meta } = environment.tables;
    const row = getRow(meta, META.position);
    const position = row === undefined ? undefined : decodePosition(row);
    const writer = findHolder(environment);
    return {
      bytes: statSync(join(environment.path, "data.mdb")).size,
      ledger: position && {
        chainId: position.chainId,
        version: position.version,
        timestampUsec: position.timestampUsec,
      },
      writer: writer && { pid: writer.pid, isAlive: isSeenAlive(writer) },
    };
  } finally {
    await environment.close();
  }
}
