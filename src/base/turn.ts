// Long work that never waits for anything outside keeps signals and timers from being heard.
import { setImmediate } from "node:timers/promises";

/** Lets the process hear signals and timers; throws the reason when the work was told to stop. */
export async function takeTurn(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
