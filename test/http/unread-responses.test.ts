import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startServer } from "../support/http-server.ts";
import { until } from "../support/until.ts";

describe("a client that does not read", () => {
  it("loses its connection, and nothing else is kept for it", async () => {
    const size = 16 * 1024 * 1024;
    const server = await startServer({
      nodeInfo: () => ({ large: "x".repeat(size) }),
      readTimeoutMs: 200,
      keepAliveTimeoutMs: 60_000,
    });
    const socket = connect(server.port, server.host);
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => {});
    socket.pause();
    socket.write("GET /v1/info HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => server.figures().connections === 1);
    await until(() => server.figures().connections === 0);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await closed;
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(size);
    const reader = await fetch(`${server.url}/v1/info`);
    expect((await reader.text()).length).toBeGreaterThan(size);
  });
});
