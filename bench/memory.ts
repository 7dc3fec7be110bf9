// Anonymous memory of one process: idle, under full load with all kinds of requests, afterwards, and of a follower at the
// head. The mapped store file does not count, because the system may reclaim its pages at any time. Leaks that take
// longer to show are for `npm run soak`.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathTo } from "../src/interface/route.ts";
import { infoRoute } from "../src/interface/routes.ts";
import { itemsDataSet } from "./data-set.ts";
import { type BenchOptions, type BenchRow, toPlainRow, withDirectory } from "./harness.ts";
import { runLoad } from "./load.ts";
import {
  type BenchRequest,
  infos,
  latestBalances,
  rawItems,
  transfers,
  versionBalances,
} from "./requests.ts";
import { anonymousBytes, type NodeServer, startNode, startStatic } from "./servers.ts";
import { waitUntil } from "./waits.ts";

const LIMIT_MIB = 200;
const MIB = 2 ** 20;
const FULL_SECONDS = 24;
const FOLLOWER_LIMIT_MIB = 80;
const REST_MS = 3000;

/** Rows of memory. */
export async function benchmarkMemory(options: BenchOptions): Promise<readonly BenchRow[]> {
  return [...(await serverRows(options)), await followerRow(options)];
}

/** A follower that has the whole ledger of a local chain. */
async function followerRow({ quick, seconds }: BenchOptions): Promise<BenchRow> {
  const infoOf = async ({ url }: NodeServer): Promise<Record<string, string>> =>
    (await (await fetch(url + pathTo(infoRoute))).json()) as Record<string, string>;
  return withDirectory(async (path) => {
    const blocks = quick ? "20" : "500";
    const chain = ["--block-time", "0", "--blocks", blocks, "--prune-window", "off"];
    const origin = await startNode(["--data", join(path, "origin"), ...chain]);
    try {
      const { genesis_waypoint: waypoint = "" } = await infoOf(origin);
      const rate = ["--upstream-rate", "0"];
      const args = [
        "--data",
        join(path, "follower"),
        "--upstream",
        origin.url,
        "--waypoint",
        waypoint,
        ...rate,
      ];
      const follower = await startNode(args);
      try {
        // The origin may still make blocks when the follower starts.
        const isAtHead = async (): Promise<boolean> => {
          const [ahead, behind] = [await infoOf(origin), await infoOf(follower)];
          return ahead.sync_state === "idle" && ahead.ledger_version === behind.ledger_version;
        };
        await waitUntil("the follower to reach the head", isAtHead);
        const { ledger_version: head } = await infoOf(follower);
        await sleep(seconds === undefined ? (quick ? 500 : REST_MS) : 1000 * seconds);
        const used = (await anonymousBytes(follower.pid)) / MIB;
        const name = `memory of a follower at the head, over the limit of ${FOLLOWER_LIMIT_MIB} MiB`;
        return toPlainRow(name, used, FOLLOWER_LIMIT_MIB, {
          unit: "MiB anonymous",
          basis: "size",
          target: { max: 1 },
          note: `version ${head}`,
        });
      } finally {
        await follower.stop();
      }
    } finally {
      await origin.stop();
    }
  });
}

async function serverRows(options: BenchOptions): Promise<BenchRow[]> {
  const set = await itemsDataSet(Math.max(10_000, 10_000_000 * options.scale));
  const lists = [
    latestBalances(set),
    versionBalances(set),
    rawItems(set, "bcs"),
    rawItems(set, "json"),
    transfers(),
    infos(),
  ];
  const requests = Array.from({ length: 50_000 }, (_, i): BenchRequest => {
    const list = lists[i % lists.length] ?? [];
    return list[i % list.length] as BenchRequest;
  });
  const seconds = options.quick ? 3 : FULL_SECONDS;
  const node = await startStatic(set);
  try {
    const idle = (await anonymousBytes(node.pid)) / MIB;
    const during: number[] = [];
    let isRunning = true;
    const load = runLoad({ url: node.url, requests, connections: 32, seconds }).finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await Promise.race([sleep(Math.min(2000, seconds * 50)), load]);
      during.push((await anonymousBytes(node.pid)) / MIB);
    }
    const { requestCount } = await load;
    await sleep(options.quick ? 500 : REST_MS);
    const after = (await anonymousBytes(node.pid)) / MIB;
    const highest = Math.max(...during);
    // In the first third the heap grows to its usual size.
    const settled = during.slice(Math.floor(during.length / 3));
    const half = Math.floor(settled.length / 2);
    const [first, last] = [settled.slice(0, half), settled.slice(half)];
    const unit = "MiB anonymous";
    const shared = { unit, basis: "size" } as const;
    const of = `limit of ${LIMIT_MIB} MiB`;
    return [
      toPlainRow(`memory idle, over the ${of}`, idle, LIMIT_MIB, shared),
      toPlainRow(`memory highest in ${seconds} s at full load, over the ${of}`, highest, LIMIT_MIB, {
        ...shared,
        target: { max: 1 },
        headline: true,
        note: `${requestCount.toLocaleString("en-US")} requests`,
      }),
      toPlainRow(`memory after load, over the ${of}`, after, LIMIT_MIB, { ...shared, target: { max: 1 } }),
      toPlainRow(
        "memory, highest of the second half of the load over the first",
        Math.max(...last),
        Math.max(...first),
        {
          ...shared,
          target: { max: 1.1 },
        },
      ),
    ];
  } finally {
    await node.stop();
  }
}
