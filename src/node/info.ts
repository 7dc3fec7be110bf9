// The info response: facts about the node, and what its ledger rests on. That is read from the position alone, so that the
// writer, its workers and read-only processes say the same; the metrics page has it too.
import { SOFTWARE_VERSION } from "../base/software-version.ts";
import {
  ANCHORED,
  compareTrust,
  formatTrust,
  refutedText,
  TRUST_KINDS,
  TRUSTED,
  trustAt,
  trustRank,
  trustSpans,
  weakestTrust,
} from "../ledger/trust.ts";
import type { LedgerPosition } from "../ledger/view.ts";
import { formatPruneWindow, type PruneWindow } from "../sync/maintenance/prune-window.ts";
import type { IndexProgress } from "../sync/store-writer.ts";
import type { NodeInfo, SyncMode } from "./api/node-info.ts";
import type { WriterElection } from "./writer-election.ts";

export { SOFTWARE_VERSION };

/** Names of public chains that clients know; other chains have only a number. */
const CHAIN_NAMES: Readonly<Record<number, string>> = {
  1: "mainnet",
  2: "testnet",
  3: "devnet",
  4: "testing",
  5: "premainnet",
};

export interface NodeFacts {
  readonly position: LedgerPosition | undefined;
  readonly syncMode: SyncMode;
  readonly syncState: string;
  /** Why the ledger does not move; undefined when nothing is wrong. */
  readonly fault: string | undefined;
  readonly engine: string | undefined;
  readonly window: PruneWindow;
  readonly uptimeSeconds: number;
  /** Further keys. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The flat object of the info response; 64-bit values are bigints, which HTTP shows as decimal texts. */
export function infoResponse(facts: NodeFacts): NodeInfo {
  const { position, fault } = facts;
  return {
    software: "sextant",
    sextant_version: SOFTWARE_VERSION,
    node_type: "PublicFullnode",
    ...(position === undefined
      ? {}
      : {
          chain_id: CHAIN_NAMES[position.chainId] ?? `${position.chainId}`,
          chain_id_number: position.chainId,
          ledger_version: position.version,
          oldest_ledger_version: position.oldestVersion,
          block_height: position.blockHeight,
          oldest_block_height: position.oldestBlockHeight,
          epoch: position.epoch,
          ledger_timestamp: position.timestampUsec,
        }),
    sync_mode: facts.syncMode,
    sync_state: facts.syncState,
    ...(fault === undefined ? {} : { sync_fault: fault }),
    ...facts.more,
    storage_engine: facts.engine ?? "none",
    prune_window: formatPruneWindow(facts.window),
    uptime_seconds: facts.uptimeSeconds,
    runtime: `node ${process.version}`,
  };
}

/** Keys of the info response about the index; none for a node that does not write. */
export function indexInfo(isOff: boolean, progress: IndexProgress | undefined): Record<string, unknown> {
  if (isOff) return { index: "off" };
  if (progress === undefined) return {};
  const { state, done, total } = progress;
  if (state === "building") return { index: "building", index_progress: `${done} of ${total} versions` };
  return { index: state === "whole" ? "whole" : "none" };
}

/** Keys of the info response about the writer election; none for a store with one writer. */
export function electionInfo(election: WriterElection | undefined): Record<string, unknown> {
  if (election === undefined) return {};
  const { role, token } = election;
  return { writer_role: role, ...(token === undefined ? {} : { writer_token: `${token}` }) };
}

/** Most ranges in the info response: the latest ones. */
const SHOWN_RANGES = 20;

/** Text for the metrics page. */
export const TRUST_RANK_HELP: string = `Trust level of the latest version: ${[...TRUST_KINDS]
  .reverse()
  .map((kind) => `${trustRank(kind)} ${kind}`)
  .join(", ")}`;

/** Keys of the info response. Without the whole state, an answer may rest on an item that one upstream gave. */
export function trustInfo(position: LedgerPosition, isWhole: boolean): Record<string, unknown> {
  const spans = trustSpans(position.trust, position.version, position.oldestVersion);
  const level = trustAt(position.trust, position.version);
  return {
    trust_level: formatTrust(level),
    weakest_trust_level: formatTrust(isWhole ? level : weakestTrust(level, TRUSTED)),
    trust_ranges: spans.slice(-SHOWN_RANGES).map(({ first, last, level }) => ({
      first_version: first,
      last_version: last,
      level: formatTrust(level),
    })),
    ...(position.refuted === undefined
      ? {}
      : {
          refuted_from: position.refuted.firstVersion,
          refutation: refutedText(position.refuted),
        }),
  };
}

/** The level of the latest version as a number. */
export function latestTrustRank({ trust, version }: LedgerPosition): number {
  return trustRank(trustAt(trust, version).kind);
}

/** The highest version at `anchored` or `proven`; 0 if there is none. */
export function anchoredVersion({ trust, version }: LedgerPosition): bigint {
  const spans = trustSpans(trust, version).filter(({ level }) => compareTrust(level, ANCHORED) >= 0);
  return spans.at(-1)?.last ?? 0n;
}
