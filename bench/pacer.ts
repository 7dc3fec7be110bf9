// Signals when the next request of a paced load is due, from its own thread: timers of the event loop have a
// resolution of a millisecond, while Atomics.wait wakes a thread within some microseconds and uses no processor
// time before.
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
 * Code of the thread, as text because a thread has no loader for TypeScript. It signals once for all passed due times,
 * and not again before the signal was received.
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

/** Calls `onDue` whenever due times have passed. They are sorted, on the clock of `sharedNow`. */
export function startPacer(due: Float64Array, onDue: () => void): Pacer {
  reduceTimerSlack();
  const isCalling = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(THREAD, { eval: true, execArgv: [] });
  thread.on("message", () => {
    Atomics.store(isCalling, 0, 0);
    onDue();
  });
  thread.postMessage({ due, isCalling });
  return { stop: async () => void (await thread.terminate()) };
}

/** By default Linux may wake a thread 50 µs late to save power. New threads inherit the setting. */
function reduceTimerSlack(): void {
  try {
    writeFileSync("/proc/self/timerslack_ns", "1000");
  } catch {
    // Other systems have no such setting; the result reports how late requests were sent.
  }
}
