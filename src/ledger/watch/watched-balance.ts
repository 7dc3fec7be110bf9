// A balance that is watched.
import { toHex } from "../../base/hex.ts";
import { readBalance } from "../balances/balance.ts";
import { type HistoryQuery, type OpenView, walkChanges } from "../balances/balance-history.ts";
import { balanceKeys } from "../balances/balance-keys.ts";
import { blockOf } from "../read-point.ts";
import { trustAt, weakestTrust } from "../trust.ts";
import { type LedgerView, trustOfAnswer } from "../view.ts";
import { eventId, eventIdAt } from "./event-id.ts";
import { type WatchEvent, type Watched, WatchKind } from "./watched.ts";

/** A balance at a version. */
export interface BalanceEvent extends WatchEvent {
  /** Time of the version's block, in microseconds since 1970. */
  readonly timestampUsec: bigint;
  readonly balance: bigint;
  /** The balance before, if this version changed it; undefined where the event tells the state. */
  readonly before?: bigint;
  /** Hash of the transaction that changed it. */
  readonly transactionHash?: Uint8Array;
}

function changesOf(openView: OpenView, query: HistoryQuery): AsyncGenerator<readonly BalanceEvent[]> {
  return walkChanges(openView, query, ({ position }, fetched) => ({ after: balance, ...change }, record) => {
    const level = trustAt(position.trust, change.version);
    const trust = fetched === undefined ? level : weakestTrust(level, fetched);
    return { ...change, balance, trust, id: eventId(record) };
  });
}

const BALANCES = new WatchKind<BalanceEvent>();

export function watchedBalance({
  owner,
  asset,
}: Pick<HistoryQuery, "owner" | "asset">): Watched<BalanceEvent> {
  return {
    kind: BALANCES,
    id: `${toHex(owner)} ${asset.id}`,
    keys: balanceKeys(owner, asset, undefined),
    current: async (view: LedgerView, version) => {
      const { timestampUsec } = await blockOf(view, version);
      const balance = await readBalance(view, owner, asset, version);
      const id = await eventIdAt(view, version);
      return { version, timestampUsec, balance, id, trust: trustOfAnswer(view, version) };
    },
    changes: (openView, range) => changesOf(openView, { owner, asset, ...range }),
  };
}
