// Events that a transaction emitted. Two of them structure the ledger: the start of a block and the change of an epoch. Both
// are V1 events of handles at 0x1 and are recognised by their leading bytes.
import { decodeWith, encodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { struct, variants } from "../../bcs/records.ts";
import { byteString, hash, u64 } from "../../bcs/scalars.ts";
import { vector } from "../../bcs/sequences.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { ADDRESS_LENGTH, FRAMEWORK } from "../../move/address.ts";
import { type TypeTag, typeTagCodec } from "../../move/type-tag.ts";
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

/** Data of 0x1::block::NewBlockEvent. */
export const newBlockEventCodec = struct({
  /** The block's id. */
  hash,
  epoch: u64,
  round: u64,
  height: u64,
  previousVotes: byteString,
  proposer: addressCodec,
  failedProposers: vector(u64),
  timestampUsec: u64,
});
export type NewBlockEvent = ValueOf<typeof newBlockEventCodec>;

/** Data of 0x1::reconfiguration::NewEpochEvent. */
export const newEpochEventCodec = struct({ epoch: u64 });

/** Creation numbers of the two handles at 0x1. */
export const NEW_EPOCH_CREATION_NUMBER = 2n;
export const NEW_BLOCK_CREATION_NUMBER = 3n;

function frameworkType(module: string, name: string): TypeTag {
  return { kind: "struct", struct: { address: FRAMEWORK, module, name, typeArgs: [] } };
}

/** Types of the two events. */
export const NEW_BLOCK_EVENT_TYPE: TypeTag = frameworkType("block", "NewBlockEvent");
export const NEW_EPOCH_EVENT_TYPE: TypeTag = frameworkType("reconfiguration", "NewEpochEvent");

/** The bytes of a V1 event before its sequence number, and those between the sequence number and the data. */
interface EventPattern {
  readonly key: Uint8Array;
  readonly type: Uint8Array;
}

const EVENT_V1 = 0;
const SEQUENCE_NUMBER_BYTES = 8;

function patternOf(creationNumber: bigint, type: TypeTag): EventPattern {
  return {
    key: new BcsWriter().uleb(EVENT_V1).u64(creationNumber).fixed(FRAMEWORK).take(),
    type: encodeWith(typeTagCodec, type),
  };
}

const NEW_BLOCK = patternOf(NEW_BLOCK_CREATION_NUMBER, NEW_BLOCK_EVENT_TYPE);
const NEW_EPOCH = patternOf(NEW_EPOCH_CREATION_NUMBER, NEW_EPOCH_EVENT_TYPE);

function matchesAt(event: Uint8Array, offset: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (event[offset + i] !== part[i]) return false;
  return true;
}

/** The data of an event that matches the pattern; undefined for any other event. */
function dataOf(event: Uint8Array, { key, type }: EventPattern): Uint8Array | undefined {
  const typeStart = key.length + SEQUENCE_NUMBER_BYTES;
  if (!matchesAt(event, 0, key) || !matchesAt(event, typeStart, type)) return undefined;
  return new BcsReader(event.subarray(typeStart + type.length)).byteString();
}

/** The block that an event starts, from the event's BCS; undefined for any other event. */
export function findNewBlock(event: Uint8Array): NewBlockEvent | undefined {
  const data = dataOf(event, NEW_BLOCK);
  return data === undefined ? undefined : decodeWith(newBlockEventCodec, data);
}

/** The epoch that starts after an event, from the event's BCS; undefined for any other event. */
export function findNewEpoch(event: Uint8Array): ValueOf<typeof newEpochEventCodec> | undefined {
  const data = dataOf(event, NEW_EPOCH);
  return data === undefined ? undefined : decodeWith(newEpochEventCodec, data);
}
