// The worker processes of a node, as Linux lists them.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Running } from "./program.ts";

export function workersOf(node: Running): number[] {
  const pid = node.child.pid ?? 0;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Open sockets of a process. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:");
    } catch {
      // Closed meanwhile.
      return false;
    }
  }).length;
}
