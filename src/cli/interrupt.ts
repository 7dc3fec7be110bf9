// SIGINT and SIGTERM while a command works on a whole store: it cleans up and exits with the shell's code for the signal.
import { constants } from "node:os";
import { CodedError } from "../base/errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
type StopSignal = (typeof SIGNALS)[number];

/** True in a child process that this program started. */
const isHelper = process.connected !== undefined;

/** Hint of commands that can resume. */
export const RESUMES = "; the same command resumes from here";

/** A signal stopped the command before the end. */
export class Interrupted extends CodedError<"interrupted"> {
  readonly exitCode: number;
  /** False in a child: its parent reports the signal. */
  readonly isTold = !isHelper;

  constructor(signal: StopSignal, hint: string) {
    super("interrupted", `stopped by ${signal}${hint}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs work that can be stopped: the first SIGINT or SIGTERM aborts it with Interrupted as the reason, a second one ends
 * the process at once. A child process also stops when its parent disconnects or exits.
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
