// Write sets: the state changes of a transaction.
import type { ValueOf } from "../../bcs/codec.ts";
import { variants } from "../../bcs/records.ts";
import { byteString } from "../../bcs/scalars.ts";
import { map, vector } from "../../bcs/sequences.ts";
import { hashOf, SEEDS } from "../hash.ts";
import { stateKeyCodec } from "./state-key.ts";
import { type StateValue, stateMetadataCodec } from "./state-value.ts";

/** One change. Creation and modification leave the same value; the metadata of a deletion records a refund. */
export const writeOpCodec = variants("WriteOp", {
  creation: { data: byteString },
  modification: { data: byteString },
  deletion: {},
  creationWithMetadata: { data: byteString, metadata: stateMetadataCodec },
  modificationWithMetadata: { data: byteString, metadata: stateMetadataCodec },
  deletionWithMetadata: { metadata: stateMetadataCodec },
});
export type WriteOp = ValueOf<typeof writeOpCodec>;

/** Changes by key, ordered by the bytes of the keys. */
const writesCodec = map(stateKeyCodec, writeOpCodec);
export type Writes = ValueOf<typeof writesCodec>;

/** Changes outside the main state. */
const writeSetExtensionCodec = variants("WriteSetExtension", {
  nativePositions: { writes: writesCodec },
});

/** Keys that became hot. They change no value. */
export const hotKeysCodec = vector(stateKeyCodec);
export const extensionsCodec = vector(writeSetExtensionCodec);

/** The changes of one transaction. */
export const writeSetCodec = variants("WriteSet", {
  v0: { writes: writesCodec },
  v1: { writes: writesCodec, hotKeys: hotKeysCodec, extensions: extensionsCodec },
});
export type WriteSet = ValueOf<typeof writeSetCodec>;

/** Hash of a write set from its BCS. */
export function writeSetHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.writeSet, bcs);
}

/** The value after a change; undefined for a deletion. */
export function writtenValue(op: WriteOp): StateValue | undefined {
  switch (op.kind) {
    case "creation":
    case "modification":
      return { kind: "v0", data: op.data };
    case "creationWithMetadata":
    case "modificationWithMetadata":
      return { kind: "withMetadata", data: op.data, metadata: op.metadata };
    case "deletion":
    case "deletionWithMetadata":
      return undefined;
  }
}
