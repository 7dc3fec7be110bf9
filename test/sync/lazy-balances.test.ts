// A node that started in the middle of another's ledger answers questions about balances as that one does.
import { afterAll, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { begun } from "../support/begun.ts";
import { until } from "../support/until.ts";

const open: Node[] = [];
afterAll(async () => {
  for (const node of open.splice(0).reverse()) await node.close();
});

async function start(options: Parameters<typeof createNode>[0]): Promise<Node> {
  const node = await createNode(options);
  open.push(node);
  return begun(node);
}

const versionOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);

it("balances, table items, parts and changes since its base", async () => {
  const http = { host: "127.0.0.1", port: 0, maxWaitMs: 0 };
  const origin = await start({ localChain: { seed: "lazy-balances" }, pruneWindow: "off", http });
  for (let i = 0; i < 30; i++) await origin.produceBlock();
  const upstreams = [origin.url ?? ""];
  const late = await start({
    follow: { upstreams, startVersion: "latest", upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 5 },
    pruneWindow: "off",
  });
  for (let i = 0; i < 20; i++) await origin.produceBlock();
  const head = await versionOf(origin);
  await until(async () => (await versionOf(late)) >= head);
  const base = BigInt((await late.ledgerInfo()).oldest_ledger_version);
  expect(base).toBeGreaterThan(50n);
  const guide = origin.guide();
  const pairs = (guide?.accounts ?? []).flatMap(({ address, assets }) =>
    assets.map(({ asset }) => ({ address, asset })),
  );
  const items = (guide?.tables ?? []).flatMap(({ handle, keys }) => keys.map(({ key }) => ({ handle, key })));
  for (const ledgerVersion of [base, base + 7n, head]) {
    expect(await late.balances(pairs, { ledgerVersion })).toEqual(
      await origin.balances(pairs, { ledgerVersion }),
    );
    expect(await late.rawItems(items, { ledgerVersion })).toEqual(
      await origin.rawItems(items, { ledgerVersion }),
    );
  }
  let changes = 0;
  for (const { address, asset } of pairs) {
    expect(await late.balanceDetail(address, asset)).toEqual(await origin.balanceDetail(address, asset));
    const all = async (node: Node, from?: bigint): Promise<unknown[]> => {
      const found = [];
      for await (const one of node.balanceHistory(address, asset, from === undefined ? {} : { from }))
        found.push(one);
      return found;
    };
    const ours = await all(late);
    expect(ours).toEqual(await all(origin, base + 1n));
    changes += ours.length;
  }
  expect(changes).toBeGreaterThan(50);
});
