// A local chain on a store, with everything that questions about its balances should answer: from the books after each
// block, and from reading every version one by one.
import { toPrefixedHex } from "../../src/base/hex.ts";
import { type AssetName, assetText } from "../../src/chain/demo/assets.ts";
import type { DemoAccountName } from "../../src/chain/demo/demo-accounts.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { formatAddressLong } from "../../src/move/address.ts";
import type { Store } from "../../src/store/contract.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { ChainRun } from "./chain-run.ts";
import { createTrackedChain, type TrackedChain } from "./expected-balances.ts";
import { temporaryFolder } from "./temporary.ts";

/** An account and an asset, as they are asked for. */
export interface Pair {
  readonly account: DemoAccountName;
  readonly assetName: AssetName;
  readonly address: string;
  readonly asset: string;
  /** False for a question by metadata address, where the asset has a coin type. */
  readonly countsCoin: boolean;
}

/** What a block left behind. */
export interface BookedBlock {
  readonly firstVersion: bigint;
  readonly lastVersion: bigint;
  readonly timestampUsec: bigint;
  /** Balance of a pair by the books. */
  readonly booked: (pair: Pair) => bigint;
}

/** A change as the history operation answers it. */
export interface Change {
  readonly version: string;
  readonly timestamp_usec: string;
  readonly before: string;
  readonly after: string;
  readonly transaction_hash: string;
}

/** Engines that run anywhere. */
export const ENGINES: Readonly<Record<"memory" | "lmdb", () => Promise<Store>>> = {
  memory: async () => createMemoryStore(),
  lmdb: () => openLmdbStore({ path: temporaryFolder() }),
};

/** A chain that was run, with what it should answer. */
export class BookedLedger {
  readonly chain: TrackedChain;
  readonly run: ChainRun;
  readonly pairs: readonly Pair[];
  readonly blocks: BookedBlock[] = [];
  readonly #hashes = new Map<bigint, string>();

  private constructor(store: Store, seed: string) {
    this.chain = createTrackedChain({ seed });
    this.run = new ChainRun(this.chain, store);
    const { demoAccounts, assets } = this.chain.items;
    this.pairs = Object.entries(demoAccounts).flatMap(([account, { address }]) =>
      Object.entries(assets).flatMap(([assetName, asset]) => {
        const pair = {
          account: account as DemoAccountName,
          assetName: assetName as AssetName,
          address: formatAddressLong(address),
        };
        const metadata = formatAddressLong(asset.metadata);
        const byCoin = { ...pair, asset: assetText(asset), countsCoin: true };
        return asset.coinType === undefined
          ? [{ ...byCoin, countsCoin: false }]
          : [byCoin, { ...pair, asset: metadata, countsCoin: false }];
      }),
    );
  }

  /** Runs a chain for some blocks. */
  static async create(store: Store, blocks: number, seed = "books"): Promise<BookedLedger> {
    const ledger = new BookedLedger(store, seed);
    await ledger.run.start();
    await ledger.#note();
    await ledger.steps(blocks);
    return ledger;
  }

  get store(): Store {
    return this.run.store;
  }

  async steps(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.run.step();
      await this.#note();
    }
  }

  /** The block that holds a version. */
  blockOf(version: bigint): BookedBlock {
    const block = this.blocks.find((one) => version >= one.firstVersion && version <= one.lastVersion);
    if (block === undefined) throw new Error(`no block holds version ${version}`);
    return block;
  }

  /** Every change of a pair, found by reading every version that is kept. */
  async changesOf({ address, asset }: Pair): Promise<Change[]> {
    const view = await this.store.openView();
    try {
      const { oldestVersion, version: latest } = view.position;
      const read = (version: bigint): bigint | Promise<bigint> =>
        readBalance(view, parseAsset(address).metadata, parseAsset(asset), version);
      const changes: Change[] = [];
      let before = oldestVersion === 0n ? 0n : await read(oldestVersion);
      for (let version = oldestVersion === 0n ? 0n : oldestVersion + 1n; version <= latest; version++) {
        const after = await read(version);
        if (after !== before) {
          changes.push({
            version: `${version}`,
            timestamp_usec: `${this.blockOf(version).timestampUsec}`,
            before: `${before}`,
            after: `${after}`,
            transaction_hash: this.#hashes.get(version) ?? "none",
          });
        }
        before = after;
      }
      return changes;
    } finally {
      view.release();
    }
  }

  /** Prunes everything before a version. */
  async prune(below: bigint): Promise<void> {
    for (let done = false; !done; ) ({ done } = await this.store.prune(below, 1000));
  }

  /** Notes what the latest block left. */
  async #note(): Promise<void> {
    const view = await this.store.openView();
    const { version, timestampUsec } = view.position;
    const firstVersion = (this.blocks.at(-1)?.lastVersion ?? -1n) + 1n;
    for (const { version: at, bytes } of await view.getRecords(firstVersion, 10_000, 2 ** 30)) {
      this.#hashes.set(at, toPrefixedHex(decodeRecord(bytes).info.transactionHash));
    }
    view.release();
    const amounts = new Map<string, { readonly coin: bigint; readonly store: bigint }>();
    for (const { account, asset, coin, store } of this.chain.expectedBalances.entries()) {
      amounts.set(`${account}/${asset}`, { coin, store });
    }
    this.blocks.push({
      firstVersion,
      lastVersion: version,
      timestampUsec,
      booked: ({ account, assetName, countsCoin }) => {
        const { coin = 0n, store = 0n } = amounts.get(`${account}/${assetName}`) ?? {};
        return countsCoin ? coin + store : store;
      },
    });
  }
}
