// A node that is told to stop serves on for its drain time, without being ready, so that a load balancer takes it out first.
import { expect, it } from "vitest";
import { createNode } from "../../src/node.ts";
import { until } from "../support/until.ts";

it("serves while it drains, and says that it is not ready", async () => {
  const node = await createNode({ localChain: {}, http: { port: 0, drainTimeMs: 4000 } });
  await node.produceBlock();
  const ready = () => fetch(`${node.url}/-/ready`);
  expect((await ready()).status).toBe(200);
  let isClosed = false;
  const closed = node.close().then(() => {
    isClosed = true;
  });
  const refusal = await until(async () => {
    const response = await ready();
    return response.status === 503 && response.text();
  });
  expect(refusal).toContain("the node is stopping");
  const read = () => fetch(`${node.url}/accounts/0x1/balance/0xa`);
  expect((await read()).status).toBe(200);
  // A client that keeps its connection would meet the end of it in the middle of a request.
  await until(async () => (await read()).headers.get("connection") === "close");
  expect(isClosed).toBe(false);
  await closed;
  await expect(ready()).rejects.toThrow();
});

it("stops at once without a drain time", async () => {
  const node = await createNode({ localChain: {}, http: { port: 0 } });
  const { url } = node;
  await node.close();
  await expect(fetch(`${url}/-/ready`)).rejects.toThrow();
});
