// What every account of a local chain should hold, by adding and subtracting the amounts that blocks move. The
// books never look at the state, so that the state can be checked against them.
import type { AssetName } from "../../src/chain/assets.ts";
import { makeBlock } from "../../src/chain/block.ts";
import type { DemoAccountName, DemoAccounts, Part } from "../../src/chain/demo-accounts.ts";
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

/** What one account holds of one asset. */
export interface BookEntry {
  readonly account: DemoAccountName;
  readonly asset: AssetName;
  readonly coin: bigint;
  readonly store: bigint;
}

/** Expected balances after some height. */
export class Books {
  readonly #amounts = new Map<string, bigint>();
  #height = 0n;

  /** Height up to which every block is booked. */
  get height(): bigint {
    return this.#height;
  }

  /** Books what the accounts start with, once. */
  open(demoAccounts: DemoAccounts): void {
    if (this.#amounts.size > 0) return;
    for (const [name, actor] of Object.entries(demoAccounts)) {
      for (const { asset, part, amount } of actor.holdings) {
        this.#add(name as DemoAccountName, asset, part, amount);
      }
    }
  }

  /** Books one block. A block that is made once more is left out; a gap leaves the books behind for good. */
  book(height: bigint, movements: readonly Movement[]): void {
    if (height !== this.#height + 1n) return;
    this.#height = height;
    for (const { asset, part, from, to, amount } of movements) {
      if (from !== undefined) this.#add(from, asset, part, -amount);
      if (to !== undefined) this.#add(to, asset, part, amount);
    }
  }

  /** What an account should hold in one part. */
  amount(account: DemoAccountName, asset: AssetName, part: Part): bigint {
    return this.#amounts.get(`${account}/${asset}/${part}`) ?? 0n;
  }

  /** Every account that ever held something, by asset. */
  entries(): BookEntry[] {
    const out = new Map<string, BookEntry>();
    for (const key of this.#amounts.keys()) {
      const [account, asset] = key.split("/") as [DemoAccountName, AssetName];
      const coin = this.amount(account, asset, "coin");
      out.set(`${account}/${asset}`, { account, asset, coin, store: this.amount(account, asset, "store") });
    }
    return [...out.values()];
  }

  /** Sum over all accounts: the supply, as far as these accounts hold it. */
  total(asset: AssetName, part: Part): bigint {
    let sum = 0n;
    for (const entry of this.entries()) if (entry.asset === asset) sum += entry[part];
    return sum;
  }

  #add(account: DemoAccountName, asset: AssetName, part: Part, amount: bigint): void {
    const sum = this.amount(account, asset, part) + amount;
    if (sum < 0n) throw new Error(`${account} would hold ${sum} of ${asset}`);
    this.#amounts.set(`${account}/${asset}/${part}`, sum);
  }
}

/** A local chain that books every block it makes. */
export interface BookedChain extends LocalChain {
  /** What every account should hold, as long as this object made every block since genesis. */
  readonly books: Books;
}

/** The local chain of a seed, with its books. */
export function createBookedChain(settings: LocalChainSettings): BookedChain {
  const chain = createLocalChain(settings);
  const seed = chainSeed(settings.seed);
  const books = new Books();
  return {
    ...chain,
    books,
    genesisBlob: () => {
      books.open(chain.chainItems.demoAccounts);
      return chain.genesisBlob();
    },
    produceBlock: async (base) => {
      const { height, records, movements } = await makeBlock(chain.chainItems, seed, base);
      books.book(height, movements);
      return records;
    },
  };
}

const CONCURRENT_SUPPLY = member("0x1::fungible_asset::ConcurrentSupply", concurrentSupplyCodec);

function countedSupply(blockState: BlockState, asset: AssetName, part: Part): bigint | undefined {
  const { workingState, chainItems } = blockState;
  if (part === "store")
    return getMember(workingState.get(chainItems.metadata[asset]), CONCURRENT_SUPPLY)?.value;
  const info = chainItems.coinInfos[asset];
  if (info === undefined) return undefined;
  const item = blockState.coinSupplies.get(asset);
  return item === undefined ? workingState.get(info)?.supply?.integer?.value : workingState.get(item);
}

/** What the latest state counts as the supply of an asset's parts; undefined where nothing counts it. */
export async function readSupplies(
  { chainItems }: LocalChain,
  view: LedgerView,
): Promise<(asset: AssetName, part: Part) => bigint | undefined> {
  const workingState = new WorkingState();
  await workingState.load(view, chainItems.all);
  const coinSupplies = findSupplyItems(workingState, chainItems);
  await workingState.load(view, [...coinSupplies.values()]);
  return (asset, part) => countedSupply({ workingState, chainItems, coinSupplies }, asset, part);
}
