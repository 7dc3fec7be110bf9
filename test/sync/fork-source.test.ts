// The node that serves the network under a fork: noticed if it becomes the node of another network.
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { frameworkTag } from "../../src/ledger/items/resources.ts";
import { resourceKeyHash } from "../../src/ledger/key-hash.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { commitForkBase, fetchForkBase } from "../../src/sync/fork/begin.ts";
import { ForkSource } from "../../src/sync/fork/fork-source.ts";
import { ForkView } from "../../src/sync/fork/fork-view.ts";
import { createRestUpstream, parseUpstreamUrl } from "../../src/sync/upstream/rest-upstream.ts";
import { startProxy } from "../support/proxy.ts";

async function startChain(seed: string, blocks: number): Promise<Node> {
  const node = await createNode({ localChain: { seed }, pruneWindow: "off", http: { port: 0 } });
  onTestFinished(() => node.close());
  await node.mine(blocks);
  return node;
}

describe("the network under a fork", () => {
  it("is looked at again after a while, so that another one at its URL is noticed", async () => {
    const origin = await startChain("source", 4);
    const other = await startChain("another source", 9);
    const proxy = await startProxy(origin.url ?? "");
    onTestFinished(() => proxy.close());
    const upstream = createRestUpstream(parseUpstreamUrl(proxy.url));
    const store = createMemoryStore();
    const { signal } = new AbortController();
    const { version, recordHash, ...base } = await fetchForkBase(upstream, "latest", signal);
    const pin = { url: proxy.url, version, recordHash };
    await commitForkBase(store, { pin, ...base }, { items: true, transactions: true });
    let nowMs = 0;
    const source = new ForkSource({
      upstream,
      pin,
      chainId: base.chainId,
      store,
      timeoutMs: 5_000,
      logger: silentLogger,
      clock: () => nowMs,
    });
    onTestFinished(() => source.close());
    const read = async (address: string): Promise<unknown> => {
      const view = new ForkView(await store.openView(), source, pin);
      try {
        const key = resourceKeyHash(parseAddress(address), frameworkTag("account", "Account"), view.keyTrace);
        return (await view.getItems([key], version))[0];
      } finally {
        view.release();
      }
    };
    expect(await read("0x1")).toBeDefined();
    proxy.target = other.url ?? "";
    nowMs += 31_000;
    await expect(read("0x3")).rejects.toThrow("it serves another ledger now");
    expect(await read("0x1")).toBeDefined();
    proxy.target = origin.url ?? "";
    expect(await read("0x3")).toBeDefined();
  });
});
