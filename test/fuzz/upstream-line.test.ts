// A node behind a line that cannot be trusted: bits flipped on the way, answers cut, held, blown up or
// replaced. Nothing wrong is committed, and it goes on as soon as the line is honest.
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { BCS_TYPE } from "../../src/interface/media-types.ts";
import { urlTo } from "../../src/interface/route.ts";
import { transactionsRoute } from "../../src/interface/routes.ts";
import { decodePage, type RecordSpans } from "../../src/ledger/formats/record.ts";
import { createNode, type Node } from "../../src/node.ts";
import { begun } from "../support/begun.ts";
import { RUNS } from "../support/property.ts";
import { type Meddle, type Meddler, type Passing, startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

type Served = Node & { url: string };

async function start(options: Parameters<typeof createNode>[0]): Promise<Served> {
  const node = await createNode({
    ...options,
    http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
  });
  onTestFinished(() => node.close());
  return (await begun(node)) as Served;
}

async function pair(blocks: number, seed: string): Promise<{ a: Served; proxy: Meddler }> {
  const a = await start({ localChain: { seed }, pruneWindow: "off" });
  for (let i = 0; i < blocks; i++) await a.produceBlock();
  const proxy = await startProxy(a.url);
  onTestFinished(() => proxy.close());
  return { a, proxy };
}

/** A quarter of a gigabyte of zeros. */
const BOMB = gzipSync(Buffer.alloc(256 * 1024 * 1024), { level: 1 });

const isPage = ({ path, status }: Passing): boolean =>
  path.startsWith(`${transactionsRoute.path}?`) && status === 200;

const versionOf = (node: Node): Promise<bigint> =>
  node.ledgerInfo().then(
    (info) => BigInt(info.ledger_version),
    () => -1n,
  );

async function recordsOf(node: Served): Promise<string> {
  const pages: string[] = [];
  for (let start = 0n; start <= (await versionOf(node)); start += 100n) {
    const page = await fetch(urlTo(node.url, transactionsRoute, { start, limit: 100 }), {
      headers: { accept: BCS_TYPE },
    });
    pages.push(Buffer.from(await page.arrayBuffer()).toString("hex"));
  }
  return pages.join("\n");
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** The fields of a record, each with a way to one of its spans. */
const FIELDS: readonly [string, (record: RecordSpans) => Uint8Array | undefined][] = [
  ["version", (record) => record.bytes.subarray(0, 8)],
  ["transaction", (record) => record.transaction],
  ["info", (record) => record.infoBytes],
  ["transaction hash", (record) => record.info.transactionHash],
  ["event root", (record) => record.info.eventRootHash],
  ["state change hash", (record) => record.info.stateChangeHash],
  ["state root", (record) => record.info.stateCheckpointHash],
  ["events", (record) => (record.events.length === 0 ? undefined : pick(record.events))],
  ["accumulator root", (record) => record.accumulatorRoot],
  ["changes", (record) => record.changes],
  ["page count", () => undefined],
];

/** Bits to flip: two in every kind of field at least. */
const FLIPS = Math.max(2 * FIELDS.length, Math.ceil(RUNS / 4));

describe("a line that flips bits", () => {
  it(`${FLIPS} flips in every kind of field: all found before commit, and the follower recovers`, async () => {
    const { a, proxy } = await pair(40, "flips");
    const flips = new Map<string, number>();
    let total = 0;
    let passes = 0;
    proxy.meddle = (passing) => {
      if (!isPage(passing) || total >= FLIPS) return passing;
      // Now and then an honest page, so that flips meet the follower in many places; the first one soon,
      // because the page with the genesis is large.
      if (passes < 2 && total >= (passes === 0 ? FIELDS.length : FLIPS / 2)) {
        passes++;
        return passing;
      }
      const body = Buffer.from(passing.body);
      const record = pick(decodePage(body));
      const [name, spanOf] = FIELDS[total % FIELDS.length]!;
      const span = spanOf(record) ?? body.subarray(0, 1);
      const at = span.byteOffset - body.byteOffset + Math.floor(Math.random() * span.length);
      body[at] = body[at]! ^ (1 << Math.floor(Math.random() * 8));
      flips.set(name, (flips.get(name) ?? 0) + 1);
      total++;
      return { ...passing, body };
    };
    const genesis = (await a.info()).genesis_waypoint as string;
    const starting = createNode({
      waypoint: genesis,
      follow: { upstreams: [proxy.url], upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 1 },
      pruneWindow: "off",
      http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
    });
    const b = (await starting) as Served;
    onTestFinished(() => b.close());
    await until(() => (total >= FLIPS ? true : undefined));
    expect([...flips.keys()].sort()).toEqual(FIELDS.map(([name]) => name).sort());
    const head = await versionOf(a);
    await until(async () => ((await versionOf(b)) === head ? true : undefined));
    expect(await recordsOf(b)).toBe(await recordsOf(a));
    expect((await b.info()).trust_level).toBe("chained");
  });
});

describe("a line that breaks", () => {
  it("goes on after each kind of broken answer", async () => {
    const { a, proxy } = await pair(5, "broken");
    const genesis = (await a.info()).genesis_waypoint as string;
    const b = await start({
      waypoint: genesis,
      follow: { upstreams: [proxy.url], upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 1 },
      pruneWindow: "off",
    });
    const ledger = await fetch(a.url);
    const html: Meddle = (passing) => ({
      ...passing,
      headers: { ...passing.headers, "content-type": "text/html" },
      body: Buffer.from("<html>maintenance</html>"),
    });
    const kinds: [string, Meddle, string][] = [
      ["HTML with status 200", html, "malformed"],
      [
        "HTML with status 502",
        async (passing, response) => ({ ...(await html(passing, response))!, status: 502 }),
        "unreachable",
      ],
      [
        "a page cut short, its length still right",
        (passing) => ({ ...passing, body: passing.body.subarray(0, passing.body.length - 10) }),
        // A re-check asks for one record, which is cut short too.
        "(unverified|malformed)",
      ],
      [
        "a connection cut in the middle",
        ({ headers, body }, response) => {
          response.writeHead(200, { ...headers, "content-length": body.length });
          response.write(body.subarray(0, 20));
          setTimeout(() => response.destroy(), 5);
          return undefined;
        },
        "unreachable",
      ],
      [
        "a gzip bomb",
        (passing) => ({
          ...passing,
          headers: { ...passing.headers, "content-encoding": "gzip" },
          body: BOMB,
        }),
        "too_large",
      ],
      ["429", (passing) => ({ ...passing, status: 429, headers: { "retry-after": "0" } }), "busy"],
      ["503", (passing) => ({ ...passing, status: 503, headers: { "retry-after": "0" } }), "busy"],
      [
        "another chain",
        (passing) => ({ ...passing, headers: { ...passing.headers, "x-node-chain-id": "9" } }),
        "wrong_chain",
      ],
      [
        "too few headers",
        (passing) => ({ ...passing, headers: { "content-type": "application/x-bcs" } }),
        "malformed",
      ],
      ["an empty page", (passing) => ({ ...passing, body: Buffer.from([0]) }), "malformed"],
      ["pruned", (passing) => ({ ...passing, status: 410 }), "pruned"],
      [
        "another version",
        (passing) => {
          const body = Buffer.from(passing.body);
          body.writeBigUInt64LE(7n, 1);
          return { ...passing, body };
        },
        "(unverified|malformed)",
      ],
    ];
    expect(ledger.status).toBe(200);
    for (const [name, meddle, code] of kinds) {
      const before = await versionOf(b);
      let met = 0;
      proxy.meddle = (passing, response) => {
        if (!isPage(passing)) return passing;
        met++;
        return meddle(passing, response);
      };
      await a.produceBlock();
      const fault = await until(async () => {
        const [upstream] = (await b.info()).upstreams ?? [];
        return met >= 2 && new RegExp(`^${code}`).test(upstream?.last_fault ?? "")
          ? upstream?.last_fault
          : undefined;
      });
      expect(fault, name).toMatch(new RegExp(`^${code}`));
      expect(await versionOf(b), name).toBe(before);
      proxy.meddle = (passing) => passing;
      const head = await versionOf(a);
      await until(async () => ((await versionOf(b)) === head ? true : undefined));
    }
    expect(await recordsOf(b)).toBe(await recordsOf(a));
  });

  it("is told in the health check, while what is verified is still served", async () => {
    const { a, proxy } = await pair(5, "health");
    const b = await start({
      follow: { upstreams: [proxy.url], upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 1, giveUpTimeMs: 300 },
      pruneWindow: "off",
    });
    expect((await fetch(`${b.url}/-/healthy`)).status).toBe(200);
    proxy.meddle = (passing) => (isPage(passing) ? { ...passing, body: passing.body.subarray(1) } : passing);
    await a.produceBlock();
    const sick = await until(async () => {
      const answer = await fetch(`${b.url}/-/healthy`);
      return answer.status === 503 ? answer : undefined;
    });
    expect(await sick.json()).toMatchObject({
      error_code: "health_check_failed",
      message: expect.stringContaining("nothing that can be verified"),
    });
    expect((await b.faulted).message).toContain("no upstream can be used");
    expect((await fetch(b.url)).status).toBe(200);
    expect(await b.info()).toMatchObject({ sync_state: "faulted" });
  });
});
