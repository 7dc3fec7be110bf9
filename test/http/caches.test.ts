// Every cache of a node has a budget in bytes and reports its size and counters as metrics.
import { afterAll, describe, expect, it } from "vitest";
import { urlTo } from "../../src/interface/route.ts";
import { balanceRoute } from "../../src/interface/routes.ts";
import { createNode } from "../../src/node.ts";
import { ask, encodeQuestion } from "../support/questions.ts";

const node = await createNode({
  localChain: { seed: "caches" },
  http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
});
afterAll(() => node.close());
const url = node.url ?? "";

async function figures(): Promise<ReadonlyMap<string, number>> {
  const page = await (await fetch(new URL("/metrics", url))).text();
  const lines = page.split("\n").filter((line) => line.includes("_cache_") && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

describe("caches", () => {
  it("stay within their budgets and report counters", async () => {
    const guide = node.guide();
    if (guide === undefined) throw new Error("a local chain has a guide");
    await node.produceBlock();
    const [account] = guide.accounts;
    const path = urlTo("", balanceRoute, {
      address: account?.address ?? "",
      asset_type: account?.assets[0]?.asset ?? "",
    });
    for (let turn = 0; turn < 3; turn++) {
      expect((await ask(url, { path, accept: "application/json" }, 0n)).status).toBe(200);
      expect((await ask(url, encodeQuestion(guide, turn), 0n)).status).toBe(200);
    }
    const found = await figures();
    const names = [...found.keys()].filter((name) => name.endsWith("_cache_bytes"));
    expect(names.sort()).toEqual(
      ["asset", "balance_key", "module", "tree"].map((name) => `sextant_${name}_cache_bytes`),
    );
    for (const name of names) {
      const [bytes = 0, maxBytes = 0] = [found.get(name), found.get(name.replace("_bytes", "_max_bytes"))];
      expect(bytes, name).toBeGreaterThan(0);
      expect(bytes, name).toBeLessThanOrEqual(maxBytes);
    }
    for (const name of ["asset", "balance_key", "module"]) {
      expect(found.get(`sextant_${name}_cache_misses_total`), name).toBeGreaterThan(0);
      expect(found.get(`sextant_${name}_cache_hits_total`), name).toBeGreaterThanOrEqual(2);
      expect(found.get(`sextant_${name}_cache_entries`), name).toBeGreaterThan(0);
    }
  });

  it("evict entries instead of growing", async () => {
    const before = await figures();
    for (let from = 0; from < 4000; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const asset_type = `0x${(from + i + 1).toString(16)}::coin::Coin<0x1::a::${"B".repeat(80)}>`;
          const answer = await fetch(urlTo(url, balanceRoute, { address: "0x1", asset_type }));
          expect(await answer.text()).toBe("0");
        }),
      );
    }
    const after = await figures();
    const name = "sextant_asset_cache";
    expect(after.get(`${name}_bytes`)).toBeLessThanOrEqual(after.get(`${name}_max_bytes`) ?? 0);
    expect(after.get(`${name}_evictions_total`)).toBeGreaterThan(before.get(`${name}_evictions_total`) ?? 0);
    expect((after.get(`${name}_misses_total`) ?? 0) - (before.get(`${name}_misses_total`) ?? 0)).toBe(4000);
  });
});
