// Random values of the ledger's formats, in their canonical form.
import fc from "fast-check";
import { toHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import type { ContractEvent, NewBlockEvent } from "../../src/ledger/formats/block-event.ts";
import type { LedgerRecord } from "../../src/ledger/formats/record.ts";
import { type StateKey, stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import type { StateMetadata, StateValue } from "../../src/ledger/formats/state-value.ts";
import type { BlockEpilogue, GenesisPayload, Transaction } from "../../src/ledger/formats/transaction.ts";
import type {
  AbortLocation,
  AuxiliaryInfo,
  ExecutionStatus,
  TransactionInfo,
} from "../../src/ledger/formats/transaction-info.ts";
import type { ValidatorInfo, ValidatorSet } from "../../src/ledger/formats/validator-set.ts";
import type { WriteOp, WriteSet, Writes } from "../../src/ledger/formats/write-set.ts";
import type { Position } from "../../src/ledger/position.ts";
import type { TrustLevel } from "../../src/ledger/trust.ts";
import {
  anyAddress,
  anyBytes,
  anyHash,
  anyModuleId,
  anyText,
  anyTypeTag,
  anyU64,
} from "./move-arbitraries.ts";
import {
  anyBlockEndInfo,
  anyBlockMetadata,
  anyBlockMetadataExt,
  anyFeeDistribution,
  anyScript,
  anyUserTransaction,
  anyValidatorTransaction,
} from "./transaction-arbitraries.ts";

const U64_MAX = 0xffff_ffff_ffff_ffffn;

export const anyStateKey: fc.Arbitrary<StateKey> = fc.oneof(
  fc.record({ kind: fc.constant("accessPath" as const), address: anyAddress, path: anyBytes }),
  fc.record({ kind: fc.constant("tableItem" as const), handle: anyAddress, key: anyBytes }),
  fc.record({ kind: fc.constant("raw" as const), key: anyBytes }),
  fc.record({
    kind: fc.constant("tradingNative" as const),
    item: fc.record({
      kind: fc.constant("position" as const),
      exchange: anyAddress,
      account: anyAddress,
      market: anyAddress,
    }),
  }),
);

export const anyStateMetadata: fc.Arbitrary<StateMetadata> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), deposit: anyU64, creationTimeUsec: anyU64 }),
  fc.record({
    kind: fc.constant("v1" as const),
    slotDeposit: anyU64,
    bytesDeposit: fc.bigInt({ min: 1n, max: U64_MAX }),
    creationTimeUsec: anyU64,
  }),
);

export const anyStateValue: fc.Arbitrary<StateValue> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), data: anyBytes }),
  fc.record({
    kind: fc.constant("withMetadata" as const),
    data: anyBytes,
    metadata: anyStateMetadata,
  }),
);

export const anyWriteOp: fc.Arbitrary<WriteOp> = fc.oneof(
  fc.record({ kind: fc.constantFrom("creation" as const, "modification" as const), data: anyBytes }),
  fc.constant({ kind: "deletion" as const }),
  fc.record({
    kind: fc.constantFrom("creationWithMetadata" as const, "modificationWithMetadata" as const),
    data: anyBytes,
    metadata: anyStateMetadata,
  }),
  fc.record({ kind: fc.constant("deletionWithMetadata" as const), metadata: anyStateMetadata }),
);

const hexOfKey = (key: StateKey) => toHex(encodeWith(stateKeyCodec, key));

/** Writes sorted by the bytes of their keys. */
const anyWrites: fc.Arbitrary<Writes> = fc
  .uniqueArray(fc.tuple(anyStateKey, anyWriteOp), {
    maxLength: 4,
    selector: ([key]) => hexOfKey(key),
  })
  .map((writes) => writes.sort(([a], [b]) => (hexOfKey(a) < hexOfKey(b) ? -1 : 1)));

export const anyWriteSet: fc.Arbitrary<WriteSet> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), writes: anyWrites }),
  fc.record({
    kind: fc.constant("v1" as const),
    writes: anyWrites,
    hotKeys: fc.array(anyStateKey, { maxLength: 2 }),
    extensions: fc.array(fc.record({ kind: fc.constant("nativePositions" as const), writes: anyWrites }), {
      maxLength: 2,
    }),
  }),
);

export const anyContractEvent: fc.Arbitrary<ContractEvent> = fc.oneof(
  fc.record({
    kind: fc.constant("v1" as const),
    creationNumber: anyU64,
    account: anyAddress,
    sequenceNumber: anyU64,
    type: anyTypeTag,
    data: anyBytes,
  }),
  fc.record({ kind: fc.constant("v2" as const), type: anyTypeTag, data: anyBytes }),
);

const anyAbortLocation: fc.Arbitrary<AbortLocation> = fc.oneof(
  fc.record({
    kind: fc.constant("module" as const),
    module: anyModuleId,
  }),
  fc.constant({ kind: "script" as const }),
);
const anyU16 = fc.integer({ min: 0, max: 0xffff });

export const anyExecutionStatus: fc.Arbitrary<ExecutionStatus> = fc.oneof(
  fc.constant({ kind: "success" as const }),
  fc.constant({ kind: "outOfGas" as const }),
  fc.record({
    kind: fc.constant("moveAbort" as const),
    location: anyAbortLocation,
    code: anyU64,
    info: fc.option(fc.record({ reasonName: anyText, description: anyText }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("executionFailure" as const),
    location: anyAbortLocation,
    function: anyU16,
    codeOffset: anyU16,
  }),
  fc.record({
    kind: fc.constant("miscellaneous" as const),
    statusCode: fc.option(anyU64, { nil: undefined }),
  }),
);

const optionalHash = fc.option(anyHash, { nil: undefined });
const commonInfo = {
  gasUsed: anyU64,
  status: anyExecutionStatus,
  transactionHash: anyHash,
  eventRootHash: anyHash,
  stateChangeHash: anyHash,
  stateCheckpointHash: optionalHash,
  auxiliaryInfoHash: optionalHash,
};

export const anyTransactionInfo: fc.Arbitrary<TransactionInfo> = fc.oneof(
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

const anyGenesisPayload: fc.Arbitrary<GenesisPayload> = fc.oneof(
  fc.record({
    kind: fc.constant("direct" as const),
    writeSet: anyWriteSet,
    events: fc.array(anyContractEvent, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant("script" as const), runAs: anyAddress, script: anyScript }),
);

const epilogueStart = { blockId: anyHash, endInfo: anyBlockEndInfo };

const anyBlockEpilogue: fc.Arbitrary<BlockEpilogue> = fc.oneof(
  fc.record({ kind: fc.constant("v0" as const), ...epilogueStart }),
  fc.record({ kind: fc.constant("v1" as const), ...epilogueStart, fees: anyFeeDistribution }),
  fc.record({
    kind: fc.constant("v2" as const),
    ...epilogueStart,
    fees: anyFeeDistribution,
    hotKeys: fc.array(anyStateKey, { maxLength: 3 }),
  }),
);

export const anyTransaction: fc.Arbitrary<Transaction> = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), transaction: anyUserTransaction }),
  fc.record({ kind: fc.constant("genesis" as const), payload: anyGenesisPayload }),
  fc.record({ kind: fc.constant("blockMetadata" as const), block: anyBlockMetadata }),
  fc.record({ kind: fc.constant("stateCheckpoint" as const), blockId: anyHash }),
  fc.record({ kind: fc.constant("validator" as const), transaction: anyValidatorTransaction }),
  fc.record({ kind: fc.constant("blockMetadataExt" as const), block: anyBlockMetadataExt }),
  fc.record({ kind: fc.constant("blockEpilogue" as const), epilogue: anyBlockEpilogue }),
);

export const anyRecord: fc.Arbitrary<LedgerRecord> = fc.record({
  version: anyU64,
  transaction: anyTransaction,
  info: anyTransactionInfo,
  events: fc.array(anyContractEvent, { maxLength: 3 }),
  accumulatorRoot: anyHash,
  changes: anyWriteSet,
});

export const anyAuxiliaryInfo: fc.Arbitrary<AuxiliaryInfo> = fc.oneof(
  fc.constant({ kind: "none" as const }),
  fc.record({
    kind: fc.constantFrom("v1" as const, "simulated" as const),
    transactionIndex: fc.integer({ min: 0, max: 0xffff_ffff }),
  }),
);

export const anyNewBlockEvent: fc.Arbitrary<NewBlockEvent> = fc.record({
  hash: anyHash,
  epoch: anyU64,
  round: anyU64,
  height: anyU64,
  previousVotes: anyBytes,
  proposer: anyAddress,
  failedProposers: fc.array(anyU64, { maxLength: 3 }),
  timestampUsec: anyU64,
});

const anyValidator: fc.Arbitrary<ValidatorInfo> = fc.record({
  address: anyAddress,
  votingPower: anyU64,
  consensusKey: anyBytes,
  networkAddresses: anyBytes,
  fullnodeAddresses: anyBytes,
  index: anyU64,
});
const anyU128 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });

export const anyValidatorSet: fc.Arbitrary<ValidatorSet> = fc.record({
  consensusScheme: fc.nat(255),
  active: fc.array(anyValidator, { maxLength: 2 }),
  pendingInactive: fc.array(anyValidator, { maxLength: 2 }),
  pendingActive: fc.array(anyValidator, { maxLength: 2 }),
  totalVotingPower: anyU128,
  totalJoiningPower: anyU128,
});

const anyTrustLevel: fc.Arbitrary<TrustLevel> = fc.oneof(
  fc.constantFrom<TrustLevel>(
    { kind: "proven" },
    { kind: "anchored" },
    { kind: "chained" },
    { kind: "trusted" },
    { kind: "local" },
    { kind: "forked" },
  ),
  fc.record({ kind: fc.constant("agreed" as const), needed: fc.nat(0xffff), of: fc.nat(0xffff) }),
);

export const anyPosition: fc.Arbitrary<Position> = fc.record({
  chainId: fc.nat(255),
  version: anyU64,
  timestampUsec: anyU64,
  epoch: anyU64,
  blockHeight: anyU64,
  oldestVersion: anyU64,
  oldestBlockHeight: anyU64,
  accumulator: fc.record({ leafCount: anyU64, frozen: fc.array(anyHash, { maxLength: 4 }) }),
  stateRoot: optionalHash,
  trust: fc.array(fc.record({ first: anyU64, level: anyTrustLevel }), { maxLength: 4 }),
  refuted: fc.option(fc.record({ firstVersion: anyU64, reason: fc.string() }), { nil: undefined }),
});
