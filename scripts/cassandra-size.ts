// Measures the size of a ledger in a cluster: rows and bytes of each table for a run of the local chain, bytes of
// an item and of a further version of it, and the cost and the result of pruning. Gives the figures of
// docs/appendix/cluster-design.md. Needs one empty node (scripts/cassandra.sh up 1), whose files it counts.
//   npx tsx scripts/cassandra-size.ts [--blocks 300] [--items 100000]
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { Feeder, makeKey } from "../bench/store-data.ts";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { type CassandraStore, openCassandraStore } from "../src/store/cassandra/store.ts";
import type { CommitBatch } from "../src/store/contract.ts";
import { ChainRun } from "../test/support/chain-run.ts";

const { values } = parseArgs({
  options: { blocks: { type: "string", default: "300" }, items: { type: "string", default: "100000" } },
});
const blocks = Number(values.blocks);
const items = Number(values.items);
const NET = process.env.CASSANDRA_NET ?? "127.0.0";
const PORT = process.env.CASSANDRA_PORT ?? "9042";
const VALUE_BYTES = 200;
const BATCH = 1000;
const TABLES = ["items", "versions", "blocks", "tree", "side", "splits", "heads"];
const script = fileURLToPath(new URL("cassandra.sh", import.meta.url));
const home = process.env.CASSANDRA_HOME_DIR ?? fileURLToPath(new URL("../.cache/cassandra", import.meta.url));
const nodeDirectory = join(home, `${NET}.1`, "data");
const run = promisify(execFile);

async function nodetool(...words: string[]): Promise<string> {
  return (await run(script, ["nodetool", "1", ...words], { maxBuffer: 2 ** 26 })).stdout;
}

/** Bytes of each table's files after everything is flushed and compacted. */
async function measure(keyspace: string): Promise<Record<string, number>> {
  await nodetool("flush", keyspace);
  await nodetool("compact", keyspace);
  // Cassandra deletes replaced files a little later.
  await sleep(5000);
  const folder = join(nodeDirectory, keyspace);
  const sizes: Record<string, number> = {};
  for (const name of readdirSync(folder)) {
    const table = name.slice(0, name.lastIndexOf("-"));
    const files = readdirSync(join(folder, name), { withFileTypes: true }).filter((file) => file.isFile());
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, name, file.name)).size, 0);
    sizes[table] = (sizes[table] ?? 0) + bytes;
  }
  return sizes;
}

async function open(keyspace: string): Promise<CassandraStore> {
  const store = await openCassandraStore({
    hosts: [`${NET}.1:${PORT}`],
    keyspace,
    ledger: "main",
    replication: 1,
  });
  if ((await store.lease.acquire()) === undefined) throw new Error("another process writes the ledger");
  return store;
}

async function measureChain(): Promise<void> {
  const keyspace = `size_chain_${randomBytes(3).toString("hex")}`;
  const store = await open(keyspace);
  const count = { versions: 0, writes: 0, values: 0, nodes: 0, records: 0, blocks: 0 };
  const counted = Object.create(store, {
    commit: {
      value: async (batch: CommitBatch, identity: Parameters<CassandraStore["commit"]>[1]) => {
        await store.commit(batch, identity);
        count.versions += batch.records.length;
        count.writes += batch.writes.length;
        count.nodes += batch.treeNodes.length;
        count.blocks += batch.blocks.length;
        for (const { value } of batch.writes) count.values += value?.length ?? 0;
        for (const { bytes } of batch.records) count.records += bytes.length;
      },
    },
  }) as CassandraStore;
  for (const name of ["openView", "getTreeNodes", "getSideRows", "writeSide", "prune"] as const) {
    Object.defineProperty(counted, name, { value: store[name].bind(store) });
  }
  const chain = new ChainRun(createLocalChain({ seed: "size" }), counted);
  Object.defineProperty(counted, "identity", { get: () => store.identity });
  await chain.start();
  const genesis = { ...count };
  const started = performance.now();
  await chain.steps(blocks);
  const seconds = (performance.now() - started) / 1000;
  const sizes = await measure(keyspace);
  const versions = count.versions - genesis.versions;
  const each = (name: keyof typeof count): string => ((count[name] - genesis[name]) / versions).toFixed(2);
  console.log(`local chain: ${blocks} blocks, ${versions} versions in ${seconds.toFixed(1)} s`);
  console.log(
    `  for each version: ${each("writes")} items, ${each("nodes")} tree nodes, ${each("blocks")} blocks, 1 record; ` +
      `${each("values")} bytes of values, ${each("records")} bytes of records`,
  );
  console.log(
    `  bytes on disk, one copy: ${TABLES.map((table) => `${table} ${sizes[table] ?? 0}`).join(", ")}`,
  );
  await store.close();
}

async function measureItems(): Promise<void> {
  const keyspace = `size_items_${randomBytes(3).toString("hex")}`;
  const store = await open(keyspace);
  const feeder = new Feeder(store);
  const write = async (): Promise<void> => {
    for (let from = 0; from < items; from += BATCH) {
      const writes = Array.from({ length: Math.min(BATCH, items - from) }, (_, at) => ({
        keyHash: makeKey(from + at),
        value: randomBytes(VALUE_BYTES),
      }));
      await feeder.commitSpread(writes);
    }
  };
  await write();
  const once = await measure(keyspace);
  const floor = feeder.next;
  await write();
  const twice = await measure(keyspace);
  const perItem = (once.items ?? 0) / items;
  const perVersion = ((twice.items ?? 0) - (once.items ?? 0)) / items;
  console.log(`items: ${items} keys with values of ${VALUE_BYTES} random bytes, ten to a version`);
  console.log(
    `  one copy: ${perItem.toFixed(0)} bytes for an item (${(perItem - VALUE_BYTES).toFixed(0)} besides the value), ` +
      `${perVersion.toFixed(0)} for a further version of it; ${((twice.versions ?? 0) / (2 * items)).toFixed(0)} bytes of key lists for a write`,
  );
  await measurePruning(store, keyspace, floor, feeder.next - 1n);
  await store.close();
}

async function measurePruning(
  store: CassandraStore,
  keyspace: string,
  floor: bigint,
  head: bigint,
): Promise<void> {
  const before = store.figures.responses;
  const started = performance.now();
  let [removed, steps] = [0, 0];
  for (let done = false; !done; steps++) {
    const step = await store.prune(floor, 5000);
    removed += step.removed;
    done = step.done;
  }
  const seconds = (performance.now() - started) / 1000;
  const requests = store.figures.responses - before;
  console.log(
    `pruning ${floor} versions with ${removed} writes: ${steps} steps, ${requests} requests, ${seconds.toFixed(1)} s`,
  );
  const view = await store.openView();
  for (let at = 0; at < 2000; at++) {
    const [item] = await view.getItems([makeKey(Math.floor((at * items) / 2000))], head);
    if (item?.value === undefined) throw new Error("an item is missing");
  }
  view.release();
  const stats = await nodetool("tablestats", `${keyspace}.items`);
  for (const line of stats.split("\n"))
    if (/tombstones per slice|live cells per slice/i.test(line)) console.log(`  ${line.trim()}`);
  const after = await measure(keyspace);
  console.log(`  bytes of items after compaction, with tombstones: ${after.items}`);
}

await measureChain();
await measureItems();
process.exit(0);
