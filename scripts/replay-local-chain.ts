// Makes blocks of the local chain as fast as it can into a store on disk, then checks the stored records twice: a
// new verifier replays them into a second store, and plain code recomputes every leaf, the accumulator root level
// by level and the state root from all items. Prints blocks, records, differences and memory; exits 1 on any
// difference.
//   node --expose-gc --import tsx scripts/replay-local-chain.ts [blocks] [seed]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { equalBytes } from "../src/base/bytes.ts";
import { toHex } from "../src/base/hex.ts";
import { silentLogger } from "../src/base/log.ts";
import { sha3 } from "../src/base/sha3.ts";
import { createLocalChain, type LocalChain } from "../src/chain/local-chain.ts";
import { checkGenesis } from "../src/ledger/formats/genesis.ts";
import { decodeRecord } from "../src/ledger/formats/record.ts";
import { stateValueHash } from "../src/ledger/formats/state-value.ts";
import { transactionInfoHash } from "../src/ledger/formats/transaction-info.ts";
import { ACCUMULATOR_PLACEHOLDER, hashPair, SEEDS } from "../src/ledger/hash.ts";
import { leafHashOf } from "../src/ledger/state-tree/tree-node.ts";
import type { RawRecord, Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import { Committer } from "../src/sync/committer.ts";
import { bootstrapGenesis } from "../src/sync/genesis.ts";
import { stateRootOf } from "../test/support/state-root.ts";

const START_USEC = 1_704_067_200_000_000n;
const STEP_USEC = 1_000_000n;
const PAGE_RECORDS = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const COMPARED_VERSIONS = 100n;
const PROGRESS_MS = 5_000;

const blocks = Number(process.argv[2] ?? "10000");
const seed = process.argv[3] ?? "replay";

/** Memory of the process, on Linux without the pages of the mapped store files. */
function memoryMb(): string {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const match = process.platform === "linux" ? /RssAnon:\s+(\d+) kB/.exec(readStatus()) : null;
  const own = match?.[1] === undefined ? rss / 2 ** 20 : Number(match[1]) / 1024;
  return `${own.toFixed(0)} MB own, ${(heapUsed / 2 ** 20).toFixed(0)} MB heap`;
}

function readStatus(): string {
  return readFileSync("/proc/self/status", "utf8");
}

async function make(store: Store): Promise<{ chain: LocalChain; records: number }> {
  const chain = createLocalChain({ seed });
  const committer = new Committer({ store, logger: silentLogger });
  await bootstrapGenesis({ store, committer, check: checkGenesis(chain.genesisBlob()) });
  let records = 1;
  let shown = performance.now();
  for (let height = 1; height <= blocks; height++) {
    const view = await store.openView();
    const { records: block } = await chain.produceBlock({
      position: view.position,
      view,
      getTreeNodes: (keys) => store.getTreeNodes(keys),
      timestampUsec: START_USEC + BigInt(height) * STEP_USEC,
    });
    view.release();
    await committer.append(block);
    records += block.length;
    if (height === Math.ceil(blocks / 10)) console.log(`memory at 10 %: ${memoryMb()}`);
    if (performance.now() - shown > PROGRESS_MS) {
      shown = performance.now();
      console.log(`made ${height} of ${blocks} blocks`);
    }
  }
  console.log(`memory at the end: ${memoryMb()}`);
  return { chain, records };
}

async function* readRecords(store: Store): AsyncGenerator<readonly RawRecord[]> {
  const view = await store.openView();
  try {
    for (let start = 0n; start <= view.position.version; ) {
      const page = await view.getRecords(start, PAGE_RECORDS, PAGE_BYTES);
      if (page.length === 0) throw new Error(`no record at ${start}`);
      yield page;
      start += BigInt(page.length);
    }
  } finally {
    view.release();
  }
}

async function replay(from: Store, to: Store): Promise<void> {
  const committer = new Committer({ store: to, logger: silentLogger });
  for await (const page of readRecords(from)) await committer.append(page.map(({ bytes }) => bytes));
}

/** Root over all leaves by the definition: every level is padded on the right. */
function plainRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let level = [...leaves];
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i], level[i + 1] ?? ACCUMULATOR_PLACEHOLDER];
      if (left !== undefined) above.push(hashPair(SEEDS.transactionAccumulator, left, right));
    }
    level = above;
  }
  return level[0] ?? ACCUMULATOR_PLACEHOLDER;
}

/** Recomputes the roots from the stored records with plain code; returns the differences to the store. */
async function recompute(store: Store): Promise<string[]> {
  const leaves: Uint8Array[] = [];
  const state = new Map<string, { keyHash: Uint8Array; leafHash: Uint8Array }>();
  let claimedRoot: Uint8Array | undefined;
  let lastRoot: Uint8Array = new Uint8Array(0);
  for await (const page of readRecords(store)) {
    for (const { bytes } of page) {
      const record = decodeRecord(Uint8Array.from(bytes));
      leaves.push(transactionInfoHash(record.infoBytes));
      for (const { keyHash, value } of record.writes) {
        const name = toHex(keyHash);
        if (value === undefined) state.delete(name);
        else state.set(name, { keyHash, leafHash: leafHashOf(keyHash, stateValueHash(value)) });
      }
      claimedRoot = record.info.stateCheckpointHash ?? claimedRoot;
      lastRoot = record.accumulatorRoot;
    }
  }
  const sorted = [...state.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leaf]) => leaf);
  const stateRoot = stateRootOf(sorted);
  const view = await store.openView();
  const { position } = view;
  view.release();
  const out: string[] = [];
  const compare = (what: string, computed: Uint8Array, stored: Uint8Array | undefined) => {
    if (stored === undefined || !equalBytes(computed, stored)) {
      out.push(`${what}: computed ${toHex(computed)}, stored ${stored && toHex(stored)}`);
    }
  };
  compare("state root of the store", stateRoot, position.stateRoot);
  compare("state root of the last checkpoint", stateRoot, claimedRoot);
  compare("accumulator root", plainRoot(leaves), lastRoot);
  if (BigInt(leaves.length) !== position.version + 1n) out.push(`${leaves.length} records stored`);
  console.log(`recomputed: ${leaves.length} leaves, ${sorted.length} state items, root ${toHex(stateRoot)}`);
  return out;
}

/** Compares every record of two stores, and the chain's items at versions spread over the ledger. */
async function compareStores(chain: LocalChain, left: Store, right: Store): Promise<string[]> {
  const out: string[] = [];
  const pages = readRecords(right);
  for await (const page of readRecords(left)) {
    const other = (await pages.next()).value as readonly RawRecord[] | undefined;
    page.forEach(({ version, bytes }, i) => {
      const same = other?.[i];
      if (same === undefined || !equalBytes(sha3(bytes), sha3(same.bytes))) out.push(`record ${version}`);
    });
  }
  await pages.return(undefined);
  const [a, b] = [await left.openView(), await right.openView()];
  const keys = chain.items.all.map((item) => item.keyHash);
  for (let i = 0n; i <= COMPARED_VERSIONS; i++) {
    const version = (a.position.version * i) / COMPARED_VERSIONS;
    const [items, others] = [await a.getItems(keys, version), await b.getItems(keys, version)];
    items.forEach((item, k) => {
      const other = others[k];
      const same =
        item?.version === other?.version &&
        toHex(item?.value ?? new Uint8Array(0)) === toHex(other?.value ?? new Uint8Array(0));
      if (!same) out.push(`item ${k} at version ${version}`);
    });
  }
  if (a.position.version !== b.position.version) out.push("latest version");
  a.release();
  b.release();
  return out;
}

const folder = mkdtempSync(join(tmpdir(), "sextant-replay-"));
try {
  const made = await openLmdbStore({ path: join(folder, "made") });
  let started = performance.now();
  const { chain, records } = await make(made);
  const makeSeconds = (performance.now() - started) / 1000;
  console.log(`made ${blocks} blocks, ${records} records in ${makeSeconds.toFixed(1)} s`);
  const replayed = await openLmdbStore({ path: join(folder, "replayed") });
  started = performance.now();
  await replay(made, replayed);
  const replaySeconds = (performance.now() - started) / 1000;
  console.log(`replayed in ${replaySeconds.toFixed(1)} s: every hash and every block's state root verified`);
  const differences = [...(await recompute(made)), ...(await compareStores(chain, made, replayed))];
  for (const difference of differences.slice(0, 20)) console.log(`difference: ${difference}`);
  console.log(`differences: ${differences.length}`);
  console.log(`memory after the checks: ${memoryMb()}`);
  await made.close();
  await replayed.close();
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
