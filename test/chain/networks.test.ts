// Blocks on top of another network's genesis: its chain id and framework stay, the first transactions install the demo.
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { assetText } from "../../src/chain/assets.ts";
import type { BalancePart, DemoAccountName } from "../../src/chain/demo-accounts.ts";
import { parseAsset } from "../../src/ledger/asset.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { checkGenesis } from "../../src/ledger/genesis.ts";
import { recordCodec } from "../../src/ledger/record.ts";
import { accessPathCodec } from "../../src/ledger/state-key.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "../support/chain-run.ts";
import { createTrackedChain, readSupplies } from "../support/expected-balances.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const BLOCKS = 20;

/** The native coin's supply in the state, by part. */
async function nativeSupply(run: ChainRun): Promise<Record<BalancePart, bigint>> {
  const view = await run.store.openView();
  const supplyOf = await readSupplies(run.chain, view);
  const supply = { coin: supplyOf("native", "coin") ?? 0n, store: supplyOf("native", "store") ?? 0n };
  view.release();
  return supply;
}

describe.skipIf(!hasShared)("local chain on a network's genesis", () => {
  it.each([
    ["devnet", 243],
    ["mainnet", 1],
  ] as const)("adds blocks to %s", async (network, chainId) => {
    const blob = sharedBytes(`networks/${network}/genesis.blob`);
    const chain = createTrackedChain({ seed: "on top", genesis: checkGenesis(blob).writes });
    const run = new ChainRun(chain, createMemoryStore());
    await run.start(blob);
    const before = await nativeSupply(run);
    const records = (await run.steps(BLOCKS)).map((bytes) => decodeWith(recordCodec, bytes));
    const position = await run.position();
    expect(position.chainId).toBe(chainId);
    expect(position.blockHeight).toBe(BigInt(BLOCKS));
    expect(position.epoch).toBe(2n);

    const published = new Set<string>();
    for (const { changes } of records) {
      for (const [key] of changes.writes) {
        if (key.kind !== "accessPath") continue;
        const path = decodeWith(accessPathCodec, key.path);
        if (path.kind === "code") published.add(`${toHex(path.module.address)}::${path.module.name}`);
      }
    }
    expect([...published]).toEqual([`${toHex(chain.items.demoAddress)}::demo`]);

    const after = await nativeSupply(run);
    for (const part of ["coin", "store"] as const) {
      expect(after[part] - before[part]).toBe(chain.expectedBalances.total("native", part));
    }

    const view = await run.store.openView();
    for (const { account, asset, coin, store } of chain.expectedBalances.entries()) {
      const { address } = chain.items.demoAccounts[account as DemoAccountName];
      const text = assetText(chain.items.assets[asset]);
      expect(await readBalance(view, address, parseAsset(text), position.version)).toBe(coin + store);
    }
    // Mainnet's genesis has coins only, so there are no shells.
    expect(chain.expectedBalances.entries().length).toBeGreaterThan(network === "devnet" ? 15 : 8);
    view.release();
  });
});
