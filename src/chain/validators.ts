// The validators of the local chain. Their keys come from the seed; an epoch has four of a pool of five, so that each
// change of epoch lets one leave and another join, and changes their stakes.
import { toHex } from "../base/hex.ts";
import { sha3Parts } from "../base/sha3.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { type ValidatorSet, type Voter, votersOf } from "../ledger/formats/validator-set.ts";
import type { Address } from "../move/address.ts";
import { type LedgerInfo, type SignedLedgerInfo, signingMessageOf } from "../proof/ledger-info.ts";
import { fastestSigner } from "../proof/native-bls.ts";
import { quorumOf } from "../proof/validators.ts";
import { createKeypair } from "./keys.ts";

const POOL = 5;
/** Stake in octas of an average validator. */
const STAKE = 100_000_000_000_000n;
/** A stake lies within this many hundredths of the average. */
const STAKE_SPREAD = 10;
/** Order of the group that keys are in: secrets add up modulo it. */
const GROUP_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

interface PoolMember {
  readonly address: Address;
  readonly consensusKey: Uint8Array;
}

export class ChainValidators {
  readonly #seed: Uint8Array;
  #pool: readonly PoolMember[] | undefined;
  /** Secrets by public key. */
  readonly #secrets = new Map<string, bigint>();

  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  /** The validator set of an epoch. It holds no proofs of possession: a network checks those when a validator joins. */
  setOf(epoch: bigint): ValidatorSet {
    const absent = Number((epoch + BigInt(POOL - 2)) % BigInt(POOL));
    const voters = this.#members()
      .filter((_, i) => i !== absent)
      .map((member, i) => ({ ...member, votingPower: this.#stakeOf(epoch, i) }));
    return toSet(voters);
  }

  /**
   * Signs a ledger info as a quorum of a set, one that the block's id determines. Undefined if the set is not ours, as
   * before the first change of epoch on another network's genesis.
   */
  sign(ledgerInfo: LedgerInfo, set: ValidatorSet): SignedLedgerInfo | undefined {
    this.#members();
    const voters = votersOf(set);
    const secrets = voters.map(({ consensusKey }) => this.#secrets.get(toHex(consensusKey)));
    const signers = pickQuorum(voters, (i) => secrets[i] !== undefined, ledgerInfo.blockId[0] ?? 0);
    if (signers === undefined) return undefined;
    // The sum of the secrets makes the sum of the signatures, at the price of one.
    const secret = signers.reduce((sum, i) => (sum + (secrets[i] ?? 0n)) % GROUP_ORDER, 0n);
    const mask = new Uint8Array(Math.ceil(voters.length / 8));
    for (const i of signers) mask[i >> 3] = (mask[i >> 3] ?? 0) | (0x80 >> (i & 7));
    const signature = fastestSigner().sign(secretBytes(secret), signingMessageOf(ledgerInfo));
    return { kind: "v0", ledgerInfo, signatures: { signers: mask, signature } };
  }

  #members(): readonly PoolMember[] {
    this.#pool ??= Array.from({ length: POOL }, (_, i) => {
      const secret = this.#number(`validator ${i}`) % GROUP_ORDER;
      const consensusKey = fastestSigner().publicKeyOf(secretBytes(secret));
      this.#secrets.set(toHex(consensusKey), secret);
      return { address: createKeypair(this.#seed, `validator ${i}`).address, consensusKey };
    });
    return this.#pool;
  }

  #stakeOf(epoch: bigint, index: number): bigint {
    const percent = this.#number("stake", encodeWith(u64, epoch), Uint8Array.of(index));
    return (STAKE * (BigInt(100 - STAKE_SPREAD) + (percent % BigInt(2 * STAKE_SPREAD + 1)))) / 100n;
  }

  #number(name: string, ...parts: readonly Uint8Array[]): bigint {
    return BigInt(`0x${toHex(sha3Parts(this.#seed, new TextEncoder().encode(`bls/${name}`), ...parts))}`);
  }
}

function toSet(voters: readonly Voter[]): ValidatorSet {
  return {
    consensusScheme: 0,
    active: voters.map((voter, i) => ({
      ...voter,
      networkAddresses: new Uint8Array(1),
      fullnodeAddresses: new Uint8Array(1),
      index: BigInt(i),
    })),
    pendingInactive: [],
    pendingActive: [],
    totalVotingPower: voters.reduce((sum, { votingPower }) => sum + votingPower, 0n),
    totalJoiningPower: 0n,
  };
}

/** Indexes of voters with a quorum: all that can sign, without as many as can be spared from `start` on. */
function pickQuorum(
  voters: readonly Voter[],
  canSign: (index: number) => boolean,
  start: number,
): number[] | undefined {
  const quorum = quorumOf(voters);
  const signing = new Set([...voters.keys()].filter(canSign));
  let power = [...signing].reduce((sum, i) => sum + (voters[i]?.votingPower ?? 0n), 0n);
  if (power < quorum) return undefined;
  // One start of five spares nobody.
  if (start % (voters.length + 1) === voters.length) return [...signing];
  for (let step = 0; step < voters.length; step++) {
    const index = (start + step) % voters.length;
    const own = voters[index]?.votingPower ?? 0n;
    if (!signing.has(index) || power - own < quorum) continue;
    signing.delete(index);
    power -= own;
  }
  return [...signing];
}

function secretBytes(secret: bigint): Uint8Array {
  return Buffer.from(secret.toString(16).padStart(64, "0"), "hex");
}
