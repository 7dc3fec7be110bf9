// Events: what a transaction reported.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { byteString, u64 } from "../bcs/scalars.ts";
import type { Address } from "../move/address.ts";
import { type TypeTag, typeTagCodec } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";
import { hashOf, SEEDS } from "./hash.ts";

/** An event. The first form belongs to a handle and is numbered within it. */
export type ContractEvent =
  | {
      readonly kind: "v1";
      readonly creationNumber: bigint;
      readonly account: Address;
      readonly sequenceNumber: bigint;
      readonly type: TypeTag;
      readonly data: Uint8Array;
    }
  | { readonly kind: "v2"; readonly type: TypeTag; readonly data: Uint8Array };

/** Events on the wire. */
export const contractEventCodec: Codec<ContractEvent> = variants("ContractEvent", {
  v1: {
    creationNumber: u64,
    account: addressCodec,
    sequenceNumber: u64,
    type: typeTagCodec,
    data: byteString,
  },
  v2: { type: typeTagCodec, data: byteString },
});

/** Hash of an event from its BCS: a leaf of the event accumulator. */
export function eventHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.contractEvent, bcs);
}
