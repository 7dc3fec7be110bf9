// Waits of the benchmark. Each has a deadline, so that a run whose wait never comes true ends and names what it waited for.
import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than any step at full size on a slow machine. */
const WAIT_MS = 600_000;
const LOOK_EVERY_MS = 100;

/** The result of a promise. Throws where it takes longer than `ms`. */
export async function inTime<T>(what: string, promise: Promise<T>, ms = WAIT_MS): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`waited ${ms / 1000} s for ${what}, in vain`);
  });
  // The timer that is no longer needed rejects, too.
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    done.abort();
  }
}

/** Waits until a look returns true. Throws where that takes longer than `ms`. */
export async function waitUntil(
  what: string,
  look: () => Promise<boolean>,
  { ms = WAIT_MS, everyMs = LOOK_EVERY_MS } = {},
): Promise<void> {
  const deadline = performance.now() + ms;
  for (;;) {
    // A look may hang, too.
    if (await inTime(what, look(), ms)) return;
    if (performance.now() > deadline) throw new Error(`waited ${ms / 1000} s for ${what}, in vain`);
    await sleep(everyMs);
  }
}

/**
 * The next message of a child process. Call it before the command that the message answers. Throws where the process
 * exits, or sends nothing in time.
 */
export async function nextMessage<T>(child: EventEmitter, name: string, ms = WAIT_MS): Promise<T> {
  let onMessage = (_: unknown): void => {};
  let onExit = (_: unknown): void => {};
  const message = new Promise<T>((resolve, reject) => {
    onMessage = (got) => resolve(got as T);
    onExit = (code) => reject(new Error(`${name} ended with ${code}`));
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
  try {
    return await inTime(`a message of ${name}`, message, ms);
  } finally {
    child.off("message", onMessage);
    child.off("exit", onExit);
  }
}
