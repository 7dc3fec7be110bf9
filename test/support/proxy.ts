// A proxy between two nodes that can change, count, delay or break responses.
import { createServer, type IncomingHttpHeaders, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One response of the node. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body of the request. */
  readonly sent: Buffer;
}

/** Handles a response: returns it, changed or not, or writes to the client itself. */
export type Meddle = (
  passing: Passing,
  response: ServerResponse,
) => Passing | undefined | Promise<Passing | undefined>;

/** A running proxy. */
export interface Meddler {
  /** Base URL without `/v1`. */
  readonly url: string;
  /** Received requests, as method and path. */
  readonly seen: string[];
  meddle: Meddle;
  /** Base URL of the target node; may be changed. */
  target: string;
  close(): Promise<void>;
}

/** Starts a proxy in front of a node, given by its base URL with `/v1`. With `isPlain` it gets no compressed bodies. */
export async function startProxy(target: string, isPlain = false): Promise<Meddler> {
  const seen: string[] = [];
  // Connections stay, however late a busy machine sends the next request: one that ends just then would fail it.
  const server: Server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "GET", url: path = "/" } = incoming;
      seen.push(`${method} ${path}`);
      const { host: _, ...headers } = incoming.headers;
      if (isPlain) headers["accept-encoding"] = "identity";
      const asked = Buffer.concat(chunks);
      const onward = request(`${new URL(proxy.target).origin}${path}`, { method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (chunk) => parts.push(chunk));
        answer.on("end", async () => {
          const passing = {
            method,
            path,
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts),
            sent: asked,
          };
          const sent = await proxy.meddle(passing, response);
          if (sent === undefined) return;
          const { "content-length": __, "transfer-encoding": ___, connection: ____, ...kept } = sent.headers;
          response.writeHead(sent.status, { ...kept, "content-length": sent.body.length }).end(sent.body);
        });
      });
      onward.on("error", () => response.destroy());
      onward.end(asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: Meddler = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    target,
    meddle: (passing) => passing,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Changes a bit of the byte at an index of each answer, or of one that counts from the end. */
export function flipped(at: number): Meddle {
  return (passing) => {
    const body = Buffer.from(passing.body);
    const place = at < 0 ? body.length + at : at;
    body[place] = (body[place] ?? 0) ^ 1;
    return { ...passing, body };
  };
}
