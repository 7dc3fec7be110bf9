// A ledger that several writers write in turn, each with a clock of its own, pruned by each of them.
import { expect } from "vitest";
import type { CassandraStore } from "../../src/store/cassandra/store.ts";
import { checkView } from "./check-store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "./synthetic-ledger.ts";

const HOUR_MS = 3_600_000;

/** Writes and prunes with writers whose clocks are off by these hours, and compares everything after each of them. */
export async function checkWritersInTurn(
  hoursOff: readonly number[],
  openWriter: (offMs: number) => Promise<CassandraStore>,
  seed = 1,
): Promise<void> {
  const ledger = new SyntheticLedger(seed, 12);
  let head: bigint | undefined;
  for (const hours of hoursOff) {
    const store = await openWriter(hours * HOUR_MS);
    const to: bigint = (head ?? -1n) + 40n;
    await store.commit(ledger.batch(head, to), head === undefined ? SYNTHETIC_IDENTITY : undefined);
    const { firstVersion: floor } = ledger.blockAt(to - 15n, to);
    for (let isDone = false; !isDone; ) isDone = (await store.prune(floor, 20)).done;
    head = to;
    const view = await store.openView();
    expect(await checkView(view, ledger, to)).toBeGreaterThan(100);
    view.release();
    await store.close();
  }
}
