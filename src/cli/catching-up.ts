// How far a follower is while it is not ready: one rewritten line on a terminal, a log line every ten seconds elsewhere.
import type { LogFields, Logger } from "../base/log.ts";
import type { FollowProgress } from "../node.ts";
import { canRewrite, progressLine, rewrittenLine, TERMINAL_INTERVAL_MS } from "./progress.ts";

const LOG_INTERVAL_MS = 10_000;
/** The rate is that of about this time. */
const RATE_MS = 10_000;

export interface CatchingUpOptions {
  readonly logger: Logger;
  readonly isSilent?: boolean;
  readonly stream?: {
    readonly isTTY: boolean;
    readonly columns?: number;
    write(text: string): unknown;
  };
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

interface Sample {
  readonly ms: number;
  readonly version: bigint;
}

/** Shows the progress that it is called with, and ends the line when the node is ready. */
export function showCatchingUp({
  logger,
  isSilent = false,
  stream = process.stderr,
  clock = () => performance.now(),
}: CatchingUpOptions): (progress: FollowProgress) => void {
  const rewrites = canRewrite(stream);
  const intervalMs = rewrites ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  const samples: Sample[] = [];
  let shownMs = clock();
  let isShown = false;
  const sample = (ms: number, version: bigint): void => {
    if (ms - (samples.at(-1)?.ms ?? Number.NEGATIVE_INFINITY) >= TERMINAL_INTERVAL_MS)
      samples.push({ ms, version });
    // One sample before the span stays, so that the rate is that of a whole span.
    while ((samples[1]?.ms ?? ms) < ms - RATE_MS) samples.shift();
  };
  return (progress) => {
    const ms = clock();
    if (progress.version !== undefined) sample(ms, progress.version);
    if (progress.unready === undefined) {
      if (isShown) stream.write(rewrittenLine(""));
      isShown = false;
      // A node that falls behind later has its first line after a whole pause.
      shownMs = ms;
      return;
    }
    if (isSilent || ms - shownMs < intervalMs) return;
    shownMs = ms;
    isShown = rewrites;
    // A line as wide as the terminal would wrap, and each one leave a row behind.
    if (rewrites) stream.write(rewrittenLine(lineOf(progress, samples).slice(0, (stream.columns ?? 80) - 1)));
    else logger.info(fieldsOf(progress, samples), "catching up");
  };
}

/** Versions committed in a time. */
function recentOf(samples: readonly Sample[]): { readonly versions: number; readonly ms: number } {
  const [oldest, latest] = [samples[0], samples.at(-1)];
  if (oldest === undefined || latest === undefined) return { versions: 0, ms: 0 };
  return { versions: Number(latest.version - oldest.version), ms: latest.ms - oldest.ms };
}

function lineOf(progress: FollowProgress, samples: readonly Sample[]): string {
  const { version, firstVersion = version, headVersion, receivedBytes, unready } = progress;
  if (headVersion === undefined || version === undefined || firstVersion === undefined) {
    return `not ready: ${unready}`;
  }
  const [done, total] = [Number(version - firstVersion), Number(headVersion - firstVersion)];
  const { versions, ms } = recentOf(samples);
  const line = progressLine("versions", done, Math.max(total, done), ms, versions);
  return `catching up: ${line}, ${(receivedBytes / 1e6).toFixed(1)} MB`;
}

function fieldsOf(progress: FollowProgress, samples: readonly Sample[]): LogFields {
  const { version, headVersion, receivedBytes, unready } = progress;
  const { versions, ms } = recentOf(samples);
  const perSecond = ms === 0 ? 0 : (1000 * versions) / ms;
  const behind =
    version === undefined || headVersion === undefined ? undefined : Number(headVersion - version);
  return {
    version,
    upstreamVersion: headVersion,
    versionsPerSecond: Math.round(perSecond),
    ...(behind === undefined || perSecond === 0 ? {} : { secondsLeft: Math.ceil(behind / perSecond) }),
    receivedBytes,
    reason: unready,
  };
}
