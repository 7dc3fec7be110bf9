// The rows of the meta table and the block table: positions, identities and block starts as bytes.
import { BcsReader, decode } from "../../bcs/reader.ts";
import { encode } from "../../bcs/writer.ts";
import { decodePosition as decodeSharedPosition, type Position } from "../../ledger/position.ts";
import type { BlockStart, StoreIdentity } from "../contract.ts";

/** The position that the bytes hold, sharing nothing with them. */
export function decodePosition(bytes: Uint8Array): Position {
  return decodeSharedPosition(new Uint8Array(bytes));
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
