// Local chains that an earlier program began, whose genesis had one validator and whose blocks nobody signed.
import { expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createNode } from "../../src/index.ts";
import { checkGenesis } from "../../src/ledger/genesis.ts";
import { formatWaypoint } from "../../src/ledger/waypoint.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { decodeSigned, loadEpochEnds, loadNewestSigned } from "../../src/sync/signed-rows.ts";
import { ChainRun } from "../support/chain-run.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SEED = "former";

/** A store as an earlier program left it: records alone, because it signed none. */
async function makeFormerStore(blocks: number): Promise<string> {
  const path = temporaryFolder();
  const store = await openLmdbStore({ path, logger: silentLogger });
  const chain = createLocalChain({ seed: SEED });
  const run = await new ChainRun(chain, store).start(chain.formerGenesisBlob());
  for (let i = 0; i < blocks; i++) await run.append(await run.make());
  await store.close();
  return path;
}

it("a local chain of an earlier program goes on, and is signed from the next block", async () => {
  const path = await makeFormerStore(3);
  const node = await createNode({ data: path, localChain: { seed: SEED, epochTimeMs: 2000 } });
  try {
    const former = checkGenesis(createLocalChain({ seed: SEED }).formerGenesisBlob());
    expect(await node.info()).toMatchObject({ genesis_waypoint: formatWaypoint(former.waypoint) });
    for (let i = 0; i < 6; i++) await node.produceBlock();
  } finally {
    await node.close();
  }
  const store = await openLmdbStore({ path, readOnly: true, logger: silentLogger });
  try {
    const { signed } = (await loadNewestSigned(store)) ?? {};
    expect(signed?.signatures.signature).toHaveLength(96);
    // The first epoch ended before anything was signed.
    expect(await loadEpochEnds(store, 1n, 1n)).toEqual([]);
    const ends = (await loadEpochEnds(store, 2n, 100n)).map(decodeSigned);
    expect(ends.length).toBeGreaterThan(1);
    for (const { signatures } of ends) expect(signatures.signature).toHaveLength(96);
  } finally {
    await store.close();
  }
});

it("a store of another seed is still refused", async () => {
  const path = await makeFormerStore(1);
  await expect(createNode({ data: path, localChain: { seed: "another" } })).rejects.toThrow("another seed");
});
