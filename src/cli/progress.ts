// Progress: of long work, with rate and time left; of a follower that is catching up; of a running node. One rewritten
// line on a terminal; elsewhere plain or log lines at a slower pace, and nothing for a running node.
import type { LogFields, Logger } from "../base/log.ts";
import type { FollowProgress, Node } from "../node.ts";

/** Progress of work in parts: a part has its line from its first report until the next part reports. */
export interface Progress {
  readonly update: (part: string, done: number, total: number) => void;
  /** Ends the line. */
  readonly finish: () => void;
}

const PLAIN_INTERVAL_MS = 5000;
const TERMINAL_INTERVAL_MS = 200;

/** True if a stream is a terminal that can rewrite a line; a dumb one would show the codes for it. */
function canRewrite({ isTTY }: Pick<NodeJS.WriteStream, "isTTY">): boolean {
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

export function startParts(stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr): Progress {
  const rewrites = canRewrite(stream);
  const intervalMs = rewrites ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
  // The first report may come when some of the first part is done.
  let begunMs: number | undefined = performance.now();
  let current:
    | { readonly part: string; readonly startedMs: number; shownMs: number; line: () => string }
    | undefined;
  const show = (): void => {
    const line = current?.line() ?? "";
    stream.write(rewrites ? rewrittenLine(line) : `${line}\n`);
  };
  const finish = (): void => {
    if (current === undefined) return;
    show();
    if (rewrites) stream.write("\n");
    current = undefined;
  };
  return {
    update: (part, done, total) => {
      const nowMs = performance.now();
      if (current?.part !== part) finish();
      const { startedMs } = current ?? { startedMs: begunMs ?? nowMs };
      begunMs = undefined;
      const line = (): string => progressLine(part, done, total, performance.now() - startedMs);
      current = { part, startedMs, shownMs: current?.shownMs ?? startedMs, line };
      if (nowMs - current.shownMs < intervalMs) return;
      current.shownMs = nowMs;
      show();
    },
    finish,
  };
}

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
    if (progress.unreadyReason === undefined) {
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
  const { version, firstVersion = version, headVersion, receivedBytes, unreadyReason } = progress;
  if (headVersion === undefined || version === undefined || firstVersion === undefined) {
    return `not ready: ${unreadyReason}`;
  }
  const [done, total] = [Number(version - firstVersion), Number(headVersion - firstVersion)];
  const { versions, ms } = recentOf(samples);
  const line = progressLine("versions", done, Math.max(total, done), ms, versions);
  return `catching up: ${line}, ${(receivedBytes / 1e6).toFixed(1)} MB`;
}

function fieldsOf(progress: FollowProgress, samples: readonly Sample[]): LogFields {
  const { version, headVersion, receivedBytes, unreadyReason } = progress;
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
    reason: unreadyReason,
  };
}

const LIVE_INTERVAL_MS = 1000;

/** What the line shows, at one moment. */
export interface LiveFigures {
  readonly height: bigint;
  readonly version: bigint;
  readonly requests: number;
  /** By performance.now(). */
  readonly atMs: number;
}

/** Figures of the ledger and of the server; undefined while there is no ledger. */
async function readFigures(node: Node): Promise<LiveFigures | undefined> {
  try {
    const { block_height, ledger_version } = await node.ledgerInfo();
    const requests = await node.requestCount();
    return {
      height: BigInt(block_height),
      version: BigInt(ledger_version),
      requests,
      atMs: performance.now(),
    };
  } catch {
    // Without a ledger, or while its node closes, there is nothing to show.
    return undefined;
  }
}

function rateText(count: number, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (count * 1000) / elapsedMs : 0;
  return rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
}

/** Such as `height 12, version 61, 5.0 versions/s, 120 requests/s`. A rewound ledger has a rate of 0. */
export function liveText(now: LiveFigures, before: LiveFigures): string {
  const elapsedMs = now.atMs - before.atMs;
  const versions = now.version > before.version ? Number(now.version - before.version) : 0;
  const requests = Math.max(0, now.requests - before.requests);
  return `height ${now.height}, version ${now.version}, ${rateText(versions, elapsedMs)} versions/s, ${rateText(requests, elapsedMs)} requests/s`;
}

/** Shows the line until the function returned is called; shows nothing where the stream is no terminal. */
export function startLiveLine(node: Node, stream: NodeJS.WriteStream): () => void {
  if (!canRewrite(stream)) return () => {};
  let before: LiveFigures | undefined;
  let isEnded = false;
  const show = async (): Promise<void> => {
    const now = await readFigures(node);
    if (isEnded || now === undefined) return;
    // A line as wide as the terminal would wrap, and each second leave one behind.
    if (before !== undefined) stream.write(rewrittenLine(liveText(now, before).slice(0, stream.columns - 1)));
    before = now;
  };
  const timer = setInterval(() => void show(), LIVE_INTERVAL_MS);
  timer.unref();
  void show();
  return () => {
    isEnded = true;
    clearInterval(timer);
    stream.write(rewrittenLine(""));
  };
}
