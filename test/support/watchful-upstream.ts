// An upstream for pass-through that answers in every way HTTP allows, says in each answer what it was asked for, and
// notes what it must never be asked.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SEEN_HEADER, SMUGGLED_PATH } from "./hostile-requests.ts";

/** An upstream under way. */
export interface WatchfulUpstream {
  /** Base URL, with `/v1`. */
  readonly url: URL;
  /** What it was asked and must not be. */
  readonly faults: readonly string[];
  /** Requests that came. */
  readonly asked: () => number;
  close(): void;
}

const BODY = "x".repeat(100);

/** Ways to answer, all valid. */
const ANSWERS: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.end(),
  (response) => response.writeHead(200, { "Content-Length": BODY.length }).end(BODY),
  (response) => {
    response.write(BODY);
    response.end(BODY);
  },
  (response) => response.writeHead(200, { Connection: "close", "Content-Length": BODY.length }).end(BODY),
  (response) => response.writeHead(204).end(),
];

/** Starts one on a free port. */
export async function startWatchfulUpstream(): Promise<WatchfulUpstream> {
  const faults: string[] = [];
  let asked = 0;
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const { method, url = "", headers } = request;
    const seen = `${method} ${url}`;
    if (!url.startsWith("/v1/") || url.startsWith(SMUGGLED_PATH))
      faults.push(`the upstream was asked for ${seen}`);
    response.setHeader(SEEN_HEADER, seen);
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      const length = headers["content-length"];
      if (length !== undefined && Number(length) !== bytes)
        faults.push(`${seen}: ${length} bytes became ${bytes}`);
      ANSWERS[asked++ % ANSWERS.length]?.(response);
    });
  });
  // A socket that this side closes while the other sends on it would look like a fault of the other.
  server.keepAliveTimeout = 0;
  server.on("clientError", (error, socket) => {
    if ("code" in error && error.code !== "ECONNRESET" && error.code !== "HPE_INVALID_EOF_STATE") {
      faults.push(`the upstream got what is no request: ${error.message}`);
    }
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
    faults,
    asked: () => asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
