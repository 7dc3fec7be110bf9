// Finds where to start in the middle of a ledger: the first version of the block that contains a given version.
import { findNewBlock } from "../../ledger/formats/block-event.ts";
import type { RecordSpans } from "../../ledger/formats/record.ts";
import type { BaseStart } from "../verify/verifier.ts";
import { BeyondHead, UpstreamError } from "./errors.ts";
import { readPage } from "./record-pages.ts";
import type { HeadSource, RecordSource } from "./upstream.ts";

/** Records per request, going backwards. */
const STEP = 100n;
/** Gives up after this many requests: no block is that long. */
const MAX_STEPS = 200;

/**
 * The start of the block that contains the version, or the head version, which is at most `ceiling`. Throws
 * UpstreamError.
 */
export async function locateBase(
  upstream: HeadSource & RecordSource,
  wanted: bigint | "latest",
  ceiling: bigint | undefined,
  signal: AbortSignal,
): Promise<BaseStart> {
  const head = await upstream.getHead(signal);
  const latest = ceiling !== undefined && ceiling < head.version ? ceiling : head.version;
  const target = wanted === "latest" ? latest : wanted;
  if (target > head.version) throw new BeyondHead(target, head);
  let last = target;
  for (let step = 0; step < MAX_STEPS; step++) {
    const start = last - head.oldestVersion < STEP ? head.oldestVersion : last - STEP + 1n;
    if (start > last)
      throw new UpstreamError("pruned", `the start of the block of version ${target} is pruned`);
    const { records } = await readPage(upstream, start, Number(last - start + 1n), signal);
    const first = records.findLast(startsBlock);
    if (first !== undefined) return { chainId: head.chainId, version: first.version };
    last = start - 1n;
  }
  throw new UpstreamError(
    "malformed",
    `no block starts in the ${STEP * BigInt(MAX_STEPS)} versions up to ${target}`,
  );
}

function startsBlock(record: RecordSpans): boolean {
  try {
    return record.events.some((event) => findNewBlock(event) !== undefined);
  } catch (error) {
    throw new UpstreamError("malformed", "a block event does not decode", { cause: error });
  }
}
