// A TCP forwarder to a server that can be cut and restored: simulates a machine that disappears.
import { connect, createServer, type Socket } from "node:net";

/** A running forwarder. */
export interface Line {
  /** Port to connect to instead of the server's. */
  readonly port: number;
  /** Breaks all connections and accepts no more. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** Opens a forwarder to a server on a free port. */
export async function openLine(target: { readonly host: string; readonly port: number }): Promise<Line> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  };
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect({ ...target, noDelay: true });
    near.setNoDelay(true);
    keep(near);
    keep(far);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      breakAll();
      server.close();
    },
  };
}
