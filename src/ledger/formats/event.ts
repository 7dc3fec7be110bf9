// Events that a transaction emitted.
import type { ValueOf } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { variants } from "../../bcs/records.ts";
import { byteString, u64 } from "../../bcs/scalars.ts";
import { ADDRESS_LENGTH } from "../../move/address.ts";
import { typeTagCodec } from "../../move/type-tag.ts";
import { addressCodec } from "../../move/wire.ts";
import { hashOf, SEEDS } from "../hash.ts";

/** The variant, the creation number, the account, and the sequence number of a v1 event. */
const HANDLE_BYTES = 1 + 8 + ADDRESS_LENGTH + 8;

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

/** BCS of an event's type, from that of the event, in which it stands behind the variant and a handle's numbers. */
export function eventTypeBytes(event: Uint8Array): Uint8Array {
  const reader = new BcsReader(event);
  reader.skip(event[0] === 0 ? HANDLE_BYTES : 1);
  const start = reader.offset;
  typeTagCodec.skip(reader);
  return reader.span(start);
}

/** Hash of an event from its BCS: a leaf of the event accumulator. */
export function eventHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.contractEvent, bcs);
}
