// Waits for events, however slow the machine is.

/** Long enough for a heavily loaded machine; then the wait fails. */
const PATIENCE_MS = 300_000;

/** Waits until the result is neither undefined nor false. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs: number = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let pauseMs = 2;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found as T;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 1.5, 50);
  }
}
