// A ledger in memory of coin balances that tests write one by one, each in a version and block of its own.
import { BcsWriter } from "../../src/bcs/writer.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { resourceKeyHash } from "../../src/ledger/key-hash.ts";
import { KeyTrace } from "../../src/ledger/key-trace.ts";
import type { Position } from "../../src/ledger/position.ts";
import { ALL_TRUSTED, extendTrust, raiseTrust, TRUSTED, type TrustLevel } from "../../src/ledger/trust.ts";
import type { Commit } from "../../src/ledger/watch/change-feed.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { COIN, coinKey, coinStore, recordAt, stateValue } from "./http-ledger.ts";

const IDENTITY = { chainId: 4, genesisHash: new Uint8Array(32) };

/** One write: whose balance, and what it is then. */
export interface BalanceWrite {
  readonly owner: string;
  readonly amount: bigint;
  /** Owners of other balances that are the same then. */
  readonly others?: readonly string[];
  readonly events?: readonly Uint8Array[];
}

function ownersOf({ owner, others = [] }: BalanceWrite): readonly string[] {
  return [owner, ...others];
}

/** A write set of balances. */
function changesOf(write: BalanceWrite | undefined): Uint8Array | undefined {
  if (write === undefined) return undefined;
  const owners = ownersOf(write);
  const tag = parseAsset(COIN).coinStoreTag;
  if (tag === undefined) throw new Error(`${COIN} is no coin type`);
  const writer = new BcsWriter().u8(0).uleb(owners.length);
  for (const owner of owners) {
    const trace = new KeyTrace();
    const key = trace.keyOf(resourceKeyHash(parseAddress(owner), tag, trace));
    if (key === undefined) throw new Error("the key was not traced");
    writer.fixed(key).u8(1).byteString(coinStore(write.amount));
  }
  return writer.take();
}

export class SmallLedger {
  readonly store = createMemoryStore();
  /** By version. */
  readonly writes: BalanceWrite[] = [];
  #trust = ALL_TRUSTED.trust;

  /** Commits writes of balances, one version each. */
  async commit(writes: readonly BalanceWrite[]): Promise<Commit> {
    const first = BigInt(this.writes.length);
    this.writes.push(...writes);
    if (first > 0n) this.#trust = extendTrust(this.#trust, first, TRUSTED);
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
      trust: this.#trust,
      refuted: undefined,
    };
    const previous = first === 0n ? undefined : first - 1n;
    const stateWrites = writes.flatMap((write, i) =>
      ownersOf(write).map((owner) => ({
        version: first + BigInt(i),
        keyHash: coinKey(owner),
        value: stateValue(coinStore(write.amount)),
      })),
    );
    await this.store.commit(
      {
        previous,
        position,
        writes: stateWrites,
        blocks: versions.map((at) => ({ height: at, firstVersion: at, timestampUsec: at, epoch: 1n })),
        records: versions.map((at, i) => recordAt(at, changesOf(writes[i]), writes[i]?.events)),
        treeNodes: [],
      },
      first === 0n ? IDENTITY : undefined,
    );
    return { previous, version, writes: stateWrites };
  }

  /** A check raised every version up to one. */
  async raise(upTo: bigint, level: TrustLevel): Promise<void> {
    this.#trust = raiseTrust(this.#trust, upTo, level);
    await this.store.writeSide({ trust: { trust: this.#trust, refuted: undefined }, sideRows: [] });
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
