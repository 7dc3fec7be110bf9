// Encodes the rows of the meta and block tables: positions, identities and block starts. Decoded values share no memory
// with the row.
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { struct } from "../../bcs/records.ts";
import { hash, u8, u64 } from "../../bcs/scalars.ts";
import { decodePosition as decodeFields, type Position, positionCodec } from "../../ledger/position.ts";
import type { BlockStart, StoreIdentity } from "../contract.ts";

const identityCodec = struct({ chainId: u8, genesisHash: hash });
/** The height is the row's key. */
const blockCodec = struct({ firstVersion: u64, timestampUsec: u64, epoch: u64 });

export function encodePosition(position: Position): Buffer {
  return Buffer.from(encodeWith(positionCodec, position));
}

export function decodePosition(bytes: Uint8Array): Position {
  return decodeFields(new Uint8Array(bytes));
}

export function encodeIdentity(identity: StoreIdentity): Uint8Array {
  return encodeWith(identityCodec, identity);
}

export function decodeIdentity(bytes: Uint8Array): StoreIdentity {
  return decodeWith(identityCodec, new Uint8Array(bytes));
}

export function encodeBlock(block: BlockStart): Uint8Array {
  return encodeWith(blockCodec, block);
}

export function decodeBlock(height: bigint, bytes: Uint8Array): BlockStart {
  return { height, ...decodeWith(blockCodec, bytes) };
}
