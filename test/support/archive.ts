// Ledgers as plain files: chains that are exported, and nodes that start from what was written.
import { expect } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createNode, exportData, type Node, type NodeOptions } from "../../src/node.ts";
import { infoOf, opened, produce } from "./proving.ts";
import { until } from "./until.ts";

const { signal } = new AbortController();

/** The chain in a folder, for several tests. */
export const chainOf = (data: string, pruneWindow = "off"): Promise<Node> =>
  createNode({
    data,
    http: { port: 0, proofPort: 0 },
    localChain: { seed: "archive", epochTimeMs: 5_000 },
    pruneWindow,
  });

export const openOrigin = async (data: string, pruneWindow = "off"): Promise<Node> =>
  opened(await chainOf(data, pruneWindow));

/** Adds blocks to a chain that does not run. */
export async function growChain(data: string, blocks: number): Promise<void> {
  const node = await openOrigin(data);
  await produce(node, blocks);
  await node.close();
}

/** Prunes a chain that does not run to its last versions. */
export async function pruneChain(data: string, window: number): Promise<void> {
  const node = await openOrigin(data, `${window}`);
  await produce(node, 1);
  await until(async () => BigInt((await infoOf(node)).oldest_ledger_version) > 0n);
  await node.close();
}

type Store = NonNullable<NodeOptions["store"]>;

/** Exports into small chunks and parts. */
export const exportFrom = (
  from: string | Store,
  out: string,
  more: Partial<Parameters<typeof exportData>[0]> = {},
) =>
  exportData({
    store: typeof from === "string" ? { engine: "lmdb", path: from } : from,
    out,
    onProgress: () => {},
    logger: silentLogger,
    signal,
    sizes: { chunkBytes: 20_000, partVersions: 60n },
    ...more,
  });

export const whole = { startVersion: "latest", state: "whole" } as const;

async function ask(node: Node, path: string): Promise<readonly [status: number, text: string]> {
  const response = await fetch(`${node.url}/${path}`);
  return [response.status, await response.text()];
}

/** Answers of both nodes about every account, at the head, and at the oldest version and one in the middle that both have. */
export async function assertSameAnswers(origin: Node, replica: Node): Promise<void> {
  const { oldest_ledger_version: oldest, ledger_version: latest } = await infoOf(replica);
  const middle = (BigInt(oldest) + BigInt(latest)) / 2n;
  const paths = [
    `transactions?start=${oldest}&limit=100`,
    `blocks/by_version/${latest}?with_transactions=true`,
  ];
  for (const { address } of origin.guide()?.accounts ?? []) {
    for (const path of ["balances", "resources", "modules"]) {
      for (const version of [oldest, middle, latest])
        paths.push(`accounts/${address}/${path}?ledger_version=${version}`);
    }
  }
  for (const path of paths)
    expect([path, ...(await ask(replica, path))]).toEqual([path, ...(await ask(origin, path))]);
}
