// How a fork appears in the info response.
import { formatFork } from "../ledger/view.ts";
import { fillInfo } from "./follow-report.ts";
import type { Forking } from "./forking.ts";

/** Keys of the info response; none for a node that does not fork. */
export function forkInfo(forking: Forking | undefined): Record<string, unknown> {
  const point = forking?.point;
  if (forking === undefined || point === undefined) return {};
  const { fault } = forking;
  return {
    fork: formatFork(point),
    fork_version: `${point.version}`,
    fork_url: point.url,
    ...(fault === undefined ? {} : { fork_fault: fault }),
    ...fillInfo(forking.fills()),
  };
}
