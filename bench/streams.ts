// Streams of events: what a thousand of them add to a block up to its commit, what they take of the writer's process after
// it, and the memory of ten thousand that wait.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { pathTo, TRANSACTION_STREAM_PATH } from "../src/interface/route.ts";
import { balanceStreamRoute } from "../src/interface/routes.ts";
import { formatAddress, formatAddressLong } from "../src/move/address.ts";
import { answerRange, createNode, type Node } from "../src/node.ts";
import type { Store } from "../src/store/contract.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import type { BlockCost, WriterReport } from "./block-writer.ts";
import { type BenchOptions, type BenchRow, toPlainRow, toRow, withDirectory } from "./harness.ts";
import { RATES, versionOf, withFollower } from "./mainnet/benchmark.ts";
import { accountAddress } from "./mainnet/state.ts";
import { forkFile } from "./own-process.ts";
import { anonymousBytes } from "./servers.ts";
import { inTime, nextMessage } from "./waits.ts";

const BUSY_STREAMS = 1000;
const IDLE_STREAMS = 10_000;
/** Name of the row of filters. */
export const FILTERED_ROW =
  "mainnet: processor time of a version with 1,000 streams of transactions and events by filter, over without";
/** Name of the row of ranges. */
export const RANGE_ROW = "speed of a range of transactions in BCS, over reading the same records bare";
const COIN = "0x1::aptos_coin::AptosCoin";
/** Time between blocks that a writer is judged by: that of the local chain. */
const JUDGED_BLOCK_MS = 1000;
const MEMORY_LIMIT_MIB = 100;
const MIB = 2 ** 20;
/** Connections made at once. */
const AT_ONCE = 100;

/** Opens streams and reads all that they send. */
async function openStreams(
  { url }: { readonly url: string },
  paths: readonly string[],
  fromAt?: (i: number) => string,
): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    const some = paths.slice(first, first + AT_ONCE).map(async (path, i) => {
      const from = fromAt === undefined ? {} : { localAddress: fromAt(first + i) };
      const socket = connect({ port: Number(port), host: hostname, ...from });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      const [head] = (await inTime(`an answer to ${path}`, once(socket, "data"))) as [Buffer];
      if (!head.toString("latin1").startsWith("HTTP/1.1 200 ")) throw new Error(head.toString("latin1"));
      socket.resume();
      return socket;
    });
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

async function closeStreams(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await sleep(500);
}

/** A process that makes blocks on demand. */
interface BlockWriter {
  readonly url: string;
  readonly pid: number;
  makeBlock(): Promise<BlockCost>;
  stop(): void;
}

async function startWriter(data: string, streams: number = BUSY_STREAMS): Promise<BlockWriter> {
  // One client may have half of the streams.
  const child = forkFile("./block-writer.ts", [data, `${2 * streams}`]);
  const nextReport = (): Promise<WriterReport> => nextMessage(child, "the writer");
  const started = await nextReport();
  if (!("url" in started)) throw new Error("expected the writer's URL first");
  return {
    url: started.url,
    pid: child.pid ?? 0,
    makeBlock: async () => {
      const report = nextReport();
      child.send("block");
      const made = await report;
      if (!("cost" in made)) throw new Error("expected the cost of a block");
      return made.cost;
    },
    stop: () => void child.kill(),
  };
}

function balanceStreams(accounts: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    pathTo(balanceStreamRoute, { address: accounts[i % accounts.length] ?? "", asset_type: COIN }),
  );
}

function addressAt(i: number): string {
  return `0x${(0xabc000 + i).toString(16)}`;
}

/**
 * Rows of one kind of streams. Two writers make the same chain, one with streams and one without, in turns: the two costs of
 * a block are of the same transactions. The streams change sides between rounds, so that nothing else tells the two apart.
 */
async function rowsOf(
  writers: readonly [BlockWriter, BlockWriter],
  what: string,
  paths: readonly string[],
  { quick }: BenchOptions,
): Promise<BenchRow[]> {
  const [blocks, rounds] = quick ? [3, 2] : [6, 2];
  const [ours, base]: [BlockCost[], BlockCost[]] = [[], []];
  for (let i = 0; i < blocks; i++) for (const writer of writers) await writer.makeBlock();
  for (let round = 0; round < rounds; round++) {
    const [streaming, plain] = round % 2 === 0 ? writers : ([writers[1], writers[0]] as const);
    const sockets = await openStreams(streaming, paths);
    for (let i = 0; i < blocks; i++) {
      base.push(await plain.makeBlock());
      ours.push(await streaming.makeBlock());
    }
    await closeStreams(sockets);
  }
  const series = (name: keyof BlockCost): { ours: number[]; base: number[] } => ({
    ours: ours.map((cost) => cost[name]),
    base: base.map((cost) => cost[name]),
  });
  const waited = toRow("", series("committingMs"), { unit: "ms" });
  const added = ours.map(({ afterwardsMicros }, i) => afterwardsMicros - (base[i]?.afterwardsMicros ?? 0));
  return [
    toRow(
      `processor time of a block up to its commit with 1,000 streams of ${what}, over without`,
      series("committingMicros"),
      {
        unit: "µs",
        target: { max: 1.05 },
        note: `${waited.ours.toFixed(2)} / ${waited.base.toFixed(2)} ms by the clock`,
      },
    ),
    toRow(
      `processor time that 1,000 streams of ${what} take after a commit, over a block's second`,
      { ours: added.map((micros) => micros / 1000), base: added.map(() => JUDGED_BLOCK_MS) },
      { unit: "ms", target: { max: 0.05 } },
    ),
  ];
}

async function costRows(options: BenchOptions): Promise<BenchRow[]> {
  const { demoAccounts } = createLocalChain({ seed: "sextant" }).items;
  const accounts = Object.values(demoAccounts).map(({ address }) => formatAddressLong(address));
  const idle = Array.from({ length: BUSY_STREAMS }, (_, i) => addressAt(i));
  const all = [
    ["balances, a few of which change", balanceStreams([...accounts, ...idle], BUSY_STREAMS)],
    ["the demo accounts' balances", balanceStreams(accounts, BUSY_STREAMS)],
  ] as const;
  // A quick run takes those that send the most.
  const kinds = options.quick ? all.filter(([what]) => what === "the demo accounts' balances") : all;
  const rows: BenchRow[] = [];
  for (const [what, paths] of kinds) {
    // A new one for each kind: the ledger of an older one is larger.
    await withDirectory(async (path) => {
      const writers = [await startWriter(join(path, "one")), await startWriter(join(path, "two"))] as const;
      try {
        rows.push(...(await rowsOf(writers, what, paths, options)));
      } finally {
        for (const writer of writers) writer.stop();
      }
    });
  }
  return rows;
}

async function memoryRow(node: BlockWriter): Promise<BenchRow> {
  // The first streams also load code and let the heap grow to its usual size.
  const first = Array.from({ length: BUSY_STREAMS }, (_, i) => addressAt(i));
  await closeStreams(await openStreams(node, balanceStreams(first, BUSY_STREAMS)));
  await sleep(2000);
  const before = await anonymousBytes(node.pid);
  const addresses = Array.from({ length: IDLE_STREAMS }, (_, i) => addressAt(i));
  const sockets = await openStreams(node, balanceStreams(addresses, IDLE_STREAMS));
  await sleep(2000);
  const used = ((await anonymousBytes(node.pid)) - before) / MIB;
  await closeStreams(sockets);
  return toPlainRow(
    `memory of 10,000 idle streams, over a limit of ${MEMORY_LIMIT_MIB} MiB`,
    used,
    MEMORY_LIMIT_MIB,
    {
      unit: "MiB anonymous",
      basis: "size",
      target: { max: 1 },
      note: `${((used * 1024) / IDLE_STREAMS).toFixed(1)} KiB each`,
    },
  );
}

/** An address of this machine. */
function hostAt(i: number): string {
  return `127.1.${i >> 8}.${i & 255}`;
}

/** Filters of all kinds. Every fifth names an account of the chain, the others nothing that it has. */
function filteredStreams(accounts: number): string[] {
  const filters = [
    (i: number) => `account=${formatAddress(accountAddress((i * 2503) % accounts))}`,
    (i: number) => `sender=${addressAt(i)}`,
    (i: number) => `event_type=${addressAt(i)}::pool::Swap&success=true`,
    (i: number) => `function=${addressAt(i)}::router::swap`,
    (i: number) => `asset_type=${addressAt(i)}&event_type=0x1::fungible_asset::Deposit`,
  ];
  return Array.from({ length: BUSY_STREAMS }, (_, i) => {
    const kind = i % 2 === 0 ? "transactions" : "events";
    return `/v1/${kind}/stream?${filters[i % filters.length]?.(i) ?? ""}`;
  });
}

/** What streams of transactions and events add to a follower of a network shaped like mainnet, in turns on one node. */
async function filteredRow({ quick, scale }: BenchOptions): Promise<BenchRow> {
  const items = quick ? 10_000 : Math.max(10_000, Math.round(1_000_000 * scale));
  const [rounds, seconds] = quick ? [2, 2] : [12, 3];
  const sizes = { items, warmUp: 1000, caughtUp: 0, seconds: rounds * (2 * seconds + 4), judgesDisk: false };
  return withFollower("week", sizes, async ({ node, setRate }) => {
    await setRate(RATES.week);
    const costOf = async (): Promise<number> => {
      const [first, before] = [await versionOf(node), await node.cpuMicros()];
      await sleep(1000 * seconds);
      return ((await node.cpuMicros()) - before) / Number((await versionOf(node)) - first);
    };
    const cost: Record<"ours" | "base", number[]> = { ours: [], base: [] };
    let sockets: Socket[] = [];
    for (let round = 0; round < rounds; round++) {
      // Each round begins with what the one before ended with: what drifts with time tells neither from the other.
      for (const whose of round % 2 === 0 ? (["base", "ours"] as const) : (["ours", "base"] as const)) {
        if (whose === "base") await closeStreams(sockets.splice(0));
        // One client would get half of the streams.
        else if (sockets.length === 0)
          sockets = await openStreams(node, filteredStreams(Math.ceil(items / 4)), hostAt);
        // They have joined the feed by then, or what they left is cleared away.
        await sleep(2000);
        cost[whose].push(await costOf());
      }
    }
    await closeStreams(sockets);
    return toRow(FILTERED_ROW, cost, { unit: "µs a version", target: { max: 1.1 } });
  });
}

/** Transactions of a range in BCS through a node, against reading the same records from its store bare. */
async function rangeRow(path: string, { quick }: BenchOptions): Promise<BenchRow> {
  const writer = await createNode({ data: path });
  for (let i = 0; i < (quick ? 200 : 2000); i++) await writer.produceBlock();
  const { ledger_version: head, oldest_ledger_version: oldest } = await writer.ledgerInfo();
  await writer.close();
  const readBare = async (store: Store): Promise<number> => {
    let bytes = 0;
    for (let next = oldest; next <= head; ) {
      const view = await store.openView();
      const records = await view.getRecords(next, 64, 256 << 10);
      for (const record of records) bytes += Buffer.from(record.bytes).length;
      next = (records.at(-1)?.version ?? head) + 1n;
      view.release();
    }
    return bytes;
  };
  const search = `start=${oldest}&end=${head}`;
  const readRange = async (node: Node): Promise<number> => {
    let bytes = 0;
    const question = { path: TRANSACTION_STREAM_PATH, search, form: "bcs", after: undefined } as const;
    for await (const piece of answerRange(node, question)) bytes += piece.length;
    return bytes;
  };
  const speed: Record<"ours" | "base", number[]> = { ours: [], base: [] };
  for (let round = 0; round < 12; round++) {
    for (const whose of ["base", "ours"] as const) {
      const opened = whose === "base" ? await openLmdbStore({ path, readOnly: true }) : undefined;
      const node = opened === undefined ? await createNode({ data: path, readOnly: true }) : undefined;
      const read = (): Promise<number> =>
        opened ? readBare(opened) : node ? readRange(node) : Promise.resolve(0);
      await read();
      const started = process.cpuUsage();
      const bytes = await read();
      const { user, system } = process.cpuUsage(started);
      // The first rounds compile the code.
      if (round > 1) speed[whose].push(bytes / (user + system));
      await opened?.close();
      await node?.close();
    }
  }
  return toRow(RANGE_ROW, speed, { unit: "MB a second of processor time", target: { min: 0.5 } });
}

/** Rows of streams. */
export function benchmarkStreams(options: BenchOptions): Promise<readonly BenchRow[]> {
  return withDirectory(async (path) => {
    const rows = [...(await costRows(options)), await filteredRow(options)];
    rows.push(await withDirectory((data) => rangeRow(data, options)));
    // Opening ten thousand connections takes most of a quick run's time.
    if (options.quick) return rows;
    const node = await startWriter(path, IDLE_STREAMS);
    try {
      return [...rows, await memoryRow(node)];
    } finally {
      node.stop();
    }
  });
}
