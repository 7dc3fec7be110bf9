// The mark of a process that holds a lease, by which other processes tell whether it still lives.
import { readFileSync, readlinkSync } from "node:fs";

/** Identifies a process, also against a later one with the same id. */
export interface ProcessMark {
  readonly pid: number;
  /** Ticks from boot to the start of the process; empty if the system does not report it. */
  readonly startedAt: string;
  /** Unique per machine and boot; empty if the system does not report it. */
  readonly boot: string;
  /** The PID namespace of the id. Undefined in marks of older versions, which assumed the reader's namespace. */
  readonly namespace: string | undefined;
  /** Its slot in lmdb's table of readers, see reader-slot.ts. */
  readonly slot: string | undefined;
  /** The data file that it opened, see file-mark.ts: the row is in every copy of that file. */
  readonly file: string | undefined;
}

/** The mark of this process. */
export function ownMark(slot: string, file?: string): ProcessMark {
  const { pid } = process;
  const startedAt = readStat(pid)?.startedAt ?? "";
  return { pid, startedAt, boot: readBoot(), namespace: readNamespace(), slot, file };
}

export function encodeMark({ pid, startedAt, boot, namespace, slot, file }: ProcessMark): Buffer {
  return Buffer.from(JSON.stringify([pid, startedAt, boot, namespace, slot, file]));
}

/** Undefined for bytes that are not a mark. */
export function decodeMark(bytes: Uint8Array): ProcessMark | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields)) return undefined;
  const [pid, startedAt, boot, namespace, slot, file] = fields as unknown[];
  if (typeof pid !== "number" || typeof startedAt !== "string" || typeof boot !== "string") return undefined;
  return { pid, startedAt, boot, namespace: textOf(namespace), slot: textOf(slot), file: textOf(file) };
}

/** True for a process of this machine and boot. */
export function isOfThisBoot({ boot }: Pick<ProcessMark, "boot">): boolean {
  return boot === readBoot();
}

/** Whether a process lives; undefined if it is invisible here, as in another PID namespace. */
export function isSeenAlive(mark: ProcessMark): boolean | undefined {
  if (!isOfThisBoot(mark) || (mark.namespace ?? readNamespace()) !== readNamespace()) return undefined;
  if (!pidExists(mark.pid)) return false;
  const stat = readStat(mark.pid);
  if (mark.startedAt === "") return true;
  // Hidden, perhaps because it belongs to another user.
  if (stat === undefined) return undefined;
  return !stat.isDead && stat.startedAt === mark.startedAt;
}

function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, "code") === "EPERM";
  }
}

/** Fields 3 and 22 of the stat line. Field 2 may contain spaces, so counting starts after it. */
function readStat(pid: number): { readonly startedAt: string; readonly isDead: boolean } | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return startedAt === undefined ? undefined : { startedAt, isDead: state === "Z" || state === "X" };
}

/** The boot id of this machine; empty if the system has none. */
export function readBoot(): string {
  return readText("/proc/sys/kernel/random/boot_id") ?? "";
}

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
