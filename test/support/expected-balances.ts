// Expected balances of a local chain, computed from the amounts that blocks move and never from the state, so that tests
// can check the state against them.
import type { AssetName } from "../../src/chain/assets.ts";
import { makeBlock } from "../../src/chain/block.ts";
import type { BalancePart, DemoAccountName, DemoAccounts } from "../../src/chain/demo-accounts.ts";
import { type BlockState, getMember, member } from "../../src/chain/effects.ts";
import {
  chainSeed,
  createLocalChain,
  type LocalChain,
  type LocalChainSettings,
} from "../../src/chain/local-chain.ts";
import { findSupplyItems } from "../../src/chain/supply.ts";
import type { Movement } from "../../src/chain/wallet.ts";
import { WorkingState } from "../../src/chain/working-state.ts";
import { concurrentSupplyCodec } from "../../src/ledger/resources.ts";
import type { LedgerView } from "../../src/ledger/view.ts";

/** Expected balance of one account in one asset. */
export interface ExpectedBalance {
  readonly account: DemoAccountName;
  readonly asset: AssetName;
  readonly coin: bigint;
  readonly store: bigint;
}

/** Expected balances of all accounts at one height. */
export class ExpectedBalances {
  readonly #amounts = new Map<string, bigint>();
  #height = 0n;

  /** Height of the last block applied. */
  get height(): bigint {
    return this.#height;
  }

  /** Applies the initial holdings; a second call does nothing. */
  addHoldings(demoAccounts: DemoAccounts): void {
    if (this.#amounts.size > 0) return;
    for (const [name, { holdings }] of Object.entries(demoAccounts)) {
      for (const { asset, part, amount } of holdings) {
        this.#add(name as DemoAccountName, asset, part, amount);
      }
    }
  }

  /** Applies the next block. Ignores a block that was applied before, and every block after a gap. */
  applyBlock(height: bigint, movements: readonly Movement[]): void {
    if (height !== this.#height + 1n) return;
    this.#height = height;
    for (const { asset, part, from, to, amount } of movements) {
      if (from !== undefined) this.#add(from, asset, part, -amount);
      if (to !== undefined) this.#add(to, asset, part, amount);
    }
  }

  /** One part of an account's expected balance. */
  amount(account: DemoAccountName, asset: AssetName, part: BalancePart): bigint {
    return this.#amounts.get(`${account}/${asset}/${part}`) ?? 0n;
  }

  /** The balances of every account that ever held something. */
  entries(): ExpectedBalance[] {
    const out = new Map<string, ExpectedBalance>();
    for (const key of this.#amounts.keys()) {
      const [account, asset] = key.split("/") as [DemoAccountName, AssetName];
      const coin = this.amount(account, asset, "coin");
      out.set(`${account}/${asset}`, { account, asset, coin, store: this.amount(account, asset, "store") });
    }
    return [...out.values()];
  }

  /** Sum over all accounts. */
  total(asset: AssetName, part: BalancePart): bigint {
    let sum = 0n;
    for (const entry of this.entries()) if (entry.asset === asset) sum += entry[part];
    return sum;
  }

  #add(account: DemoAccountName, asset: AssetName, part: BalancePart, amount: bigint): void {
    const sum = this.amount(account, asset, part) + amount;
    if (sum < 0n) throw new Error(`${account} would hold ${sum} of ${asset}`);
    this.#amounts.set(`${account}/${asset}/${part}`, sum);
  }
}

/** A local chain with the expected balances after every block it makes. */
export interface TrackedChain extends LocalChain {
  /** Valid only if this object made every block since genesis. */
  readonly expectedBalances: ExpectedBalances;
}

/** The local chain of a seed, with its expected balances. */
export function createTrackedChain(settings: LocalChainSettings): TrackedChain {
  const chain = createLocalChain(settings);
  const seed = chainSeed(settings.seed);
  const expectedBalances = new ExpectedBalances();
  return {
    ...chain,
    expectedBalances,
    genesisBlob: () => {
      expectedBalances.addHoldings(chain.items.demoAccounts);
      return chain.genesisBlob();
    },
    produceBlock: async (base) => {
      const made = await makeBlock(chain.items, seed, { epochTimeMs: settings.epochTimeMs, ...base });
      expectedBalances.applyBlock(made.height, made.movements);
      return made;
    },
  };
}

const CONCURRENT_SUPPLY = member("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);

function storedSupply(blockState: BlockState, asset: AssetName, part: BalancePart): bigint | undefined {
  const { state, items } = blockState;
  if (part === "store") return getMember(state.get(items.metadata[asset]), CONCURRENT_SUPPLY)?.value;
  const info = items.coinInfos[asset];
  if (info === undefined) return undefined;
  const item = blockState.coinSupplies.get(asset);
  return item === undefined ? state.get(info)?.supply?.integer?.value : state.get(item);
}

/** Reads the supplies in the latest state; undefined for a part without one. */
export async function readSupplies(
  { items }: LocalChain,
  view: LedgerView,
): Promise<(asset: AssetName, part: BalancePart) => bigint | undefined> {
  const state = new WorkingState();
  await state.load(view, items.all);
  const coinSupplies = findSupplyItems(state, items);
  await state.load(view, [...coinSupplies.values()]);
  return (asset, part) => storedSupply({ state, items, coinSupplies }, asset, part);
}
