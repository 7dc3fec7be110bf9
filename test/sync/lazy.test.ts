// A node that starts at the head of another node and fetches missing items: its responses equal the other's through
// pruning, deletions and changes, and it never guesses.
import { afterAll, describe, expect, it } from "vitest";
import { urlTo } from "../../src/interface/route.ts";
import { balanceRoute, rawStateValueRoute } from "../../src/interface/routes.ts";
import { createNode, type Node } from "../../src/node.ts";
import { begun } from "../support/begun.ts";
import { RUNS } from "../support/property.ts";
import { type Meddler, startProxy } from "../support/proxy.ts";
import { ask, encodeQuestion, questionsAbout, type Reply } from "../support/questions.ts";
import { until } from "../support/until.ts";

const open: { close(): Promise<void> }[] = [];

afterAll(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(options: Parameters<typeof createNode>[0]): Promise<Node & { url: string }> {
  const node = await createNode({
    ...options,
    http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
  });
  open.push(node);
  return (await begun(node)) as Node & { url: string };
}

async function proxied(node: { url: string }): Promise<Meddler> {
  const proxy = await startProxy(node.url);
  open.push(proxy);
  return proxy;
}

const versionOf = async (node: Node): Promise<bigint> => BigInt((await node.ledgerInfo()).ledger_version);
const oldestOf = async (node: Node): Promise<bigint> =>
  BigInt((await node.ledgerInfo()).oldest_ledger_version);
const fillsOf = (proxy: Meddler): number =>
  proxy.seen.filter((line) => line.includes(rawStateValueRoute.path)).length;

const balanceOf = (address: string): string => urlTo("", balanceRoute, { address, asset_type: "0xa" });

async function blocks(node: Node, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await node.produceBlock();
}

const follow = (proxy: Meddler, more = {}) => ({
  upstreams: [proxy.url],
  startVersion: "latest",
  upstreamRate: 0,
  pollTimeMs: 5,
  retryTimeMs: 5,
  ...more,
});

/** More with SEXTANT_RUNS. */
const READS = 5 * RUNS;

describe("a lazily followed ledger", () => {
  it(`responds to ${READS} random reads as its upstream, which prunes meanwhile`, async () => {
    const a = await start({ localChain: { seed: "lazy" }, pruneWindow: "120" });
    await blocks(a, 120);
    const proxy = await proxied(a);
    const b = await start({ follow: follow(proxy), pruneWindow: "off" });
    const base = await oldestOf(b);
    const questions = questionsAbout(a.guide()!);
    const earlier: { question: (typeof questions)[number]; version: bigint; reply: Reply }[] = [];
    let compared = 0;
    let pruned = 0;
    const kinds = new Map<number, number>();
    for (let turn = 0; compared < READS; turn++) {
      if (turn % 2 === 0) {
        await a.produceBlock();
        const head = await versionOf(a);
        await until(async () => ((await versionOf(b)) >= head ? true : undefined));
      }
      const [latest, kept] = [await versionOf(b), await oldestOf(a)];
      const batch = Array.from({ length: 10 }, async () => {
        // Mostly versions that A still has; sometimes any version since the base.
        const from = Math.random() < 0.9 && kept > base ? kept : base;
        const version = from + BigInt(Math.floor(Math.random() * Number(latest - from + 1n)));
        const question = questions[Math.floor(Math.random() * questions.length)]!;
        const [reply, ours] = await Promise.all([
          ask(a.url, question, version),
          ask(b.url, question, version),
        ]);
        return { question, version, reply, ours };
      });
      for (const { question, version, reply, ours } of await Promise.all(batch)) {
        // A's pruner may come between A's own response and the item that B asks for.
        const isPruned = reply.status === 410 || (ours.status === 503 && version < (await oldestOf(a)));
        if (isPruned) {
          // Versions that the upstream has pruned come from stored rows, or fail.
          expect([200, 404, 503]).toContain(ours.status);
          pruned++;
          continue;
        }
        expect(ours, `${question.path} at ${version}`).toEqual(reply);
        kinds.set(reply.status, (kinds.get(reply.status) ?? 0) + 1);
        if (compared % 5 === 0) earlier.push({ question, version, reply });
        compared++;
      }
    }
    expect(kinds.get(200)).toBeGreaterThan(READS / 4);
    expect(kinds.get(404)).toBeGreaterThan(READS / 40);
    // B still responds as A did for versions that A has pruned by now.
    const gone = await until(async () => {
      await a.produceBlock();
      const oldest = await oldestOf(a);
      const those = earlier.filter(({ version }) => version < oldest);
      return those.length > 10 ? those : undefined;
    });
    for (const { question, version, reply } of gone)
      expect(await ask(b.url, question, version)).toEqual(reply);
    for (let turn = 0; turn < 10; turn++) {
      const question = encodeQuestion(a.guide()!, turn);
      expect(await ask(b.url, question, 0n)).toEqual(await ask(a.url, question, 0n));
    }
    expect(await b.info()).toMatchObject({ trust_level: "trusted" });
    expect((await b.info()).lazy_fill_failures).toBeLessThanOrEqual(pruned);
    expect(await b.info()).not.toHaveProperty("waypoint");
  });

  it("keeps deletions through its own pruning", async () => {
    const a = await start({ localChain: { seed: "lazy-prune" }, pruneWindow: "off" });
    await blocks(a, 60);
    const b = await start({ follow: follow(await proxied(a)), pruneWindow: "60" });
    // Nearly all items that are deleted are of tables.
    const questions = questionsAbout(a.guide()!).filter(
      ({ accept, body }, i) => accept.endsWith("bcs") && (body !== undefined || i % 10 === 1),
    );
    const read = async (): Promise<void> => {
      const version = await versionOf(b);
      for (const question of questions) {
        const [theirs, ours] = [await ask(a.url, question, version), await ask(b.url, question, version)];
        if (ours.status !== 410) expect(ours, `${question.path} at ${version}`).toEqual(theirs);
      }
    };
    await read();
    for (let round = 0; round < 3; round++) {
      await blocks(a, 30);
      const head = await versionOf(a);
      await until(async () => ((await versionOf(b)) >= head ? true : undefined));
      await read();
    }
    await until(async () => ((await oldestOf(b)) > (await versionOf(b)) - 200n ? true : undefined));
    await read();
  });

  it("fetches once for many readers, stores absence, and responds 503 when no upstream does", async () => {
    const a = await start({ localChain: { seed: "lazy-once" } });
    await blocks(a, 10);
    const proxy = await proxied(a);
    const b = await start({ follow: follow(proxy) });
    const version = await versionOf(b);
    const { address, assets } = a.guide()!.accounts[0]!;
    const question = {
      path: urlTo("", balanceRoute, { address, asset_type: assets[0]!.asset }),
      accept: "application/json",
    };
    const absent = { path: balanceOf("0xabcdef"), accept: "application/json" };
    proxy.meddle = async (passing) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return passing;
    };
    const before = fillsOf(proxy);
    const replies = await Promise.all(Array.from({ length: 50 }, () => ask(b.url, absent, version)));
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
    expect(fillsOf(proxy) - before).toBe(1);
    await ask(b.url, absent, version);
    expect(fillsOf(proxy) - before).toBe(1);
    await ask(b.url, question, version);

    proxy.meddle = (_, response) => {
      response.destroy();
      return undefined;
    };
    expect((await ask(b.url, question, version)).status).toBe(200);
    expect((await ask(b.url, absent, version)).status).toBe(200);
    const other = { path: balanceOf("0xfedcba"), accept: "application/json" };
    const failed = await ask(b.url, other, version);
    expect(failed.status).toBe(503);
    expect(Buffer.from(failed.body, "hex").toString()).toContain("internal_error");
    proxy.meddle = (passing) => passing;
    expect((await ask(b.url, other, version)).status).toBe(200);
    expect((await b.info()).lazy_fill_failures).toBe(1);
  });

  it("refuses a value of another version, and bytes that are not a state value", async () => {
    const a = await start({ localChain: { seed: "lazy-lies" } });
    await blocks(a, 10);
    const proxy = await proxied(a);
    const b = await start({ follow: follow(proxy) });
    const version = await versionOf(b);
    const lies: ((passing: Parameters<Meddler["meddle"]>[0]) => Parameters<Meddler["meddle"]>[0])[] = [
      (passing) => ({
        ...passing,
        headers: { ...passing.headers, "x-node-read-version": `${version - 1n}` },
      }),
      (passing) => ({ ...passing, body: passing.body.subarray(1) }),
      (passing) => ({ ...passing, status: 404, headers: { "content-type": "text/html" } }),
      (passing) => ({ ...passing, headers: { "content-type": "text/html" } }),
    ];
    const { address } = a.guide()!.accounts[0]!;
    const question = { path: balanceOf(address), accept: "application/json" };
    for (const lie of lies) {
      proxy.meddle = (passing) => (passing.path.startsWith(rawStateValueRoute.path) ? lie(passing) : passing);
      expect((await ask(b.url, question, version)).status).toBe(503);
      proxy.meddle = (passing) => passing;
      // Set aside for most of these lies, and asked again once it gives the item as it should.
      await until(async () => {
        const { upstreams = [] } = await b.info();
        return upstreams[0]?.state === "ok";
      });
    }
    expect(await ask(b.url, question, version)).toEqual(await ask(a.url, question, version));
  });

  it("serves another lazy node, and starts at a given version", async () => {
    const a = await start({ localChain: { seed: "lazy-chain" }, pruneWindow: "off" });
    await blocks(a, 40);
    const b = await start({
      follow: { ...follow(await proxied(a)), startVersion: "100" },
      pruneWindow: "off",
    });
    expect(await oldestOf(b)).toBeLessThanOrEqual(100n);
    expect(await oldestOf(b)).toBeGreaterThan(80n);
    const head = await versionOf(a);
    await until(async () => ((await versionOf(b)) === head ? true : undefined));
    const c = await start({ follow: follow(await proxied(b)), pruneWindow: "off" });
    const version = await versionOf(c);
    for (const question of questionsAbout(a.guide()!).slice(0, 60)) {
      expect(await ask(c.url, question, version)).toEqual(await ask(a.url, question, version));
    }
  });
});
