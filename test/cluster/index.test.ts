// The index in a real cluster: rows of tables and holdings, before and after pruning, by a writer and by a reader.
import { expect, it } from "vitest";
import { toRowAnswer } from "../../src/http/operations/get-table-items.ts";
import { parseAsset } from "../../src/ledger/asset.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { readHoldings } from "../../src/ledger/holdings.ts";
import { readTableRows } from "../../src/ledger/owned-items.ts";
import { parseAddress } from "../../src/move/address.ts";
import type { Store } from "../../src/store/contract.ts";
import { BookedLedger } from "../support/booked-ledger.ts";
import { describeCluster } from "../support/cassandra.ts";
import { readRecords } from "../support/follow.ts";
import { TableModel } from "../support/table-model.ts";

describeCluster("the index in a cluster", (cluster) => {
  it("lists the rows and holdings of kept versions, also to a process that only reads", async () => {
    const ledger = await BookedLedger.create(await cluster.openWriter({ ledger: "listed" }), 14);
    const model = new TableModel();
    for (const record of await readRecords(ledger.store)) model.add(record);
    const reader = await cluster.open({ ledger: "listed", readOnly: true });
    const { lastVersion: head } = ledger.blocks.at(-1)!;
    let rows = 0;
    const compare = async (store: Store, version: bigint): Promise<void> => {
      const view = await store.openView();
      for (const handle of model.handles) {
        const query = {
          handle: parseAddress(handle),
          version,
          since: undefined,
          after: undefined,
          limit: 1000,
        };
        const found = (await readTableRows(view, query)).rows.map(toRowAnswer);
        expect(found, `${handle} at ${version}`).toEqual(model.rowsAt(handle, version));
        rows += found.length;
      }
      for (const address of new Set(ledger.pairs.map((pair) => pair.address))) {
        const account = parseAddress(address);
        const query = { account, version, after: undefined, limit: 100 };
        for (const { assetType, balance } of (await readHoldings(view, query)).holdings) {
          expect(await readBalance(view, account, parseAsset(assetType), version)).toBe(balance);
        }
      }
      view.release();
    };
    for (const version of [1n, head / 2n, head]) await compare(reader, version);
    const { firstVersion: floor } = ledger.blocks[9]!;
    await ledger.prune(floor);
    await ledger.steps(1);
    for (const version of [floor, (floor + head) / 2n, head]) await compare(ledger.store, version);
    const fresh = await cluster.open({ ledger: "listed", readOnly: true });
    for (const version of [floor, head]) await compare(fresh, version);
    expect(rows).toBeGreaterThan(100);
    for (const store of [reader, fresh, ledger.store]) await store.close();
  });
});
