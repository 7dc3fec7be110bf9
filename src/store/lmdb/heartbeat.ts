// A sign of life for other machines. The kernel's locks and lmdb's table of readers hold on one machine only. On a file
// system that several machines can use, the writer also writes a growing number to a file. A process that wants to
// write watches that file by its own clock; the clocks of two machines are never compared.
import { readFileSync, statfsSync } from "node:fs";
import { constants, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../base/log.ts";
import { StoreError } from "../errors.ts";
import { readBoot } from "./process-mark.ts";

const FILE = "heartbeat";
/** Time between two beats, and between two looks. */
const BEAT_MS = 1000;
/** Looks in a row that must find the same number before the writer is considered dead. */
export const STILL_LOOKS = 8;
const NUMBER_DIGITS = 15;

/** Linux type numbers of local file systems: ext, XFS, btrfs, ZFS, F2FS, tmpfs, overlay, bcachefs, ramfs. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0x01021994, 0x794c7630, 0xca451a4e, 0x858458f6,
]);

/** Waits; tests replace it. */
export type Pause = (ms: number) => Promise<unknown>;

/** Whether other machines may use the file system of a directory. True for unknown types. */
export function mayBeShared(path: string): boolean {
  // Other systems number the types differently.
  return process.platform === "linux" && !LOCAL_TYPES.has(statfsSync(path).type);
}

/** A running heartbeat. */
export interface Heartbeat {
  stop(): Promise<void>;
}

/** Starts a heartbeat in a directory; the first beat is written when this returns. */
export async function startHeartbeat(path: string): Promise<Heartbeat> {
  const file = join(path, FILE);
  let beats = 0;
  await writeBeat(file, beats);
  let writing: Promise<void> | undefined;
  const timer = setInterval(() => {
    // Skips a beat that fails, or while the last write still hangs.
    writing ??= writeBeat(file, ++beats)
      .catch(() => {})
      .finally(() => {
        writing = undefined;
      });
  }, BEAT_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await writing;
      await rm(file, { force: true }).catch(() => {});
    },
  };
}

/** Throws StoreError `locked` while a writer on another machine beats in a directory. Takes seconds if a heartbeat exists. */
export async function assertNoHeartbeat(path: string, logger: Logger, pause: Pause = sleep): Promise<void> {
  const first = readBeat(path);
  if (first === undefined || isOwnMachine(first)) return;
  logger.warn(
    { path },
    "another machine wrote here, or this one before a reboot: watching for its heartbeat",
  );
  for (let looks = 0; looks < STILL_LOOKS; looks++) {
    await pause(BEAT_MS);
    const now = readBeat(path);
    if (now === undefined) return;
    if (now !== first) {
      throw new StoreError(
        "locked",
        `another machine writes to the store at ${path}: its heartbeat advances`,
        {
          details: { path },
        },
      );
    }
  }
}

/** Overwrites in place, which a full disk allows, and closes the file, so that network file systems pass it on. */
async function writeBeat(file: string, beats: number): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT, 0o644);
  try {
    await handle.write(`${readBoot()} ${`${beats}`.padStart(NUMBER_DIGITS, "0")}\n`, 0);
  } finally {
    await handle.close();
  }
}

function readBeat(path: string): string | undefined {
  try {
    return readFileSync(join(path, FILE), "utf8");
  } catch {
    return undefined;
  }
}

function isOwnMachine(text: string): boolean {
  return text.startsWith(`${readBoot()} `);
}
