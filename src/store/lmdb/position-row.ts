// The rows of the meta table and the block table: positions, identities and block starts as bytes.
import { BcsReader, decode } from "../../bcs/reader.ts";
import { encode } from "../../bcs/writer.ts";
import type { Position } from "../../ledger/position.ts";
import type { BlockStart, StoreIdentity } from "../contract.ts";

/** Bytes of a position. */
export function encodePosition(position: Position): Uint8Array {
  return encode(position, (writer, value) => {
    writer.u8(value.chainId).u64(value.version).u64(value.timestampUsec).u64(value.epoch);
    writer.u64(value.blockHeight).u64(value.oldestVersion).u64(value.oldestBlockHeight);
    writer.u64(value.accumulator.leafCount);
    writer.vector(value.accumulator.frozen, (inner, hash) => inner.byteString(hash));
    writer.option(value.stateRoot, (inner, root) => inner.byteString(root));
  });
}

/** The position that the bytes hold, sharing nothing with them. */
export function decodePosition(bytes: Uint8Array): Position {
  return decode(bytes, (reader) => ({
    chainId: reader.u8(),
    version: reader.u64(),
    timestampUsec: reader.u64(),
    epoch: reader.u64(),
    blockHeight: reader.u64(),
    oldestVersion: reader.u64(),
    oldestBlockHeight: reader.u64(),
    accumulator: {
      leafCount: reader.u64(),
      frozen: reader.vector((inner) => new Uint8Array(inner.byteString())),
    },
    stateRoot: reader.option((inner) => new Uint8Array(inner.byteString())),
  }));
}

/** Bytes of an identity. */
export function encodeIdentity(identity: StoreIdentity): Uint8Array {
  return encode(identity, (writer, value) => writer.u8(value.chainId).fixed(value.genesisHash));
}

/** The identity that the bytes hold. */
export function decodeIdentity(bytes: Uint8Array): StoreIdentity {
  return decode(bytes, (reader) => ({
    chainId: reader.u8(),
    genesisHash: new Uint8Array(reader.fixed(32)),
  }));
}

/** Bytes of a block row; the height is its key. */
export function encodeBlock(block: BlockStart): Uint8Array {
  return encode(block, (writer, value) => {
    writer.u64(value.firstVersion).u64(value.timestampUsec).u64(value.epoch);
  });
}

/** The block start that a row holds. */
export function decodeBlock(height: bigint, bytes: Uint8Array): BlockStart {
  const reader = new BcsReader(bytes);
  const block = {
    height,
    firstVersion: reader.u64(),
    timestampUsec: reader.u64(),
    epoch: reader.u64(),
  };
  reader.finish();
  return block;
}
