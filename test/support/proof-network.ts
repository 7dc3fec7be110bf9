// A network in memory for tests of proofs: validators that sign, epochs that change them, and a ledger of a few items.
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { compareBytes } from "../../src/base/bytes.ts";
import { toHex } from "../../src/base/hex.ts";
import { encodeWith } from "../../src/bcs/codec.ts";
import { stateKeyHashOfBcs } from "../../src/ledger/formats/state-key.ts";
import { stateValueHash } from "../../src/ledger/formats/state-value.ts";
import {
  type TransactionInfo,
  transactionInfoCodec,
  transactionInfoHash,
} from "../../src/ledger/formats/transaction-info.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../../src/ledger/hash.ts";
import { readTreePath } from "../../src/ledger/state-tree/path.ts";
import { computeWaypoint, waypointPreimageCodec } from "../../src/ledger/waypoint.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import { SIGNATURE_DOMAIN } from "../../src/proof/bls.ts";
import { hashOfClaim, type ProofBundle } from "../../src/proof/bundle.ts";
import { type StateClaim, stateKeysOf } from "../../src/proof/claim.ts";
import {
  type EpochState,
  type LedgerInfo,
  type SignedLedgerInfo,
  signedLedgerInfoCodec,
  signingMessageOf,
} from "../../src/proof/ledger-info.ts";
import { joinStateProofs, type StateProof } from "../../src/proof/state-proof.ts";
import { createTable } from "./tree-table.ts";

const { longSignatures: scheme, fields } = bls12_381;
const filled = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** Secret of validator i. */
function secretOf(index: number): bigint {
  return fields.Fr.create(BigInt(1000 + index) ** 20n);
}

function toBytes(secret: bigint): Uint8Array {
  return fields.Fr.toBytes(secret);
}

/** The validators of an epoch: `count` of them, others in each epoch. */
export function epochState(epoch: bigint, count = 4): EpochState {
  return {
    epoch,
    voters: Array.from({ length: count }, (_, i) => ({
      address: addressFromBytes(filled(i)),
      consensusKey: scheme.getPublicKey(toBytes(secretOf(Number(epoch) * 10 + i))).toBytes(),
      votingPower: BigInt(10 + i),
    })),
  };
}

/** Signs as the validators with these indexes. The sum of their secrets makes the sum of their signatures. */
export function sign(ledgerInfo: LedgerInfo, signers: readonly number[], count = 4): SignedLedgerInfo {
  const secret = signers.reduce(
    (sum, i) => fields.Fr.add(sum, secretOf(Number(ledgerInfo.epoch) * 10 + i)),
    0n,
  );
  const mask = new Uint8Array(Math.ceil(count / 8));
  for (const i of signers) mask[i >> 3] = (mask[i >> 3] ?? 0) | (0x80 >> (i & 7));
  const signature = scheme
    .sign(scheme.hash(signingMessageOf(ledgerInfo), SIGNATURE_DOMAIN), toBytes(secret))
    .toBytes();
  return { kind: "v0", ledgerInfo, signatures: { signers: mask, signature } };
}

export function ledgerInfoOf(
  epoch: bigint,
  version: bigint,
  root: Uint8Array,
  nextEpoch?: EpochState,
): LedgerInfo {
  return {
    epoch,
    round: version,
    blockId: filled(1),
    accumulatorRoot: root,
    version,
    timestampUsec: 1_000_000n * (version + 1n),
    nextEpoch,
    consensusDataHash: filled(2),
  };
}

/** Root and siblings of a leaf, by the definition: the tree of the next power of two, its empty right side one placeholder. */
function accumulatorOf(leaves: readonly Uint8Array[], index: number) {
  const siblings: Uint8Array[] = [];
  let nodes = [...leaves];
  let at = index;
  while (nodes.length > 1) {
    siblings.push(nodes[at ^ 1] ?? ACCUMULATOR_PLACEHOLDER);
    nodes = nodes
      .filter((_, i) => i % 2 === 0)
      .map((left, i) =>
        hashPair(SEEDS.transactionAccumulator, left, nodes[2 * i + 1] ?? ACCUMULATOR_PLACEHOLDER),
      );
    at >>= 1;
  }
  return { root: nodes[0] ?? ACCUMULATOR_PLACEHOLDER, siblings };
}

/** An item of the state. */
export interface NetworkItem {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A signed ledger with these items, and bundles from it. */
export async function createNetwork(items: readonly NetworkItem[], versions = 5) {
  const table = createTable();
  const hashes = new Map(
    items.map(({ key, value }) => [toHex(stateKeyHashOfBcs(key)), stateValueHash(value)]),
  );
  const stateRoot = await table.apply(
    items.map(({ key, value }) => ({ keyHash: stateKeyHashOfBcs(key), valueHash: stateValueHash(value) })),
  );
  const info: TransactionInfo = {
    kind: "v0",
    gasUsed: 3n,
    status: { kind: "success" } as TransactionInfo["status"],
    transactionHash: filled(3),
    eventRootHash: filled(4),
    stateChangeHash: filled(5),
    stateCheckpointHash: stateRoot,
    auxiliaryInfoHash: undefined,
  };
  const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
  const leaves = Array.from({ length: versions }, (_, i) => (i === versions - 1 ? leaf : filled(100 + i)));
  const { root, siblings } = accumulatorOf(leaves, versions - 1);
  const version = BigInt(versions - 1);
  const start = ledgerInfoOf(1n, 0n, filled(9), epochState(2n));
  const change = sign(ledgerInfoOf(2n, 2n, filled(8), epochState(3n)), [0, 1, 2, 3]);
  const last = sign(ledgerInfoOf(3n, version, root), [1, 2, 3]);
  const prove = async (keyHash: Uint8Array): Promise<StateProof> => {
    const path = await readTreePath(keyHash, table.reader);
    const valueHash = path.leaf && hashes.get(toHex(path.leaf.keyHash));
    return {
      leaf: path.leaf && valueHash && { keyHash: path.leaf.keyHash, valueHash },
      siblings: path.siblings,
    };
  };
  const valuesByHash = new Map(items.map(({ key, value }) => [toHex(stateKeyHashOfBcs(key)), value]));
  const valueAt = (keyHash: Uint8Array): Uint8Array | undefined => valuesByHash.get(toHex(keyHash));
  const ledger = {
    kind: "signed",
    start: encodeWith(waypointPreimageCodec, start),
    epochChanges: [encodeWith(signedLedgerInfoCodec, change)],
    last: encodeWith(signedLedgerInfoCodec, last),
  } as const;
  /** Proves the items under `keys`, by default those that the claim rests on. */
  const bundle = async (
    claim: StateClaim,
    keys: readonly Uint8Array[] = stateKeysOf(claim),
  ): Promise<ProofBundle & { readonly ledger: typeof ledger }> => {
    const sorted = keys.toSorted(compareBytes);
    const state = joinStateProofs(sorted, sorted.map(valueAt), await Promise.all(sorted.map(prove)));
    const point = {
      version,
      info: encodeWith(transactionInfoCodec, info),
      siblings,
      transaction: undefined,
      eventSiblings: undefined,
      state,
    };
    return { kind: "v0", claim, claimHash: hashOfClaim(claim), points: [point], ledger };
  };
  return { bundle, waypoint: computeWaypoint(start), start, change, last };
}
