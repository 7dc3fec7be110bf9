// Long synchronous work blocks signals and timers.
import { setImmediate } from "node:timers/promises";

/** Yields one turn of the event loop to signals and timers; throws the signal's reason if it is aborted. */
export async function takeTurn(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
