// SIGINT and SIGTERM while a command works on a whole store: it ends in order, with the exit code that shells give
// to the signal.
import { constants } from "node:os";
import { CodedError } from "../base/errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
type StopSignal = (typeof SIGNALS)[number];

/** True in a process that another one of this program started and watches. */
const isHelper = process.connected !== undefined;

/** Said by commands that keep what they have done. */
export const RESUMES = "; the same command goes on from here";

/** The command was told to stop before it was done. */
export class Interrupted extends CodedError<"interrupted"> {
  readonly exitCode: number;
  /** False in a helper: the process that started it says so once. */
  readonly isTold = !isHelper;

  constructor(signal: StopSignal, hint: string) {
    super("interrupted", `stopped by ${signal}${hint}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs work that can be stopped: at the first SIGINT or SIGTERM its signal aborts with Interrupted as the reason. A
 * second one ends the process at once. A helper also stops when the process that started it disconnects or is gone.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>, hint = ""): Promise<T> {
  const stop = new AbortController();
  const listeners = SIGNALS.map((signal) => ({
    signal,
    listener: () => stop.abort(new Interrupted(signal, hint)),
  }));
  const onDisconnect = (): void => stop.abort(new Interrupted("SIGTERM", hint));
  for (const { signal, listener } of listeners) process.once(signal, listener);
  process.once("disconnect", onDisconnect);
  try {
    return await work(stop.signal);
  } finally {
    for (const { signal, listener } of listeners) process.off(signal, listener);
    process.off("disconnect", onDisconnect);
  }
}
