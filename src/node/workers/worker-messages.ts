// Messages between the writing process and its workers.
import type { LogFields, Logger } from "../../base/log.ts";
import type { Waypoint } from "../../ledger/waypoint.ts";
import type { MetricFigures } from "../metrics/metrics.ts";
import type { HttpOptions } from "../options/http-options.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { SubmissionCall, SubmissionReply } from "./forwarded-submissions.ts";

/** Status that only the writing process knows; workers serve a copy. */
export interface NodeStatus {
  readonly syncMode: "local" | "fork" | "follow" | "static" | "read-only";
  readonly syncState: string;
  /** Why the ledger does not move; undefined when nothing is wrong. */
  readonly fault: string | undefined;
  /** Why the node is unhealthy; undefined when it is healthy. */
  readonly unhealthyReason: string | undefined;
  /** Why a healthy node should get no requests; undefined when it should. */
  readonly unready: string | undefined;
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
  /** True if the writer makes blocks. */
  readonly takesSubmissions: boolean;
}

/** To a worker. */
export type WorkerOrder =
  | { readonly kind: "setup"; readonly setup: WorkerSetup; readonly status: NodeStatus }
  | { readonly kind: "status"; readonly status: NodeStatus }
  | { readonly kind: "figures"; readonly id: number }
  | { readonly kind: "page"; readonly id: number; readonly page: string }
  | { readonly kind: "submission"; readonly id: number; readonly reply: SubmissionReply }
  | { readonly kind: "close" };

/** From a worker. */
export type WorkerReport =
  | { readonly kind: "ready" }
  | { readonly kind: "listening" }
  | { readonly kind: "failed"; readonly error: Error }
  | {
      readonly kind: "log";
      readonly level: keyof Logger;
      readonly fields: LogFields;
      readonly message: string;
    }
  | { readonly kind: "figures"; readonly id: number; readonly figures: MetricFigures }
  /** Sent regularly: counts that survive a crash of the worker. */
  | { readonly kind: "counts"; readonly counts: MetricFigures }
  | { readonly kind: "page"; readonly id: number }
  | { readonly kind: "submission"; readonly id: number; readonly call: SubmissionCall };
