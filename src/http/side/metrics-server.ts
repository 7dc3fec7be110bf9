// The metrics page on a port of its own, for operators who keep it away from the public one.
import { plainHeaders } from "../response/headers.ts";
import { listenBeside, type SideServer } from "./side-server.ts";

const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 8192,
} as const;
const MAX_CONNECTIONS = 64;

/** Serves `GET /metrics` and nothing else. */
export function listenForMetrics(options: {
  readonly host: string;
  readonly port: number;
  readonly page: () => Promise<string>;
}): Promise<SideServer> {
  const { host, port, page } = options;
  return listenBeside({
    host,
    port,
    limits: LIMITS,
    maxConnections: MAX_CONNECTIONS,
    serve: (request, response) => {
      if (request.method !== "GET" || request.url !== "/metrics") {
        response.writeHead(404, { "Content-Type": "text/plain" }).end("only GET /metrics is served here\n");
        return;
      }
      page().then(
        (text) => response.writeHead(200, [...plainHeaders("text").list]).end(text),
        () => response.writeHead(500).end(),
      );
    },
  });
}
