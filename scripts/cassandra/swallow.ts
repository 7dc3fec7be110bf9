// A line to a node that can lose answers: requests arrive and are carried out, and what comes back is thrown away
// for a while. Then the line breaks, as lines do.
import { connect, createServer, type Server, type Socket } from "node:net";

/** A line under way. */
export interface Swallower {
  /** Loses all answers from now on, and breaks the lines that lost some after so many milliseconds. */
  swallow(ms: number): void;
  /** Bytes of answers that were lost. */
  readonly lost: number;
  close(): Promise<void>;
}

/** Listens on an address for one node, on the same port. */
export async function startSwallower(listen: string, target: string, port: number): Promise<Swallower> {
  let until = 0;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const node = connect({ host: target, port });
    const robbed = { is: false };
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
      if (performance.now() < until || robbed.is) {
        lost += chunk.length;
        if (!robbed.is) setTimeout(() => client.destroy(), Math.max(0, until - performance.now()));
        robbed.is = true;
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
