// Events that a transaction emitted.
import type { ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { byteString, u64 } from "../../bcs/scalars.ts";
import { typeTagCodec } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { hashOf, SEEDS } from "../hash.ts";

/** An event. A v1 event belongs to a handle and is numbered within it. */
export const contractEventCodec = variants("ContractEvent", {
  v1: {
    creationNumber: u64,
    account: addressCodec,
    sequenceNumber: u64,
    type: typeTagCodec,
    data: byteString,
  },
  v2: { type: typeTagCodec, data: byteString },
});
export type ContractEvent = ValueOf<typeof contractEventCodec>;

/** Hash of an event from its BCS: a leaf of the event accumulator. */
export function eventHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.contractEvent, bcs);
}
