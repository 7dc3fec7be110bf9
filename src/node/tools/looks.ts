// Looks at a data directory, a cluster, a proof source and a backup folder for `sextant doctor`. They write nothing, and check no signature.

import { statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../base/errors.ts";
import { silentLogger } from "../../base/log.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { withView } from "../../ledger/view.ts";
import { computeWaypoint, parseWaypoint } from "../../ledger/waypoint.ts";
import { openEnvironment } from "../../store/lmdb/environment.ts";
import { findHolder } from "../../store/lmdb/lease.ts";
import { decodePosition } from "../../store/lmdb/position-row.ts";
import { getRow } from "../../store/lmdb/sealed-rows.ts";
import { META } from "../../store/lmdb/tables.ts";
import { connectProofSource, parseProofTarget } from "../../sync/signatures/connect.ts";
import { askInTime } from "../../sync/upstream/errors.ts";
import { createFolderUpstream, parseFolderUrl } from "../../sync/upstream/folder-upstream.ts";
import { isSameWaypoint } from "../../sync/waypoints.ts";
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
  /** Whether it has the ledger info that a waypoint names, by the waypoint. `absent`: no epoch ends there. */
  readonly waypoints: Readonly<Record<string, "same" | "other" | "absent">>;
}

const never = new AbortController().signal;

/**
 * What a source is, how far it says it reaches, and whether it has what waypoints name. Throws ConfigError, LedgerError for
 * a text that is no waypoint, UpstreamError.
 */
export async function lookAtProofs(
  url: string,
  { chainId, timeoutMs, waypoints = [] }: LookOptions,
): Promise<ProofLook> {
  const connection = { userAgent: USER_AGENT, chainId: () => chainId };
  const source = connectProofSource(parseProofTarget(url), connection);
  try {
    return await askInTime(timeoutMs, never, async (signal) => {
      const lastEpoch = await source.lastEpoch(signal);
      const found: Record<string, "same" | "other" | "absent"> = {};
      for (const text of waypoints) {
        const waypoint = parseWaypoint(text);
        const epoch = await source.findEpochEnd(waypoint.version, signal);
        const ends = epoch === undefined ? undefined : source.epochEnds(epoch, signal);
        const end = (await ends?.next())?.value;
        await ends?.return(undefined);
        const isSame = end && isSameWaypoint(computeWaypoint(end.ledgerInfo), waypoint);
        found[text] = isSame === undefined ? "absent" : isSame ? "same" : "other";
      }
      return { kind: source.kind ?? "folder", lastEpoch, waypoints: found };
    });
  } finally {
    source.close();
  }
}

export interface LookOptions {
  readonly chainId: number | undefined;
  readonly timeoutMs: number;
  readonly waypoints?: readonly string[];
}

export interface FolderLook {
  readonly oldestVersion: bigint;
  readonly version: bigint;
  /** The newest version whose state it has. */
  readonly stateVersion: bigint | undefined;
}

/** What a folder has as an upstream, `file:` or `backup+https:`. Throws ConfigError, UpstreamError. */
export async function lookAtFolder(url: string, { chainId, timeoutMs }: LookOptions): Promise<FolderLook> {
  const target = parseFolderUrl(url);
  if (target === undefined) throw new ConfigError(`upstream: expected the URL of a folder, got ${url}`);
  // A chain id that nobody knows would be read from the first chunk.
  const connection = { userAgent: USER_AGENT, chainId: () => chainId ?? 0 };
  const upstream = createFolderUpstream(target, {
    ...connection,
    checkSigned: async () => {},
    listAgeMs: timeoutMs,
  });
  const source = connectProofSource(parseProofTarget(url.replace(/^backup\+/, "")), connection);
  try {
    return await askInTime(timeoutMs, never, async (signal) => {
      const { oldestVersion, version } = await upstream.getHead(signal);
      const stateVersion = await (await source.states(signal))?.newestState(version, signal);
      return { oldestVersion, version, stateVersion };
    });
  } finally {
    upstream.close();
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
