// Natives of 0x1::ristretto255_bulletproofs.
import type { Pieces } from "../../../base/pieces.ts";
import { aborted, invariant } from "../../errors.ts";
import type { NativeContext, NativeModule } from "../../natives.ts";
import { asBig, asBytes, asVec, type Value } from "../../values.ts";
import { chargeAll } from "./common.ts";
import { decodeRangeProof, type RangeProof, verifyRangeProof } from "./range-proof.ts";
import { pointOf } from "./ristretto255.ts";

const GROUP = "bulletproofs";
const CANNOT_DECODE = 0x010001;
const BITS_NOT_SUPPORTED = 0x010003;
const COUNT_NOT_SUPPORTED = 0x010004;
const BITS: readonly bigint[] = [8n, 16n, 32n, 64n];
const COUNTS: readonly number[] = [1, 2, 4, 8, 16];

interface Claim {
  readonly commitments: readonly Uint8Array[];
  readonly proof: Uint8Array;
  readonly bits: number;
  readonly domain: Uint8Array;
}

function claimOf(args: readonly Value[], commitments: readonly Uint8Array[]): Claim {
  const [, , , proof, bits, domain] = args;
  if (commitments.some(({ length }) => length !== 32)) throw invariant("bytes of no commitment");
  if (!BITS.includes(asBig(bits))) throw aborted(BITS_NOT_SUPPORTED);
  if (!COUNTS.includes(commitments.length)) throw aborted(COUNT_NOT_SUPPORTED);
  return { commitments, proof: asBytes(proof), bits: Number(asBig(bits)), domain: asBytes(domain) };
}

function decode(bytes: Uint8Array): RangeProof {
  const proof = decodeRangeProof(bytes);
  if (proof === undefined) throw aborted(CANNOT_DECODE);
  return proof;
}

function* verify(
  context: NativeContext,
  [, value, blinding]: readonly Value[],
  { commitments, bits, domain }: Claim,
  proof: RangeProof,
): Pieces<readonly Value[]> {
  const bases = { value: pointOf(context, value), blinding: pointOf(context, blinding) };
  return [yield* verifyRangeProof(proof, bases, commitments, bits, domain)];
}

export const bulletproofsNatives: NativeModule = {
  verify_range_proof_internal: (context, args) => {
    const claim = claimOf(args, [asBytes(args[0])]);
    chargeAll(context, GROUP, { base: 1, per_byte_rangeproof_deserialize: claim.proof.length });
    const proof = decode(claim.proof);
    chargeAll(context, GROUP, { per_bit_rangeproof_verify: claim.bits });
    return verify(context, args, claim, proof);
  },
  verify_batch_range_proof_internal: (context, args) => {
    const claim = claimOf(args, asVec(args[0]).items.map(asBytes));
    chargeAll(context, GROUP, {
      [`verify.base_batch_${claim.commitments.length}_bits_${claim.bits}`]: 1,
    });
    return verify(context, args, claim, decode(claim.proof));
  },
};
