// Set aside means silent: an upstream whose answers were wrong gets no questions, and no key but its own is sent to any.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { createKeypair } from "../../src/chain/keys.ts";
import { chainSeed } from "../../src/chain/local-chain.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createNode, type Node } from "../../src/node.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { begun } from "../support/begun.ts";
import { startProxy } from "../support/proxy.ts";
import { signCall } from "../support/submitter.ts";
import { until } from "../support/until.ts";

const open: { close(): unknown }[] = [];
afterAll(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(options: Parameters<typeof createNode>[0]): Promise<Node & { url: string }> {
  const node = await createNode({ ...options, http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 } });
  open.push(node);
  return (await begun(node)) as Node & { url: string };
}

interface Info {
  readonly upstreams: readonly { readonly state: string; readonly last_fault?: string }[];
}
const infoOf = async (node: Node): Promise<Info> => (await node.info()) as unknown as Info;

it("an upstream that turns into one of another chain gets no questions: no items, and no submissions", async () => {
  const origin = await start({ localChain: { seed: "silent" } });
  for (let i = 0; i < 5; i++) await origin.produceBlock();
  const proxy = await startProxy(origin.url);
  open.push(proxy);
  const node = await start({
    follow: {
      upstreams: [proxy.url],
      startVersion: "latest",
      pollTimeMs: 5,
      retryTimeMs: 3_600_000,
      forwardSubmissions: true,
    },
  });
  const keys = createKeypair(chainSeed("nobody"), "nobody");
  const call = {
    function: "aptos_account::transfer",
    args: [encodeWith(addressCodec, keys.address), encodeWith(u64, 1n)],
  };
  const signed = encodeWith(userTransactionCodec, signCall(keys, call));
  const submit = (): Promise<Response> =>
    fetch(`${node.url}/transactions`, {
      method: "POST",
      headers: { "content-type": "application/x.aptos.signed_transaction+bcs" },
      body: Buffer.from(signed),
    });
  expect((await submit()).status).toBe(400);
  expect(proxy.seen).toContain("POST /v1/transactions");
  proxy.meddle = (passing) => ({ ...passing, headers: { ...passing.headers, "x-node-chain-id": "99" } });
  await until(async () => (await infoOf(node)).upstreams[0]?.state === "set_aside");
  expect((await infoOf(node)).upstreams[0]?.last_fault).toMatch(/^wrong_chain/);
  const asked = proxy.seen.length;
  await expect(node.balance("0xabcdef", "0xa")).rejects.toMatchObject({ code: "unavailable" });
  const answer = await submit();
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("set aside")]);
  expect(proxy.seen.length).toBe(asked);
});

it("each upstream gets its own key and no other", async () => {
  const seen: string[][] = [[], []];
  const urls = await Promise.all(
    seen.map(async (headers) => {
      const server = createServer((request, response) => {
        headers.push(JSON.stringify(request.headers));
        response.writeHead(401).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      open.push({ close: () => server.close() });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  const node = createNode({
    follow: {
      upstreams: urls,
      apiKeys: [{ value: "first-key" }, { value: "second-key", header: "x-key" }],
      pollTimeMs: 5,
      retryTimeMs: 5,
    },
  });
  await until(() => seen.every((headers) => headers.length > 2));
  expect(seen[0]?.every((text) => text.includes('"authorization":"Bearer first-key"'))).toBe(true);
  expect(seen[1]?.every((text) => text.includes('"x-key":"second-key"'))).toBe(true);
  expect(seen[0]?.join()).not.toContain("second-key");
  expect(seen[1]?.join()).not.toContain("first-key");
  await (await node).close();
});
