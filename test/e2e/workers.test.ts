// Several processes on one port: all give the same responses, through the death of a worker, until the writer ends.
import { Agent, get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { DEFAULT_SEED } from "../../src/node/options/local-chain-options.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { isAlive, workersOf } from "../support/worker-processes.ts";

const folder = temporaryFolder();
/** Clients that ask all the time. */
const CLIENTS = 4;
/** Right responses to wait for after a worker died. */
const RESPONSES = 100;

function start(name: string, ...more: string[]): Promise<Running> {
  const data = join(folder, name);
  const common = ["--data", data, "--block-time", "50ms", "--workers", "2", "--log-level", "warn"];
  return startProgram([...common, ...more]);
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly version: bigint;
}

function ask(url: string, agent: Agent, timeoutMs = 60_000): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const version = BigInt(String(response.headers["x-node-ledger-version"] ?? "-1"));
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), version });
      });
    });
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("timeout")));
  });
}

/** Path of a balance of the local chain. */
function balancePath(): string {
  const [account] = createLocalChain({ seed: DEFAULT_SEED }).guide().accounts;
  return `/accounts/${account?.address}/balance/${account?.assets[0]?.asset}`;
}

function countOf(page: string, operation: string): number {
  const line = page
    .split("\n")
    .find((text) =>
      text.startsWith(`sextant_http_request_duration_seconds_count{operation="${operation}",status="200"}`),
    );
  return Number(line?.split(" ").at(-1) ?? 0);
}

describe.skipIf(process.platform !== "linux")("workers", () => {
  it("respond alike, die without a wrong response, are replaced, and drain", async () => {
    const node = await start("load");
    expect(node.stdout().match(/sextant is ready/g)).toHaveLength(1);
    const url = `${node.url}${balancePath()}`;
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    await until(async () => (await ask(node.url, agent)).version > 60n);

    const expected = new Map<bigint, string>();
    for (let version = 20n; version < 60n; version++) {
      const reply = await ask(`${url}?ledger_version=${version}`, agent);
      expect(reply.status).toBe(200);
      expected.set(version, reply.body);
    }
    const before = workersOf(node);
    expect(before).toHaveLength(2);

    let isAsking = true;
    const outcome = { right: 0, wrong: [] as string[], broken: 0, newest: 0n };
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = client; isAsking; turn++) {
        const version = 20n + BigInt(turn % 40);
        try {
          const reply = await ask(`${url}?ledger_version=${version}`, agent);
          if (reply.status === 200 && reply.body === expected.get(version)) outcome.right++;
          else outcome.wrong.push(`${version}: ${reply.status} ${reply.body}`);
          if (reply.version > outcome.newest) outcome.newest = reply.version;
        } catch {
          outcome.broken++;
        }
        // The nodes get the processors.
        await sleep(5);
      }
    });
    const counted = await until(async () => {
      const page = (await ask(`${node.url.slice(0, -3)}/metrics`, agent)).body;
      const count = countOf(page, "get_account_balance");
      return count > 40 && count;
    });
    const [victim = 0] = before;
    process.kill(victim, "SIGKILL");
    await until(() => !isAlive(victim) && workersOf(node).length === 2);
    const rightAtDeath = outcome.right;
    const headAtDeath = outcome.newest;
    await until(() => outcome.right > rightAtDeath + RESPONSES && outcome.newest > headAtDeath);
    isAsking = false;
    await Promise.all(clients);

    expect(outcome.wrong).toEqual([]);
    // Only the dead worker's requests in flight were lost, and every client has at most one.
    expect(outcome.broken).toBeLessThanOrEqual(CLIENTS);
    expect(workersOf(node)).not.toContain(victim);
    const page = (await ask(`${node.url.slice(0, -3)}/metrics`, agent)).body;
    expect(countOf(page, "get_account_balance")).toBeGreaterThanOrEqual(counted + RESPONSES);
    const info = JSON.parse((await ask(`${node.url}/info`, agent)).body) as Record<string, unknown>;
    expect(info).toMatchObject({ sync_mode: "local", sync_state: "moving", storage_engine: "lmdb" });

    const last = workersOf(node);
    const late = Array.from({ length: 8 }, () => ask(url, agent));
    const replies = await Promise.all(late);
    expect((await node.stop()).code).toBe(0);
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(last.some(isAlive)).toBe(false);
    agent.destroy();
  });

  it("count every request once, whichever process handled it", async () => {
    const node = await start("counts");
    const separate = new Agent({ keepAlive: false });
    for (let i = 0; i < 50; i++) await ask(`${node.url}/info`, separate);
    const page = (await ask(`${node.url.slice(0, -3)}/metrics`, separate)).body;
    expect(countOf(page, "info")).toBe(50);
    // Every process has this gauge; the page shows the largest.
    const version = /^sextant_ledger_version (\d+)$/m.exec(page)?.[1];
    const { version: head } = await ask(node.url, separate);
    expect(BigInt(version ?? "-1")).toBeLessThanOrEqual(head);
    expect((await node.stop("SIGINT")).code).toBe(0);
  });

  it("keep their counts after their death, whether metrics were read before or not", async () => {
    const node = await start("counters", "--rate-limit", "1");
    const separate = new Agent({ keepAlive: false });
    // A connection on its way to a worker that dies is lost.
    const tryToAsk = (url: string): Promise<Reply | undefined> =>
      ask(url, separate, 5000).catch(() => undefined);
    const rateLimited = async (): Promise<number> => {
      // The metrics reader is a client too, and is refused as often as others.
      const page = await until(async () => {
        const reply = await tryToAsk(`${node.url.slice(0, -3)}/metrics`);
        return reply?.status === 200 && reply.body;
      });
      return Number(/^sextant_http_rate_limited_total (\d+)$/m.exec(page)?.[1]);
    };
    const refuse = async (count: number): Promise<void> => {
      let refused = 0;
      await until(async () => {
        if ((await tryToAsk(`${node.url}/info`))?.status === 429) refused++;
        return refused >= count;
      });
    };
    const killAll = async (): Promise<void> => {
      const victims = workersOf(node);
      for (const victim of victims) process.kill(victim, "SIGKILL");
      await until(() => !victims.some(isAlive) && workersOf(node).length === 2);
    };
    await refuse(20);
    const before = await rateLimited();
    expect(before).toBeGreaterThanOrEqual(20);
    await killAll();
    expect(await rateLimited()).toBeGreaterThanOrEqual(before);
    // Without metrics reads: workers report their counts periodically, so a round long enough for a report keeps all.
    await until(async () => {
      const seen = await rateLimited();
      await refuse(20);
      await sleep(2000);
      await killAll();
      return (await rateLimited()) >= seen + 20;
    });
    expect((await node.stop()).code).toBe(0);
  });

  it("end with the writer, whose store stays sound", async () => {
    const node = await start("writer");
    const workers = workersOf(node);
    node.child.kill("SIGKILL");
    await until(() => !workers.some(isAlive));
    const again = await start("writer", "--blocks", "0");
    expect((await again.stop()).code).toBe(0);
  });

  it("are refused when the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await until(() => taken.listening);
    const address = taken.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const data = join(folder, "refused");
    const { code, stderr } = await runProgram([
      "start",
      "--data",
      data,
      ...["--workers", "2", "--port", `${port}`],
    ]);
    expect(code).toBe(75);
    expect(stderr).toContain(`cannot listen on port ${port}`);
    taken.close();
  });
});
