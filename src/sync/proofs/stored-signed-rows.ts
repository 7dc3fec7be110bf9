// Checked ledger infos in a store: the rows that a local chain writes too, and the first epoch of them.
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { u64 } from "../../bcs/scalars.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { epochEndRow, loadEpochEnd, loadNewestSigned, newestRow, signedKey } from "../signed-rows.ts";
import type { EpochSpan, SignedRows } from "./signed-chain.ts";

const FIRST_KEY = signedKey("firstEpoch");

async function loadSpan(store: Store): Promise<EpochSpan | undefined> {
  const [bytes] = await store.getSideRows([FIRST_KEY]);
  const newest = await loadNewestSigned(store);
  if (bytes === undefined || newest === undefined) return undefined;
  const { epoch, nextEpoch } = newest.signed.ledgerInfo;
  return {
    first: decodeWith(u64, new Uint8Array(bytes)),
    last: nextEpoch === undefined ? epoch - 1n : epoch,
  };
}

/** The rows of a store that follows: what a local chain signed itself is not among them. */
export function signedRowsOf(store: Store): SignedRows {
  return {
    range: () => loadSpan(store),
    epochEnd: (epoch) => loadEpochEnd(store, epoch),
    latest: async () => (await loadNewestSigned(store))?.signed,
    add: async (epochEnds, latest) => {
      const rows: SideRow[] = epochEnds.map(epochEndRow);
      const first = epochEnds[0]?.ledgerInfo.epoch;
      if (first !== undefined && (await loadSpan(store)) === undefined) {
        rows.push({ key: FIRST_KEY, value: encodeWith(u64, first) });
      }
      const newest = latest ?? epochEnds.at(-1);
      if (newest !== undefined) rows.push(newestRow({ signed: newest, isOwn: false }));
      await store.putSideRows(rows);
    },
  };
}
