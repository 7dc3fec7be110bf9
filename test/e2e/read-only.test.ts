// Read-only processes: they start before there is a store, respond like the writer once there is one, and keep running
// after the writer's end.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const folder = temporaryFolder();

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return;
    await sleep(50);
  }
  throw new Error("waited 30 s in vain");
}

interface Seen {
  readonly status: number;
  readonly body: string;
  readonly version: bigint;
  readonly caching: string | null;
}

async function answerOf(url: string): Promise<Seen> {
  const response = await fetch(url);
  const version = BigInt(response.headers.get("x-node-ledger-version") ?? "-1");
  const caching = response.headers.get("cache-control");
  return { status: response.status, body: await response.text(), version, caching };
}

describe.each([
  ["one process", []],
  ["workers", ["--workers", "2"]],
])("a reader of a data directory: %s", (name, more) => {
  it("waits for the store, responds as the writer does, and outlives it", async () => {
    const data = join(folder, name);
    const args = ["--read-only", "--data", data, "--log-level", "warn", ...more];
    const reader = await startProgram(args, {}, "listening");
    expect(reader.stdout()).toContain("no ledger yet");
    expect((await answerOf(reader.url)).status).toBe(503);
    expect((await answerOf(`${reader.url}/-/ready`)).status).toBe(503);
    expect((await answerOf(`${reader.url}/-/healthy`)).status).toBe(200);
    const info = await answerOf(`${reader.url}/info`);
    expect(JSON.parse(info.body)).toMatchObject({ sync_mode: "read-only", storage_engine: "none" });

    const writer = await startProgram(["--data", data, "--block-time", "50ms", "--log-level", "warn"]);
    // Each process finds the store by itself.
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => answerOf(`${reader.url}/-/ready`)));
      return answers.every(({ status }) => status === 200);
    });
    const [account] = createLocalChain({ seed: DEFAULT_SEED }).guide().accounts;
    const path = `/accounts/${account?.address}/balance/${account?.assets[0]?.asset}`;
    await until(async () => (await answerOf(reader.url)).version > 20n);
    for (let version = 0n; version <= 20n; version++) {
      const [theirs, ours] = await Promise.all([
        answerOf(`${writer.url}${path}?ledger_version=${version}`),
        answerOf(`${reader.url}${path}?ledger_version=${version}`),
      ]);
      expect([ours.status, ours.body]).toEqual([theirs.status, theirs.body]);
      // Another seed would give other numbers under the same addresses.
      const caching = ours.status === 200 ? "no-cache" : "no-store";
      expect([ours.caching, theirs.caching]).toEqual([caching, caching]);
    }

    writer.child.kill("SIGKILL");
    await writer.finished;
    expect((await answerOf(`${reader.url}${path}?ledger_version=20`)).status).toBe(200);
    // A reader holds no lease: another writer can start at once.
    const next = await startProgram(["--data", data, "--block-time", "50ms", "--log-level", "warn"]);
    const { version } = await answerOf(next.url);
    await until(async () => (await answerOf(reader.url)).version > version);
    expect((await next.stop()).code).toBe(0);
    expect((await reader.stop()).code).toBe(0);
  });
});
