// Groups rows of one partition: a node applies them as one mutation, at a fraction of the cost of single writes.
import type { Request } from "./session.ts";

/** Largest group. Far below the largest mutation that a node accepts, half a segment of its commit log. */
const GROUP_ROWS = 128;
const GROUP_BYTES = 64 * 1024;

interface Group {
  readonly requests: Request[];
  bytes: number;
}

/** The requests in groups of one partition each. Requests without a partition stay alone. */
export function groupByPartition(requests: readonly Request[]): readonly (readonly Request[])[] {
  const groups: Request[][] = [];
  const open = new Map<string, Group>();
  for (const request of requests) {
    const { partition } = request;
    if (partition === undefined) {
      groups.push([request]);
      continue;
    }
    const bytes = sizeOf(request);
    const group = open.get(partition);
    if (group !== undefined && group.requests.length < GROUP_ROWS && group.bytes + bytes <= GROUP_BYTES) {
      group.requests.push(request);
      group.bytes += bytes;
      continue;
    }
    const next = { requests: [request], bytes };
    open.set(partition, next);
    groups.push(next.requests);
  }
  return groups;
}

function sizeOf({ values }: Request): number {
  let bytes = 0;
  for (const value of values) if (Buffer.isBuffer(value)) bytes += value.length;
  return bytes;
}
