// The latest transactions that accounts sent, in words, as they are committed.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../lib/api.ts";
import { headOf, live } from "../lib/live.ts";
import type { Transaction } from "../lib/transactions.ts";
import { Card, Skeleton } from "./basics.tsx";
import { Held } from "./held.tsx";
import { TransactionRows } from "./transaction-rows.tsx";

const SHOWN = 6;
/** Versions that are read at once. */
const PAGE = 12n;
/** Blocks may come faster than anyone reads. */
const PAUSE_MS = 2500;
/** Until the head is known. */
const FIRST_PAUSE_MS = 100;

/** The latest user transactions, newest first; undefined until they are read, and where the node serves none. */
function useLatest(): readonly Transaction[] | undefined {
  const [latest, setLatest] = useState<readonly Transaction[]>();
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    let seen = -1n;
    const read = async (): Promise<void> => {
      const head = BigInt(headOf(live.get()).version ?? -1);
      if (!document.hidden && head >= 0n && head !== seen) {
        // A chain that began again is read anew.
        const isNew = head < seen;
        const next = isNew || seen + PAGE < head ? head - PAGE + 1n : seen + 1n;
        const query = { start: `${next < 0n ? 0n : next}`, limit: `${PAGE}` };
        try {
          const { data } = await ask<readonly Transaction[]>("transactions", { query });
          if (isOver) return;
          seen = BigInt(data.at(-1)?.version ?? seen);
          const sent = data.filter(({ type }) => type === "user_transaction").reverse();
          setLatest((old) => [...sent, ...(isNew ? [] : (old ?? []))].slice(0, SHOWN));
        } catch {
          // The page says by itself that the node is gone.
        }
      }
      if (!isOver) timer = setTimeout(read, head < 0n ? FIRST_PAUSE_MS : PAUSE_MS);
    };
    read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return latest;
}

export function LatestTransactions(): JSX.Element {
  const latest = useLatest();
  return (
    <Card title="Latest transactions" className="wide">
      {latest === undefined ? (
        <Skeleton lines={SHOWN} />
      ) : latest.length === 0 ? (
        <p class="faint">No account sent one lately.</p>
      ) : (
        <Held newest={latest[0]?.version} rows={latest} what="transactions">
          {(rows) => <TransactionRows transactions={rows} />}
        </Held>
      )}
    </Card>
  );
}
