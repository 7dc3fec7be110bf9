// Why the server stands on node:http directly: a bare node:http server, Sextant's, and Fastify answer the same
// balance with the same headers, in one interleaved run, each in a process of its own, asked by autocannon from
// another. Prints requests per second and CPU time per request. Run by hand:
//
//     npx tsx bench/http-frameworks.ts [rounds] [seconds]
import { type ChildProcess, fork } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import fastify from "fastify";
import { createHttpServer } from "../src/http/server.ts";
import { COIN, createHttpLedger } from "../test/support/http-ledger.ts";

const KINDS = ["bare", "sextant", "fastify"] as const;
type Kind = (typeof KINDS)[number];

const PATH = `/v1/accounts/0xb0/balance/${COIN}`;
const CONNECTIONS = 32;
/** Set by node itself on every answer. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

interface Report {
  readonly port?: number;
  readonly cpuMicros?: number;
}

async function sextantPort(): Promise<number> {
  const server = createHttpServer({
    ledger: await createHttpLedger(),
    encode: async (body) => body,
    explain: () => Promise.reject(new Error("never asked")),
    nodeInfo: () => ({}),
    port: 0,
  });
  return (await server.listen()).port;
}

/** Body and headers of the real answer, for the servers that only repeat it. */
async function recordAnswer(): Promise<{ body: string; headers: string[] }> {
  const response = await fetch(`http://127.0.0.1:${await sextantPort()}${PATH}`);
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)).flat();
  return { body: await response.text(), headers };
}

async function startKind(kind: Kind): Promise<number> {
  if (kind === "sextant") return sextantPort();
  const { body, headers } = await recordAnswer();
  if (kind === "bare") {
    const server = createServer((_, response) => {
      response.writeHead(200, headers);
      response.end(body);
    });
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }
  const app = fastify();
  const pairs = Object.fromEntries(
    Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i] ?? "", headers[2 * i + 1] ?? ""]),
  );
  app.get("/v1/accounts/:address/balance/:asset_type", (_, reply) => {
    reply.headers(pairs).send(body);
  });
  return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}

async function runServer(kind: Kind): Promise<void> {
  const port = await startKind(kind);
  let last = process.cpuUsage();
  process.on("message", () => {
    const used = process.cpuUsage(last);
    last = process.cpuUsage();
    process.send?.({ cpuMicros: used.user + used.system } satisfies Report);
  });
  process.send?.({ port } satisfies Report);
}

function nextReport(child: ChildProcess): Promise<Report> {
  return new Promise((resolve) => child.once("message", (report) => resolve(report as Report)));
}

async function askCpu(child: ChildProcess): Promise<number> {
  const report = nextReport(child);
  child.send("cpu");
  return (await report).cpuMicros ?? 0;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function main(rounds: number, seconds: number): Promise<void> {
  const self = fileURLToPath(import.meta.url);
  const servers = new Map<Kind, { child: ChildProcess; url: string }>();
  for (const kind of KINDS) {
    const child = fork(self, ["serve", kind]);
    const { port } = await nextReport(child);
    servers.set(kind, { child, url: `http://127.0.0.1:${port}${PATH}` });
  }
  const rates = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const costs = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [kind, { child, url }] of servers) {
      await askCpu(child);
      const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds });
      const cpuMicros = await askCpu(child);
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${kind}: ${result.non2xx} bad answers`);
      // The first round warms up.
      if (round < 0) continue;
      rates.get(kind)?.push(result.requests.total / result.duration);
      costs.get(kind)?.push(cpuMicros / result.requests.total);
    }
  }
  for (const { child } of servers.values()) child.kill();
  const bareRate = median(rates.get("bare") ?? []);
  const bareCost = median(costs.get("bare") ?? []);
  console.log(`GET ${PATH}, ${CONNECTIONS} connections, median of ${rounds} rounds of ${seconds} s`);
  for (const kind of KINDS) {
    const rate = median(rates.get(kind) ?? []);
    const cost = median(costs.get(kind) ?? []);
    console.log(
      `${kind.padEnd(8)} ${rate.toFixed(0).padStart(7)} requests/s (${(rate / bareRate).toFixed(2)} of bare), ` +
        `${cost.toFixed(1)} µs CPU each (${(cost / bareCost).toFixed(2)} of bare)`,
    );
  }
}

const [command = "5", second = "4"] = process.argv.slice(2);
if (command === "serve") await runServer(second as Kind);
else await main(Number(command), Number(second));
