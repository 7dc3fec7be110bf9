// What a node says of itself, derived from its parts: its mode, its state, why it is not ready, and why it should be
// restarted. Workers serve the status of the writing process.
import type { SyncMode } from "./api/node-info.ts";
import type { DemoNameInfo } from "./demo-names.ts";
import type { Faults } from "./faults.ts";
import {
  followInfo,
  forkSourceInfo,
  submissionRefusalOf,
  unhealthyReasonOf,
} from "./following/follow-report.ts";
import { electionInfo, indexInfo } from "./info.ts";
import type { LedgerWriter } from "./ledger-writer.ts";
import type { LocalServers } from "./local-servers.ts";
import type { NodeOptions } from "./options/node-options.ts";
import type { StartPlan } from "./start-plan.ts";
import type { NodeStatus } from "./workers/worker-messages.ts";
import type { WriterElection } from "./writer-election.ts";

/** The parts of a node as they are now. */
export interface StatusParts {
  readonly options: Pick<NodeOptions, "readOnly" | "follow" | "fork" | "index">;
  readonly faults: Faults;
  readonly isDraining: boolean;
  /** False until the store is open. */
  readonly hasStore: boolean;
  readonly plan: StartPlan | undefined;
  readonly writer: LedgerWriter | undefined;
  readonly election: WriterElection | undefined;
  readonly localServers: LocalServers | undefined;
  readonly demoNames: DemoNameInfo;
}

/** The status of a node whose ledger is at a version. */
export function statusOf(parts: StatusParts, version: bigint | undefined): NodeStatus {
  const { options, faults, plan, writer, election, localServers, demoNames } = parts;
  const following = writer?.following;
  return {
    syncMode: syncModeOf(parts),
    syncState: syncStateOf(parts),
    fault: faults.reason,
    unhealthyReason: restartReasonOf(parts),
    unreadyReason: faults.reason ?? (parts.isDraining ? "the node is stopping" : following?.unreadyReason()),
    isDraining: parts.isDraining,
    submissionRefusal: submissionRefusalOf(following?.status()),
    more: {
      ...(following === undefined ? {} : followInfo(following, version)),
      ...forkSourceInfo(writer?.forking),
      ...(version === undefined ? {} : indexInfo(options.index === false, writer?.indexProgress)),
      ...electionInfo(election),
      ...localServers?.info,
      // Workers know no seed.
      ...(plan?.chain === undefined ? {} : demoNames.read(plan.chain, undefined)),
    },
  };
}

function syncModeOf({ options, plan }: StatusParts): SyncMode {
  if (options.readOnly === true) return "read-only";
  if (options.follow !== undefined) return "follow";
  if (options.fork !== undefined) return "fork";
  return plan?.chain === undefined ? "static" : "local";
}

function syncStateOf({ faults, hasStore, election, writer }: StatusParts): string {
  if (faults.final !== undefined) return "faulted";
  if (faults.reason !== undefined || !hasStore) return "waiting";
  if (election?.role === "standby") return "standby";
  const follow = writer?.following?.status();
  if (follow !== undefined) return follow.state;
  return writer?.blocks?.isMoving === true ? "moving" : "idle";
}

/** Why the process should be restarted. Transient faults do not count. */
function restartReasonOf({ faults, writer }: StatusParts): string | undefined {
  const { final, reason } = faults;
  if (final !== undefined) return reason;
  // While the store is out of reach, the follower's own state says nothing.
  return reason === undefined ? unhealthyReasonOf(writer?.following) : undefined;
}
