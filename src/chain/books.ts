// The chain's own book-keeping: what every account should hold, by adding and subtracting the amounts that
// were moved. It never looks at the state, so that the state can be checked against it.
import type { AssetName } from "./assets.ts";
import type { ActorName, Cast, Part } from "./cast.ts";

/** An amount that changes hands; without a giver it is minted, without a taker burnt. */
export interface Movement {
  readonly asset: AssetName;
  readonly part: Part;
  readonly from: ActorName | undefined;
  readonly to: ActorName | undefined;
  readonly amount: bigint;
}

/** What one account holds of one asset. */
export interface BookEntry {
  readonly account: ActorName;
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
  open(cast: Cast): void {
    if (this.#amounts.size > 0) return;
    for (const [name, actor] of Object.entries(cast)) {
      for (const { asset, part, amount } of actor.holdings) {
        this.#add(name as ActorName, asset, part, amount);
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
  amount(account: ActorName, asset: AssetName, part: Part): bigint {
    return this.#amounts.get(`${account}/${asset}/${part}`) ?? 0n;
  }

  /** Every account that ever held something, by asset. */
  entries(): BookEntry[] {
    const out = new Map<string, BookEntry>();
    for (const key of this.#amounts.keys()) {
      const [account, asset] = key.split("/") as [ActorName, AssetName];
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

  #add(account: ActorName, asset: AssetName, part: Part, amount: bigint): void {
    const sum = this.amount(account, asset, part) + amount;
    if (sum < 0n) throw new Error(`${account} would hold ${sum} of ${asset}`);
    this.#amounts.set(`${account}/${asset}/${part}`, sum);
  }
}
