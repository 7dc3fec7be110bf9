// The validators of one epoch, who can check what was signed in it.
import { toHex } from "../base/hex.ts";
import { type Bls, SIGNATURE_BYTES } from "./bls.ts";
import { ProofError } from "./errors.ts";
import { type EpochState, type LedgerInfo, type SignedLedgerInfo, signingMessageOf } from "./ledger-info.ts";

/** Stake that must sign of that of all voters. */
export function quorumOf(voters: EpochState["voters"]): bigint {
  const total = voters.reduce((sum, { votingPower }) => sum + votingPower, 0n);
  return (2n * total) / 3n + 1n;
}

/** Validators of an epoch. Keys are decompressed at their first signature and kept for the next. */
export class Validators {
  readonly epoch: bigint;
  /** Stake that must have signed. */
  readonly quorum: bigint;
  readonly #voters: EpochState["voters"];
  readonly #bls: Bls;
  readonly #keys: unknown[] = [];

  constructor({ epoch, voters }: EpochState, bls: Bls) {
    this.epoch = epoch;
    this.#voters = voters;
    this.#bls = bls;
    this.quorum = quorumOf(voters);
  }

  /** Checks that a quorum of these validators signed a ledger info. Throws ProofError. */
  check({ ledgerInfo, signatures }: SignedLedgerInfo): void {
    if (ledgerInfo.epoch !== this.epoch) {
      throw new ProofError(
        "wrong_epoch",
        `the ledger info is of epoch ${ledgerInfo.epoch}, the known validators are of epoch ${this.epoch}`,
      );
    }
    const { signature } = signatures;
    if (signature?.length !== SIGNATURE_BYTES) {
      throw new ProofError(
        "signature",
        `a signature has ${SIGNATURE_BYTES} bytes, not ${signature?.length ?? 0}`,
      );
    }
    const signers = this.#signersOf(signatures.signers);
    this.#checkQuorum(signers, ledgerInfo);
    const keys = signers.map((index) => this.#keyOf(index));
    if (!this.#bls.verify(keys, signingMessageOf(ledgerInfo), signature)) {
      throw new ProofError(
        "signature",
        `the signature is not by those ${signers.length} validators over this ledger info`,
      );
    }
  }

  /** Indexes of the set bits, top bit of the first byte first. */
  #signersOf(mask: Uint8Array): readonly number[] {
    const count = this.#voters.length;
    const expected = Math.ceil(count / 8);
    if (mask.length !== expected) {
      throw new ProofError(
        "quorum",
        `the mask of ${count} validators has ${expected} bytes, not ${mask.length}`,
      );
    }
    const out: number[] = [];
    for (let index = 0; index < 8 * mask.length; index++) {
      if (((mask[index >> 3] ?? 0) & (0x80 >> (index & 7))) === 0) continue;
      if (index >= count)
        throw new ProofError("quorum", `there is no validator ${index}: the epoch has ${count}`);
      out.push(index);
    }
    return out;
  }

  #checkQuorum(signers: readonly number[], { version }: LedgerInfo): void {
    const power = signers.reduce((sum, index) => sum + (this.#voters[index]?.votingPower ?? 0n), 0n);
    if (power < this.quorum) {
      throw new ProofError("quorum", `stake of ${power} signed version ${version}; ${this.quorum} is needed`);
    }
  }

  #keyOf(index: number): unknown {
    const known = this.#keys[index];
    if (known !== undefined) return known;
    const bytes = this.#voters[index]?.consensusKey ?? new Uint8Array();
    try {
      const key = this.#bls.parseKey(bytes);
      this.#keys[index] = key;
      return key;
    } catch (cause) {
      throw new ProofError("signature", `validator ${index} has no usable key: ${toHex(bytes)}`, { cause });
    }
  }
}
