// A balance that is watched.
import { toHex } from "../../base/hex.ts";
import { readBalance } from "../balance.ts";
import { type HistoryQuery, type OpenView, walkHistory } from "../balance-history.ts";
import { balanceKeys } from "../balance-keys.ts";
import type { LedgerView } from "../view.ts";
import { WatchKind } from "./topic.ts";
import type { WatchEvent, Watched } from "./watched.ts";

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

async function* changesOf(openView: OpenView, query: HistoryQuery): AsyncGenerator<readonly BalanceEvent[]> {
  for await (const changes of walkHistory(openView, query)) {
    yield changes.map(({ after: balance, ...change }) => ({ ...change, balance }));
  }
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
    current: async (view: LedgerView) => {
      const { version, timestampUsec } = view.position;
      return { version, timestampUsec, balance: await readBalance(view, owner, asset, version) };
    },
    changes: (openView, range) => changesOf(openView, { owner, asset, ...range }),
  };
}
