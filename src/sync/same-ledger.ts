// Whether an upstream that ends before us has our ledger: one that was reset has another one, or a part of ours.
import { equalBytes } from "../base/bytes.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Ledger, LedgerPosition } from "../ledger/view.ts";
import { onlyRecord } from "./agreement.ts";
import { BeyondHead, UpstreamError } from "./upstream/errors.ts";
import type { Upstream, UpstreamHead } from "./upstream/upstream.ts";

interface OwnRecord {
  readonly position: LedgerPosition;
  /** Undefined where the version is not kept. */
  readonly record: Uint8Array | undefined;
}

async function findOwn(ledger: Ledger, version: bigint): Promise<OwnRecord | undefined> {
  try {
    const view = await ledger.openView();
    try {
      const { position } = view;
      if (version < position.oldestVersion || version > position.version)
        return { position, record: undefined };
      const [stored] = await view.getRecords(version, 1, 1);
      return { position, record: stored === undefined ? undefined : new Uint8Array(stored.bytes) };
    } finally {
      view.release();
    }
  } catch (error) {
    if (error instanceof LedgerError && error.code === "no_ledger") return undefined;
    throw error;
  }
}

/**
 * Our own version; undefined without a ledger. Throws UpstreamError `disagrees` for an upstream whose head is before
 * our version and belongs to another ledger: its time is later than ours, or its record is not ours.
 */
export async function assertSameLedger(
  ledger: Ledger,
  upstream: Upstream,
  head: UpstreamHead,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const own = await findOwn(ledger, head.version);
  if (own === undefined) return undefined;
  const { version, timestampUsec } = own.position;
  if (head.version >= version) return version;
  const isLater = head.timestampUsec > timestampUsec;
  if (isLater || (own.record !== undefined && (await hasOther(upstream, head.version, own.record, signal)))) {
    throw new UpstreamError(
      "disagrees",
      `its head ${head.version} is of another ledger than version ${version} here: it was reset, or this node follows the wrong one`,
    );
  }
  return version;
}

async function hasOther(
  upstream: Upstream,
  version: bigint,
  record: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const page = await upstream.getRecords(version, 1, signal);
    return !equalBytes(onlyRecord(page.bytes, version), record);
  } catch (error) {
    // It went back once more; the next look will tell.
    if (error instanceof BeyondHead) return false;
    throw error;
  }
}
