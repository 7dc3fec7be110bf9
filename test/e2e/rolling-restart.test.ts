// contrib/nginx and contrib/haproxy: two followers restart one after the other behind a load balancer, and no request fails.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { endWithTest } from "../support/children.ts";
import { freePort } from "../support/free-port.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
const COIN = "0x1::aptos_coin::AptosCoin";
const CLIENTS = 8;

let chain: Running;

beforeAll(async () => {
  chain = await startProgram(["--store", "memory", "--block-time", "200ms", "--log-level", "warn"]);
});

/** A file of contrib with the ports of this test in the place of its own. */
function withPorts(file: string, ports: Readonly<Record<string, number>>): string {
  return readFileSync(resolve("contrib", file), "utf8").replace(/\b808[012]\b/g, (port) => `${ports[port]}`);
}

function startNginx(ports: Readonly<Record<string, number>>): void {
  const prefix = join(folder, "nginx");
  mkdirSync(prefix);
  writeFileSync(join(prefix, "sextant.conf"), withPorts("nginx/sextant.conf", ports));
  const own = "client_body proxy fastcgi uwsgi scgi"
    .split(" ")
    .map((name) => `${name}_temp_path ${prefix}/${name};`);
  const main = `daemon off; master_process off; pid ${prefix}/pid; error_log ${prefix}/error.log;
    events {} http { access_log off; ${own.join(" ")} include ${prefix}/sextant.conf; }`;
  writeFileSync(join(prefix, "nginx.conf"), main);
  const args = ["-p", prefix, "-e", join(prefix, "error.log"), "-c", join(prefix, "nginx.conf")];
  endWithTest(spawn("nginx", args, { stdio: "ignore" }));
}

function startHaproxy(ports: Readonly<Record<string, number>>): void {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, withPorts("haproxy/sextant.cfg", ports));
  endWithTest(spawn("haproxy", ["-db", "-q", "-f", file], { stdio: "ignore" }));
}

/** Keeps several connections busy with reads and with views, which are POSTs; returns what went wrong. */
function load(url: string): { readonly served: () => number; readonly stop: () => Promise<string[]> } {
  const failures: string[] = [];
  let served = 0;
  let isStopped = false;
  const view = { function: "0x1::coin::balance", type_arguments: [COIN], arguments: ["0x1"] };
  const post = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(view),
  };
  const client = async (isPosting: boolean): Promise<void> => {
    while (!isStopped) {
      try {
        const response = isPosting
          ? await fetch(`${url}/v1/view`, post)
          : await fetch(`${url}/v1/accounts/0x1/balance/${COIN}`);
        const text = await response.text();
        if (response.status === 200) served++;
        else failures.push(`${response.status} ${text}`);
      } catch (error) {
        failures.push(String((error as Error).cause ?? error));
      }
      await new Promise((next) => setTimeout(next, 1));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index % 2 === 0)));
  return {
    served: () => served,
    stop: async () => {
      isStopped = true;
      await clients;
      return failures;
    },
  };
}

async function rollUnderLoad(start: (ports: Readonly<Record<string, number>>) => void): Promise<void> {
  const [balancer, one, two] = await Promise.all([freePort(), freePort(), freePort()]);
  const follower = (port: number): Promise<Running> =>
    startProgram([
      ...["--port", `${port}`, "--data", join(folder, `${port}`), "--upstream", chain.url],
      // Longer than HAProxy needs to see that a node is not ready.
      ...["--drain-time", "3s", "--log-level", "warn"],
    ]);
  const running = await Promise.all([follower(one), follower(two)]);
  start({ 8080: balancer, 8081: one, 8082: two });
  const url = `http://127.0.0.1:${balancer}`;
  await until(async () => (await fetch(`${url}/v1/-/ready`).catch(() => undefined))?.status === 200);
  const requests = load(url);
  const more = async (): Promise<void> => {
    const before = requests.served();
    await until(() => requests.served() > before + 200);
  };
  await more();
  for (const [index, port] of [one, two].entries()) {
    expect((await running[index]?.stop())?.code).toBe(0);
    await more();
    running[index] = await follower(port);
    // The balancer has the node again before the next one stops.
    const servedBy = async (): Promise<number> => countOf(port);
    const before = await servedBy();
    await until(async () => (await servedBy()) > before + 20);
  }
  await more();
  expect(await requests.stop()).toEqual([]);
  for (const node of running) await node.stop();
}

/** Responses to reads that a node has sent. */
async function countOf(port: number): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = page.matchAll(
    /^sextant_http_request_duration_seconds_count\{[^}]*operation="get_account_balance"[^}]*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("a rolling restart under load", () => {
  it.skipIf(!hasTool("nginx", "-v"))("loses no request behind nginx", () => rollUnderLoad(startNginx));
  it.skipIf(!hasTool("haproxy", "-v"))("loses no request behind HAProxy", () => rollUnderLoad(startHaproxy));
});
