// Items of a ledger that started in the middle: who is asked for them, and at which level they are answered.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fromHex } from "../../src/base/hex.ts";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { rawStateValueRoute } from "../../src/interface/routes.ts";
import { tableItemKeyHash } from "../../src/ledger/key-hash.ts";
import { formatTrust } from "../../src/ledger/trust.ts";
import { parseAddress } from "../../src/move/address.ts";
import { createNode, type Node } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { BaseFiller } from "../../src/sync/lazy/base-filler.ts";
import { LazyView } from "../../src/sync/lazy/lazy-view.ts";
import { FETCHED_ITEM } from "../../src/sync/side-rows.ts";
import { locateBase } from "../../src/sync/upstream/locate-base.ts";
import { UpstreamPool } from "../../src/sync/upstream/pool.ts";
import { createRestUpstream, parseUpstreamUrl } from "../../src/sync/upstream/rest-upstream.ts";
import { type Meddle, type Meddler, startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const { signal } = new AbortController();
let origin: Node;
let proxies: Meddler[];

beforeAll(async () => {
  origin = await createNode({
    localChain: { seed: "items" },
    pruneWindow: "off",
    http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
  });
  for (let i = 0; i < 6; i++) await origin.produceBlock();
  proxies = await Promise.all([0, 1, 2].map(() => startProxy(origin.url ?? "")));
});

afterEach(() => {
  for (const proxy of proxies) {
    proxy.meddle = (passing) => passing;
    proxy.seen.length = 0;
  }
});

afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
  await origin.close();
});

/** A store that started at the latest block of the origin. */
async function startStore(): Promise<Store> {
  const store = createMemoryStore();
  const committer = new Committer({ store, logger: silentLogger });
  const upstream = createRestUpstream(parseUpstreamUrl(origin.url ?? ""));
  onTestFinished(() => upstream.close());
  const base = await locateBase(upstream, "latest", undefined, signal);
  committer.startAt(base);
  await committer.append((await upstream.getRecords(base.version, 100, signal)).bytes);
  return store;
}

interface Layer {
  readonly pool: UpstreamPool;
  readonly logged: string[];
  /** Value and level of the table item with the index. */
  read(index: number): Promise<{ value: string | undefined; level: string | undefined }>;
  close(): Promise<void>;
}

/** A base layer over some of the proxies. */
function startLayer(store: Store, count: number, needed: number): Layer {
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const logger: Logger = { ...silentLogger, info: note, warn: note };
  const pool = new UpstreamPool(
    proxies.slice(0, count).map(({ url }) => createRestUpstream(parseUpstreamUrl(url))),
    {
      retry: { baseMs: 1, maxMs: 1 },
      setAside: { baseMs: 60_000, maxMs: 60_000 },
      headAgeMs: 5_000,
      logger,
      clock: () => 0,
      random: () => 1,
    },
  );
  const filler = new BaseFiller({
    store,
    pool: () => pool,
    agree: needed > 1 ? { needed, of: count } : undefined,
    timeoutMs: 60_000,
    logger,
    clock: () => 0,
  });
  const layer: Layer = {
    pool,
    logged,
    read: async (index) => {
      const view = await store.openView();
      try {
        const lazy = new LazyView(view, filler);
        const [item] = await lazy.getItems([hashOf(index, filler)], view.position.version);
        const level = lazy.fetchedTrust?.();
        return {
          value: item?.value && Buffer.from(item.value).toString("hex"),
          level: level && formatTrust(level),
        };
      } finally {
        view.release();
      }
    },
    close: async () => {
      pool.close();
      await filler.close();
    },
  };
  onTestFinished(() => layer.close());
  return layer;
}

/** Items that the latest block does not write. */
function itemAt(index: number): { readonly handle: string; readonly key: string } {
  const items = (origin.guide()?.tables ?? []).flatMap(({ handle, keys }) =>
    keys.map(({ key }) => ({ handle, key })),
  );
  const item = items[index];
  if (item === undefined) throw new Error("the chain has too few table items");
  return item;
}

function hashOf(index: number, filler?: BaseFiller): Uint8Array {
  const { handle, key } = itemAt(index);
  return tableItemKeyHash(parseAddress(handle), fromHex(key.slice(2)) ?? new Uint8Array(), filler?.keyTrace);
}

/** Changes every item that is given. */
const lieOnItems: Meddle = (passing) => {
  if (!passing.path.startsWith(rawStateValueRoute.path) || passing.status !== 200) return passing;
  const body = Buffer.from(passing.body);
  body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
  return { ...passing, body };
};

describe("an item", () => {
  it("from one upstream is trusted, and agreed when enough gave it alike; the liar is logged and set aside", async () => {
    const store = await startStore();
    const honest = await startLayer(store, 1, 1).read(0);
    expect(honest).toEqual({ value: expect.any(String), level: "trusted" });
    for (const place of [0, 1, 2]) {
      const others = await startStore();
      proxies.forEach((proxy, i) => {
        proxy.meddle = i === place ? lieOnItems : (passing) => passing;
      });
      const layer = startLayer(others, 3, 2);
      expect(await layer.read(0)).toEqual({ ...honest, level: "agreed 2/3" });
      const liar = layer.pool.entries[place];
      await until(() => liar?.state === "set_aside");
      expect(liar?.fault).toMatch(/^disagrees: at version \d+: it gave a state item differently from 2 of 3/);
      expect(layer.logged).toContain("upstream set aside after wrong data");
      expect(layer.pool.sound.length).toBe(2);
      // From now on it is asked for nothing.
      const asked = proxies[place]?.seen.length;
      expect((await layer.read(1)).level).toBe("agreed 2/3");
      expect(proxies[place]?.seen.length).toBe(asked);
    }
  });

  it("is refused when too few upstreams give it alike", async () => {
    const store = await startStore();
    proxies[0]!.meddle = lieOnItems;
    const layer = startLayer(store, 2, 2);
    await expect(layer.read(0)).rejects.toMatchObject({ code: "unavailable" });
    expect(layer.pool.sound.length).toBe(2);
  });

  it("is not taken from an upstream of another chain, which is set aside and asked no more", async () => {
    const store = await startStore();
    proxies[0]!.meddle = (passing) => ({
      ...passing,
      headers: { ...passing.headers, "x-node-chain-id": "99" },
    });
    const layer = startLayer(store, 1, 1);
    await expect(layer.read(0)).rejects.toMatchObject({ code: "unavailable" });
    expect(layer.pool.entries[0]?.fault).toMatch(/^wrong_chain/);
    const asked = proxies[0]!.seen.length;
    proxies[0]!.meddle = (passing) => passing;
    await expect(layer.read(1)).rejects.toMatchObject({ code: "unavailable" });
    expect(proxies[0]!.seen.length).toBe(asked);
    expect(await store.getSideRows([FETCHED_ITEM.key(hashOf(0))])).toEqual([undefined]);
  });

  it("that was taken on one upstream's word is asked again when more agree, and replaced if it was wrong", async () => {
    const store = await startStore();
    const truth = await startLayer(await startStore(), 1, 1).read(0);
    proxies[0]!.meddle = lieOnItems;
    const first = startLayer(store, 1, 1);
    const lie = await first.read(0);
    expect(lie.value).not.toBe(truth.value);
    expect(lie.level).toBe("trusted");
    await first.close();
    const second = startLayer(store, 3, 2);
    expect(await second.read(0)).toEqual({ value: truth.value, level: "agreed 2/3" });
    expect(second.logged).toContain("replaced a state item that was fetched wrong");
    await second.close();
    const [row] = await store.getSideRows([FETCHED_ITEM.key(hashOf(0))]);
    expect(FETCHED_ITEM.decode(row!).fetched?.level).toEqual({ kind: "agreed", needed: 2, of: 3 });
    // The level stays with the row, also under a weaker rule.
    const third = startLayer(store, 1, 1);
    expect(await third.read(0)).toEqual({ value: truth.value, level: "agreed 2/3" });
  });

  it("keeps its weaker level when too few upstreams answer, and is not asked for at every read", async () => {
    const store = await startStore();
    const first = startLayer(store, 1, 1);
    const { value } = await first.read(0);
    await first.close();
    proxies[1]!.meddle = (passing) => ({ ...passing, status: 503 });
    const second = startLayer(store, 2, 2);
    expect(await second.read(0)).toEqual({ value, level: "trusted" });
    const asked = proxies[0]!.seen.length;
    expect(await second.read(0)).toEqual({ value, level: "trusted" });
    expect(proxies[0]!.seen.length).toBe(asked);
  });
});
