// State values: the bytes of a state item, with or without the deposits paid for its storage.
import type { Codec, ValueOf } from "../../bcs/codec.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { variants } from "../../bcs/records.ts";
import { byteString, u64 } from "../../bcs/scalars.ts";
import type { BcsWriter } from "../../bcs/writer.ts";
import { LedgerError } from "../errors.ts";
import { hashOf, SEEDS } from "../hash.ts";

const NOT_CANONICAL = "metadata with a bytes deposit of 0 must be v0";

// The chain writes v0 whenever the bytes deposit is zero; a v1 would have another hash.
const bytesDepositCodec: Codec<bigint> = {
  minBytes: 8,
  read: (reader: BcsReader) => {
    const at = reader.offset;
    const value = reader.u64();
    return value === 0n ? reader.fail(NOT_CANONICAL, at) : value;
  },
  write: (writer: BcsWriter, value: bigint) => {
    if (value === 0n) writer.fail(NOT_CANONICAL);
    writer.u64(value);
  },
  skip: (reader: BcsReader) => {
    const at = reader.offset;
    if (reader.u64() === 0n) reader.fail(NOT_CANONICAL, at);
  },
};

/** Deposits and creation time of an item. v1 exists only for a bytes deposit above zero. */
export const stateMetadataCodec = variants("StateMetadata", {
  v0: { deposit: u64, creationTimeUsec: u64 },
  v1: { slotDeposit: u64, bytesDeposit: bytesDepositCodec, creationTimeUsec: u64 },
});
export type StateMetadata = ValueOf<typeof stateMetadataCodec>;

/** A state item's value. */
export const stateValueCodec = variants("StateValue", {
  v0: { data: byteString },
  withMetadata: { data: byteString, metadata: stateMetadataCodec },
});
export type StateValue = ValueOf<typeof stateValueCodec>;

/** Hash of a state value from its BCS. */
export function stateValueHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.stateValue, bcs);
}

/** Bytes after the data of a value with metadata v0. */
const METADATA_V0_BYTES = 1 + 8 + 8;

/** True for most state values: data of up to 16,383 bytes, without metadata or with v0. Costs a fifth of the codec. */
function isUsualValue(bytes: Uint8Array): boolean {
  const [low = 0, high = 0] = [bytes[1], bytes[2]];
  const isLong = low >= 0x80;
  if (isLong && (high === 0 || high >= 0x80)) return false;
  const end = isLong ? 3 + (low & 0x7f) + 0x80 * high : 2 + low;
  if (bytes[0] === 0) return bytes.length === end;
  return bytes[0] === 1 && bytes[end] === 0 && bytes.length === end + METADATA_V0_BYTES;
}

/** Throws BcsError unless the bytes are the BCS of a state value. */
export function assertStateValue(bytes: Uint8Array): void {
  if (isUsualValue(bytes)) return;
  const reader = new BcsReader(bytes);
  stateValueCodec.skip(reader);
  reader.finish();
}

/** The data inside the BCS of a state value, found by offset; a view on the input. */
export function stateValueData(bcs: Uint8Array): Uint8Array {
  let length = 0;
  let at = 1;
  for (let unit = 1; unit < 2 ** 35; unit *= 0x80) {
    const byte = bcs[at++];
    if (byte === undefined) break;
    length += (byte & 0x7f) * unit;
    if (byte >= 0x80) continue;
    if (length > bcs.length - at || (bcs[0] ?? 2) > 1) break;
    return bcs.subarray(at, at + length);
  }
  throw new LedgerError("corrupt", `stored state value of ${bcs.length} bytes does not decode`);
}
