// Begins a fork: fetches the block of the fork version, up to that version, and commits it to an empty store as the
// last part of the ledger that is the network's. A fork version inside a block cuts that block short.
import { append } from "../../base/append.ts";
import { sha3 } from "../../base/sha3.ts";
import { EMPTY_ACCUMULATOR } from "../../ledger/accumulator.ts";
import { findNewBlock } from "../../ledger/formats/block-event.ts";
import { UNKNOWN_GENESIS } from "../../ledger/formats/genesis.ts";
import type { RecordSpans } from "../../ledger/formats/record.ts";
import { TRUSTED } from "../../ledger/trust.ts";
import type { IndexName } from "../../ledger/view.ts";
import type { BlockStart, Store } from "../../store/contract.ts";
import { FORK_PIN, type ForkPin } from "../side-rows.ts";
import { StoreWriter } from "../store-writer.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { locateBase } from "../upstream/locate-base.ts";
import { explainUnverified, readPage } from "../upstream/record-pages.ts";
import type { HeadSource, RecordSource } from "../upstream/upstream.ts";
import { Verifier } from "../verify/verifier.ts";

/** The end of the ledger that is forked. */
export interface ForkBase {
  readonly pin: ForkPin;
  readonly chainId: number;
  readonly block: BlockStart;
  /** From the start of the block up to the fork version. */
  readonly records: readonly RecordSpans[];
}

const PAGE = 100;

/** Fetches the records that a fork begins with, and checks their hashes. Throws UpstreamError. */
export async function fetchForkBase(
  upstream: HeadSource & RecordSource,
  wanted: bigint | "latest",
  signal: AbortSignal,
): Promise<Omit<ForkBase, "pin"> & { readonly version: bigint; readonly recordHash: Uint8Array }> {
  const version = wanted === "latest" ? (await upstream.getHead(signal)).version : wanted;
  const base = await locateBase(upstream, version, undefined, signal);
  const verifier = new Verifier(undefined, base);
  const records: RecordSpans[] = [];
  for (let next = base.version; next <= version; ) {
    const left = version - next + 1n;
    const page = await readPage(upstream, next, left < PAGE ? Number(left) : PAGE, signal);
    for (const record of page.records) {
      try {
        verifier.push(record);
      } catch (error) {
        throw explainUnverified(error, [page.bytes]);
      }
    }
    append(records, page.records);
    next += BigInt(page.records.length);
  }
  const [first, last] = [records[0], records.at(-1)];
  const event = first?.events.map(findNewBlock).find((found) => found !== undefined);
  if (first === undefined || last === undefined || event === undefined) {
    throw new UpstreamError("malformed", `no block starts at version ${base.version}`);
  }
  return {
    version,
    recordHash: sha3(last.bytes),
    chainId: base.chainId,
    block: {
      height: event.height,
      firstVersion: first.version,
      timestampUsec: event.timestampUsec,
      epoch: event.epoch,
    },
    records,
  };
}

/** Commits the base to an empty store, and pins the fork in the same write. */
export async function commitForkBase(
  store: Store,
  { pin, chainId, block, records }: ForkBase,
  indexes: Readonly<Record<IndexName, boolean>>,
): Promise<void> {
  const writes = records.flatMap(({ version, writes: written }) =>
    written.map(({ key, keyHash, value }) => ({ key, keyHash, version, value })),
  );
  const writer = new StoreWriter(store, { ...indexes, isPart: true });
  await writer.commit(
    {
      previous: undefined,
      position: {
        chainId,
        version: pin.version,
        timestampUsec: block.timestampUsec,
        epoch: block.epoch,
        blockHeight: block.height,
        oldestVersion: block.firstVersion,
        oldestBlockHeight: block.height,
        // Leaves and items of earlier versions are not here, so there is no root of either kind.
        accumulator: EMPTY_ACCUMULATOR,
        stateRoot: undefined,
        trust: [{ first: block.firstVersion, level: TRUSTED }],
        refuted: undefined,
      },
      writes,
      blocks: [block],
      records: records.map(({ version, bytes }) => ({ version, bytes })),
      treeNodes: [],
      sideRows: [FORK_PIN.row(pin)],
    },
    { chainId, genesisHash: UNKNOWN_GENESIS },
  );
}
