// Ports next to the main one: their requests are served one at a time on each connection, and dropped when it closes.
import { connect } from "node:net";
import { expect, it } from "vitest";
import { listenForMetrics } from "../../src/http/side/side-server.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

it("work on one request of a connection at a time, and on none of a client that left", async () => {
  const port = await freePort();
  let [asked, atOnce, most] = [0, 0, 0];
  let goOn = (): void => {};
  const page = async (): Promise<string> => {
    asked++;
    most = Math.max(most, ++atOnce);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    atOnce--;
    return "page";
  };
  const server = await listenForMetrics({ host: "127.0.0.1", port, page });
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));
  await until(() => asked === 1);
  goOn();
  await until(() => asked === 2);
  socket.resetAndDestroy();
  await closed;
  // The server has seen that the client left once another client was served.
  const other = fetch(`http://127.0.0.1:${port}/other`);
  expect((await other).status).toBe(404);
  goOn();
  const next = fetch(`http://127.0.0.1:${port}/metrics`);
  await until(() => asked === 3);
  goOn();
  expect(await (await next).text()).toBe("page");
  expect([asked, most]).toEqual([3, 1]);
  await server.close();
});
