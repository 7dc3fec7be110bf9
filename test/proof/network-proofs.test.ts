// Signed ledger infos and an account proof of a real network hold; with one bit changed they do not.
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { decodeWith, encodeWith, type ValueOf } from "../../src/bcs/codec.ts";
import { struct, variants } from "../../src/bcs/records.ts";
import { bool, hash, u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { transactionInfoCodec, transactionInfoHash } from "../../src/ledger/formats/transaction-info.ts";
import { votersCodec } from "../../src/ledger/formats/validator-set.ts";
import { checkAccumulatorProof } from "../../src/proof/accumulator-proof.ts";
import type { Bls } from "../../src/proof/bls.ts";
import { epochStateCodec, signedLedgerInfoCodec } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { portableBls } from "../../src/proof/portable-bls.ts";
import { checkStateProof, stateProofCodec } from "../../src/proof/state-proof.ts";
import { Validators } from "../../src/proof/validators.ts";
import { RUNS } from "../support/property.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";
import { createRandom } from "../support/synthetic-ledger.ts";

const trustedCodec = variants("TrustedState", {
  waypoint: { version: u64, hash },
  epoch: { version: u64, hash, state: epochStateCodec },
});
const epochChangeCodec = struct({
  changes: vector(signedLedgerInfoCodec),
  more: bool,
  trusted: trustedCodec,
});
const inclusionCodec = struct({
  state: stateProofCodec,
  keyHash: hash,
  valueHash: hash,
  siblings: vector(hash),
  info: transactionInfoCodec,
  version: u64,
  signed: signedLedgerInfoCodec,
  voters: votersCodec,
});

/** The validators that the operator trusts, as each fixture brings them along. */
interface Trusted {
  readonly bytes: Uint8Array;
  readonly validators: Validators;
}

function trustedOfEpochChange(bytes: Uint8Array, bls: Bls): Trusted {
  const { trusted } = decodeWith(epochChangeCodec, bytes);
  if (trusted.kind !== "epoch") throw new Error("no validators");
  return {
    bytes: encodeWith(trustedCodec, trusted),
    validators: new Validators(trusted.state, bls),
  };
}

function trustedOfInclusion(bytes: Uint8Array, bls: Bls): Trusted {
  const { signed, voters } = decodeWith(inclusionCodec, bytes);
  return {
    bytes: encodeWith(votersCodec, voters),
    validators: new Validators({ epoch: signed.ledgerInfo.epoch, voters }, bls),
  };
}

/** What the operator trusts comes from the operator: a file that brings another one is refused. */
function assertTrusted(given: Uint8Array, { bytes }: Trusted): void {
  if (!equalBytes(given, bytes)) throw new Error("another trusted state");
}

function checkEpochChange(bytes: Uint8Array, own: Trusted): ValueOf<typeof epochChangeCodec> {
  const decoded = decodeWith(epochChangeCodec, bytes);
  const { changes, more, trusted } = decoded;
  assertTrusted(encodeWith(trustedCodec, trusted), own);
  if (more) throw new Error("not all changes");
  for (const change of changes) own.validators.check(change);
  return decoded;
}

function checkInclusion(bytes: Uint8Array, own: Trusted): void {
  const { state, keyHash, valueHash, siblings, info, version, signed, voters } = decodeWith(
    inclusionCodec,
    bytes,
  );
  assertTrusted(encodeWith(votersCodec, voters), own);
  const root = info.stateCheckpointHash;
  if (root === undefined) throw new Error("no state root");
  checkStateProof(state, root, keyHash, valueHash);
  const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
  checkAccumulatorProof(siblings, signed.ledgerInfo, version, leaf);
  own.validators.check(signed);
}

const FIXTURES = {
  epochChange: "vectors/proofs/epoch_change_data.bcs",
  inclusion: "vectors/proofs/account_inclusion_data.bcs",
} as const;
/** Changed bits of each fixture; the 10,000 with SEXTANT_RUNS=2000. */
const CHANGES = 5 * RUNS;

describe.skipIf(!hasShared)("proofs of a real network", () => {
  const implementations = [portableBls, fastestBls()];

  it.each(implementations)("an epoch change holds with $name", (bls) => {
    const bytes = sharedBytes(FIXTURES.epochChange);
    const { changes } = checkEpochChange(bytes, trustedOfEpochChange(bytes, bls));
    expect(changes.map(({ ledgerInfo }) => [ledgerInfo.epoch, ledgerInfo.version])).toEqual([
      [7495n, 998146172n],
    ]);
  });

  it.each(implementations)("an account's inclusion holds with $name", (bls) => {
    const bytes = sharedBytes(FIXTURES.inclusion);
    checkInclusion(bytes, trustedOfInclusion(bytes, bls));
  });

  it.each([
    ["an epoch change", FIXTURES.epochChange, trustedOfEpochChange, checkEpochChange],
    ["an account's inclusion", FIXTURES.inclusion, trustedOfInclusion, checkInclusion],
  ] as const)("%s fails with any bit changed", (_, path, trustedOf, check) => {
    const bytes = new Uint8Array(sharedBytes(path));
    const own = trustedOf(bytes, fastestBls());
    const random = createRandom(18);
    for (let i = 0; i < CHANGES; i++) {
      const bit = random() % (8 * bytes.length);
      const flip = (): void => {
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      };
      flip();
      expect(() => check(bytes, own), `bit ${bit}`).toThrow();
      flip();
    }
    check(bytes, own);
  });
});
