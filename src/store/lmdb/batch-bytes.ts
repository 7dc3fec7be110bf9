// A batch as bytes, for the thread that writes it: one buffer changes hands. A message of thousands of small arrays would
// cost more than the write. Written by hand, because this runs for every row of a commit.
import { BcsReader } from "../../bcs/reader.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { positionCodec } from "../../ledger/position.ts";
import type {
  BlockStart,
  CommitBatch,
  IndexRow,
  RawRecord,
  SideRow,
  StateWrite,
  TreeNodeWrite,
} from "../contract.ts";
import { HASH_BYTES } from "./tables.ts";

/** The bytes of a batch, in a buffer of their own. `size` is about their number. */
export function encodeBatch(batch: CommitBatch, size: number): Uint8Array {
  const writer = new BcsWriter(size);
  writeOption(writer, batch.previous, (value) => writer.u64(value));
  positionCodec.write(writer, batch.position);
  writer
    .vector(batch.writes, encodeWrite)
    .vector(batch.blocks, encodeBlock)
    .vector(batch.records, encodeRecord)
    .vector(batch.treeNodes, encodeRow);
  writeOption(writer, batch.index, (rows) => writer.vector(rows, encodeIndexRow));
  return writer.vector(batch.sideRows ?? [], encodeRow).take();
}

/** The batch without the keys of its writes, which the engine does not store. Its arrays are views on the bytes. */
export function decodeBatch(bytes: Uint8Array): CommitBatch {
  const reader = new BcsReader(bytes);
  const batch: CommitBatch = {
    previous: reader.some() ? reader.u64() : undefined,
    position: positionCodec.read(reader),
    writes: reader.vector(decodeWrite),
    blocks: reader.vector(decodeBlock),
    records: reader.vector(decodeRecord),
    treeNodes: reader.vector(decodeRow),
    index: reader.some() ? reader.vector(decodeIndexRow) : undefined,
    sideRows: reader.vector(decodeRow),
  };
  reader.finish();
  return batch;
}

function writeOption<T>(writer: BcsWriter, value: T | undefined, write: (value: T) => void): void {
  writer.bool(value !== undefined);
  if (value !== undefined) write(value);
}

function encodeWrite(writer: BcsWriter, { keyHash, version, value }: StateWrite): void {
  writer
    .fixed(keyHash)
    .u64(version)
    .bool(value !== undefined);
  if (value !== undefined) writer.byteString(value);
}

function decodeWrite(reader: BcsReader): StateWrite {
  return {
    keyHash: reader.fixed(HASH_BYTES),
    version: reader.u64(),
    value: reader.some() ? reader.byteString() : undefined,
  };
}

function encodeBlock(writer: BcsWriter, { height, firstVersion, timestampUsec, epoch }: BlockStart): void {
  writer.u64(height).u64(firstVersion).u64(timestampUsec).u64(epoch);
}

function decodeBlock(reader: BcsReader): BlockStart {
  return {
    height: reader.u64(),
    firstVersion: reader.u64(),
    timestampUsec: reader.u64(),
    epoch: reader.u64(),
  };
}

function encodeRecord(writer: BcsWriter, { version, bytes }: RawRecord): void {
  writer.u64(version).byteString(bytes);
}

function decodeRecord(reader: BcsReader): RawRecord {
  return { version: reader.u64(), bytes: reader.byteString() };
}

function encodeRow(writer: BcsWriter, { key, value }: TreeNodeWrite | SideRow): void {
  writer.byteString(key).bool(value !== undefined);
  if (value !== undefined) writer.byteString(value);
}

function decodeRow(reader: BcsReader): TreeNodeWrite & SideRow {
  return { key: reader.byteString(), value: reader.some() ? reader.byteString() : undefined };
}

function encodeIndexRow(writer: BcsWriter, row: IndexRow): void {
  writer
    .byteString(row.owner)
    .byteString(row.place)
    .byteString(row.data)
    .fixed(row.keyHash)
    .u64(row.version)
    .bool(row.isDeletion);
}

function decodeIndexRow(reader: BcsReader): IndexRow {
  return {
    owner: reader.byteString(),
    place: reader.byteString(),
    data: reader.byteString(),
    keyHash: reader.fixed(HASH_BYTES),
    version: reader.u64(),
    isDeletion: reader.bool(),
  };
}
