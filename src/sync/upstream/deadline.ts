// A deadline for one question to an upstream, however many requests it takes.
import { UpstreamError } from "./errors.ts";

/** Runs a question and ends it after `ms` with UpstreamError `unreachable`, or with the signal's reason. */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // Not AbortSignal.any(): a signal that lives as long as the node would keep every question in memory.
  const limits = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    limits.signal.addEventListener("abort", () => reject(limits.signal.reason), { once: true });
  });
  const onAbort = (): void => limits.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  const timer = setTimeout(() => {
    limits.abort(new UpstreamError("unreachable", `no complete answer within ${ms} ms`));
  }, ms);
  try {
    return await Promise.race([ask(limits.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
