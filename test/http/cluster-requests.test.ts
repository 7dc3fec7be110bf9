// How many requests a process that reads a cluster sends for an answer, in a cluster in memory that counts them.
import { beforeAll, expect, it } from "vitest";
import { BookedLedger } from "../support/booked-ledger.ts";
import { FakeCassandra } from "../support/fake-cassandra.ts";
import { startServer } from "../support/http-server.ts";

const BLOCKS = 60;
/** For the head row, the account and the index. */
const BESIDES = 6;
/** Modules that print the transactions; each is read once or twice. */
const MODULES = 12;

let cluster: FakeCassandra;
let ledger: BookedLedger;

beforeAll(async () => {
  cluster = new FakeCassandra();
  ledger = await BookedLedger.create(await cluster.openWriter(), BLOCKS);
});

interface Asked {
  readonly requests: number;
  readonly body: unknown;
}

/** Asks a process that has read nothing yet, then the same process about other paths. */
async function ask(...paths: readonly [string, ...string[]]): Promise<readonly [Asked, ...Asked[]]> {
  const reader = await cluster.open({ readOnly: true });
  const server = await startServer({ ledger: reader });
  const asked: Asked[] = [];
  for (const path of paths) {
    cluster.takeCount();
    const response = await fetch(`${server.url}/v1${path}`);
    const body: unknown = await response.json();
    asked.push({ requests: cluster.takeCount(), body });
    expect([path, response.status, body]).toEqual([path, 200, body]);
  }
  await server.close();
  await reader.close();
  return asked as [Asked, ...Asked[]];
}

it("reads a transaction by its version with two requests and few besides", async () => {
  const versions = [37, 17, 24].map((block) => ledger.blocks[block]!.firstVersion + 1n);
  const [first, ...later] = await ask(
    `/transactions/by_version/${versions[0]}`,
    ...versions.slice(1).map((version) => `/transactions/by_version/${version}`),
  );
  expect(first.requests).toBeLessThanOrEqual(2 + BESIDES + MODULES);
  // Modules that are known at a later version are not read again.
  for (const { requests } of later) expect(requests).toBeLessThanOrEqual(2 + BESIDES);
});

it("reads the transactions of an account with two requests each and few besides", async () => {
  const { address } = ledger.pairs[0]!;
  const [{ requests, body }] = await ask(`/accounts/${address}/transactions?start=0&limit=25`);
  const { length } = body as unknown[];
  expect(length).toBeGreaterThan(5);
  expect(requests).toBeLessThanOrEqual(2 * length + BESIDES + MODULES);
});

it("reads a history with two requests for each change and few besides", async () => {
  const { address, asset } = ledger.pairs[0]!;
  const path = `/accounts/${address}/balance/${encodeURIComponent(asset)}/history?limit=100`;
  const [{ requests, body }] = await ask(path);
  const { length } = body as unknown[];
  expect(length).toBeGreaterThan(15);
  expect(requests).toBeLessThanOrEqual(2 * length + BESIDES);
});

it("finds a version by its time, and a block by its version, with a few requests", async () => {
  const { address, asset } = ledger.pairs[0]!;
  const { timestampUsec, lastVersion } = ledger.blocks[23]!;
  const at = new Date(Number(timestampUsec / 1000n)).toISOString();
  const [byTime] = await ask(`/accounts/${address}/balance/${encodeURIComponent(asset)}?at=${at}`);
  expect(byTime.requests).toBeLessThanOrEqual(2 + BESIDES);
  const [byVersion] = await ask(`/blocks/by_version/${lastVersion}`);
  expect(byVersion.requests).toBeLessThanOrEqual(5);
});
