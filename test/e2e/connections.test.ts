// Many connections to the real program: idle ones, short ones, silent ones.
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processFigures } from "../../scripts/load/process-figures.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const IDLE = 10_000;
const CHURN = 1_000;
const OPENING = 64;
/** Memory limit of an idle connection, in bytes. */
const MAX_BYTES_EACH = 32 * 1024;
const ASK = "GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n";

const limits = readFileSync("/proc/self/limits", "utf8");
const maxFiles = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? 0);

async function start(...args: string[]): Promise<{ node: Running; port: number; pid: number }> {
  const data = join(temporaryFolder(), "data");
  const node = await startProgram(["--data", data, "--block-time", "500ms", "--log-level", "warn", ...args]);
  return { node, port: Number(new URL(node.url).port), pid: node.child.pid ?? 0 };
}

/** Opens connections a few at a time; each optionally sends one request. */
async function open(
  port: number,
  count: number,
  asks: boolean,
): Promise<{ sockets: Socket[]; closed: () => number }> {
  const sockets: Socket[] = [];
  let closed = 0;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => (asks ? socket.write(ASK) : resolve()));
      sockets.push(socket);
      socket.on("data", () => resolve());
      socket.on("error", reject);
      socket.on("close", () => closed++);
    });
  const work = async (): Promise<void> => {
    while (sockets.length < count) await one();
  };
  await Promise.all(Array.from({ length: OPENING }, work));
  return { sockets, closed: () => closed };
}

describe.skipIf(maxFiles < IDLE + 500)(`${IDLE} idle connections (needs as many open files)`, () => {
  it("cost little, and give way to one more", async () => {
    const { node, port, pid } = await start("--max-connections", `${IDLE}`, "--keep-alive-timeout", "10m");
    const before = processFigures(pid);
    const { sockets, closed } = await open(port, IDLE, true);
    const during = processFigures(pid);
    const perConnection = (during.anonymousBytes - before.anonymousBytes) / IDLE;
    console.info(`${IDLE} idle connections: ${(perConnection / 1024).toFixed(1)} KiB of memory each`);
    expect(during.sockets - before.sockets).toBe(IDLE);
    expect(perConnection).toBeLessThan(MAX_BYTES_EACH);
    const refused = connect(port, "127.0.0.1").on("error", () => {});
    await new Promise((resolve) => refused.once("close", resolve));
    await until(() => closed() === IDLE);
    expect((await fetch(`${node.url}/info`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => processFigures(pid).sockets <= before.sockets + 1);
    await until(() => processFigures(pid).files <= before.files);
    expect((await node.stop()).code).toBe(0);
  });

  it("are closed after the keep-alive timeout", async () => {
    const { node, port, pid } = await start("--keep-alive-timeout", "1s");
    const { closed } = await open(port, 200, true);
    await until(() => closed() === 200);
    await until(() => processFigures(pid).sockets < 50);
    await node.stop();
  });

  it("that send nothing are closed after the timeout for headers", async () => {
    const { node, port, pid } = await start("--request-timeout", "1s");
    const { sockets, closed } = await open(port, 1000, false);
    await until(() => closed() === 1000);
    for (const socket of sockets) socket.destroy();
    await until(() => processFigures(pid).sockets < 50);
    await node.stop();
  });
});

describe("connection churn", () => {
  it(`${CHURN} connections with one request each leave nothing behind`, async () => {
    const { node, pid } = await start();
    const agent = new Agent({ keepAlive: false, maxSockets: OPENING });
    const ask = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        get(`${node.url}/info`, { agent }, (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode));
        }).on("error", reject);
      });
    await ask();
    const before = processFigures(pid);
    const statuses = await Promise.all(Array.from({ length: CHURN }, ask));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until(() => {
      const after = processFigures(pid);
      return after.files <= before.files && after.sockets <= before.sockets + 1;
    });
    await node.stop();
  });
});
