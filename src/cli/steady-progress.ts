// Progress of work that may stand still for a while: a line at once, then one at a steady pace even if nothing moved, so
// that the reader of a log knows that the work still runs.
import { canRewrite, type Progress, progressLine, rewrittenLine, TERMINAL_INTERVAL_MS } from "./progress.ts";

const PLAIN_INTERVAL_MS = 10_000;

/** Starts reporting on `total` units of work, of which earlier runs did `from`. */
export function startSteadyProgress(
  label: string,
  total: number,
  from: number,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  const started = performance.now();
  const rewrites = canRewrite(stream);
  let last = from;
  const show = (): void => {
    const line = progressLine(label, last, total, performance.now() - started, last - from);
    stream.write(rewrites ? rewrittenLine(line) : `${line}\n`);
  };
  show();
  const timer = setInterval(show, rewrites ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS).unref();
  return {
    update: (done) => {
      last = done;
    },
    finish: () => {
      clearInterval(timer);
      show();
      if (rewrites) stream.write("\n");
    },
  };
}
