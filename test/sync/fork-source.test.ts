// The node that serves the network under a fork: noticed if it becomes the node of another network.
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { frameworkTag } from "../../src/ledger/items/resources.ts";
import { resourceKeyHash } from "../../src/ledger/key-hash.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import { parseAddress } from "../../src/move/address.ts";
import { structTagCodec } from "../../src/move/type-tag.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { AccountKeys } from "../../src/sync/fork/account-keys.ts";
import { commitForkBase, fetchForkBase } from "../../src/sync/fork/begin.ts";
import { ForkSource } from "../../src/sync/fork/fork-source.ts";
import { ForkView } from "../../src/sync/fork/fork-view.ts";
import { readPage } from "../../src/sync/upstream/record-pages.ts";
import { createRestUpstream, parseUpstreamUrl } from "../../src/sync/upstream/rest-upstream.ts";
import type { Upstream } from "../../src/sync/upstream/upstream.ts";
import { longestTurnMs, slowness } from "../support/loop-meter.ts";
import { startProxy } from "../support/proxy.ts";

async function startChain(seed: string, blocks: number): Promise<Node> {
  const node = await createNode({ localChain: { seed }, pruneWindow: "off", http: { port: 0 } });
  onTestFinished(() => node.close());
  await node.mine(blocks);
  return node;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
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
    // Every answer names its chain, also between two looks.
    proxy.meddle = ({ headers, ...passing }) => ({
      ...passing,
      headers: { ...headers, "x-node-chain-id": "9" },
    });
    const records = async () => source.recordsFrom(1n, 2);
    await expect(records()).rejects.toThrow("serves chain 9");
    proxy.meddle = (passing) => passing;
    expect(await records()).toHaveLength(2);
    proxy.target = other.url ?? "";
    nowMs += 31_000;
    await expect(read("0x3")).rejects.toThrow("it serves another ledger now");
    expect(await read("0x1")).toBeDefined();
    proxy.target = origin.url ?? "";
    expect(await read("0x3")).toBeDefined();
  });

  it("is looked at again after an answer with a lower head, also where an older look is under way", async () => {
    const origin = await startChain("source", 4);
    const upstream = createRestUpstream(parseUpstreamUrl(origin.url ?? ""));
    const store = createMemoryStore();
    const { signal } = new AbortController();
    const { version, recordHash, ...base } = await fetchForkBase(upstream, "latest", signal);
    const pin = { url: "http://swapped", version, recordHash };
    await commitForkBase(store, { pin, ...base }, { items: true, transactions: true });
    const page = await upstream.getRecords(version, 1, signal);
    let isSwapped = false;
    const head = () => ({ ...page.head, version: isSwapped ? version : version + 9n });
    const [lookBegan, look, valueBegan, answer] = [gate(), gate(), gate(), gate()];
    let nowMs = 0;
    const bytes = new Uint8Array(page.bytes);
    const swapped: Upstream = {
      name: "swapped",
      receivedBytes: 0,
      close: () => {},
      getHead: async () => head(),
      getRecords: async () => {
        const own = isSwapped ? bytes.map((byte, i) => (i < 40 ? byte : byte ^ 1)) : bytes;
        if (nowMs > 0 && !isSwapped) {
          lookBegan.open();
          await look.opened;
        }
        return { head: head(), bytes: own };
      },
      getStateValue: async () => {
        valueBegan.open();
        await answer.opened;
        return { head: head(), value: undefined };
      },
    };
    const source = new ForkSource({
      upstream: swapped,
      pin,
      chainId: base.chainId,
      store,
      timeoutMs: 60_000,
      logger: silentLogger,
      clock: () => nowMs,
    });
    onTestFinished(() => source.close());
    await source.recordsFrom(version, 1);
    const first = source.itemsAt([Uint8Array.of(0, 2)], 1n);
    await valueBegan.opened;
    nowMs += 31_000;
    const second = source.itemsAt([Uint8Array.of(0, 3)], 1n);
    await lookBegan.opened;
    isSwapped = true;
    answer.open();
    const both = Promise.allSettled([first, second]);
    await new Promise((resolve) => setImmediate(resolve));
    look.open();
    expect(await both).toMatchObject([
      { status: "rejected", reason: { message: expect.stringContaining("gave no answer that can be used") } },
      { status: "rejected" },
    ]);
  });

  it("may send pages of anything: they are bounded before they are read, and read in slices", async () => {
    const head = {
      chainId: 4,
      version: 9n,
      oldestVersion: 0n,
      timestampUsec: 0n,
      epoch: 0n,
      blockHeight: 0n,
    };
    const tags = new BcsWriter(9 << 20).uleb(200_000);
    for (let i = 0; i < 200_000; i++) {
      const tag = { address: parseAddress(`0x${i.toString(16)}`), module: "a", name: "b", typeArgs: [] };
      structTagCodec.write(tags, tag);
      tags.byteString(Uint8Array.of(1));
    }
    const page = { head, bytes: tags.take(), cursor: undefined };
    const keys = new AccountKeys(async () => page);
    const records = {
      head,
      bytes: new BcsWriter(9 << 20)
        .uleb(30_000)
        .fixed(new Uint8Array(8 << 20))
        .take(),
    };
    const { signal } = new AbortController();
    const longest = await longestTurnMs(async () => {
      await expect(keys.rowsOf({} as LedgerView, parseAddress("0x1"), 9n)).rejects.toThrow("more than 10000");
      await expect(readPage({ getRecords: async () => records }, 0n, 2, signal)).rejects.toMatchObject({
        cause: { message: expect.stringContaining("sequence of 30000 elements is too long") },
      });
    });
    expect(longest).toBeLessThan(100 * slowness());
  });
});
