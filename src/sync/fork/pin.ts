// The pin of a fork: which network it forks, and at which version. Written with the first commit and never changed.
import { sha3 } from "../../base/sha3.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { hash, text, u64 } from "../../bcs/scalars.ts";
import type { ForkPoint } from "../../ledger/view.ts";
import type { SideRow, Store } from "../../store/contract.ts";
import { SIDE_KEYS } from "../base-rows.ts";

/** A fork point as a store keeps it. */
export interface ForkPin extends ForkPoint {
  /** Hash of the network's record of that version: tells whether the URL still serves the same network. */
  readonly recordHash: Uint8Array;
}

const KEY = Uint8Array.of(SIDE_KEYS.fork);
const pinCodec = struct({ url: text, version: u64, recordHash: hash });

export function pinRow(pin: ForkPin): SideRow {
  return { key: KEY, value: encodeWith(pinCodec, pin) };
}

/** The pin of a store; undefined if it holds no fork. */
export async function loadPin(store: Pick<Store, "getSideRows">): Promise<ForkPin | undefined> {
  const [row] = await store.getSideRows([KEY]);
  return row === undefined ? undefined : decodeWith(pinCodec, new Uint8Array(row));
}

export function recordHashOf(record: Uint8Array): Uint8Array {
  return sha3(record);
}
