// What the writing process and its workers say to each other.
import type { LogFields, Logger } from "../base/log.ts";
import type { Waypoint } from "../ledger/waypoint.ts";
import type { MetricFigures } from "./metrics.ts";
import type { HttpOptions, NodeOptions } from "./options.ts";

/** What only the writing process knows of the node; workers repeat it. */
export interface NodeStatus {
  readonly syncMode: "local" | "follow" | "static" | "read-only";
  readonly syncState: string;
  /** Why it does not move, where something is wrong. */
  readonly fault: string | undefined;
  /** Why it is not well; undefined when it is. */
  readonly unhealthyReason: string | undefined;
  /** Why it should get no requests just now although it is well; undefined when it should. */
  readonly unready: string | undefined;
  /** Further keys of the info answer. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** What a worker is made with; the same for all of them and for their replacements. */
export interface WorkerSetup {
  readonly node: Pick<NodeOptions, "data" | "cassandra" | "pruneWindow" | "follow"> & {
    readonly http: HttpOptions;
  };
  /** Whether answers at a named version may be cached for good. */
  readonly cachePinned: boolean;
  /** When the node started, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly genesisWaypoint: Waypoint | undefined;
}

/** To a worker. */
export type WorkerOrder =
  | { readonly kind: "setup"; readonly setup: WorkerSetup; readonly status: NodeStatus }
  | { readonly kind: "status"; readonly status: NodeStatus }
  | { readonly kind: "figures"; readonly id: number }
  | { readonly kind: "page"; readonly id: number; readonly page: string }
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
  | { readonly kind: "page"; readonly id: number };
