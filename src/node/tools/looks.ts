// Looks at a data directory, a cluster and a proof source for `sextant doctor`. They write nothing, and check no signature.

import { statSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../base/log.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { withView } from "../../ledger/view.ts";
import { openEnvironment } from "../../store/lmdb/environment.ts";
import { findHolder } from "../../store/lmdb/lease.ts";
import { decodePosition } from "../../store/lmdb/position-row.ts";
import { getRow } from "../../store/lmdb/sealed-rows.ts";
import { META } from "../../store/lmdb/tables.ts";
import { connectProofSource, parseProofTarget } from "../../sync/signatures/connect.ts";
import { askInTime } from "../../sync/upstream/errors.ts";
import { openStore, type StoreOptions } from "../store-engines.ts";

/** Where a ledger stands. */
interface LedgerLook {
  readonly chainId: number;
  readonly version: bigint;
  readonly timestampUsec: bigint;
}

export interface ClusterLook {
  /** Undefined before the first commit. */
  readonly ledger: LedgerLook | undefined;
}

/** Whether a cluster can be reached and holds a ledger: opens it for reading and closes it. Throws StoreError, or ConfigError for options that cannot be used. */
export async function lookAtCluster(options: StoreOptions): Promise<ClusterLook> {
  const { store } = await openStore(options, { readOnly: true, genesis: undefined, logger: silentLogger });
  try {
    const { chainId, version, timestampUsec } = await withView(store.openView(), ({ position }) => position);
    return { ledger: { chainId, version, timestampUsec } };
  } catch (error) {
    if (error instanceof LedgerError && error.code === "no_ledger") return { ledger: undefined };
    throw error;
  } finally {
    await store.close();
  }
}

export interface ProofLook {
  readonly kind: "folder" | "service" | "peer";
  /** The last epoch whose end it says it has. */
  readonly lastEpoch: bigint | undefined;
}

/** What a source is, and how far it says it reaches. Throws ConfigError, UpstreamError or SourceLie. */
export async function lookAtProofs(
  url: string,
  chainId: number | undefined,
  timeoutMs: number,
): Promise<ProofLook> {
  const connection = { userAgent: USER_AGENT, chainId: () => chainId };
  const source = connectProofSource(parseProofTarget(url), connection);
  try {
    const never = new AbortController().signal;
    const lastEpoch = await askInTime(timeoutMs, never, (signal) => source.lastEpoch(signal));
    return { kind: source.kind ?? "folder", lastEpoch };
  } finally {
    source.close();
  }
}

export interface StoreLook {
  /** Size of the data file. */
  readonly bytes: number;
  /** Undefined before the first commit. */
  readonly ledger: LedgerLook | undefined;
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
