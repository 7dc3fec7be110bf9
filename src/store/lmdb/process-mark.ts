// The mark of a process that holds a lease, by which other processes tell whether it still lives.
import { readFileSync, readlinkSync } from "node:fs";

/** Identifies a process, also against a later one with the same id. */
export interface ProcessMark {
  readonly pid: number;
  /** Boot of the machine, PID namespace and start time; each is empty if the system does not report it. */
  readonly start: string;
  /** Its slot in lmdb's table of readers, see reader-slot.ts. */
  readonly slot: string;
  /** The data file that it opened, see fileMark: the row is in every copy of that file. */
  readonly file: string;
}

/** The mark of this process. */
export function ownMark(slot: string, file = ""): ProcessMark {
  const { pid } = process;
  return { pid, start: startOf(pid), slot, file };
}

export function encodeMark({ pid, start, slot, file }: ProcessMark): Buffer {
  return Buffer.from(JSON.stringify([pid, start, slot, file]));
}

/** Undefined for bytes that are not a mark. */
export function decodeMark(bytes: Uint8Array): ProcessMark | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || typeof fields[0] !== "number") return undefined;
  const [pid, start, slot, file] = fields;
  return { pid, start: `${start}`, slot: `${slot}`, file: `${file}` };
}

/** True if this process sees the other one alive; false also for one in another PID namespace, or hidden from this user. */
export function isSeenAlive({ pid, start }: ProcessMark): boolean {
  return pidExists(pid) && startOf(pid) === start;
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, "code") === "EPERM";
  }
}

/** What tells a living process from a later one with its id. */
function startOf(pid: number): string {
  const boot = readText("/proc/sys/kernel/random/boot_id");
  return `${boot} ${readNamespace()} ${readStartTime(pid)}`;
}

/** Ticks from boot to the start of a process; empty for a dead one that its parent has not collected. */
function readStartTime(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  // Fields 3 and 22. Field 2 may contain spaces, so counting starts after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isDead = fields[0] === "Z" || fields[0] === "X";
  return isDead ? "" : (fields[19] ?? "");
}

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
