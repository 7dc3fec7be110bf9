// Resources of a running program: anonymous memory, descriptors, handles and timers, from the system and from its
// metrics page.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Resources of a process at one moment. */
export interface ProcessFigures {
  /** Memory without the mapped store file. */
  readonly anonymousBytes: number;
  /** Open files, pipes and the like, without sockets. */
  readonly files: number;
  readonly sockets: number;
}

/** Reads the resources of a local process. */
export function processFigures(pid: number): ProcessFigures {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const match = /^Anonymous:\s+(\d+) kB$/m.exec(rollup);
  if (match === null) throw new Error("no Anonymous line in smaps_rollup");
  let files = 0;
  let sockets = 0;
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:")) sockets++;
      else files++;
    } catch {
      // Closed between the two reads.
    }
  }
  return { anonymousBytes: Number(match[1]) * 1024, files, sockets };
}

/** Unit of times in /proc; fixed for user space. */
const TICKS_PER_SECOND = 100;

/** Processor time used by a process. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain anything; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Values of a metrics page by name with labels. */
export async function readMetrics(origin: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`/metrics returned ${response.status}`);
  const values = new Map<string, number>();
  for (const line of (await response.text()).split("\n")) {
    const space = line.lastIndexOf(" ");
    if (line.startsWith("#") || space < 0) continue;
    values.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return values;
}

/** Middle value of a list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
