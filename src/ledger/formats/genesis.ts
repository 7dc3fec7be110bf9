// The genesis file: the transaction of version 0. State root, transaction info and waypoint are computed here from its
// bytes alone.
import { equalBytes } from "../../base/bytes.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { FRAMEWORK } from "../../move/address.ts";
import { structTagCodec } from "../../move/type-tag.ts";
import { eventRoot } from "../accumulator.ts";
import { LedgerError } from "../errors.ts";
import { resourceKeyHash } from "../key-hash.ts";
import { createStateTree, type TreeNodeChange } from "../state-tree/update.ts";
import { type EncodedWrite, readStateWrites } from "../state-writes.ts";
import { computeWaypoint, type Waypoint } from "../waypoint.ts";
import { eventHash, findNewBlock, findNewEpoch } from "./block-event.ts";
import { encodeRecord, readEventSpans } from "./record.ts";
import { stateValueData, stateValueHash } from "./state-value.ts";
import { GENESIS_VARIANT, transactionHash } from "./transaction.ts";
import { transactionInfoCodec, transactionInfoHash } from "./transaction-info.ts";
import { decodeVoters, VALIDATOR_SET_KEY_HASH } from "./validator-set.ts";
import { writeSetHash } from "./write-set.ts";

/** Largest accepted genesis file. */
export const MAX_GENESIS_BYTES = 256 * 1024 * 1024;

/** Contents of a genesis file and the hashes computed from it. */
export interface GenesisCheck {
  readonly chainId: number;
  /** Number of state items it creates. */
  readonly items: number;
  readonly events: number;
  readonly validators: number;
  readonly stateRoot: Uint8Array;
  /** Hash of the transaction info of version 0; also the accumulator root. */
  readonly infoHash: Uint8Array;
  readonly waypoint: Waypoint;
  /** Version 0 as a record. */
  readonly record: Uint8Array;
  readonly writes: readonly EncodedWrite[];
  readonly treeNodes: readonly TreeNodeChange[];
}

const DIRECT_PAYLOAD = 0;

/** State key hash of the item that holds the chain id. */
export const CHAIN_ID_KEY_HASH: Uint8Array = resourceKeyHash(
  FRAMEWORK,
  encodeWith(structTagCodec, { address: FRAMEWORK, module: "chain_id", name: "ChainId", typeArgs: [] }),
  undefined,
);

/** The data written under a key; undefined when the key is not written or is deleted. */
export function findWrittenData(
  writes: readonly EncodedWrite[],
  keyHash: Uint8Array,
): Uint8Array | undefined {
  const value = writes.find((write) => equalBytes(write.keyHash, keyHash))?.value;
  return value === undefined ? undefined : stateValueData(value);
}

/** The chain id among the writes of a genesis. */
export function findChainId(writes: readonly EncodedWrite[]): number {
  const data = findWrittenData(writes, CHAIN_ID_KEY_HASH);
  const chainId = data?.length === 1 ? data[0] : undefined;
  if (chainId === undefined) throw new LedgerError("corrupt", "genesis sets no chain id");
  return chainId;
}

interface GenesisSpans {
  readonly writes: EncodedWrite[];
  readonly changes: Uint8Array;
  readonly events: Uint8Array[];
}

function readGenesis(reader: BcsReader): GenesisSpans {
  const kind = reader.uleb();
  if (kind !== GENESIS_VARIANT)
    reader.fail(`a genesis is transaction variant ${GENESIS_VARIANT}, not ${kind}`, 0);
  const payload = reader.uleb();
  if (payload !== DIRECT_PAYLOAD) {
    reader.fail(`genesis payload variant ${payload} cannot be applied without executing it`, 1);
  }
  const start = reader.offset;
  const writes = reader.field("write_set", readStateWrites);
  const changes = reader.span(start);
  const events = reader.field("events", readEventSpans);
  reader.finish();
  return { writes, changes, events };
}

function lastDefined<T>(list: readonly (T | undefined)[]): T | undefined {
  return list.findLast((item) => item !== undefined);
}

/** Turns a BcsError of `decode` into a LedgerError that names the place in the genesis. */
function decodePart<T>(place: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof BcsError)) throw error;
    throw new LedgerError("corrupt", `not a genesis: in ${place}: ${error.message}`, {
      details: { ...error.details, place },
      cause: error,
    });
  }
}

function checkSpans(blob: Uint8Array, { writes, changes, events }: GenesisSpans): GenesisCheck {
  const chainId = findChainId(writes);
  const voterData = findWrittenData(writes, VALIDATOR_SET_KEY_HASH);
  if (voterData === undefined) throw new LedgerError("corrupt", "genesis sets no validators");
  const voters = decodePart("the validator set", () => decodeVoters(voterData));
  const epoch = decodePart("its epoch event", () => lastDefined(events.map(findNewEpoch)))?.epoch;
  if (epoch === undefined) throw new LedgerError("corrupt", "genesis starts no epoch");
  const block = decodePart("its block event", () => lastDefined(events.map(findNewBlock)));
  if (block === undefined) throw new LedgerError("corrupt", "genesis starts no block");
  if (block.height !== 0n || block.epoch !== 0n || block.timestampUsec !== 0n) {
    const { height, epoch: blockEpoch, timestampUsec } = block;
    throw new LedgerError(
      "corrupt",
      `genesis must be block 0 of epoch 0 at time 0, not ${height} of ${blockEpoch} at ${timestampUsec}`,
    );
  }
  if (epoch !== 1n) throw new LedgerError("corrupt", `genesis must start epoch 1, not ${epoch}`);
  const tree = createStateTree(
    writes.map(({ keyHash, value }) => ({ keyHash, valueHash: value && stateValueHash(value) })),
  );
  const info = encodeWith(transactionInfoCodec, {
    kind: "v0",
    gasUsed: 0n,
    status: { kind: "success" },
    transactionHash: transactionHash(blob),
    eventRootHash: eventRoot(events.map(eventHash)),
    stateChangeHash: writeSetHash(changes),
    stateCheckpointHash: tree.root,
    auxiliaryInfoHash: undefined,
  });
  const infoHash = transactionInfoHash(info);
  return {
    chainId,
    items: writes.reduce((count, write) => (write.value === undefined ? count : count + 1), 0),
    events: events.length,
    validators: voters.length,
    stateRoot: tree.root,
    infoHash,
    waypoint: computeWaypoint({
      epoch: 0n,
      accumulatorRoot: infoHash,
      version: 0n,
      timestampUsec: 0n,
      nextEpoch: { epoch, voters },
    }),
    record: encodeRecord({
      version: 0n,
      transaction: blob,
      info,
      events,
      accumulatorRoot: infoHash,
      changes,
    }),
    writes,
    treeNodes: tree.nodes,
  };
}

/**
 * Reads a genesis file and computes its hashes. Throws LedgerError `corrupt`, with the offset of the fault, when it is
 * not a genesis. Only comparing the waypoint shows that it is the right one.
 */
export function checkGenesis(blob: Uint8Array): GenesisCheck {
  if (blob.length > MAX_GENESIS_BYTES) {
    throw new LedgerError(
      "corrupt",
      `genesis of ${blob.length} bytes is larger than ${MAX_GENESIS_BYTES} (at byte ${MAX_GENESIS_BYTES})`,
      { details: { offset: MAX_GENESIS_BYTES } },
    );
  }
  return checkSpans(
    blob,
    decodePart("the file", () => readGenesis(new BcsReader(blob))),
  );
}

/** Stands for the genesis of a store that started at a base and never saw it. */
export const UNKNOWN_GENESIS = new Uint8Array(32);
