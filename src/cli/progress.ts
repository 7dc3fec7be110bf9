// Progress of long work, with rate and time left: one rewritten line on a terminal, a plain line every few seconds
// elsewhere.

export interface Progress {
  /** Reports how much is done. */
  update(done: number): void;
  /** Ends the line. */
  finish(): void;
}

const PLAIN_INTERVAL_MS = 5000;
const STEADY_INTERVAL_MS = 10_000;
export const TERMINAL_INTERVAL_MS = 200;

/** True if a stream is a terminal that can rewrite a line; a dumb one would show the codes for it. */
export function canRewrite({ isTTY }: Pick<NodeJS.WriteStream, "isTTY">): boolean {
  const { TERM: terminal } = process.env;
  return isTTY && terminal !== "dumb";
}

/** What makes a line the one that a terminal shows again and again: back to its start, and away with what was longer. */
export function rewrittenLine(line: string): string {
  return `\r${line}\u001b[K`;
}

function leftText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const rounded = Math.ceil(seconds);
  return rounded < 120 ? `${rounded} s` : `${Math.ceil(rounded / 60)} min`;
}

/**
 * One progress line: `blocks 1200/10000 (12 %), 850/s, 11 s left`. The rate is that of `recent`, or of all that is done.
 */
export function progressLine(
  label: string,
  done: number,
  total: number,
  elapsedMs: number,
  recent: number = done,
): string {
  const rate = elapsedMs > 0 ? (recent * 1000) / elapsedMs : 0;
  const left = rate > 0 ? (total - done) / rate : Number.POSITIVE_INFINITY;
  const percent = total === 0 ? 100 : Math.floor((done * 100) / total);
  return `${label} ${done}/${total} (${percent} %), ${rate.toFixed(rate < 10 ? 1 : 0)}/s, ${leftText(left)} left`;
}

export interface ProgressOptions {
  /** Units of work that earlier runs did. */
  readonly from?: number;
  /**
   * For work that may stand still for a while: a line at once, then one at a steady pace even if nothing moved, so that
   * the reader of a log knows that the work still runs.
   */
  readonly isSteady?: boolean;
  readonly stream?: Pick<NodeJS.WriteStream, "isTTY" | "write">;
}

/** Starts reporting on `total` units of work. */
export function startProgress(
  label: string,
  total: number,
  { from = 0, isSteady = false, stream = process.stderr }: ProgressOptions = {},
): Progress {
  const started = performance.now();
  const rewrites = canRewrite(stream);
  const plainMs = isSteady ? STEADY_INTERVAL_MS : PLAIN_INTERVAL_MS;
  const intervalMs = rewrites ? TERMINAL_INTERVAL_MS : plainMs;
  let shownAt = started;
  let last = from;
  const show = (): void => {
    const line = progressLine(label, last, total, performance.now() - started, last - from);
    stream.write(rewrites ? rewrittenLine(line) : `${line}\n`);
  };
  if (isSteady) show();
  const timer = isSteady ? setInterval(show, intervalMs).unref() : undefined;
  return {
    update: (done) => {
      last = done;
      const now = performance.now();
      if (isSteady || now - shownAt < intervalMs) return;
      shownAt = now;
      show();
    },
    finish: () => {
      clearInterval(timer);
      show();
      if (rewrites) stream.write("\n");
    },
  };
}
