// Streams of events: what a thousand of them add to the processor time of the writer for each block, and the memory of ten
// thousand that wait.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createLocalChain } from "../src/chain/local-chain.ts";
import { API_ROOT, pathTo } from "../src/interface/route.ts";
import { balanceStreamRoute, blockStreamRoute } from "../src/interface/routes.ts";
import { formatAddressLong } from "../src/move/address.ts";
import { type BenchOptions, type BenchRow, median, toPlainRow, withDirectory } from "./harness.ts";
import { anonymousBytes, type NodeServer, startNode } from "./servers.ts";

const BUSY_STREAMS = 1000;
const IDLE_STREAMS = 10_000;
const COIN = "0x1::aptos_coin::AptosCoin";
const BLOCK_MS = 250;
/** Time between blocks that a writer is judged by: that of the local chain. */
const JUDGED_BLOCK_MS = 1000;
const MEMORY_LIMIT_MIB = 100;
const MIB = 2 ** 20;
/** Connections made at once. */
const AT_ONCE = 100;

/** Opens streams and reads all that they send. */
async function openStreams({ url }: NodeServer, paths: readonly string[]): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    const some = paths.slice(first, first + AT_ONCE).map(async (path) => {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      const [head] = (await once(socket, "data")) as [Buffer];
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

async function heightOf({ url }: NodeServer): Promise<number> {
  const { block_height } = (await (await fetch(url + API_ROOT)).json()) as { block_height: string };
  return Number(block_height);
}

/** Microseconds of processor time for each block. */
async function cpuPerBlock(node: NodeServer, blocks: number): Promise<number> {
  const [first, started] = [await heightOf(node), await node.cpuMicros()];
  while ((await heightOf(node)) < first + blocks) await sleep(BLOCK_MS);
  const used = (await node.cpuMicros()) - started;
  return used / ((await heightOf(node)) - first);
}

/** What streams add to each block, in turns with none. */
async function addedCost(
  node: NodeServer,
  paths: readonly string[],
  { quick }: BenchOptions,
): Promise<{ readonly addedMs: number; readonly withoutMs: number }> {
  const [blocks, rounds] = quick ? [8, 2] : [40, 5];
  const added: number[] = [];
  const without: number[] = [];
  await cpuPerBlock(node, blocks);
  for (let round = 0; round < rounds; round++) {
    const none = await cpuPerBlock(node, blocks);
    const sockets = await openStreams(node, paths);
    const some = await cpuPerBlock(node, blocks);
    await closeStreams(sockets);
    added.push((some - none) / 1000);
    without.push(none / 1000);
  }
  return { addedMs: median(added), withoutMs: median(without) };
}

function balanceStreams(accounts: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    pathTo(balanceStreamRoute, { address: accounts[i % accounts.length] ?? "", asset_type: COIN }),
  );
}

function addressAt(i: number): string {
  return `0x${(0xabc000 + i).toString(16)}`;
}

async function costRows(node: NodeServer, options: BenchOptions): Promise<BenchRow[]> {
  const { demoAccounts } = createLocalChain({ seed: "sextant" }).items;
  const accounts = Object.values(demoAccounts).map(({ address }) => formatAddressLong(address));
  const kinds = [
    [
      "idle balances",
      balanceStreams(
        Array.from({ length: BUSY_STREAMS }, (_, i) => addressAt(i)),
        BUSY_STREAMS,
      ),
    ],
    ["the demo accounts' balances", balanceStreams(accounts, BUSY_STREAMS)],
    ["the blocks", Array.from({ length: BUSY_STREAMS }, () => pathTo(blockStreamRoute))],
  ] as const;
  const rows: BenchRow[] = [];
  for (const [what, paths] of kinds) {
    const { addedMs, withoutMs } = await addedCost(node, paths, options);
    rows.push(
      toPlainRow(
        `processor time that 1,000 streams of ${what} add to a block, over a block's second`,
        addedMs,
        JUDGED_BLOCK_MS,
        {
          unit: "ms",
          target: { max: 0.05 },
          note: `a block without streams takes ${withoutMs.toFixed(2)} ms`,
        },
      ),
    );
  }
  return rows;
}

async function memoryRow(node: NodeServer): Promise<BenchRow> {
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
      target: { max: 1 },
      note: `${((used * 1024) / IDLE_STREAMS).toFixed(1)} KiB each`,
    },
  );
}

/** Rows of streams. */
export function benchmarkStreams(options: BenchOptions): Promise<readonly BenchRow[]> {
  return withDirectory(async (path) => {
    const node = await startNode([
      ...["--data", path, "--block-time", `${BLOCK_MS}ms`],
      ...["--max-streams", `${IDLE_STREAMS}`],
    ]);
    try {
      return [...(await costRows(node, options)), await memoryRow(node)];
    } finally {
      await node.stop();
    }
  });
}
