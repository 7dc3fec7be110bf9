// The lease of an environment: one row names the process that writes here. It is taken and checked inside write
// transactions, so two processes never both hold it. The lease of a dead process is taken over. Three things tell whether
// it is dead: its process id, where this process can see it; else the kernel's lock that comes with its slot in the
// table of readers; and, on a file system of several machines, its heartbeat.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Logger, silentLogger } from "../../base/log.ts";
import { isPassingFault, StoreError } from "../errors.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import { toStoreError } from "./failure.ts";
import { assertNoHeartbeat, type Heartbeat, mayBeShared, type Pause, startHeartbeat } from "./heartbeat.ts";
import { prepareLockFile } from "./lock-file.ts";
import {
  decodeMark,
  encodeMark,
  isOfThisBoot,
  isSeenAlive,
  ownMark,
  type ProcessMark,
} from "./process-mark.ts";
import { META, type Tables } from "./tables.ts";

/** Which environment to take, and how. */
export interface LeaseOptions {
  readonly path: string;
  readonly mapSizeBytes?: number | undefined;
  readonly logger?: Logger | undefined;
  /** What a refusal says that the holder does; by default that it writes to the store. */
  readonly activity?: string;
  /** Runs inside the transaction that takes the lease. */
  readonly onTake?: (environment: Environment) => void;
  /** Whether other machines may use the directory; by default its file system's type tells. */
  readonly isShared?: boolean | undefined;
  readonly pause?: Pause | undefined;
}

/** The right to write an environment. */
export interface Lease {
  readonly row: Buffer;
  /** Gives it back, if it is still held. */
  release(): Promise<void>;
}

/** Opens an environment to write it, alone. Throws StoreError, `locked` while another process has the lease. */
export async function openLeased(
  options: LeaseOptions,
): Promise<{ readonly environment: Environment; readonly lease: Lease }> {
  const { logger = silentLogger, mapSizeBytes, onTake, pause } = options;
  const path = resolve(options.path);
  const activity = options.activity ?? `writes to the store at ${path}`;
  // Before lmdb touches anything: its locks do not reach another machine.
  await assertNoHeartbeat(path, logger, pause);
  await assertFree(path, activity);
  const environment = await openEnvironment({ path, readOnly: false, mapSizeBytes });
  let row: Buffer | undefined;
  try {
    const mine = takeRow(environment, activity, onTake);
    row = mine;
    const heart = (options.isShared ?? mayBeShared(path)) ? await startHeartbeat(path) : undefined;
    return { environment, lease: { row, release: () => release(environment, mine, heart) } };
  } catch (error) {
    if (row !== undefined) await release(environment, row, undefined);
    await environment.close();
    throw toStoreError(error, path);
  }
}

/**
 * Throws where a transaction would find the lease held. To open for writing waits for lmdb's write lock, and a holder
 * that is frozen in the middle of a write does not give that up.
 */
async function assertFree(path: string, activity: string): Promise<void> {
  if (!existsSync(join(path, "data.mdb"))) return;
  let environment: Environment;
  try {
    prepareLockFile(path);
    environment = await openEnvironment({ path, readOnly: true });
  } catch (error) {
    // A store that is only begun, or of an older format, is for the opening itself to judge.
    if (error instanceof StoreError && (error.code === "absent" || error.code === "format")) return;
    throw toStoreError(error, path);
  }
  try {
    assertNotHeld(environment, activity);
  } finally {
    await environment.close();
  }
}

function assertNotHeld({ tables, slot, path }: Environment, activity: string): void {
  const row = tables.meta.get(META.writer);
  const holder = row === undefined ? undefined : decodeMark(row);
  if (holder !== undefined) assertGone(holder, slot.listReaders(), activity, path);
}

function takeRow(environment: Environment, activity: string, onTake: LeaseOptions["onTake"]): Buffer {
  const { root, tables, slot } = environment;
  return root.transactionSync(() => {
    // Inside the transaction: a holder takes its slot before it writes its row.
    assertNotHeld(environment, activity);
    const mine = encodeMark(ownMark(slot.name));
    tables.meta.putSync(META.writer, mine);
    onTake?.(environment);
    return mine;
  });
}

function assertGone(holder: ProcessMark, readers: readonly string[], activity: string, path: string): void {
  const { pid } = holder;
  const isSeen = isSeenAlive(holder);
  if (!(isSeen ?? hasSlot(holder, readers))) return;
  const where = isSeen === undefined ? " of another PID namespace" : "";
  throw new StoreError("locked", `process ${pid}${where} ${activity}`, {
    details: { path, pid },
  });
}

/** Whether a process that cannot be seen has the environment open, on this machine. */
function hasSlot({ pid, slot, ...mark }: ProcessMark, readers: readonly string[]): boolean {
  // A living process with this process's id would have kept this one from taking its slot.
  if (!isOfThisBoot(mark) || pid === process.pid) return false;
  return slot !== undefined && readers.includes(slot);
}

/** Throws StoreError `locked` unless the lease is still held. To be called inside a write transaction. */
export function assertLease(tables: Tables, mine: Buffer, path: string): void {
  const row = tables.meta.get(META.writer);
  if (row !== undefined && mine.equals(row)) return;
  const pid = row === undefined ? undefined : decodeMark(row)?.pid;
  throw new StoreError("locked", `the store at ${path} was taken over by process ${pid ?? "unknown"}`, {
    details: { path, pid },
  });
}

async function release(
  { root, tables, path }: Environment,
  mine: Buffer,
  heart: Heartbeat | undefined,
): Promise<void> {
  await heart?.stop();
  try {
    root.transactionSync(() => {
      const row = tables.meta.get(META.writer);
      if (row !== undefined && mine.equals(row)) tables.meta.removeSync(META.writer);
    });
  } catch (error) {
    // A lease that cannot be given back on a full disk lapses with this process.
    if (!isPassingFault(toStoreError(error, path))) throw error;
  }
}
