// What the writing process and its workers call in each other.
import type { LogFields, Logger } from "../../base/log.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { SyncMode } from "../api/node-info.ts";
import type { ChainClock } from "../block-maker.ts";
import type { MetricFigures } from "../metrics/metrics.ts";
import type { HttpOptions } from "../options/http-options.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { SubmissionFunctions } from "./writer-submissions.ts";

/** Status that only the writing process knows; workers serve a copy. */
export interface NodeStatus {
  readonly syncMode: SyncMode;
  readonly syncState: string;
  /** Why the ledger does not move; undefined when nothing is wrong. */
  readonly fault: string | undefined;
  /** Why the node is unhealthy; undefined when it is healthy. */
  readonly unhealthyReason: string | undefined;
  /** Why a healthy node should get no requests; undefined when it should. */
  readonly unreadyReason: string | undefined;
  /** The node serves on for its drain time. */
  readonly isDraining: boolean;
  /** Why the upstream gets no submissions; undefined when it does. */
  readonly submissionRefusal: string | undefined;
  /** Further keys of the info response. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** The same for all workers and their replacements. */
export interface WorkerSetup {
  readonly node: Pick<NodeOptions, "store" | "pruneWindow" | "follow" | "index" | "transactionIndex"> & {
    readonly http: HttpOptions;
  };
  /** When the node started, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly genesisWaypoint: Waypoint | undefined;
  /** What the times of the blocks follow that the writer makes; undefined if it makes none. */
  readonly chainClock: ChainClock | undefined;
}

/** A line of a worker's log. */
interface LogLine {
  readonly level: keyof Logger;
  readonly fields: LogFields;
  readonly message: string;
}

/** What the writer calls in a worker. */
export type WorkerFunctions = {
  readonly status: (status: NodeStatus) => void;
  readonly figures: (_: undefined) => Promise<MetricFigures>;
  readonly close: (_: undefined) => void;
};

/** What a worker calls in the writer. */
export type WriterFunctions = SubmissionFunctions & {
  /** How to start. The worker asks: what the writer sent before the worker listens to the channel would be lost. */
  readonly setup: (_: undefined) => { readonly setup: WorkerSetup; readonly status: NodeStatus };
  readonly listening: (_: undefined) => void;
  /** Why the worker cannot start; it exits then. */
  readonly failed: (reason: string) => void;
  readonly log: (line: LogLine) => void;
  /** Called regularly: counts that survive a crash of the worker. */
  readonly counts: (counts: MetricFigures) => void;
  /** The metrics page of all processes. */
  readonly page: (_: undefined) => Promise<string>;
};
