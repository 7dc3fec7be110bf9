// The second socket on an accepted connection's handle: it uses fields of node that are not documented, so these tests
// show for each release of node whether they are still there. Without them the lane reads as before, only slower.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { expect, it } from "vitest";
import { sharedReads, withSharedReads } from "../../src/http/transport/shared-reads.ts";
import { until } from "../support/until.ts";

it("reads into the shared buffer, and its server counts one connection until it closes", async () => {
  const server = createServer({ allowHalfOpen: true });
  const read: string[] = [];
  const moved = new Promise<Socket | undefined>((resolve) => {
    server.on("connection", (accepted) =>
      resolve(withSharedReads(accepted, (count) => read.push(sharedReads.toString("latin1", 0, count)) > 0)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const socket = await moved;
  if (socket === undefined) throw new Error("this node has no shared reads");
  client.write("one");
  await until(() => read.join("") === "one");
  socket.pause();
  client.write("two");
  socket.write("reply");
  const [reply] = (await once(client, "data")) as [Buffer];
  expect([reply.toString(), read.join("")]).toEqual(["reply", "one"]);
  socket.resume();
  await until(() => read.join("") === "onetwo");
  const count = (): Promise<number> =>
    new Promise((resolve, reject) =>
      server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
    );
  expect(await count()).toBe(1);
  client.end();
  await once(socket, "end");
  socket.end();
  await once(socket, "close");
  expect(await count()).toBe(0);
  server.close();
  await once(server, "close");
});

it("leaves other kinds of sockets as they are", () => {
  class OtherSocket extends Socket {}
  expect(withSharedReads(new OtherSocket(), () => true)).toBeUndefined();
  expect(withSharedReads(new Socket(), () => true)).toBeUndefined();
});
