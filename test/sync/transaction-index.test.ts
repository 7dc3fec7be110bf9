// The index of transactions: written with commits, pruned and rewound with them, built for stores that have none, and
// checked against the records.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import { silentLogger } from "../../src/base/log.ts";
import { decodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodeRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { isTransactionRow } from "../../src/ledger/indexes/transaction-rows.ts";
import { findByHash, readSent } from "../../src/ledger/transaction-finder.ts";
import { addressFromBytes } from "../../src/move/address.ts";
import { checkData } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { putRow } from "../../src/store/lmdb/sealed-rows.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { openStoreWalk } from "../../src/store/lmdb/walk.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { rewindLedger } from "../../src/sync/maintenance/rewind.ts";
import { recordChain } from "../support/follow.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SEED = "transaction-index";
const folder = temporaryFolder();
let count = 0;
const place = (): string => join(folder, `store-${count++}`);
const { records } = await recordChain(30, SEED);
const hashes = records.map((bytes) => decodeRecord(bytes).info.transactionHash);

/** Sequence numbers and versions by sender, from the decoded records. */
const sent = new Map<string, { readonly sequence: bigint; readonly version: bigint }[]>();
for (const [version, bytes] of records.entries()) {
  const { transaction } = decodeWith(recordCodec, bytes);
  // A transaction with a nonce has no place among the sequence numbers.
  if (transaction.kind !== "user" || transaction.transaction.raw.sequenceNumber === 2n ** 64n - 1n) continue;
  const { sender, sequenceNumber: sequence } = transaction.transaction.raw;
  const known = sent.get(toHex(sender)) ?? [];
  sent.set(toHex(sender), [...known, { sequence, version: BigInt(version) }]);
}

async function append(
  store: Store,
  transactionIndex: boolean,
  upTo = records.length - 1,
): Promise<Committer> {
  const committer = new Committer({ store, logger: silentLogger, transactionIndex });
  if (store.identity === undefined) {
    await committer.commitGenesis(checkGenesis(createLocalChain({ seed: SEED }).genesisBlob()));
  }
  await committer.append(records.slice(Number(await committer.nextVersion()), upTo + 1));
  return committer;
}

async function blockEnd(store: Store, height: bigint): Promise<bigint> {
  const view = await store.openView();
  const block = await view.getBlockByHeight(height);
  view.release();
  return block?.lastVersion ?? 0n;
}

async function prune(store: Store, height: bigint): Promise<number> {
  const floor = (await blockEnd(store, height - 1n)) + 1n;
  while (!(await store.prune(floor, 50)).done);
  return Number(floor);
}

/** Every transaction from a version to the head is found, and no other. */
async function compare(store: Store, oldest: number, head: number): Promise<void> {
  const view = await store.openView();
  try {
    for (const [version, hash] of hashes.entries()) {
      const found = await findByHash(view, hash);
      expect(found?.version).toBe(version >= oldest && version <= head ? BigInt(version) : undefined);
    }
    for (const [address, all] of sent) {
      const sender = addressFromBytes(Buffer.from(address, "hex"));
      const kept = all.filter(({ version }) => version >= oldest && version <= head);
      const found = await readSent(view, { sender, start: 0n, limit: 1000 });
      expect(found.map(({ version }) => version)).toEqual(kept.map(({ version }) => version));
      const start = all[1]?.sequence ?? 0n;
      const part = await readSent(view, { sender, start, limit: 3 });
      expect(part.map(({ version }) => version)).toEqual(
        kept
          .filter(({ sequence }) => sequence >= start)
          .slice(0, 3)
          .map(({ version }) => version),
      );
    }
    expect(await findByHash(view, Buffer.alloc(32, 7))).toBeUndefined();
  } finally {
    view.release();
  }
}

async function refusal(store: Store): Promise<string> {
  const view = await store.openView();
  try {
    await findByHash(view, Buffer.alloc(32, 7));
    return "none";
  } catch (error) {
    return String(Reflect.get(Object(error), "code"));
  } finally {
    view.release();
  }
}

async function rowsOf(path: string): Promise<string[]> {
  const walk = await openStoreWalk(path);
  const rows = [...walk.indexRows()].filter(isTransactionRow);
  await walk.close();
  return rows.map(({ owner, place: at }) => `${toHex(owner)} ${toHex(at)}`);
}

const ENGINES: Readonly<Record<string, (path: string) => Promise<Store>>> = {
  memory: async () => createMemoryStore(),
  lmdb: (path) => openLmdbStore({ path }),
};

describe.each(Object.keys(ENGINES))("the index of transactions in %s", (engine) => {
  const open = (path = place()): Promise<Store> => ENGINES[engine]?.(path) ?? Promise.reject(new Error());

  it("finds every kept transaction by hash and by sender, while versions are committed and pruned", async () => {
    const store = await open();
    await append(store, true, Number(await blockEndOf(15)));
    await compare(store, 0, Number(await blockEndOf(15)));
    const floor = await prune(store, 8n);
    await compare(store, floor, Number(await blockEndOf(15)));
    await append(store, true);
    await compare(store, floor, records.length - 1);
    await compare(store, await prune(store, 25n), records.length - 1);
    await store.close();
  });

  it("is built for the kept records of a store without one, in steps, also of a pruned one", async () => {
    const store = await open();
    await append(store, false);
    expect(await refusal(store)).toBe("not_indexed");
    const floor = await prune(store, 10n);
    const committer = new Committer({ store, logger: silentLogger });
    const total = BigInt(records.length);
    expect(await committer.indexMore(9)).toEqual({ state: "building", done: BigInt(floor) + 9n, total });
    expect(await refusal(store)).toBe("unavailable");
    // Commits of a program that writes no index leave a gap that is filled later.
    let state = "building";
    while (state === "building") ({ state } = await committer.indexMore(20));
    expect([state, await refusal(store)]).toEqual(["whole", "none"]);
    await compare(store, floor, records.length - 1);
    await compare(store, await prune(store, 20n), records.length - 1);
    await store.close();
  });

  it("is left behind by commits without it, and caught up", async () => {
    const store = await open();
    await append(store, true, Number(await blockEndOf(10)));
    await append(store, false);
    expect(await refusal(store)).toBe("unavailable");
    expect((await new Committer({ store, logger: silentLogger }).indexMore(10_000)).state).toBe("whole");
    await compare(store, 0, records.length - 1);
    await store.close();
  });

  it("forgets versions that are rewound, and finds what is committed instead", async () => {
    const store = await open();
    await append(store, true);
    const to = await blockEnd(store, 12n);
    await rewindLedger({ store, to, onProgress: () => {}, signal: new AbortController().signal });
    await compare(store, 0, Number(to));
    await append(store, true);
    await compare(store, 0, records.length - 1);
    await store.close();
  });
});

async function blockEndOf(height: number): Promise<bigint> {
  return blockEnd(await whole, BigInt(height));
}
const whole = (async (): Promise<Store> => {
  const store = createMemoryStore();
  await append(store, true);
  return store;
})();

describe("rows of the index of transactions", () => {
  it("are the same whether commits wrote them or a build, and gone with what was pruned or rewound", async () => {
    const [written, built, short] = [place(), place(), place()];
    const first = await openLmdbStore({ path: written });
    await append(first, true);
    await prune(first, 12n);
    await first.close();
    const second = await openLmdbStore({ path: built });
    const committer = await append(second, false);
    expect([(await committer.indexMore()).state, await refusal(second)]).toEqual(["whole", "not_indexed"]);
    const builder = new Committer({ store: second, logger: silentLogger });
    while ((await builder.indexMore(7)).state === "building");
    const to = await blockEnd(second, 20n);
    await rewindLedger({ store: second, to, onProgress: () => {}, signal: new AbortController().signal });
    await append(second, true);
    await prune(second, 12n);
    await second.close();
    const third = await openLmdbStore({ path: short });
    await append(third, true);
    await third.close();
    const rows = await rowsOf(written);
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.length).toBeLessThan((await rowsOf(short)).length);
    expect(await rowsOf(built)).toEqual(rows);
    expect((await checkData(built)).findings).toEqual([]);
  });

  it("are missed by a check, and found where no record has them", async () => {
    const path = place();
    const store = await openLmdbStore({ path });
    await append(store, true);
    await store.close();
    expect((await checkData(path)).findings).toEqual([]);
    const [row = ""] = await rowsOf(path);
    const key = Buffer.from(row.replace(" ", ""), "hex");
    const extra = Buffer.concat([Uint8Array.of(4), Buffer.alloc(32, 7), Buffer.alloc(32)]);
    const environment = await openEnvironment({ path, readOnly: false });
    const { index } = environment.tables;
    if (index === undefined) throw new Error("no index");
    environment.root.transactionSync(() => {
      index.removeSync(key);
      putRow(index, extra, Buffer.alloc(0));
    });
    await environment.close();
    const { findings, faults } = await checkData(path);
    expect(faults).toBe(2);
    expect(findings.join("\n")).toMatch(/index row 04[0-9a-f]+ [0-9a-f]+: is missing, but record \d+ has it/);
    expect(findings.join("\n")).toMatch(/index row 0407[0-9a-f]+ 0+: record 0 has no such row/);
  });
});
