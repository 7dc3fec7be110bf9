// Sends raw bytes to a server, for requests that no client library would send.
import { connect } from "node:net";

/** Bytes received on a raw connection. */
export interface RawExchange {
  readonly text: string;
  /** Status of every response, in order. */
  readonly statuses: readonly number[];
}

/** Sends pieces with a pause between them and collects the responses until the server closes or time is up. */
export function sendRaw(
  address: { readonly host: string; readonly port: number },
  pieces: readonly (string | Uint8Array)[],
  options: { readonly pauseMs?: number; readonly waitMs?: number; readonly end?: boolean } = {},
): Promise<RawExchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(address.port, address.host);
    const timer = setTimeout(() => socket.destroy(), options.waitMs ?? 120_000);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString("latin1");
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
      resolve({ text, statuses });
    });
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (options.pauseMs !== undefined) await new Promise((next) => setTimeout(next, options.pauseMs));
      }
      if (options.end === true) socket.end();
    })();
  });
}
