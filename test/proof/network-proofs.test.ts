// Signed ledger infos and an account proof of a real network hold; with one bit changed they do not.
import { describe, expect, it } from "vitest";
import { decodeWith, encodeWith, type ValueOf } from "../../src/bcs/codec.ts";
import { struct, variants } from "../../src/bcs/records.ts";
import { bool, hash, u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { transactionInfoCodec, transactionInfoHash } from "../../src/ledger/transaction-info.ts";
import { voterCodec } from "../../src/ledger/validator-set.ts";
import { checkAccumulatorProof } from "../../src/proof/accumulator-proof.ts";
import type { Bls } from "../../src/proof/bls.ts";
import { epochStateCodec, signedLedgerInfoCodec } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { portableBls } from "../../src/proof/portable-bls.ts";
import { checkStateProof, stateProofCodec } from "../../src/proof/state-proof.ts";
import { Validators } from "../../src/proof/validators.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const epochChangeCodec = struct({
  changes: vector(signedLedgerInfoCodec),
  more: bool,
  trusted: variants("TrustedState", {
    waypoint: { version: u64, hash },
    epoch: { version: u64, hash, state: epochStateCodec },
  }),
});
const inclusionCodec = struct({
  state: stateProofCodec,
  keyHash: hash,
  valueHash: hash,
  siblings: vector(hash),
  info: transactionInfoCodec,
  version: u64,
  signed: signedLedgerInfoCodec,
  voters: vector(voterCodec),
});

function checkEpochChange(bytes: Uint8Array, bls: Bls): ValueOf<typeof epochChangeCodec> {
  const decoded = decodeWith(epochChangeCodec, bytes);
  const { changes, trusted } = decoded;
  if (trusted.kind !== "epoch") throw new Error("no validators");
  const validators = new Validators(trusted.state, bls);
  for (const change of changes) validators.check(change);
  return decoded;
}

function checkInclusion(bytes: Uint8Array, bls: Bls): void {
  const { state, keyHash, valueHash, siblings, info, version, signed, voters } = decodeWith(
    inclusionCodec,
    bytes,
  );
  const root = info.stateCheckpointHash;
  if (root === undefined) throw new Error("no state root");
  checkStateProof(state, root, keyHash, valueHash);
  const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
  checkAccumulatorProof(siblings, signed.ledgerInfo, version, leaf);
  new Validators({ epoch: signed.ledgerInfo.epoch, voters }, bls).check(signed);
}

describe.skipIf(!hasShared)("proofs of a real network", () => {
  const implementations = [portableBls, fastestBls()];

  it.each(implementations)("an epoch change holds with $name", (bls) => {
    const { changes } = checkEpochChange(sharedBytes("vectors/proofs/epoch_change_data.bcs"), bls);
    expect(changes.map(({ ledgerInfo }) => [ledgerInfo.epoch, ledgerInfo.version])).toEqual([
      [7495n, 998146172n],
    ]);
  });

  it.each(implementations)("an account's inclusion holds with $name", (bls) => {
    checkInclusion(sharedBytes("vectors/proofs/account_inclusion_data.bcs"), bls);
  });
});
