// The validators of the local chain: every block is signed by a quorum, epochs change the set, and the signatures lead
// from the genesis waypoint to the head.
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { ChainValidators } from "../../src/chain/validators.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { computeWaypoint } from "../../src/ledger/waypoint.ts";
import { EpochChain } from "../../src/proof/epoch-chain.ts";
import type { SignedLedgerInfo } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { quorumOf } from "../../src/proof/validators.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import {
  decodeSigned,
  genesisLedgerInfo,
  keepGenesisLedgerInfo,
  loadEpochEnd,
  loadEpochEnds,
  loadNewestSigned,
} from "../../src/sync/signatures/signed-rows.ts";
import { ChainRun } from "../support/chain-run.ts";

/** A change of epoch after every third block. */
const EPOCH_TIME_MS = 3000;

async function begin(seed: string): Promise<ChainRun> {
  const chain = createLocalChain({ seed, epochTimeMs: EPOCH_TIME_MS });
  const run = await new ChainRun(chain, createMemoryStore()).start();
  await keepGenesisLedgerInfo(run.store);
  return run;
}

async function newest(run: ChainRun): Promise<SignedLedgerInfo> {
  const found = await loadNewestSigned(run.store);
  if (found === undefined) throw new Error("nothing is signed");
  expect(found.isOwn).toBe(true);
  return found.signed;
}

describe("validators of the local chain", () => {
  it("lead from the genesis waypoint to every block by signature", async () => {
    const run = await begin("signed");
    const genesis = await genesisLedgerInfo(run.store);
    if (genesis === undefined) throw new Error("no genesis");
    const { waypoint } = checkGenesis(run.chain.genesisBlob());
    expect(computeWaypoint(genesis.ledgerInfo)).toEqual(waypoint);
    const chain = EpochChain.begin(waypoint, genesis.ledgerInfo, fastestBls());
    const signers = new Set<string>();
    const sets = new Set<string>();
    for (let block = 0; block < 20; block++) {
      await run.step();
      const signed = await newest(run);
      const { version, accumulator } = await run.position();
      expect(signed.ledgerInfo.version).toBe(version);
      expect(accumulator.leafCount).toBe(version + 1n);
      signers.add(Buffer.from(signed.signatures.signers).toString("hex"));
      const { nextEpoch } = signed.ledgerInfo;
      if (nextEpoch === undefined) chain.check(signed);
      else {
        chain.advance(signed);
        sets.add(nextEpoch.voters.map((voter) => `${voter.address} ${voter.votingPower}`).join());
        expect(nextEpoch.voters).toHaveLength(4);
      }
    }
    // The first block ends the first epoch, as on a network.
    expect(chain.epoch).toBe(8n);
    expect(sets.size).toBe(7);
    expect(signers.size).toBeGreaterThan(2);
    const ends = await loadEpochEnds(run.store, 0n, 100n);
    expect(ends.map((bytes) => decodeSigned(bytes).ledgerInfo.epoch)).toEqual([
      0n,
      1n,
      2n,
      3n,
      4n,
      5n,
      6n,
      7n,
    ]);
  });

  it("change one of four at every epoch", () => {
    const validators = new ChainValidators(new Uint8Array(32));
    for (let epoch = 1n; epoch < 12n; epoch++) {
      const [before, after] = [validators.setOf(epoch), validators.setOf(epoch + 1n)];
      const own = new Set(before.active.map(({ address }) => Buffer.from(address).toString("hex")));
      const kept = after.active.filter(({ address }) => own.has(Buffer.from(address).toString("hex")));
      expect(kept).toHaveLength(3);
      expect(after.active.map(({ index }) => index)).toEqual([0n, 1n, 2n, 3n]);
      // Any three of them are a quorum.
      const powers = after.active.map(({ votingPower }) => votingPower);
      const [largest = 0n] = powers.sort((a, b) => Number(b - a));
      expect(after.totalVotingPower - largest >= quorumOf(after.active)).toBe(true);
    }
  });

  it("forget what they signed above the version that a ledger is rewound to", async () => {
    const run = await begin("rewound");
    for (let i = 0; i < 5; i++) await run.step();
    const { version: to, epoch } = await run.position();
    const before = await loadEpochEnds(run.store, 0n, 100n);
    for (let i = 0; i < 7; i++) await run.step();
    expect((await loadEpochEnds(run.store, 0n, 100n)).length).toBeGreaterThan(before.length);
    await rewindLedger({
      store: run.store,
      to,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(await loadNewestSigned(run.store)).toBeUndefined();
    expect(await loadEpochEnds(run.store, 0n, 100n)).toEqual(before);
    expect(await loadEpochEnd(run.store, epoch)).toBeUndefined();
  });
});
