// The history of balances, over HTTP: against the books of a local chain, and against reading every version.
import { describe, expect, it } from "vitest";
import { BookedLedger, type Change, ENGINES, type Pair } from "../support/booked-ledger.ts";
import { COIN, coinKey, coinStore, primaryGroup, stateValue, storeKey } from "../support/http-ledger.ts";
import { startServer } from "../support/http-server.ts";
import { createLedgerOfWrites, OWNER } from "../support/long-history.ts";

const BLOCKS = 40;

function historyUrl(url: string, { address, asset }: Pick<Pair, "address" | "asset">, query = ""): string {
  return `${url}/v1/accounts/${address}/balance/${encodeURIComponent(asset)}/history${query}`;
}

function secondsText(usec: bigint): string {
  return `${usec / 1_000_000n}.${`${usec % 1_000_000n}`.padStart(6, "0")}`;
}

async function getJson(target: string): Promise<Change[]> {
  const response = await fetch(target);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Change[];
}

/** All pages, each with as many changes as asked for. */
async function getPages(target: string): Promise<Change[][]> {
  const pages: Change[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const response = await fetch(cursor === "" ? target : `${target}&start=${cursor}`);
    expect(response.status).toBe(200);
    pages.push((await response.json()) as Change[]);
    cursor = response.headers.get("x-node-cursor");
  }
  return pages;
}

async function getText(target: string, accept: string): Promise<string> {
  const response = await fetch(target, { headers: { accept } });
  const text = await response.text();
  expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, accept]);
  return text;
}

function fromCsv(text: string): Change[] {
  const [names = "", ...lines] = text.split("\r\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => {
    const values = line.split(",");
    return Object.fromEntries(names.split(",").map((name, i) => [name, values[i]])) as unknown as Change;
  });
}

function fromLines(text: string): Change[] {
  const lines = text.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Change);
}

describe("history of a coin store and the primary store of its paired asset", () => {
  const coin = (version: bigint, amount: bigint | undefined) => ({
    version,
    keyHash: coinKey(OWNER),
    value: amount === undefined ? undefined : stateValue(coinStore(amount)),
  });
  const store = (version: bigint, amount: bigint, concurrent?: bigint, frozen = false) => ({
    version,
    keyHash: storeKey(OWNER),
    value: stateValue(primaryGroup(amount, concurrent, frozen)),
  });
  const writes = [
    coin(0n, 10n),
    // Both in one transaction: one change.
    ...[coin(3n, 11n), store(3n, 5n)],
    // Moved from one to the other: none.
    ...[coin(4n, 6n), store(4n, 10n)],
    // Frozen, and nothing else: none.
    store(5n, 10n, undefined, true),
    // The amount moves to the concurrent balance: none. Then that changes.
    store(7n, 0n, 10n),
    store(8n, 0n, 12n),
    // A coin store that goes away counts 0.
    coin(9n, undefined),
    coin(12n, 1n),
  ];
  const points = (changes: readonly Change[]): string[][] =>
    changes.map(({ version, before, after }) => [version, before, after]);
  const WHOLE = [
    ["0", "0", "10"],
    ["3", "10", "16"],
    ["8", "16", "18"],
    ["9", "18", "12"],
    ["12", "12", "13"],
  ];

  it("has one change for each transaction that changes their sum, however it is read", async () => {
    const { url } = await startServer({ ledger: await createLedgerOfWrites(writes) });
    const pair = { address: OWNER, asset: COIN };
    expect(points(await getJson(historyUrl(url, pair)))).toEqual(WHOLE);
    for (const limit of [1, 2, 3]) {
      expect(points((await getPages(historyUrl(url, pair, `?limit=${limit}`))).flat())).toEqual(WHOLE);
    }
    for (let from = 0; from <= 12; from++) {
      const expected = WHOLE.filter(([version]) => Number(version) >= from);
      expect(points(await getJson(historyUrl(url, pair, `?from=${from}`)))).toEqual(expected);
    }
    const byMetadata = await getJson(historyUrl(url, { address: OWNER, asset: "0xa" }));
    expect(points(byMetadata)).toEqual([
      ["3", "0", "5"],
      ["4", "5", "10"],
      ["8", "10", "12"],
    ]);
    expect(await getJson(historyUrl(url, { address: "0x404", asset: COIN }))).toEqual([]);
  });

  it("fails with 500 where stored bytes do not decode, in every form", async () => {
    const wrong = { version: 13n, keyHash: coinKey(OWNER), value: stateValue(Uint8Array.of(1)) };
    const { url } = await startServer({ ledger: await createLedgerOfWrites([...writes, wrong]) });
    const target = historyUrl(url, { address: OWNER, asset: COIN });
    for (const accept of ["application/json", "text/csv", "application/x-ndjson"]) {
      const response = await fetch(target, { headers: { accept } });
      expect([response.status, await response.json()]).toMatchObject([500, { error_code: "internal_error" }]);
    }
    expect(points(await getJson(`${target}?to=12`))).toEqual(WHOLE);
  });
});

describe.each(["memory", "lmdb"] as const)("history over HTTP, on %s", async (engine) => {
  const ledger = await BookedLedger.create(await ENGINES[engine](), BLOCKS);
  const { url } = await startServer({ ledger: ledger.store });
  const model = new Map<Pair, Change[]>();
  for (const pair of ledger.pairs) model.set(pair, await ledger.changesOf(pair));
  const [busiest] = [...model].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
  if (busiest === undefined) throw new Error("nothing ever changed");
  const all = model.get(busiest) ?? [];

  it("of every demo account is what reading every version finds, page by page", async () => {
    for (const [pair, changes] of model) {
      const pages = await getPages(historyUrl(url, pair, "?limit=7"));
      expect(pages.flat(), `${pair.account} ${pair.asset}`).toEqual(changes);
      expect(pages.every((page) => page.length <= 7)).toBe(true);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(changes.length / 7)));
    }
    expect(all.length).toBeGreaterThan(20);
  });

  it("of every demo account ends each block with what the books say", async () => {
    for (const pair of ledger.pairs) {
      const changes = await getJson(historyUrl(url, pair, "?limit=1000"));
      for (const block of ledger.blocks) {
        const last = changes.findLast(({ version }) => BigInt(version) <= block.lastVersion);
        expect(BigInt(last?.after ?? 0), `${pair.account} ${pair.asset} ${block.lastVersion}`).toBe(
          block.booked(pair),
        );
      }
      for (const [i, { before }] of changes.entries()) expect(before).toBe(changes[i - 1]?.after ?? "0");
    }
  });

  it("is the same in every form, streamed or as a page", async () => {
    for (const [pair, changes] of model) {
      expect(fromCsv(await getText(historyUrl(url, pair), "text/csv"))).toEqual(changes);
      expect(fromLines(await getText(historyUrl(url, pair), "application/x-ndjson"))).toEqual(changes);
      const some = changes.slice(0, 5);
      expect(fromCsv(await getText(historyUrl(url, pair, "?limit=5"), "text/csv"))).toEqual(some);
      expect(fromLines(await getText(historyUrl(url, pair, "?limit=5"), "application/x-ndjson"))).toEqual(
        some,
      );
    }
  });

  it("names the version that it goes up to", async () => {
    const { version } = await ledger.run.position();
    const whole = await fetch(historyUrl(url, busiest));
    expect(whole.headers.get("x-node-read-version")).toBe(`${version}`);
    const part = await fetch(historyUrl(url, busiest, "?to=17"), { headers: { accept: "text/csv" } });
    expect([part.headers.get("x-node-read-version"), part.headers.get("cache-control")]).toEqual([
      "17",
      "no-cache",
    ]);
    expect(part.headers.get("transfer-encoding")).toBe("chunked");
    await part.text();
  });

  it("is cut by versions, both of them included", async () => {
    const { version: latest } = await ledger.run.position();
    for (const from of [0n, 1n, 2n, 9n, 50n, latest - 1n, latest]) {
      for (const to of [from, from + 1n, from + 13n, latest].filter((end) => end <= latest)) {
        const expected = all.filter(({ version }) => BigInt(version) >= from && BigInt(version) <= to);
        expect(await getJson(historyUrl(url, busiest, `?from=${from}&to=${to}&limit=1000`))).toEqual(
          expected,
        );
      }
    }
  });

  it("is cut by times: from the first block not before, to the last block not after", async () => {
    const { timestampUsec: latest } = await ledger.run.position();
    const times = [
      latest,
      latest - 1n,
      latest - 10_000_000n,
      latest - 25_500_000n,
      latest - 25_000_000n,
      0n,
      1n,
    ];
    const text = (usec: bigint, isDate: boolean): string =>
      isDate
        ? `${new Date(Number(usec / 1000n)).toISOString().slice(0, -1)}${`${usec % 1000n}`.padStart(3, "0")}Z`
        : `@${secondsText(usec)}`;
    for (const from of times) {
      for (const to of times.filter((end) => end >= from)) {
        const expected = all.filter(({ timestamp_usec: at }) => BigInt(at) >= from && BigInt(at) <= to);
        for (const isDate of [true, false]) {
          const query = `?from=${text(from, isDate)}&to=${text(to, isDate)}&limit=1000`;
          expect(await getJson(historyUrl(url, busiest, query)), query).toEqual(expected);
        }
      }
    }
  });

  it("in samples: of each span of time the first, last, lowest and highest", async () => {
    for (const [pair, changes] of model) {
      for (const points of [4, 5, 8, 40, 4000]) {
        const found = await getJson(historyUrl(url, pair, `?points=${points}`));
        expect(found.length).toBeLessThanOrEqual(points);
        expect(found, `${pair.account} ${pair.asset} ${points}`).toEqual(sampled(changes, points));
      }
    }
    const csv = await getText(historyUrl(url, busiest, "?points=8"), "text/csv");
    expect(fromCsv(csv)).toEqual(sampled(all, 8));
    expect(sampled(all, 8).length).toBeLessThan(all.length);
  });

  /** The rule of samples, over all changes at once. */
  function sampled(changes: readonly Change[], points: number): Change[] {
    const count = BigInt(Math.floor(points / 4));
    const start = ledger.blocks[1]?.timestampUsec ?? 0n;
    const span = (ledger.blocks.at(-1)?.timestampUsec ?? 0n) - start;
    const spans = new Map<bigint, Change[]>();
    for (const change of changes) {
      const since = BigInt(change.timestamp_usec) - start;
      const index = since < 0n ? 0n : (since * count) / span;
      const clamped = index < count ? index : count - 1n;
      spans.set(clamped, [...(spans.get(clamped) ?? []), change]);
    }
    return [...spans.values()].flatMap((some) => {
      const byAmount = [...some].sort((a, b) => Number(BigInt(a.after) - BigInt(b.after)));
      const lowest = some.find(({ after }) => after === byAmount[0]?.after);
      const highest = some.find(({ after }) => after === byAmount.at(-1)?.after);
      return some.filter((one, i) => [0, some.length - 1].includes(i) || one === lowest || one === highest);
    });
  }

  it.each([
    ["from=5&to=4", 400, "invalid_input", "from"],
    ["from=@2.5&to=@2.4", 400, "invalid_input", "from"],
    // A version and a time: what the time stands for is known only once the ledger is asked.
    ["from=100&to=@TIME5", 400, "invalid_input", "from: expected at most `to`"],
    ["from=@TIME5&to=1", 400, "invalid_input", "from: expected at most `to`"],
    ["start=100&to=@TIME5", 400, "invalid_input", "start: expected at most `to`"],
    ["start=9&to=4", 400, "invalid_input", "start: expected at most `to`"],
    ["ledger_version=5", 400, "web_framework_error", "ledger_version: "],
    ["at=@5&from=1", 400, "web_framework_error", "at: "],
    ["from=1&from=2", 400, "web_framework_error", "from: expected it once"],
    ["from=@1767225600.0123456789", 400, "web_framework_error", "more than 9 decimals"],
    ["from=5&start=2", 400, "web_framework_error", "start: expected a cursor at or after"],
    ["from=1.5", 400, "web_framework_error", "@"],
    ["from=yesterday", 400, "web_framework_error", "from"],
    ["to=2026-01-31", 400, "web_framework_error", "to: expected"],
    ["to=18446744073709551616", 400, "web_framework_error", "to"],
    ["limit=0", 400, "web_framework_error", "limit: expected a whole number from 1 to 1000"],
    ["limit=1001", 400, "web_framework_error", "limit"],
    ["points=3", 400, "web_framework_error", "points"],
    ["points=4001", 400, "web_framework_error", "points"],
    ["points=4&limit=4", 400, "web_framework_error", "limit, points"],
    ["start=x", 400, "web_framework_error", "start"],
    ["to=100000", 404, "version_not_found", "above the latest"],
    ["from=100000", 404, "version_not_found", "above the latest"],
    ["start=100000", 404, "version_not_found", "above the latest"],
    ["from=2030-01-01T00:00:00Z", 404, "version_not_found", "2030-01-01"],
    ["to=@1893456000", 404, "version_not_found", "after the latest block"],
  ])("refuses ?%s", async (template, status, code, words) => {
    const query = template.replace("TIME5", secondsText(ledger.blocks[5]?.timestampUsec ?? 0n));
    for (const accept of ["application/json", "text/csv", "application/x-ndjson"]) {
      const response = await fetch(historyUrl(url, busiest, `?${query}`), { headers: { accept } });
      const body = (await response.json()) as { message: string; error_code: string };
      expect([response.status, body.error_code]).toEqual([status, code]);
      expect(body.message).toContain(words);
    }
  });

  it("begins behind the oldest version that is kept: what was before that is gone", async () => {
    const pruned = await BookedLedger.create(await ENGINES[engine](), BLOCKS);
    const server = await startServer({ ledger: pruned.store });
    const oldest = pruned.blocks[15]?.firstVersion ?? 0n;
    await pruned.prune(oldest);
    for (const [pair, changes] of model) {
      const kept = changes.filter(({ version }) => BigInt(version) > oldest);
      expect(await getJson(historyUrl(server.url, pair, "?limit=1000"))).toEqual(kept);
      expect(await getJson(historyUrl(server.url, pair, `?from=${oldest + 1n}&limit=1000`))).toEqual(kept);
      expect(fromLines(await getText(historyUrl(server.url, pair), "application/x-ndjson"))).toEqual(kept);
    }
    const usec = pruned.blocks[15]?.timestampUsec ?? 0n;
    for (const [query, words] of [
      [`from=${oldest}`, `ask from ${oldest + 1n}`],
      [`from=${oldest - 1n}`, `below the oldest kept, ${oldest}`],
      ["from=0", "below the oldest kept"],
      [`to=${oldest - 1n}`, "below the oldest kept"],
      [`start=${oldest}`, "ask from"],
      [`from=@${usec / 1_000_000n}`, "before the oldest block that is kept"],
      [`to=@${usec / 1_000_000n - 1n}`, "before the oldest block that is kept"],
    ] as const) {
      const response = await fetch(historyUrl(server.url, busiest, `?${query}`));
      const body = (await response.json()) as { message: string; error_code: string };
      expect([query, response.status, body.error_code]).toEqual([query, 410, "version_pruned"]);
      expect(body.message).toContain(words);
    }
    // The same version as its own end holds nothing that can be told, and that is no error.
    expect(await getJson(historyUrl(server.url, busiest, `?to=${oldest}`))).toEqual([]);
    const next = `?from=@${usec / 1_000_000n}.000001&limit=1000`;
    expect(await getJson(historyUrl(server.url, busiest, next))).toEqual(
      all.filter(({ timestamp_usec: at }) => BigInt(at) > usec),
    );
  });
});
