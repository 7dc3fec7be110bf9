// Tells when the next request of a paced load is due, from a thread of its own: the event loop's timers count whole
// milliseconds, while a thread that waits on a cell is woken within some microseconds and uses no processor until then.
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Milliseconds on a clock that is the same in every thread of the process. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

/** A running pacer. */
export interface Pacer {
  stop(): Promise<void>;
}

/**
 * Body of the thread, as text because a thread has no loader for TypeScript. It calls once for all moments that have
 * come, and not again before the call was taken.
 */
const THREAD = `
const { parentPort } = require("node:worker_threads");
const now = () => performance.timeOrigin + performance.now();
parentPort.once("message", ({ due, isCalling }) => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < due.length; ) {
    const waitMs = due[at] - now();
    if (waitMs > 0) Atomics.wait(cell, 0, 0, waitMs);
    for (const ms = now(); at < due.length && due[at] <= ms; ) at++;
    if (Atomics.exchange(isCalling, 0, 1) === 0) parentPort.postMessage(0);
  }
});`;

/** Calls whenever one or more of the moments have come. They are on the clock of `sharedNow`, in order. */
export function startPacer(due: Float64Array, onDue: () => void): Pacer {
  sharpenClock();
  const isCalling = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(THREAD, { eval: true, execArgv: [] });
  thread.on("message", () => {
    Atomics.store(isCalling, 0, 0);
    onDue();
  });
  thread.postMessage({ due, isCalling });
  return { stop: async () => void (await thread.terminate()) };
}

/** Linux may wake a thread 50 µs late to save power, unless it is asked not to. New threads inherit that. */
function sharpenClock(): void {
  try {
    writeFileSync("/proc/self/timerslack_ns", "1000");
  } catch {
    // On other systems a clock is as sharp as it is: how late requests are sent is told with the result.
  }
}
