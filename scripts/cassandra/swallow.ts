// A proxy to a node that can drop responses: the node executes the requests, and the proxy discards its responses for a
// while. Then it breaks the connection.
import { connect, createServer, type Server, type Socket } from "node:net";

/** A running proxy. */
export interface Swallower {
  /** Drops all responses for `ms`, then breaks the connections that lost some. */
  swallow(ms: number): void;
  /** Bytes of dropped responses. */
  readonly lost: number;
  close(): Promise<void>;
}

/** Starts a proxy on an address for one node, on the same port. */
export async function startSwallower(listen: string, target: string, port: number): Promise<Swallower> {
  let until = 0;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const node = connect({ host: target, port });
    let hasLost = false;
    for (const socket of [client, node]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        node.destroy();
      });
    }
    client.on("data", (chunk) => node.write(chunk));
    node.on("data", (chunk) => {
      if (performance.now() < until || hasLost) {
        lost += chunk.length;
        if (!hasLost) setTimeout(() => client.destroy(), Math.max(0, until - performance.now()));
        hasLost = true;
      } else {
        client.write(chunk);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, listen, resolve));
  return {
    swallow: (ms) => {
      until = performance.now() + ms;
    },
    get lost() {
      return lost;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
