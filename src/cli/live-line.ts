// The live line of a running node on a terminal: height, versions a second, requests a second. Log lines and the live
// line share the terminal: a log line clears it, and the next second shows it again.
import type { Node } from "../node.ts";
import { canRewrite, rewrittenLine } from "./progress.ts";

const INTERVAL_MS = 1000;

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
  const timer = setInterval(() => void show(), INTERVAL_MS);
  timer.unref();
  void show();
  return () => {
    isEnded = true;
    clearInterval(timer);
    stream.write(rewrittenLine(""));
  };
}
