// Blocks on top of another network's genesis: its chain id and framework stay, the demo comes with the first
// transactions.
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { assetText } from "../../src/chain/assets.ts";
import type { DemoAccountName, Part } from "../../src/chain/demo-accounts.ts";
import { parseAsset } from "../../src/ledger/asset.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { recordCodec } from "../../src/ledger/record.ts";
import { accessPathCodec } from "../../src/ledger/state-key.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { createBookedChain, readSupplies } from "../support/books.ts";
import { ChainRun } from "../support/chain-run.ts";
import { hasShared, sharedBytes } from "../support/shared.ts";

const BLOCKS = 20;

/** What the ledger counts as the native coin's supply, by part. */
async function nativeSupply(run: ChainRun): Promise<Record<Part, bigint>> {
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
    const chain = createBookedChain({ seed: "on top" });
    const run = new ChainRun(chain, createMemoryStore());
    await run.start(sharedBytes(`networks/${network}/genesis.blob`));
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
    expect([...published]).toEqual([`${toHex(chain.chainItems.demo)}::demo`]);

    const after = await nativeSupply(run);
    for (const part of ["coin", "store"] as const) {
      expect(after[part] - before[part]).toBe(chain.books.total("native", part));
    }

    const view = await run.store.openView();
    for (const { account, asset, coin, store } of chain.books.entries()) {
      const { address } = chain.chainItems.demoAccounts[account as DemoAccountName];
      const text = assetText(chain.chainItems.assets[asset]);
      expect(await readBalance(view, address, parseAsset(text), position.version)).toBe(coin + store);
    }
    expect(chain.books.entries().length).toBeGreaterThan(15);
    view.release();
  });
});
