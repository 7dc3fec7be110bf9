import { describe, expect, it } from "vitest";
import { hasShared, sharedBytes, sharedJson } from "../../test/support/shared.ts";
import { verifyRecords } from "../../test/support/verify-records.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { silentLogger } from "../base/log.ts";
import { BcsWriter } from "../bcs/writer.ts";
import { eventRoot, transactionAccumulator } from "../ledger/accumulator.ts";
import { LedgerError } from "../ledger/errors.ts";
import { eventHash } from "../ledger/formats/block-event.ts";
import { checkGenesis } from "../ledger/formats/genesis.ts";
import { decodePage, type RecordSpans } from "../ledger/formats/record.ts";
import { stateValueData } from "../ledger/formats/state-value.ts";
import { transactionHash } from "../ledger/formats/transaction.ts";
import { transactionInfoHash } from "../ledger/formats/transaction-info.ts";
import { writeSetHash } from "../ledger/formats/write-set.ts";
import { tableItemKeyHash } from "../ledger/key-hash.ts";
import { ALL_TRUSTED } from "../ledger/trust.ts";
import { formatWaypoint, parseWaypoint } from "../ledger/waypoint.ts";
import { parseAddress } from "../move/address.ts";
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import { Committer } from "./committer.ts";
import { assertWaypoint, bootstrapGenesis } from "./genesis.ts";
import { loadPosition } from "./reading.ts";

const PAGE = "vectors/testnet-pages/testnet-start0-limit4.page.bcs";
const page = hasShared ? sharedBytes(PAGE) : new Uint8Array(1);
const records = hasShared ? decodePage(page) : [];
const rows = records.map((record) => record.bytes);

interface RecordedHashes {
  readonly transaction_hash: string;
  readonly event_root_hash: string;
  readonly state_change_hash: string;
  readonly state_checkpoint_hash: string | null;
  readonly transaction_info_hash: string;
  readonly accumulator_root_hash: string;
}

function create() {
  const store = createMemoryStore();
  return { store, committer: new Committer({ store, logger: silentLogger }) };
}

/** The record with one byte changed inside one of its spans. */
function damaged(record: RecordSpans, span: Uint8Array, at: number): Uint8Array {
  const out = Uint8Array.from(record.bytes);
  const index = span.byteOffset - record.bytes.byteOffset + at;
  out[index] = (out[index] ?? 0) ^ 1;
  return out;
}

async function failure(promise: Promise<unknown>): Promise<LedgerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LedgerError);
  return error as LedgerError;
}

describe.skipIf(!hasShared)("replay of a public network's first versions", () => {
  it("computes every recorded hash", () => {
    const recorded = sharedJson<RecordedHashes[]>("vectors/testnet-pages/testnet-first-four.json");
    const accumulator = transactionAccumulator();
    const computed = records.map((record) => {
      accumulator.append(transactionInfoHash(record.infoBytes));
      const { stateCheckpointHash } = record.info;
      return {
        transaction_hash: toHex(transactionHash(record.transaction)),
        event_root_hash: toHex(eventRoot(record.events.map(eventHash))),
        state_change_hash: toHex(writeSetHash(record.changes)),
        state_checkpoint_hash: stateCheckpointHash === undefined ? null : toHex(stateCheckpointHash),
        transaction_info_hash: toHex(transactionInfoHash(record.infoBytes)),
        accumulator_root_hash: toHex(accumulator.root()),
      };
    });
    expect(computed).toHaveLength(recorded.length);
    for (const [i, hashes] of computed.entries()) expect(recorded[i]).toMatchObject(hashes);
  });

  it("finds the blocks", () => {
    const blocks = verifyRecords(undefined, records);
    expect(
      blocks.map(({ start, position }) => [start.firstVersion, position.version, start.height, start.epoch]),
    ).toEqual([
      [0n, 0n, 0n, 0n],
      [1n, 1n, 1n, 1n],
      [2n, 3n, 2n, 2n],
    ]);
    expect(blocks.map((block) => block.records.length)).toEqual([1, 1, 2]);
  });

  it("commits the page up to its last checkpoint", async () => {
    const { store, committer } = create();
    const position = await committer.append(page);
    expect(position).toMatchObject({ chainId: 2, version: 3n, epoch: 2n, blockHeight: 2n });
    expect(toHex(position!.stateRoot!)).toBe(
      "56bf9bb8d9049d2f56541c19f48da847dd5c12419529f8db97255b08c2cf42b7",
    );
    expect(position?.accumulator.leafCount).toBe(4n);
    expect(toHex(store.identity!.genesisHash)).toBe(
      "a82b8b8e40e61e83cd284071ff179ce9b79458768e9e4feca8b892425b18b2f0",
    );
    const view = await store.openView();
    expect((await view.getRecords(0n, 10, 1e9)).map((row) => toHex(row.bytes))).toEqual(rows.map(toHex));
    view.release();
  });

  it("reaches the same position record by record, holding back an open block", async () => {
    const whole = create();
    const expected = await whole.committer.append(page);
    const { store, committer } = create();
    const versions: bigint[] = [];
    for (const row of rows) versions.push((await committer.append([row]))!.version);
    expect(versions).toEqual([0n, 1n, 1n, 3n]);
    expect(await loadPosition(store)).toEqual(expected);
    const nodes = [new Uint8Array([0])];
    expect(await store.getTreeNodes(nodes)).toEqual(await whole.store.getTreeNodes(nodes));
  });

  it("accepts an open block again from the head on, also in a new committer", async () => {
    const { store, committer } = create();
    await committer.append(rows.slice(0, 3));
    expect(await committer.nextVersion()).toBe(3n);
    expect((await committer.append(rows.slice(2, 3)))?.version).toBe(1n);
    expect(
      (
        await committer
          .append(sharedBytes("vectors/testnet-pages/testnet-start1-limit3.page.bcs"))
          .catch((error) => error)
      ).code,
    ).toBe("mismatch");
    const second = new Committer({ store, logger: silentLogger });
    expect(await second.nextVersion()).toBe(2n);
    expect((await second.append(rows.slice(2)))?.version).toBe(3n);
  });

  it("runs calls one after the other", async () => {
    const { committer } = create();
    const positions = await Promise.all(rows.map((row) => committer.append([row])));
    expect(positions.map((position) => position?.version)).toEqual([0n, 1n, 1n, 3n]);
  });

  const FIELDS: [string, (record: RecordSpans) => Uint8Array, number, string][] = [
    ["the version", (record) => record.bytes, 0, "version"],
    ["the transaction", (record) => record.transaction, 5, "transaction hash"],
    ["the info's transaction hash", (record) => record.info.transactionHash, 3, "transaction hash"],
    ["the info's event root", (record) => record.info.eventRootHash, 3, "event root hash"],
    ["the info's write set hash", (record) => record.info.stateChangeHash, 3, "state change hash"],
    ["the info's gas", (record) => record.infoBytes, 1, "accumulator root hash"],
    ["an event", (record) => record.events[0]!, 9 + 31 + 8 + 20, "event root hash"],
    ["the accumulator root", (record) => record.accumulatorRoot, 31, "accumulator root hash"],
    ["the write set", (record) => record.changes, 60, "state change hash"],
  ];

  it.each(FIELDS)("refuses a change of %s and writes nothing", async (_, span, at, field) => {
    const { store, committer } = create();
    await committer.append(rows.slice(0, 1));
    const before = await loadPosition(store);
    const bad = damaged(records[1]!, span(records[1]!), at);
    const error = await failure(committer.append([bad, ...rows.slice(2)]));
    if (error.code === "mismatch") expect(error.details.field).toBe(field);
    expect(error.message).toMatch(/version|at byte/);
    expect(await loadPosition(store)).toEqual(before);
    expect((await committer.append(rows.slice(1)))?.version).toBe(3n);
  });

  it("refuses a wrong state root and writes nothing", async () => {
    const { store, committer } = create();
    await committer.append(rows.slice(0, 1));
    // A consistent record whose info claims another root: only the computed state root reveals it.
    const record = records[1]!;
    const info = damaged(record, record.info.stateCheckpointHash!, 0);
    const infoBytes = info.subarray(
      record.infoBytes.byteOffset - record.bytes.byteOffset,
      record.infoBytes.byteOffset - record.bytes.byteOffset + record.infoBytes.length,
    );
    const accumulator = transactionAccumulator((await loadPosition(store))?.accumulator);
    accumulator.append(transactionInfoHash(infoBytes));
    info.set(accumulator.root(), record.accumulatorRoot.byteOffset - record.bytes.byteOffset);
    const error = await failure(committer.append([info]));
    expect(error.code).toBe("mismatch");
    expect(error.details).toMatchObject({ version: 1n, field: "state checkpoint hash" });
    expect((await loadPosition(store))?.version).toBe(0n);
  });

  it("refuses truncated pages and bytes after one", async () => {
    const { store, committer } = create();
    for (const length of [0, 1, 100, 300_000, page.length - 1]) {
      expect((await failure(committer.append(page.subarray(0, length)))).code).toBe("corrupt");
    }
    expect(
      (await failure(committer.append(new BcsWriter(page.length + 1).fixed(page).u8(0).take()))).code,
    ).toBe("corrupt");
    expect(store.identity).toBeUndefined();
  });

  it("returns no position for an empty store and no records", async () => {
    const { committer } = create();
    expect(await committer.append([])).toBeUndefined();
  });

  it("continues without a state root when the state is only partly known", async () => {
    const { store, committer } = create();
    const [genesis] = verifyRecords(undefined, records.slice(0, 1));
    await store.commit(
      {
        previous: undefined,
        position: { ...genesis!.position, stateRoot: undefined, ...ALL_TRUSTED },
        writes: genesis!.writes,
        blocks: [genesis!.start],
        records: genesis!.records,
        treeNodes: [],
      },
      { chainId: 2, genesisHash: genesis!.position.accumulator.frozen[0]! },
    );
    const position = await committer.append(rows.slice(1));
    expect(position).toMatchObject({ version: 3n, stateRoot: undefined });
  });
});

const NETWORKS = ["mainnet", "devnet"];

/** Bytes as text, so that a failed comparison of thousands of rows stays fast. */
const asHex = (bytes: Uint8Array | undefined): string | undefined => bytes && toHex(bytes);

describe.skipIf(!hasShared)("bootstrap from a genesis file", () => {
  const load = (network: string) => {
    const check = checkGenesis(sharedBytes(`networks/${network}/genesis.blob`));
    const waypoint = parseWaypoint(Buffer.from(sharedBytes(`networks/${network}/waypoint.txt`)).toString());
    assertWaypoint(check.waypoint, waypoint);
    return { check, waypoint };
  };

  it.each(NETWORKS)("proves and commits %s", async (network) => {
    const { store, committer } = create();
    const { check } = load(network);
    await bootstrapGenesis({ store, committer, check });
    const position = await loadPosition(store);
    expect(position).toMatchObject({
      chainId: check.chainId,
      version: 0n,
      timestampUsec: 0n,
      epoch: 0n,
      blockHeight: 0n,
      accumulator: { leafCount: 1n },
    });
    expect(toHex(position!.stateRoot!)).toBe(toHex(check.stateRoot));
    expect(position!.accumulator.frozen.map(toHex)).toEqual([toHex(check.infoHash)]);
    const nodes = await store.getTreeNodes(check.treeNodes.map((node) => node.key));
    expect(nodes.map(asHex)).toEqual(check.treeNodes.map((node) => asHex(node.value)));
    await bootstrapGenesis({ store, committer, check });
    expect(await loadPosition(store)).toEqual(position);
    expect(await committer.nextVersion()).toBe(1n);
    await expect(committer.commitGenesis(check)).rejects.toThrow(StoreError);
  });

  it.each(NETWORKS)("leaves of %s what its record would leave", async (network) => {
    const [adopted, ingested] = [create(), create()];
    const { check } = load(network);
    await bootstrapGenesis({ ...adopted, check });
    await ingested.committer.append([check.record]);
    const contents = async (store: Store) => {
      const view = await store.openView();
      const items = await view.getItems(
        check.writes.map((write) => write.keyHash),
        0n,
      );
      const records = await view.getRecords(0n, 10, 1e9);
      const { stateRoot, accumulator, ...plain } = view.position;
      const nodes = await store.getTreeNodes(check.treeNodes.map((node) => node.key));
      const block = await view.getBlockByHeight(0n);
      view.release();
      return {
        plain,
        block,
        hex: [stateRoot!, ...accumulator.frozen, store.identity!.genesisHash].map(toHex),
        items: items.map((item) => `${item?.version} ${toHex(item!.value!)}`),
        records: records.map((record) => toHex(record.bytes)),
        nodes: nodes.map((node) => toHex(node!)),
      };
    };
    expect(await contents(adopted.store)).toEqual(await contents(ingested.store));
  });

  it("refuses another waypoint, and names both", () => {
    const { check, waypoint } = load("devnet");
    const hash = Uint8Array.from(waypoint.hash, (byte, i) => (i === 7 ? byte ^ 1 : byte));
    const [actual, expected] = [formatWaypoint(waypoint), formatWaypoint({ version: 0n, hash })];
    expect(() => assertWaypoint(check.waypoint, { version: 0n, hash })).toThrow(
      expect.objectContaining({ code: "mismatch", details: { field: "waypoint", expected, actual } }),
    );
  });

  it("does not write to another chain's store", async () => {
    const { store, committer } = create();
    await bootstrapGenesis({ store, committer, check: load("mainnet").check });
    const other = bootstrapGenesis({ store, committer, check: load("devnet").check });
    await expect(other).rejects.toThrow(StoreError);
    await expect(other).rejects.toMatchObject({ code: "identity" });
  });

  interface KeyedValue {
    readonly state_key_hash: string;
    readonly value: string | null;
  }
  interface BalanceEntry {
    readonly network: string;
    readonly coin_store: KeyedValue | null;
    readonly primary_store: KeyedValue | null;
  }
  interface TableEntry {
    readonly network: string;
    readonly handle: string;
    readonly key: string;
    readonly value: string | null;
  }

  it.each(NETWORKS)("serves every known item of %s by its key hash", async (network) => {
    const { store, committer } = create();
    await bootstrapGenesis({ store, committer, check: load(network).check });
    const { entries: balances } = sharedJson<{ entries: BalanceEntry[] }>("vectors/genesis-balances.json");
    const { entries: tables } = sharedJson<{ entries: TableEntry[] }>("vectors/genesis-table-items.json");
    const wanted: { keyHash: Uint8Array; value: string | null }[] = [];
    for (const entry of balances.filter((one) => one.network === network)) {
      for (const item of [entry.coin_store, entry.primary_store]) {
        if (item !== null && item !== undefined) {
          wanted.push({ keyHash: fromHex(item.state_key_hash)!, value: item.value });
        }
      }
    }
    for (const entry of tables.filter((one) => one.network === network)) {
      const keyHash = tableItemKeyHash(parseAddress(entry.handle), fromHex(entry.key)!, undefined);
      wanted.push({ keyHash, value: entry.value });
    }
    const view = await store.openView();
    const items = await view.getItems(
      wanted.map((one) => one.keyHash),
      0n,
    );
    const found = items.map((item) => (item?.value === undefined ? null : toHex(stateValueData(item.value))));
    expect(found).toEqual(wanted.map((one) => one.value));
    expect(found.length).toBeGreaterThan(3);
    view.release();
  });
});
