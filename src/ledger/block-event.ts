// The two events that structure the ledger: the start of a block and the change of an epoch. Both are V1
// events of handles at 0x1; they are recognised by their bytes.
import { decodeWith, encodeWith, type ValueOf } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { struct } from "../bcs/records.ts";
import { byteString, hash, u64 } from "../bcs/scalars.ts";
import { vector } from "../bcs/sequences.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { parseAddress } from "../move/address.ts";
import { type TypeTag, typeTagCodec } from "../move/type-tag.ts";
import { addressCodec } from "../move/wire.ts";

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

const FRAMEWORK = parseAddress("0x1");
/** Creation numbers of the two handles at 0x1. */
export const NEW_EPOCH_CREATION_NUMBER = 2n;
export const NEW_BLOCK_CREATION_NUMBER = 3n;

function frameworkType(module: string, name: string): TypeTag {
  return { kind: "struct", struct: { address: FRAMEWORK, module, name, typeArgs: [] } };
}

/** Types of the two events. */
export const NEW_BLOCK_EVENT_TYPE: TypeTag = frameworkType("block", "NewBlockEvent");
export const NEW_EPOCH_EVENT_TYPE: TypeTag = frameworkType("reconfiguration", "NewEpochEvent");

/** Everything of a V1 event that comes before and after its sequence number, up to its data. */
interface EventShape {
  readonly key: Uint8Array;
  readonly type: Uint8Array;
}

const EVENT_V1 = 0;
const SEQUENCE_NUMBER_BYTES = 8;

function shapeOf(creationNumber: bigint, type: TypeTag): EventShape {
  return {
    key: new BcsWriter().uleb(EVENT_V1).u64(creationNumber).fixed(FRAMEWORK).take(),
    type: encodeWith(typeTagCodec, type),
  };
}

const NEW_BLOCK = shapeOf(NEW_BLOCK_CREATION_NUMBER, NEW_BLOCK_EVENT_TYPE);
const NEW_EPOCH = shapeOf(NEW_EPOCH_CREATION_NUMBER, NEW_EPOCH_EVENT_TYPE);

function hasAt(event: Uint8Array, offset: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (event[offset + i] !== part[i]) return false;
  return true;
}

/** The data of an event of the given shape; undefined for any other event. */
function dataOf(event: Uint8Array, { key, type }: EventShape): Uint8Array | undefined {
  const typeStart = key.length + SEQUENCE_NUMBER_BYTES;
  if (!hasAt(event, 0, key) || !hasAt(event, typeStart, type)) return undefined;
  return new BcsReader(event.subarray(typeStart + type.length)).byteString();
}

/** The block that starts with this event, given its BCS; undefined for any other event. */
export function findNewBlock(event: Uint8Array): NewBlockEvent | undefined {
  const data = dataOf(event, NEW_BLOCK);
  return data === undefined ? undefined : decodeWith(newBlockEventCodec, data);
}

/** The epoch that starts after this event, given its BCS; undefined for any other event. */
export function findNewEpoch(event: Uint8Array): ValueOf<typeof newEpochEventCodec> | undefined {
  const data = dataOf(event, NEW_EPOCH);
  return data === undefined ? undefined : decodeWith(newEpochEventCodec, data);
}
