// Write sets: what a transaction changed in the state.
import type { Codec } from "../bcs/codec.ts";
import { variants } from "../bcs/records.ts";
import { byteString } from "../bcs/scalars.ts";
import { map, vector } from "../bcs/sequences.ts";
import { hashOf, SEEDS } from "./hash.ts";
import { type StateKey, stateKeyCodec } from "./state-key.ts";
import { type StateMetadata, type StateValue, stateMetadataCodec } from "./state-value.ts";

/** One change. Creation and modification leave the same value; metadata of a deletion is a refund record. */
export type WriteOp =
  | { readonly kind: "creation" | "modification"; readonly data: Uint8Array }
  | { readonly kind: "deletion" }
  | {
      readonly kind: "creationWithMetadata" | "modificationWithMetadata";
      readonly data: Uint8Array;
      readonly metadata: StateMetadata;
    }
  | { readonly kind: "deletionWithMetadata"; readonly metadata: StateMetadata };

/** Changes by key, ordered by the bytes of the keys. */
export type Writes = readonly (readonly [StateKey, WriteOp])[];

/** Changes outside the main state. */
export interface WriteSetExtension {
  readonly kind: "nativePositions";
  readonly writes: Writes;
}

/** The changes of one transaction. */
export type WriteSet =
  | { readonly kind: "v0"; readonly writes: Writes }
  | {
      readonly kind: "v1";
      readonly writes: Writes;
      /** Keys that became hot; they never change a value. */
      readonly hotKeys: readonly StateKey[];
      readonly extensions: readonly WriteSetExtension[];
    };

/** Changes of one key on the wire. */
export const writeOpCodec: Codec<WriteOp> = variants("WriteOp", {
  creation: { data: byteString },
  modification: { data: byteString },
  deletion: {},
  creationWithMetadata: { data: byteString, metadata: stateMetadataCodec },
  modificationWithMetadata: { data: byteString, metadata: stateMetadataCodec },
  deletionWithMetadata: { metadata: stateMetadataCodec },
});

const writesCodec: Codec<Writes> = map(stateKeyCodec, writeOpCodec);

const writeSetExtensionCodec: Codec<WriteSetExtension> = variants("WriteSetExtension", {
  nativePositions: { writes: writesCodec },
});

/** The parts of a V1 write set after its writes. */
export const hotKeysCodec: Codec<readonly StateKey[]> = vector(stateKeyCodec);
export const extensionsCodec: Codec<readonly WriteSetExtension[]> = vector(writeSetExtensionCodec);

/** Write sets on the wire. */
export const writeSetCodec: Codec<WriteSet> = variants("WriteSet", {
  v0: { writes: writesCodec },
  v1: { writes: writesCodec, hotKeys: hotKeysCodec, extensions: extensionsCodec },
});

/** Hash of a write set from its BCS. */
export function writeSetHash(bcs: Uint8Array): Uint8Array {
  return hashOf(SEEDS.writeSet, bcs);
}

/** The value that a change leaves behind; undefined when it deletes. */
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
