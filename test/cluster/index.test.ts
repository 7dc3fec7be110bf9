// The index in a real cluster: rows of tables and holdings, before and after pruning, by a writer and by a reader.
import { expect, it } from "vitest";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { readHoldings } from "../../src/ledger/balances/holdings.ts";
import { decodeRecord } from "../../src/ledger/formats/record.ts";
import { readTableRows } from "../../src/ledger/items/owned-items.ts";
import { findByHash, readSent } from "../../src/ledger/transaction-finder.ts";
import { addressFromBytes, parseAddress } from "../../src/move/address.ts";
import type { CassandraStore } from "../../src/store/cassandra/store.ts";
import type { Store } from "../../src/store/contract.ts";
import { checkClusterIndex } from "../../src/sync/maintenance/check/cluster-index.ts";
import { BookedLedger } from "../support/booked-ledger.ts";
import { describeCluster } from "../support/cassandra.ts";
import { readRecords } from "../support/follow.ts";
import { toRowAnswer } from "../support/row-answer.ts";
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

  it("finds the transactions of kept versions by hash and by sender, and drops the rows of pruned ones", async () => {
    const ledger = await BookedLedger.create(await cluster.openWriter({ ledger: "found" }), 12);
    const records = (await readRecords(ledger.store)).map((bytes) => decodeRecord(bytes));
    const compare = async (store: Store, oldest: bigint): Promise<void> => {
      const view = await store.openView();
      for (const { version, info } of records) {
        const found = await findByHash(view, info.transactionHash);
        expect(found?.version).toBe(version >= oldest ? version : undefined);
      }
      const user = records.findLast(({ userChainId }) => userChainId !== undefined);
      const sender = addressFromBytes((user?.transaction ?? new Uint8Array()).subarray(1, 33));
      const sent = await readSent(view, { sender, start: 0n, limit: 100 });
      expect(sent.map(({ version }) => version).every((version) => version >= oldest)).toBe(true);
      view.release();
    };
    const reader = await cluster.open({ ledger: "found", readOnly: true });
    await compare(reader, 0n);
    const { firstVersion: floor } = ledger.blocks[6]!;
    await ledger.prune(floor);
    await compare(ledger.store, floor);
    const { findings, withoutItem, indexRows } = await checkClusterIndex(ledger.store as CassandraStore);
    expect([findings, withoutItem]).toEqual([[], 0]);
    expect(indexRows).toBeGreaterThan(records.length / 2);
    for (const store of [reader, ledger.store]) await store.close();
  });
});
