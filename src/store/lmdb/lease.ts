// The lease of an environment: one row names the process that writes here. It is taken and checked inside write
// transactions, so two processes never both hold it. Another process takes over the lease of a dead one. Either of
// two signs shows that it lives: the kernel's lock of its slot in lmdb's reader table, in any PID namespace of the
// machine; or its process id, if this process sees it. A copy of the directory has the row too: neither its file nor its
// reader table is the holder's.

import { readFileSync, readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { isGivenUp, isPassingFault, StoreError } from "../errors.ts";
import { type Environment, openEnvironment, type StoreLook } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { fileMark } from "./files.ts";
import { META, type Tables } from "./tables.ts";

/** Identifies a process, also against a later one with the same id. */
interface ProcessMark {
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
function decodeMark(bytes: Uint8Array): ProcessMark | undefined {
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
function isSeenAlive({ pid, start }: ProcessMark): boolean {
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

/** Options of `openLeased`. */
export interface LeaseOptions {
  readonly path: string;
  readonly mapSizeBytes?: number | undefined;
  /** The holder's activity in error messages; by default that it writes to the store. */
  readonly activity?: string;
  /** Sees a store that is there before it is opened for writing. Throws to refuse it. */
  readonly look?: StoreLook | undefined;
  /** Runs inside the transaction that takes the lease. */
  readonly onTake?: (environment: Environment) => void;
}

/** The right to write an environment. */
export interface Lease {
  readonly row: Buffer;
  /** Gives up the lease if it is still held. */
  release(): void;
}

/** Opens an environment as its only writer. Throws StoreError; `locked` while another process has the lease. */
export async function openLeased(
  options: LeaseOptions,
): Promise<{ readonly environment: Environment; readonly lease: Lease }> {
  const { mapSizeBytes, onTake } = options;
  const path = resolve(options.path);
  const activity = options.activity ?? `writes to the store at ${path}`;
  // Check first: opening for writing waits for lmdb's write lock, which a holder frozen in a write never releases.
  const look: StoreLook = (seen) => {
    options.look?.(seen);
    assertNotHeld(seen, activity);
  };
  const environment = await openEnvironment({ path, readOnly: false, mapSizeBytes, look });
  try {
    const row = takeRow(environment, activity, onTake);
    return { environment, lease: { row, release: () => release(environment, row) } };
  } catch (error) {
    await environment.close();
    throw toStoreError(error, path);
  }
}

/** The tables and locks by which a process tells whether another holds the lease. */
type Held = Pick<Environment, "tables" | "slot" | "path">;

function assertNotHeld(environment: Held, activity: string): void {
  const holder = findHolder(environment);
  if (holder === undefined) return;
  const { path } = environment;
  const { pid } = holder;
  const where = isSeenAlive(holder) ? "" : " of another PID namespace";
  throw new StoreError("locked", `process ${pid}${where} ${activity}`, {
    details: { path, pid },
  });
}

/** The living process that holds the lease. */
export function findHolder({ tables, slot, path }: Held): ProcessMark | undefined {
  const row = tables.meta.get(META.writer);
  const holder = row === undefined ? undefined : decodeMark(row);
  if (holder === undefined) return undefined;
  // A living process with this process's id would have kept it from taking its slot.
  const isSlotHeld = holder.pid !== process.pid && slot.listReaders().includes(holder.slot);
  // Where the lock file was removed, the holder has no slot in the new one.
  return isSlotHeld || (holder.file === fileMark(path) && isSeenAlive(holder)) ? holder : undefined;
}

function takeRow(environment: Environment, activity: string, onTake: LeaseOptions["onTake"]): Buffer {
  const { tables, slot } = environment;
  return environment.transact(() => {
    // Check inside the transaction: a holder takes its slot before it writes its row.
    assertNotHeld(environment, activity);
    const mine = encodeMark(ownMark(slot.name, fileMark(environment.path)));
    tables.meta.putSync(META.writer, mine);
    onTake?.(environment);
    return mine;
  });
}

/** Throws StoreError `locked` unless the lease is still held. Call inside a write transaction. */
export function assertLease(tables: Tables, mine: Buffer, path: string): void {
  const row = tables.meta.get(META.writer);
  if (row !== undefined && mine.equals(row)) return;
  const pid = row === undefined ? undefined : decodeMark(row)?.pid;
  throw new StoreError("locked", `the store at ${path} was taken over by process ${pid ?? "unknown"}`, {
    details: { path, pid },
  });
}

function release({ transact, tables, path }: Environment, mine: Buffer): void {
  try {
    transact(() => {
      const row = tables.meta.get(META.writer);
      if (row !== undefined && mine.equals(row)) tables.meta.removeSync(META.writer);
    });
  } catch (error) {
    // Not fatal on a full disk, or where this process may not write again: the lease ends with this process.
    const known = toStoreError(error, path);
    if (!isPassingFault(known) && !isGivenUp(known)) throw error;
  }
}
