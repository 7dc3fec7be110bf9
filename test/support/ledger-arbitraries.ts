// Random values of the ledger's formats, in their canonical form.
import fc from "fast-check";
import { toHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import type { ContractEvent } from "../../src/ledger/event.ts";
import type { AbortLocation, ExecutionStatus } from "../../src/ledger/execution-status.ts";
import { type StateKey, stateKeyCodec } from "../../src/ledger/state-key.ts";
import type { StateMetadata, StateValue } from "../../src/ledger/state-value.ts";
import type { TransactionInfo } from "../../src/ledger/transaction-info.ts";
import type { WriteOp, WriteSet, Writes } from "../../src/ledger/write-set.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import type { TypeTag } from "../../src/move/type-tag.ts";

const U64_MAX = 0xffff_ffff_ffff_ffffn;
export const u64Arbitrary = fc.oneof(
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.constant(U64_MAX),
);
export const bytesArbitrary = fc.uint8Array({ maxLength: 20 });
export const hashArbitrary = fc.uint8Array({ minLength: 32, maxLength: 32 });
export const addressArbitrary = hashArbitrary.map(addressFromBytes);
const nameArbitrary = fc.string({ maxLength: 8, unit: "grapheme" });

const typeTag = fc.letrec<{ tag: TypeTag; struct: TypeTag; vector: TypeTag }>((tie) => ({
  tag: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<TypeTag>({ kind: "u64" }, { kind: "address" }, { kind: "i256" }, { kind: "bool" }),
    tie("struct"),
    tie("vector"),
  ),
  vector: fc.record({ kind: fc.constant("vector" as const), item: tie("tag") }),
  struct: fc.record({
    kind: fc.constant("struct" as const),
    struct: fc.record({
      address: addressArbitrary,
      module: nameArbitrary,
      name: nameArbitrary,
      typeArgs: fc.array(tie("tag"), { maxLength: 2 }),
    }),
  }),
}));
export const typeTagArbitrary: fc.Arbitrary<TypeTag> = typeTag.tag;

export const stateKeyArbitrary: fc.Arbitrary<StateKey> = fc.oneof(
  fc.record({ kind: fc.constant("accessPath" as const), address: addressArbitrary, path: bytesArbitrary }),
  fc.record({ kind: fc.constant("tableItem" as const), handle: addressArbitrary, key: bytesArbitrary }),
  fc.record({ kind: fc.constant("raw" as const), key: bytesArbitrary }),
  fc.record({
    kind: fc.constant("tradingNative" as const),
    item: fc.record({
      kind: fc.constant("position" as const),
      exchange: addressArbitrary,
      account: addressArbitrary,
      market: addressArbitrary,
    }),
  }),
);

export const stateMetadataArbitrary: fc.Arbitrary<StateMetadata> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), deposit: u64Arbitrary, creationTimeUsec: u64Arbitrary }),
  fc.record({
    kind: fc.constant("v1" as const),
    slotDeposit: u64Arbitrary,
    bytesDeposit: fc.bigInt({ min: 1n, max: U64_MAX }),
    creationTimeUsec: u64Arbitrary,
  }),
);

export const stateValueArbitrary: fc.Arbitrary<StateValue> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), data: bytesArbitrary }),
  fc.record({
    kind: fc.constant("withMetadata" as const),
    data: bytesArbitrary,
    metadata: stateMetadataArbitrary,
  }),
);

export const writeOpArbitrary: fc.Arbitrary<WriteOp> = fc.oneof(
  fc.record({ kind: fc.constantFrom("creation" as const, "modification" as const), data: bytesArbitrary }),
  fc.constant({ kind: "deletion" as const }),
  fc.record({
    kind: fc.constantFrom("creationWithMetadata" as const, "modificationWithMetadata" as const),
    data: bytesArbitrary,
    metadata: stateMetadataArbitrary,
  }),
  fc.record({ kind: fc.constant("deletionWithMetadata" as const), metadata: stateMetadataArbitrary }),
);

const hexOfKey = (key: StateKey) => toHex(encodeWith(stateKeyCodec, key));

/** Writes in the order of their keys' bytes. */
export const writesArbitrary: fc.Arbitrary<Writes> = fc
  .uniqueArray(fc.tuple(stateKeyArbitrary, writeOpArbitrary), {
    maxLength: 4,
    selector: ([key]) => hexOfKey(key),
  })
  .map((writes) => writes.sort(([a], [b]) => (hexOfKey(a) < hexOfKey(b) ? -1 : 1)));

export const writeSetArbitrary: fc.Arbitrary<WriteSet> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), writes: writesArbitrary }),
  fc.record({
    kind: fc.constant("v1" as const),
    writes: writesArbitrary,
    hotKeys: fc.array(stateKeyArbitrary, { maxLength: 2 }),
    extensions: fc.array(
      fc.record({ kind: fc.constant("nativePositions" as const), writes: writesArbitrary }),
      { maxLength: 2 },
    ),
  }),
);

export const contractEventArbitrary: fc.Arbitrary<ContractEvent> = fc.oneof(
  fc.record({
    kind: fc.constant("v1" as const),
    creationNumber: u64Arbitrary,
    account: addressArbitrary,
    sequenceNumber: u64Arbitrary,
    type: typeTagArbitrary,
    data: bytesArbitrary,
  }),
  fc.record({ kind: fc.constant("v2" as const), type: typeTagArbitrary, data: bytesArbitrary }),
);

const locationArbitrary: fc.Arbitrary<AbortLocation> = fc.oneof(
  fc.record({
    kind: fc.constant("module" as const),
    module: fc.record({ address: addressArbitrary, name: nameArbitrary }),
  }),
  fc.constant({ kind: "script" as const }),
);
const u16Arbitrary = fc.integer({ min: 0, max: 0xffff });

export const executionStatusArbitrary: fc.Arbitrary<ExecutionStatus> = fc.oneof(
  fc.constant({ kind: "success" as const }),
  fc.constant({ kind: "outOfGas" as const }),
  fc.record({
    kind: fc.constant("moveAbort" as const),
    location: locationArbitrary,
    code: u64Arbitrary,
    info: fc.option(fc.record({ reasonName: nameArbitrary, description: nameArbitrary }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("executionFailure" as const),
    location: locationArbitrary,
    function: u16Arbitrary,
    codeOffset: u16Arbitrary,
  }),
  fc.record({
    kind: fc.constant("miscellaneous" as const),
    statusCode: fc.option(u64Arbitrary, { nil: undefined }),
  }),
);

const optionalHash = fc.option(hashArbitrary, { nil: undefined });
const commonInfo = {
  gasUsed: u64Arbitrary,
  status: executionStatusArbitrary,
  transactionHash: hashArbitrary,
  eventRootHash: hashArbitrary,
  stateChangeHash: hashArbitrary,
  stateCheckpointHash: optionalHash,
  auxiliaryInfoHash: optionalHash,
};

export const transactionInfoArbitrary: fc.Arbitrary<TransactionInfo> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), ...commonInfo }),
  fc.record({
    kind: fc.constant("v1" as const),
    ...commonInfo,
    hotStateCheckpointHash: optionalHash,
    positionCheckpointHash: optionalHash,
    reserved1: optionalHash,
    reserved2: optionalHash,
    reserved3: optionalHash,
    reserved4: optionalHash,
    reserved5: optionalHash,
    reserved6: optionalHash,
    reserved7: optionalHash,
  }),
);
