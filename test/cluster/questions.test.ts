// The questions about balances and tables on a real cluster: the answers are those of an LMDB store with the same chain, before and after pruning.
import { join } from "node:path";
import { expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { describeCluster } from "../support/cassandra.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
const BLOCKS = 25;
/** Of the chain's own clock, whose blocks are a second apart. */
const PRUNE_WINDOW = "8s";
/** Questions under way at once. */
const AT_ONCE = 8;
const folder = temporaryFolder();

interface Question {
  readonly path: string;
  readonly accept?: string;
  readonly body?: object;
}

interface Times {
  readonly head: bigint;
  /** Versions and times of the whole range, the first ones below what is pruned. */
  readonly versions: readonly bigint[];
  readonly times: readonly string[];
}

function questionsAbout(node: Node, { head, versions, times }: Times): Question[] {
  const { accounts = [], tables = [] } = node.guide() ?? {};
  const points = [
    "",
    ...versions.map((version) => `ledger_version=${version}`),
    ...times.map((time) => `at=${time}`),
  ];
  const questions: Question[] = [];
  for (const { address, assets: held } of accounts) {
    const assets = [...new Set([COIN, ...held.map(({ asset }) => asset)])];
    for (const point of points) {
      questions.push({ path: `/accounts/${address}/balances?limit=3&${point}` });
      for (const asset of assets) {
        const balance = `/accounts/${address}/balance/${encodeURIComponent(asset)}`;
        questions.push({ path: `${balance}?${point}` }, { path: `${balance}/detail?${point}` });
      }
    }
    for (const asset of assets) {
      const history = `/accounts/${address}/balance/${encodeURIComponent(asset)}/history`;
      // As one body, and as a stream.
      for (const accept of ["application/json", "application/x-ndjson"])
        questions.push({ path: history, accept });
      for (const query of ["limit=3", "points=8", `from=${versions[1]}&to=${head}`, `from=${times[1]}`]) {
        questions.push({ path: `${history}?${query}` });
      }
    }
  }
  for (const { handle, keys } of tables) {
    for (const point of points) {
      const items = `/tables/${handle}/items`;
      questions.push({ path: `${items}?limit=2&${point}`, accept: "application/x-bcs" });
      questions.push({ path: `${items}/count?${point}` });
      questions.push({ path: `${items}?since=${versions[1]}&${point}` });
      const queries = keys.map(({ key }) => ({ table_handle: handle, key }));
      questions.push({ path: `/tables/raw_items?${point}`, accept: "application/x-bcs", body: { queries } });
    }
  }
  const pairs = accounts.map(({ address }) => ({ address, asset_type: COIN }));
  for (const point of points) {
    questions.push({ path: `/balances?${point}`, body: { queries: pairs, totals: true } });
  }
  return questions;
}

/** Status, headers that tell of the ledger, and the bytes. */
async function ask({ url }: Node, { path, accept = "*/*", body }: Question): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const told = [...response.headers].filter(([name]) => name.startsWith("x-node-") || name === "etag");
  const bytes = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return JSON.stringify([response.status, told, bytes]);
}

/** Blocks that each node keeps. */
async function keptBlocks(nodes: readonly Node[]): Promise<bigint[]> {
  const infos = await Promise.all(nodes.map((node) => node.ledgerInfo()));
  return infos.map(
    ({ block_height, oldest_block_height }) => BigInt(block_height) - BigInt(oldest_block_height),
  );
}

describeCluster("questions about balances and tables", (cluster) => {
  it("have the answers of an LMDB store with the same chain, before and after pruning", async () => {
    const shared = { localChain: { seed: "questions" }, http: { port: 0, maxWaitMs: 0 } } as const;
    const stores = [
      { data: join(folder, "lmdb") },
      {
        store: {
          engine: "cassandra",
          url: `cassandra://${cluster.hosts.join(",")}/${cluster.keyspace}/questions`,
        },
      },
    ] as const;
    const counts: Record<number, number> = {};
    const compare = async (pruneWindow: string, blocks: number): Promise<void> => {
      const nodes = await Promise.all(
        stores.map((store) => createNode({ ...shared, ...store, pruneWindow })),
      );
      try {
        const [lmdb, cassandra] = nodes as [Node, Node];
        for (let i = 0; i < blocks; i++) await Promise.all(nodes.map((node) => node.produceBlock()));
        if (pruneWindow !== "off")
          await until(async () => (await keptBlocks(nodes)).every((one) => one <= 8n));
        const [kept, keptThere] = await keptBlocks(nodes);
        expect(keptThere).toBe(kept);
        const head = BigInt((await lmdb.ledgerInfo()).ledger_version);
        const lastSecs = BigInt((await lmdb.ledgerInfo()).ledger_timestamp) / 1_000_000n;
        const times = [BLOCKS, 5].map((back) =>
          new Date(1000 * Number(lastSecs - BigInt(back))).toISOString(),
        );
        const questions = questionsAbout(lmdb, { head, versions: [1n, head - 9n, head + 1n], times });
        const compareOne = async (question: Question): Promise<void> => {
          const [expected, found] = await Promise.all([ask(lmdb, question), ask(cassandra, question)]);
          expect(found, JSON.stringify(question)).toBe(expected);
          const [status] = JSON.parse(expected) as [number];
          counts[status] = (counts[status] ?? 0) + 1;
        };
        for (let from = 0; from < questions.length; from += AT_ONCE)
          await Promise.all(questions.slice(from, from + AT_ONCE).map(compareOne));
      } finally {
        for (const node of nodes) await node.close();
      }
    };
    await compare("off", BLOCKS);
    expect(counts[410]).toBeUndefined();
    await compare(PRUNE_WINDOW, 2);
    for (const status of [200, 404, 410]) expect(counts[status]).toBeGreaterThan(20);
  });
});
