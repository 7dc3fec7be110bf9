// A node that follows a network shaped like mainnet: what a version costs it in processor time, on disk and in memory, and
// what its clients wait for meanwhile. The network is a recording that another process replays (recording.ts, upstream.ts).
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "lmdb";
import { pathTo } from "../../src/interface/route.ts";
import { balanceRoute, infoRoute } from "../../src/interface/routes.ts";
import { formatAddress } from "../../src/move/address.ts";
import { type BenchOptions, type BenchRow, median, toPlainRow, toRow, withDirectory } from "../harness.ts";
import { runPaced } from "../latency.ts";
import { forkFile } from "../own-process.ts";
import type { BenchRequest } from "../requests.ts";
import { anonymousBytes, type NodeServer, recordResponse, startBare, startNode } from "../servers.ts";
import { nextMessage, waitUntil } from "../waits.ts";
import { START } from "./chain.ts";
import { beginStore, firstBlock, recordDay } from "./recording.ts";
import { accountAddress } from "./state.ts";
import type { ReplayCommand } from "./upstream.ts";

export const RATES = { week: 220, record: 1420 } as const;
type Day = keyof typeof RATES;
const DAY_VERSIONS = 8_200_000;
const DAY_MINUTES = 35;
const KEPT_BYTES = 1100;
const LIMIT_MIB = 200;
const CORE_SHARES = { week: 0.08, record: 0.5 } as const;
const NATIVE_COIN = "0x1::aptos_coin::AptosCoin";
/** Balances that clients ask for in a second, and turns of each server in the time of a row. */
const READS_PER_SECOND = 200;
const TURNS = 5;
const CONNECTIONS = 8;

interface Sizes {
  readonly items: number;
  /** Versions before the measurement, and of a catch-up. */
  readonly warmUp: number;
  readonly caughtUp: number;
  /** How long a pace lasts. */
  readonly seconds: number;
  /** A short run has few versions to judge the disk by. */
  readonly judgesDisk: boolean;
}

/** Names of the rows. */
export const MAINNET_ROWS: readonly string[] = [
  `mainnet: CPU minutes to catch up a day of 8.2 million versions, over ${DAY_MINUTES}`,
  `mainnet: bytes that a version takes on disk, over ${KEPT_BYTES}`,
  `mainnet: memory of a follower that catches up, over the limit of ${LIMIT_MIB} MiB`,
  ...Object.values(RATES).flatMap((rate) => [
    `mainnet: processor time of keeping up with ${rate} versions a second, over the share of a core that it may take`,
    `mainnet: p99 of balances while following at ${rate} versions a second, over the bare server's`,
  ]),
];

/** Rows of a network shaped like mainnet. */
export async function benchmarkMainnet({
  quick,
  scale,
  seconds,
}: BenchOptions): Promise<readonly BenchRow[]> {
  const sizes: Sizes = quick
    ? { items: 10_000, warmUp: 500, caughtUp: 1000, seconds: seconds ?? 1, judgesDisk: false }
    : {
        items: Math.max(10_000, Math.round(1_000_000 * scale)),
        ...{ warmUp: 10_000, caughtUp: 30_000, seconds: seconds ?? 20, judgesDisk: true },
      };
  const week = await withFollower("week", sizes, async (following) => [
    ...(await catchUpRows(following, sizes)),
    ...(await paceRows("week", following, sizes)),
  ]);
  const record = await withFollower("record", sizes, (following) => paceRows("record", following, sizes));
  return [...week, ...record];
}

/** A node with the whole state that follows the replayed network, and how to tell that how far it has come. */
interface Following {
  readonly node: NodeServer;
  readonly data: string;
  /** Opens records up to a number, and waits until the node has them. */
  readonly reach: (records: number) => Promise<void>;
  readonly setRate: (rate: number) => Promise<void>;
}

export async function withFollower<T>(
  day: Day,
  sizes: Sizes,
  use: (following: Following) => Promise<T>,
): Promise<T> {
  const paced = Math.ceil(RATES[day] * 2 * (sizes.seconds + 2));
  const versions = sizes.warmUp + (day === "week" ? sizes.caughtUp : 0) + paced;
  const { folder } = await recordDay(day, sizes.items, versions);
  return withDirectory(async (path) => {
    const data = join(path, "store");
    await beginStore(data, sizes.items, await firstBlock(folder));
    const upstream = forkFile("./mainnet/upstream.ts", [folder]);
    const { port } = await nextMessage<{ port: number }>(upstream, "the upstream");
    const tell = async (command: ReplayCommand): Promise<number> => {
      const told = nextMessage<{ opened: number }>(upstream, "the upstream");
      upstream.send(command);
      return (await told).opened;
    };
    const origin = ["--upstream", `http://127.0.0.1:${port}`, "--upstream-rate", "0"];
    // A worker answers, so that a commit holds up no reads.
    const node = await startNode(["--data", data, ...origin, "--workers", "1"]);
    try {
      const reach = async (records: number): Promise<void> => {
        const opened = await tell({ opened: records });
        const last = START.version + BigInt(opened) - 1n;
        await waitUntil("the node to catch up", async () => (await versionOf(node)) >= last, { everyMs: 20 });
      };
      await reach(sizes.warmUp);
      return await use({ node, data, reach, setRate: async (rate) => void (await tell({ rate })) });
    } finally {
      upstream.disconnect();
      await node.stop();
    }
  });
}

export async function versionOf({ url }: NodeServer): Promise<bigint> {
  const { ledger_version: version } = (await (await fetch(url + pathTo(infoRoute))).json()) as {
    ledger_version: string;
  };
  return BigInt(version);
}

async function catchUpRows({ node, data, reach }: Following, sizes: Sizes): Promise<BenchRow[]> {
  const [first, before, tables] = [await versionOf(node), await node.cpuMicros(), tableBytes(data)];
  let isRunning = true;
  let highest = 0;
  const watch = (async () => {
    for (; isRunning; await sleep(100)) highest = Math.max(highest, await anonymousBytes(node.pid));
  })();
  await reach(sizes.warmUp + sizes.caughtUp);
  const micros = (await node.cpuMicros()) - before;
  isRunning = false;
  await watch;
  const versions = Number((await versionOf(node)) - first);
  const after = tableBytes(data);
  const kept = Object.entries(after).map(
    ([name, bytes]) => [name, (bytes - (tables[name] ?? 0)) / versions] as const,
  );
  const each = micros / versions;
  const resident = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${node.pid}/status`, "utf8"))?.[1];
  const [dayName = "", keptName = "", memoryName = ""] = MAINNET_ROWS;
  return [
    toPlainRow(dayName, (each * DAY_VERSIONS) / 60e6, DAY_MINUTES, {
      unit: "CPU minutes",
      target: { max: 1 },
      note: `${versions} versions measured, ${Math.round(1e6 / each)} a CPU second, ${each.toFixed(0)} µs each, all processes`,
    }),
    toPlainRow(
      keptName,
      kept.reduce((sum, [, bytes]) => sum + bytes, 0),
      KEPT_BYTES,
      {
        unit: "bytes",
        basis: "size",
        ...(sizes.judgesDisk ? { target: { max: 1 } } : {}),
        note: kept.map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`).join(", "),
      },
    ),
    toPlainRow(memoryName, highest / 2 ** 20, LIMIT_MIB, {
      unit: "MiB anonymous",
      basis: "size",
      target: { max: 1 },
      note: `of the process that commits; resident with the store's pages ${Math.round(Number(resident) / 1024)} MiB`,
    }),
  ];
}

/** Bytes of the pages of each table. */
function tableBytes(path: string): Record<string, number> {
  const root = open({ path, readOnly: true, noSubdir: false, maxDbs: 16 });
  const names = ["items", "stale", "blocks", "records", "tree", "index", "side"];
  const bytes = names.map((name) => {
    const stats = root.openDB({ name, keyEncoding: "binary", encoding: "binary" }).getStats() as Record<
      "pageSize" | "treeBranchPageCount" | "treeLeafPageCount" | "overflowPages",
      number
    >;
    const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
    return [name, pages * stats.pageSize] as const;
  });
  void root.close();
  return Object.fromEntries(bytes);
}

async function paceRows(day: Day, { node, setRate }: Following, sizes: Sizes): Promise<BenchRow[]> {
  const rate = RATES[day];
  const [share, waits] = MAINNET_ROWS.filter((name) => name.includes(`${rate} versions`));
  const bare = await startBare();
  const child = forkFile("./paced-load.ts");
  try {
    await setRate(rate);
    await sleep(1000);
    const [first, startedMs, before] = [await versionOf(node), performance.now(), await node.cpuMicros()];
    await sleep(1000 * sizes.seconds);
    const [micros, ms] = [(await node.cpuMicros()) - before, performance.now() - startedMs];
    const versions = Number((await versionOf(node)) - first);
    const each = micros / versions;
    const requests = Array.from({ length: 1000 }, (_, i): BenchRequest => {
      const address = formatAddress(accountAddress((i * 2503) % (sizes.items / 4)));
      return { method: "GET", path: pathTo(balanceRoute, { address, asset_type: NATIVE_COIN }), headers: {} };
    });
    await bare.repeat(await recordResponse(node, requests[0] as BenchRequest));
    const waited: Record<"ours" | "base", number[]> = { ours: [], base: [] };
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [side, { url }] of [
        ["base", bare],
        ["ours", node],
      ] as const) {
        waited[side].push(await p99Of(child, url, requests, sizes.seconds / (2 * TURNS)));
      }
    }
    return [
      // By the cost of a version: a node that cannot keep up would look cheap.
      toPlainRow(share ?? "", (each * rate) / 1e6, CORE_SHARES[day], {
        unit: "cores",
        target: { max: 1 },
        note: `${each.toFixed(0)} µs a version; it took ${((1000 * versions) / ms).toFixed(0)} versions a second`,
      }),
      toRow(waits ?? "", waited, {
        unit: "ms",
        basis: "clock",
        target: { max: 1.5 },
        note: `${READS_PER_SECOND} balances a second; p99 ${median(waited.ours).toFixed(1)} ms`,
      }),
    ];
  } finally {
    child.disconnect();
    await bare.stop();
  }
}

async function p99Of(
  child: ChildProcess,
  url: string,
  requests: readonly BenchRequest[],
  seconds: number,
): Promise<number> {
  const load = { requests, connections: CONNECTIONS, rate: READS_PER_SECOND, seconds };
  const result = await runPaced(child, { url, ...load });
  if (result.failures > 0) throw new Error(`${result.failures} responses were failures`);
  return result.p99 / 1000;
}
