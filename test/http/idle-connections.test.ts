import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { DirectLane } from "../../src/http/transport/direct-lane.ts";
import { until } from "../support/until.ts";

/** More than the buffers of the two sockets hold. */
const SIZE = 32 * 1024 * 1024;
const KEEP_ALIVE_MS = 3_600_000;

it("a connection is idle from when its client has read the response, not from when that was written", async () => {
  let replies = 0;
  const lane = new DirectLane({
    keepAliveTimeoutMs: KEEP_ALIVE_MS,
    readTimeoutMs: 600_000,
    take: (exchange) => {
      const body = new Uint8Array(SIZE);
      exchange.respond({ status: 200, headers: { lines: "", list: [] }, extra: [], body, closes: false });
      replies++;
    },
    onBrokenOff: (socket) => socket.destroy(),
    handOver: (socket) => socket.destroy(),
  });
  let accepted: Socket | undefined;
  const server = createServer((socket) => {
    accepted = lane.accept(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => replies === 1);
  const begunMs = performance.now();
  lane.sweep(begunMs + 2 * KEEP_ALIVE_MS);
  lane.closeIdle();

  let received = 0;
  client.on("data", (chunk) => {
    received += chunk.length;
  });
  await until(() => received > SIZE && accepted?.writableLength === 0);
  // The response was written before the client began to read.
  lane.sweep(begunMs + KEEP_ALIVE_MS);
  expect(accepted?.destroyed).toBe(false);
  lane.sweep(performance.now() + 2 * KEEP_ALIVE_MS);
  await once(client, "close");
  server.close();
});
