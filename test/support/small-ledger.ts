// A ledger in memory of coin balances that tests write one by one, each in a version and block of its own.
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED } from "../../src/ledger/trust.ts";
import type { Commit } from "../../src/ledger/watch/change-feed.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { coinKey, coinStore, recordAt, stateValue } from "./http-ledger.ts";

const IDENTITY = { chainId: 4, genesisHash: new Uint8Array(32) };

/** One write: whose balance, and what it is then. */
export interface BalanceWrite {
  readonly owner: string;
  readonly amount: bigint;
}

export class SmallLedger {
  readonly store = createMemoryStore();
  /** By version. */
  readonly writes: BalanceWrite[] = [];

  /** Commits writes of balances, one version each. */
  async commit(writes: readonly BalanceWrite[]): Promise<Commit> {
    const first = BigInt(this.writes.length);
    this.writes.push(...writes);
    const version = BigInt(this.writes.length - 1);
    const versions = writes.map((_, i) => first + BigInt(i));
    const position: Position = {
      chainId: 4,
      version,
      timestampUsec: version,
      epoch: 1n,
      blockHeight: version,
      oldestVersion: 0n,
      oldestBlockHeight: 0n,
      accumulator: { leafCount: version + 1n, frozen: [] },
      stateRoot: undefined,
      ...ALL_TRUSTED,
    };
    const previous = first === 0n ? undefined : first - 1n;
    const stateWrites = writes.map(({ owner, amount }, i) => ({
      version: first + BigInt(i),
      keyHash: coinKey(owner),
      value: stateValue(coinStore(amount)),
    }));
    await this.store.commit(
      {
        previous,
        position,
        writes: stateWrites,
        blocks: versions.map((at) => ({ height: at, firstVersion: at, timestampUsec: at, epoch: 1n })),
        records: versions.map(recordAt),
        treeNodes: [],
      },
      first === 0n ? IDENTITY : undefined,
    );
    return { previous, version, writes: stateWrites };
  }

  /** Versions after one that changed a balance, with the balance then. */
  changesAfter(owner: string, after: bigint): { readonly version: bigint; readonly balance: bigint }[] {
    let amount = 0n;
    return this.writes.flatMap((write, at) => {
      if (write.owner !== owner || write.amount === amount) return [];
      amount = write.amount;
      return BigInt(at) > after ? [{ version: BigInt(at), balance: amount }] : [];
    });
  }
}
