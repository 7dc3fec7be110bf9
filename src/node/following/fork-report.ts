// How a fork appears in the info response.
import { formatFork, type LedgerPosition } from "../../ledger/view.ts";
import { fillInfo } from "./follow-report.ts";
import type { Forking } from "./forking.ts";

/** Keys of the info response, from the position alone, so that every process that reads a fork says the same. */
export function forkInfo(position: LedgerPosition | undefined): Record<string, unknown> {
  const point = position?.fork;
  if (point === undefined) return {};
  return { fork: formatFork(point), fork_version: `${point.version}`, fork_url: point.url };
}

/** Keys about the node that serves the network; none for a process that asks none. */
export function forkSourceInfo(forking: Forking | undefined): Record<string, unknown> {
  if (forking === undefined) return {};
  const { fault } = forking;
  return { ...(fault === undefined ? {} : { fork_fault: fault }), ...fillInfo(forking.fills()) };
}
