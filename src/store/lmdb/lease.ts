// The writer's lease: one row that says which process writes here, taken and checked inside write transactions,
// so that two processes can never both hold it. A process that died without giving it back is recognised by
// its process id, start time and boot; its lease is taken over.
import { readFileSync } from "node:fs";
import { StoreError } from "../errors.ts";
import { META, type Tables } from "./tables.ts";

/** Which process, told apart from any later one with the same id. */
interface Holder {
  readonly pid: number;
  /** Ticks between boot and the start of the process; empty where the system does not say. */
  readonly startedAt: string;
  readonly boot: string;
}

/** Takes the lease. To be called inside a write transaction; throws StoreError `locked`. */
export function takeLease(tables: Tables, path: string): Buffer {
  const row = tables.meta.get(META.writer);
  if (row !== undefined) {
    const pid = liveHolder(row);
    if (pid !== undefined) {
      throw new StoreError("locked", `process ${pid} writes to the store at ${path}`, {
        details: { path, pid },
      });
    }
  }
  const mine = encodeOwnHolder();
  tables.meta.putSync(META.writer, mine);
  return mine;
}

/** Throws StoreError `locked` unless the lease is still held. To be called inside a write transaction. */
export function assertLease(tables: Tables, mine: Buffer, path: string): void {
  const row = tables.meta.get(META.writer);
  if (row !== undefined && mine.equals(row)) return;
  const holder = row === undefined ? undefined : decodeHolder(row);
  throw new StoreError(
    "locked",
    `the store at ${path} was taken over by process ${holder?.pid ?? "unknown"}`,
    {
      details: { path, pid: holder?.pid },
    },
  );
}

/** Gives the lease back, if it is still held. To be called inside a write transaction. */
export function releaseLease(tables: Tables, mine: Buffer): void {
  const row = tables.meta.get(META.writer);
  if (row !== undefined && mine.equals(row)) tables.meta.removeSync(META.writer);
}

/** What this process writes where only one may be at work. */
export function encodeOwnHolder(): Buffer {
  return encodeHolder(describeProcess(process.pid));
}

/** Id of the process that wrote it, if that is still alive. */
export function liveHolder(row: Uint8Array): number | undefined {
  const holder = decodeHolder(row);
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined;
}

function describeProcess(pid: number): Holder {
  return {
    pid,
    startedAt: readStartTime(pid) ?? "",
    boot: readText("/proc/sys/kernel/random/boot_id") ?? "",
  };
}

function isAlive(holder: Holder): boolean {
  const now = describeProcess(holder.pid);
  if (now.boot !== holder.boot) return false;
  if (holder.startedAt !== "") return now.startedAt === holder.startedAt;
  try {
    return process.kill(holder.pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, "code") === "EPERM";
  }
}

/**
 * Field 22 of the process's stat line, unless field 3 says that it is dead and only waits to be collected.
 * The second field may hold spaces, so counting starts after it.
 */
function readStartTime(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" || fields?.[0] === "X" ? undefined : fields?.[19];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

function encodeHolder(holder: Holder): Buffer {
  return Buffer.from(JSON.stringify([holder.pid, holder.startedAt, holder.boot]));
}

function decodeHolder(row: Uint8Array): Holder | undefined {
  const [pid, startedAt, boot]: unknown[] = JSON.parse(Buffer.from(row).toString());
  if (typeof pid !== "number" || typeof startedAt !== "string" || typeof boot !== "string") return undefined;
  return { pid, startedAt, boot };
}
