// Tells whether an upstream has the same ledger: after a reset it may have another one.
import { equalBytes } from "../../base/bytes.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { type Ledger, type LedgerPosition, withView } from "../../ledger/view.ts";
import { copyRecord } from "../reading.ts";
import { BeyondHead, UpstreamError } from "../upstream/errors.ts";
import { readOne } from "../upstream/record-pages.ts";
import type { RecordSource, UpstreamHead } from "../upstream/upstream.ts";

interface OwnRecord {
  readonly position: LedgerPosition;
  readonly version: bigint;
  /** Undefined if the version is pruned. */
  readonly record: Uint8Array | undefined;
}

/** Our record of a version, or our last one if the version is beyond our head; undefined without a ledger. */
async function readOwnRecord(ledger: Ledger, wanted: bigint): Promise<OwnRecord | undefined> {
  try {
    return await withView(ledger.openView(), async (view) => {
      const { position } = view;
      const version = wanted < position.version ? wanted : position.version;
      const isPruned = version < position.oldestVersion;
      return { position, version, record: isPruned ? undefined : await copyRecord(view, version) };
    });
  } catch (error) {
    if (error instanceof LedgerError && error.code === "no_ledger") return undefined;
    throw error;
  }
}

/** What a difference means: the upstream is wrong, or one of us is and it will turn out which. */
export type DifferenceCode = "disagrees" | "other_history";

/**
 * Compares an upstream's record of a version, or of our head if that is lower, with ours. Throws UpstreamError
 * with the code if they differ; `unknown` means that there is nothing to compare.
 */
export async function compareRecord(
  ledger: Ledger,
  upstream: RecordSource,
  version: bigint,
  code: DifferenceCode,
  signal: AbortSignal,
): Promise<"same" | "unknown"> {
  const own = await readOwnRecord(ledger, version);
  if (own?.record === undefined) return "unknown";
  if (!(await servesOtherRecord(upstream, own.version, own.record, signal)))
    return own.version === version ? "same" : "unknown";
  throw new UpstreamError(code, `its record of version ${own.version} differs from ours`, {
    version: own.version,
  });
}

/**
 * Returns our version; undefined without a ledger. Throws UpstreamError with the code if the upstream's head is
 * below our version and of another ledger: its time is later than ours, or its record differs from ours.
 */
export async function assertSameLedger(
  ledger: Ledger,
  upstream: RecordSource,
  head: UpstreamHead,
  code: DifferenceCode,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const own = await readOwnRecord(ledger, head.version);
  if (own === undefined) return undefined;
  const { version, timestampUsec } = own.position;
  if (head.version >= version) return version;
  const isLater = head.timestampUsec > timestampUsec;
  if (
    isLater ||
    (own.record !== undefined && (await servesOtherRecord(upstream, head.version, own.record, signal)))
  ) {
    throw new UpstreamError(
      code,
      `its head ${head.version} belongs to another ledger than version ${version} here: the upstream was reset, or this node follows the wrong ledger`,
    );
  }
  return version;
}

async function servesOtherRecord(
  upstream: RecordSource,
  version: bigint,
  record: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return !equalBytes((await readOne(upstream, version, signal)).bytes, record);
  } catch (error) {
    // The head moved back again; the next poll compares again.
    if (error instanceof BeyondHead) return false;
    throw error;
  }
}
