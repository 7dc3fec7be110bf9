// A large response leaves turns of the event loop to other requests, however fast its client reads.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { plainHeaders } from "../../src/http/response/headers.ts";
import { NodeExchange } from "../../src/http/transport/node-exchange.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const MAX_SLICE_BYTES = MIB / 4;

/** Replies with a body, and notes when it is sent. */
function reply(request: IncomingMessage, response: ServerResponse, body: Uint8Array, events: string[]): void {
  new NodeExchange(request, response, { awaitsContinue: false, readTimeoutMs: 10_000 }).respond({
    ...{ status: 200, headers: plainHeaders("bcs"), extra: [], body, closes: false },
    onSent: () => events.push("sent"),
  });
}

it("is written in slices, each in a turn of its own", async () => {
  const body = Buffer.alloc(4 * MIB + 1, "abcdefg");
  const writes: { turn: number; bytes: number }[] = [];
  const events: string[] = [];
  let turn = 0;
  let isOpen = true;
  const nextTurn = (): void => {
    turn++;
    if (isOpen) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  const server = createServer((request, response) => {
    const { write } = request.socket;
    // The head, and the end of a response, are texts.
    request.socket.write = (chunk: string | Uint8Array, ...rest: never[]): boolean => {
      if (typeof chunk !== "string") writes.push({ turn, bytes: chunk.length });
      return write.call(request.socket, chunk, ...rest);
    };
    reply(request, response, body, events);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect(body.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  expect(response.headers.get("content-length")).toBe(String(body.length));
  expect(writes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(body.length);
  expect(Math.max(...writes.map(({ bytes }) => bytes))).toBe(MAX_SLICE_BYTES);
  expect(new Set(writes.map(({ turn }) => turn)).size).toBe(writes.length);
  await until(() => events.length === 1);
  expect(events).toEqual(["sent"]);
  isOpen = false;
  server.closeAllConnections();
  server.close();
});
