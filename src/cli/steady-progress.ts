// Progress of work that may stand still for a while: a line at once, then one at a steady pace even if nothing moved, so
// that the reader of a log knows that the work still runs.
import { type Progress, progressLine } from "./progress.ts";

const PLAIN_INTERVAL_MS = 10_000;
const TERMINAL_INTERVAL_MS = 200;

/** Starts reporting on `total` units of work, of which earlier runs did `from`. */
export function startSteadyProgress(
  label: string,
  total: number,
  from: number,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  const started = performance.now();
  let last = from;
  const show = (): void => {
    const line = progressLine(label, last, total, performance.now() - started, last - from);
    stream.write(stream.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  };
  show();
  const timer = setInterval(show, stream.isTTY ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS).unref();
  return {
    update: (done) => {
      last = done;
    },
    finish: () => {
      clearInterval(timer);
      show();
      if (stream.isTTY) stream.write("\n");
    },
  };
}
